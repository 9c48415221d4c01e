import { expect, it } from 'vitest'
import { makeStorage } from '../edits/fake_storage'
import { makeTheme } from './theme'

/** A system that prefers light or dark, and may change its mind. */
function system(matches: boolean) {
  const hearers: (() => void)[] = []
  return {
    matches,
    addEventListener: (_: 'change', hear: () => void) => void hearers.push(hear),
    prefer(dark: boolean) {
      this.matches = dark
      for (const hear of hearers) hear()
    },
  }
}
const rootOf = () => ({ dataset: {} as DOMStringMap })

it('follows the system until it is pressed', () => {
  const [prefers, root] = [system(false), rootOf()]
  const theme = makeTheme(prefers, root, makeStorage)
  expect(root.dataset).toEqual({ theme: 'light' })
  prefers.prefer(true)
  expect(root.dataset).toEqual({ theme: 'dark' })
  theme.toggle()
  prefers.prefer(false)
  prefers.prefer(true)
  expect(root.dataset).toEqual({ theme: 'light' })
})

it('is after a reload as it was pressed, and keeps nothing that the system prefers as well', () => {
  const storage = makeStorage()
  const theme = makeTheme(system(false), rootOf(), () => storage)
  theme.toggle()
  const reloaded = rootOf()
  makeTheme(system(false), reloaded, () => storage)
  expect(reloaded.dataset).toEqual({ theme: 'dark' })
  theme.toggle()
  expect(storage.length).toBe(0)
})

it('works where nothing can be kept', () => {
  const root = rootOf()
  const theme = makeTheme(system(true), root, () => {
    throw new DOMException('denied', 'SecurityError')
  })
  theme.toggle()
  expect(root.dataset).toEqual({ theme: 'light' })
})
