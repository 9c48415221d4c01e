import { useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { mount } from '../../../mingraph_lite/views/folder_and_card.js'
import { at, busy, canNext, frames, goto, next, notice, play, reset, stop } from '../state'
import { Tabs } from './Tabs'
import { Trace } from './Trace'
import { Why } from './Why'

function Desk() {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<ReturnType<typeof mount> | null>(null)

  useEffect(() => {
    const acts = {
      next: () => void next(),
      back: () => goto(at.value - 1),
      reset: () => void reset(),
      play: () => void play(),
      stop: () => void stop(),
      goto: (index?: number) => goto(index ?? 0),
    }
    view.current = mount(place.current!, (name, value) => acts[name](value))
    return () => view.current?.destroy()
  }, [])

  useSignalEffect(() => {
    const shown = { frames: frames.value, at: at.value, busy: busy.value, canNext: canNext.value, controls: true }
    view.current?.update(shown)
  })

  return <div ref={place} />
}

function Notice() {
  const said = notice.value
  return (
    <div role="status" class={said ? `notice ${said.kind}` : ''} data-notice={said?.kind}>
      {said?.text}
    </div>
  )
}

function Drawn() {
  const frame = frames.value[at.value]
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="The frame as data">
      <pre class="data">{frame ? JSON.stringify(frame, null, 2) : 'No frame yet.'}</pre>
    </div>
  )
}

export function RunView() {
  return (
    <section class="right" aria-label="The run">
      <Desk />
      <Notice />
      <Why />
      <div class="below">
        <Tabs
          label="More about this run"
          tabs={[
            { name: 'Trace', body: <Trace /> },
            { name: 'Frame', body: <Drawn /> },
          ]}
        />
      </div>
    </section>
  )
}
