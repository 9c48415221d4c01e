import { useSignalEffect } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { mount } from '../../../mingraph_lite/views/question_card.js'
import { usePage } from '../page'

const NEXT = 'The end of the run shows what it was.'

/** Choices as short as a number stand side by side. */
const SHORT = 12

/** The question before the run, and after it what was measured. */
export function Ask() {
  const { asks, scenario } = usePage()
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<ReturnType<typeof mount> | null>(null)
  const asked = asks.shown.value
  const short = asked?.choices.every((choice) => choice.length <= SHORT) ?? true
  const isThere = asked !== null

  // Before the page is painted: what stands below must not move up and down again.
  useLayoutEffect(() => {
    if (!isThere) return
    const leave = () => document.querySelector<HTMLElement>('.desk .buttons .main')?.focus()
    view.current = mount(place.current!, asks.press, { next: NEXT, leave })
    view.current.update(asks.shown.value!)
    return () => {
      view.current?.destroy()
      view.current = null
    }
  }, [isThere])

  useSignalEffect(() => {
    if (asks.shown.value) view.current?.update(asks.shown.value)
  })

  if (isThere) return <div class={`pg-ask ${short ? 'pg-ask-short' : ''}`} ref={place} />
  // Its place is kept while Python loads, so that what stands below does not jump when it comes.
  return scenario.value ? null : <div class="pg-ask pg-ask-place">A question comes with Python…</div>
}
