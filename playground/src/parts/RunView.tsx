import { useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { mount } from '../../../mingraph_lite/views/folder_and_card.js'
import type { Frame } from '../frame'
import { usePage } from '../page'
import { FrameTab } from './FrameTab'
import { Notice } from './Notice'
import { Tabs } from './Tabs'
import { Trace } from './Trace'
import { Why } from './Why'

function Desk() {
  const page = usePage()
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<ReturnType<typeof mount> | null>(null)

  useEffect(() => {
    const acts = {
      next: () => void page.run.value.next(),
      back: () => page.run.value.back(),
      reset: () => void page.reset(),
      play: () => void page.play(),
      stop: () => void page.run.value.stop(),
      goto: (index?: number) => page.run.value.goto(index ?? 0),
    }
    view.current = mount(place.current!, (name, value) => acts[name as keyof typeof acts]?.(value as number))
    return () => view.current?.destroy()
  }, [])

  useSignalEffect(() => {
    const { frames, at, busy } = page.run.value
    const canNext = page.canNext.value
    view.current?.update({ frames: frames.value as Frame[], at: at.value, busy: busy.value, canNext, controls: true })
  })

  return <div ref={place} />
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
            { name: 'Frame', body: <FrameTab /> },
          ]}
        />
      </div>
    </section>
  )
}
