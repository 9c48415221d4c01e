// Light or dark: what the system prefers, until the reader says otherwise.
import { computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import { makeKept } from './kept'

/** What of a media query is used here. */
export interface Preference {
  matches: boolean
  addEventListener(type: 'change', hear: () => void): void
}

export interface Theme {
  dark: ReadonlySignal<boolean>
  toggle(): void
}

export function makeTheme(prefersDark: Preference, root: { dataset: DOMStringMap }, storage: () => Storage): Theme {
  const kept = makeKept('colours', storage)
  const pressed = kept.read()
  const preferred = signal(prefersDark.matches)
  const said = signal(pressed === null ? null : pressed === 'dark')
  const dark = computed(() => said.value ?? preferred.value)
  prefersDark.addEventListener('change', () => (preferred.value = prefersDark.matches))
  effect(() => {
    root.dataset.theme = dark.value ? 'dark' : 'light'
  })
  return {
    dark,
    toggle() {
      said.value = !dark.value
      // Nothing is kept where the system prefers the same.
      kept.keep(said.value === preferred.value ? null : said.value ? 'dark' : 'light')
    },
  }
}
