import { type ReadonlySignal, useComputed, useSignal, useSignalEffect } from '@preact/signals'
import { waitingInWords } from '../model/live'
import { usePage } from '../page'

/** A card that runs for less than this is not worth a clock, in milliseconds. */
const BLINK = 1000

/** What is waited for, in words, and for how many seconds; empty where nothing is. */
export function useWaiting(): ReadonlySignal<string> {
  const { waiting, run } = usePage()
  const now = useSignal(performance.now())
  /** Since when a card is being run. */
  const turning = useSignal(0)
  const isTurning = useComputed(() => run.value.doing.value === 'turning')

  useSignalEffect(() => {
    if (!waiting.value && !isTurning.value) return
    const tick = () => {
      now.value = performance.now()
    }
    tick()
    turning.value = now.peek()
    const timer = setInterval(tick, 1000)
    return () => clearInterval(timer)
  })
  return useComputed(() => {
    const asked = waiting.value
    if (asked) return waitingInWords(asked.since, asked.phase, now.value)
    const card = run.value.frames.value.at(-1)?.card?.name
    const passed = now.value - turning.value
    if (!isTurning.value || !card || passed < BLINK) return ''
    return `${card} is running, ${Math.floor(passed / 1000)} s`
  })
}
