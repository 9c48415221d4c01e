import { useSignalEffect } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { mount } from '../../../mingraph_lite/views/folder_and_card.js'
import type { Frame } from '../frame'
import { PACES, type Page, usePage } from '../page'
import { Brief } from './Brief'
import { Notice } from './Notice'
import { toQuestion } from './toQuestion'
import { useWaiting } from './useWaiting'
import { Why } from './Why'

/** What each button of the desk does. */
function actsOf(page: Page): Record<string, (value: number) => unknown> {
  const run = () => page.run.value
  return {
    next: () => run().next(),
    back: () => run().back(),
    reset: () => page.reset(),
    play: () => page.play(),
    stop: () => run().stop(),
    goto: (index) => run().goto(index),
    speed: (index) => {
      page.pace.value = index
    },
    again: () => {
      page.askAgain()
      toQuestion()
    },
    restart: () => page.restartPython(),
  }
}

const AGAIN = {
  act: 'again',
  label: 'Ask again on this folder',
  title: 'The next question goes into the same folder: the model reads what was said before',
}
const RESTART = {
  act: 'restart',
  label: 'Restart Python',
  title: 'For a tool that broke Python itself. Your edits stay; the run begins again',
}
const SPEEDS = PACES.map(({ name }) => name)

function Desk() {
  const page = usePage()
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<ReturnType<typeof mount> | null>(null)
  const waiting = useWaiting()

  function show() {
    const { frames, at, busy } = page.run.value
    const { phase } = page.status.value
    view.current?.update({
      frames: frames.value as Frame[],
      at: at.value,
      busy: busy.value,
      canNext: page.canNext.value,
      canPlay: page.ready.value && frames.value.length > 0,
      controls: true,
      more: [
        { ...AGAIN, can: page.canAskAgain.value },
        { ...RESTART, can: phase === 'ready' || phase === 'failed' },
      ],
      speeds: SPEEDS,
      speed: SPEEDS[page.pace.value]!,
      waiting: waiting.value,
    })
  }

  // Before the page is painted, so that nothing below it moves.
  useLayoutEffect(() => {
    const acts = actsOf(page)
    view.current = mount(place.current!, (name, value) => void acts[name]?.(value ?? 0))
    show()
    return () => view.current?.destroy()
  }, [])
  useSignalEffect(show)
  useEffect(() => lendKeys(place.current!), [])

  return <div class="pg-desk" ref={place} />
}

/** Keys that nothing on the page has asked for are the desk's: the arrows work before anything was clicked. */
function lendKeys(place: HTMLElement) {
  const lend = (event: KeyboardEvent) => {
    if (event.target !== document.body || event.defaultPrevented) return
    const { key, altKey, ctrlKey, metaKey, shiftKey } = event
    if (key !== 'ArrowRight' && key !== 'ArrowLeft') return // Home and End scroll the page
    const same = new KeyboardEvent('keydown', { key, altKey, ctrlKey, metaKey, shiftKey, cancelable: true })
    if (!place.querySelector('.desk')!.dispatchEvent(same)) event.preventDefault()
  }
  document.addEventListener('keydown', lend)
  return () => document.removeEventListener('keydown', lend)
}

/** The run: the sentence about it, the desk, and below it whatever comes up. */
export function RunView() {
  return (
    <section class="pg-run" aria-label="The run">
      <Brief />
      <Desk />
      <Notice />
      <Why />
    </section>
  )
}
