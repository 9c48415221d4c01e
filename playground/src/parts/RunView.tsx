import { useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { mount } from '../../../mingraph_lite/views/folder_and_card.js'
import type { Frame } from '../frame'
import { usePage } from '../page'
import { Tabs } from './Tabs'
import { Trace } from './Trace'
import { Why } from './Why'

function Desk() {
  const page = usePage()
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<ReturnType<typeof mount> | null>(null)

  useEffect(() => {
    const acts: Record<string, (value?: number) => void> = {
      next: () => void page.run.value.next(),
      back: () => page.run.value.back(),
      reset: () => void page.reset(),
      play: () => void page.play(),
      stop: () => void page.run.value.stop(),
      goto: (index?: number) => page.run.value.goto(index ?? 0),
    }
    view.current = mount(place.current!, (name, value) => acts[name]?.(value))
    return () => view.current?.destroy()
  }, [])

  useSignalEffect(() => {
    const { frames, at, busy } = page.run.value
    const canNext = page.canNext.value
    view.current?.update({ frames: frames.value as Frame[], at: at.value, busy: busy.value, canNext, controls: true })
  })

  return <div ref={place} />
}

function Notice() {
  const said = usePage().run.value.notice.value
  return (
    <div role="status" class={said ? `pg-notice pg-${said.kind}` : ''} data-notice={said?.kind}>
      {said?.text}
      {said?.pointed && (
        <>
          {' '}
          {said.pointed.file}, line {said.pointed.line}: <code>{said.pointed.text}</code>
        </>
      )}
    </div>
  )
}

function Drawn() {
  const { frames, at } = usePage().run.value
  const frame = frames.value[at.value]
  return (
    <div class="pg-scroll" tabIndex={0} role="region" aria-label="The frame as data">
      <pre class="pg-data">{frame ? JSON.stringify(frame, null, 2) : 'No frame yet.'}</pre>
    </div>
  )
}

export function RunView() {
  return (
    <section class="pg-right" aria-label="The run">
      <Desk />
      <Notice />
      <Why />
      <div class="pg-below">
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
