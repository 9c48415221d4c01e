// Light or dark: what the system prefers, until the reader says otherwise for this visit.
import { computed, effect, type ReadonlySignal, signal } from '@preact/signals'

/** What of a media query is used here. */
export interface Preference {
  matches: boolean
  addEventListener(type: 'change', hear: () => void): void
}

export interface Theme {
  dark: ReadonlySignal<boolean>
  toggle(): void
}

export function makeTheme(prefersDark: Preference, root: { dataset: DOMStringMap }): Theme {
  const preferred = signal(prefersDark.matches)
  const said = signal<boolean | null>(null)
  const dark = computed(() => said.value ?? preferred.value)
  prefersDark.addEventListener('change', () => (preferred.value = prefersDark.matches))
  effect(() => {
    root.dataset.theme = dark.value ? 'dark' : 'light'
  })
  return { dark, toggle: () => (said.value = !dark.value) }
}
