import { type ReadonlySignal, useComputed, useSignal, useSignalEffect } from '@preact/signals'
import { type Page, usePage } from '../page'

/** Since when the model is waited for, and whether its reply has begun; null where it is not. */
type Waiting = { since: number; phase: string | null } | null

/** What is waited for, in words, and for how many seconds; empty where nothing is. */
export function useWaiting(): ReadonlySignal<string> {
  const { waiting } = usePage() as Page & { waiting?: ReadonlySignal<Waiting> }
  const now = useSignal(performance.now())
  useSignalEffect(() => {
    if (!waiting?.value) return
    now.value = performance.now()
    const timer = setInterval(() => {
      now.value = performance.now()
    }, 1000)
    return () => clearInterval(timer)
  })
  return useComputed(() => (waiting?.value ? inWords(waiting.value, now.value) : ''))
}

function inWords({ since, phase }: NonNullable<Waiting>, now: number): string {
  const seconds = Math.max(0, Math.floor((now - since) / 1000))
  return phase === 'receiving' ? `the model replies, ${seconds} s` : `waiting for the model, ${seconds} s`
}
