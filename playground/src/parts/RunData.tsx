import { usePage } from '../page'
import { Tabs } from './Tabs'
import { Trace } from './Trace'

function Drawn() {
  const { frames, at } = usePage().run.value
  const frame = frames.value[at.value]
  return (
    <div class="pg-scroll" tabIndex={0} role="region" aria-label="The frame as data">
      <pre class="pg-data">{frame ? JSON.stringify(frame, null, 2) : 'No frame yet.'}</pre>
    </div>
  )
}

/** What the run left behind. */
export function RunData() {
  return (
    <section class="pg-below" aria-label="More about this run">
      <Tabs
        label="More about this run"
        tabs={[
          { name: 'Trace', body: <Trace /> },
          { name: 'Frame', body: <Drawn /> },
        ]}
      />
    </section>
  )
}
