// Beside a field: that it was edited, what changed, and the way back.
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useState } from 'preact/hooks'
import type { Field } from '../edits/edits'
import { usePage } from '../page'
import type { Diff as DiffPart } from './Diff'

const NAMES: Record<Field, string> = {
  question: 'the question',
  systemPrompt: 'the system prompt',
  tools: 'the tools',
  maxSteps: 'the most rounds',
}

/** `name` stands at the left of the line, the marks at its right; the field is `children`. */
export function Edited({
  field,
  name,
  children,
}: {
  field: Field
  name: ComponentChildren
  children: ComponentChildren
}) {
  const { edits } = usePage()
  const [shown, setShown] = useState(false)
  const id = useId()
  const edited = edits.edited.value.includes(field)
  const back = !edited && edits.taken.value.length === 1 && edits.taken.value[0] === field
  // Taken back and edited again, it begins folded.
  useEffect(() => {
    if (!edited) setShown(false)
  }, [edited])
  return (
    <>
      <div class="pg-bar">
        <span id={`${id}-name`}>{name}</span>
        {(edited || back) && (
          <span class="pg-marks">
            {edited && <b class="pg-mark-edited">edited</b>}
            {edited && (
              <button
                type="button"
                class="pg-link"
                aria-expanded={shown}
                aria-controls={id}
                aria-describedby={`${id}-name`}
                onClick={() => setShown(!shown)}
              >
                {shown ? 'Hide' : 'Show'} what changed
              </button>
            )}
            {/* One button for both, so that the keyboard stays on it. */}
            <button
              key="back"
              type="button"
              class="pg-link"
              aria-describedby={`${id}-name`}
              title={edited ? `Put ${NAMES[field]} back as it came` : `Undo taking back ${NAMES[field]}`}
              onClick={() => (edited ? edits.takeBack(field) : edits.bringBack())}
            >
              {edited ? 'Take back' : 'Bring it back'}
            </button>
          </span>
        )}
      </div>
      {edits.outdated.value.includes(field) && (
        <p class="pg-hint">
          What this was edited from has changed since you edited it. Your text stays; “Show what changed” compares it
          with the new one.
        </p>
      )}
      <div id={id}>{edited && shown && <Changes field={field} />}</div>
      {children}
    </>
  )
}

function Changes({ field }: { field: Field }) {
  const { edits } = usePage()
  const [Diff, setDiff] = useState<typeof DiffPart | null>(null)
  // It comes with the editor's code, which not everybody needs.
  useEffect(() => {
    void import('./Diff').then((part) => setDiff(() => part.Diff))
  }, [])
  if (!Diff) return null
  const before = String(edits.originals.value[field])
  return <Diff before={before} after={String(edits.texts.value[field])} />
}
