import { FrameTab } from './FrameTab'
import { Tabs } from './Tabs'
import { Trace } from './Trace'

/** What the run left behind. */
export function RunData() {
  return (
    <section class="pg-below" aria-label="More about this run">
      <Tabs
        label="More about this run"
        tabs={[
          { name: 'Trace', body: <Trace /> },
          { name: 'Frame', body: <FrameTab /> },
        ]}
      />
    </section>
  )
}
