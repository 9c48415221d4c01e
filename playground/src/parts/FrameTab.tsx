import { useMemo, useState } from 'preact/hooks'
import { usePage } from '../page'
import { counted, LONG } from './LongText'

/** The frame as data, its long texts folded until one asks for them. */
export function FrameTab() {
  const { frames, at } = usePage().run.value
  const [whole, setWhole] = useState(false)
  const frame = frames.value[at.value]
  const { text, folded } = useMemo(() => {
    let longOnes = 0
    const fold = (_: string, value: unknown) => {
      if (typeof value !== 'string' || value.length <= LONG) return value
      longOnes += 1
      return whole ? value : `${value.slice(0, LONG)}… and ${counted(value.length - LONG)} more characters`
    }
    return { text: frame ? JSON.stringify(frame, fold, 2) : 'No frame yet.', folded: longOnes }
  }, [frame, whole])
  return (
    <>
      <div class="pg-scroll" tabIndex={0} role="region" aria-label="The frame as data">
        <pre class="pg-data">{text}</pre>
      </div>
      {folded > 0 && (
        <button type="button" class="pg-link" aria-pressed={whole} onClick={() => setWhole(!whole)}>
          {whole ? 'Fold long texts' : 'Show long texts in full'}
        </button>
      )}
    </>
  )
}
