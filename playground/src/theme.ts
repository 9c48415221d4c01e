// Light or dark: what the system prefers, until the reader says otherwise for this visit.
import { effect, signal } from '@preact/signals'

const system = window.matchMedia('(prefers-color-scheme: dark)')
const prefersDark = signal(system.matches)
const said = signal<'light' | 'dark' | null>(null)

export const isDark = () => (said.value ?? (prefersDark.value ? 'dark' : 'light')) === 'dark'

export function toggleTheme() {
  said.value = isDark() ? 'light' : 'dark'
}

export function followTheme() {
  system.addEventListener('change', () => (prefersDark.value = system.matches))
  effect(() => {
    document.documentElement.dataset.theme = isDark() ? 'dark' : 'light'
  })
}
