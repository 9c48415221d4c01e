// How large the type is. `?size=large` in the address opens the page as a projector needs it.
import { effect, type ReadonlySignal, signal } from '@preact/signals'
import { makeKept } from './kept'

export interface Size {
  large: ReadonlySignal<boolean>
  toggle(): void
}

export function makeSize(search: string, root: { dataset: DOMStringMap }, storage: () => Storage): Size {
  const kept = makeKept('size', storage)
  const asked = new URLSearchParams(search).get('size') === 'large'
  const pressed = kept.read()
  const large = signal(pressed === null ? asked : pressed === 'large')
  effect(() => {
    if (large.value) root.dataset.size = 'large'
    else delete root.dataset.size
  })
  return {
    large,
    toggle() {
      large.value = !large.value
      // Nothing is kept where the address says the same.
      kept.keep(large.value === asked ? null : large.value ? 'large' : 'normal')
    },
  }
}
