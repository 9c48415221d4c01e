// How large the type is. `?size=large` in the address opens the page as a projector needs it.
//
// A press is kept for this tab: who reloads in front of a class has the size that the class can read. It is kept no
// longer, for the next visit is to another room.
import { effect, type ReadonlySignal, signal } from '@preact/signals'

export interface Size {
  large: ReadonlySignal<boolean>
  toggle(): void
}

const PLACE = 'mingraph-lite size'

export function makeSize(search: string, root: { dataset: DOMStringMap }, storage: () => Storage): Size {
  const asked = new URLSearchParams(search).get('size') === 'large'
  const large = signal(read(storage) ?? asked)
  effect(() => {
    if (large.value) root.dataset.size = 'large'
    else delete root.dataset.size
  })
  return {
    large,
    toggle() {
      large.value = !large.value
      keep(storage, large.value === asked ? null : large.value)
    },
  }
}

function read(storage: () => Storage): boolean | null {
  try {
    const kept = storage().getItem(PLACE)
    return kept === null ? null : kept === 'large'
  } catch {
    return null // no storage here: the address alone says it
  }
}

/** Nothing is kept where the address says the same. */
function keep(storage: () => Storage, large: boolean | null) {
  try {
    if (large === null) storage().removeItem(PLACE)
    else storage().setItem(PLACE, large ? 'large' : 'normal')
  } catch {
    // The size lasts as long as the page.
  }
}
