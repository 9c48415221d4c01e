import { type ReadonlySignal, useComputed, useSignal, useSignalEffect } from '@preact/signals'
import { waitingInWords } from '../model/live'
import { usePage } from '../page'

/** What is waited for, in words, and for how many seconds; empty where nothing is. */
export function useWaiting(): ReadonlySignal<string> {
  const { waiting } = usePage()
  const now = useSignal(performance.now())
  useSignalEffect(() => {
    if (!waiting.value) return
    now.value = performance.now()
    const timer = setInterval(() => {
      now.value = performance.now()
    }, 1000)
    return () => clearInterval(timer)
  })
  return useComputed(() => {
    const asked = waiting.value
    return asked ? waitingInWords(asked.since, asked.phase, now.value) : ''
  })
}
