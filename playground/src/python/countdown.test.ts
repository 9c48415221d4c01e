import { expect, it } from 'vitest'
import { countdown } from './countdown'

it.each([
  [6200, 0, 'about 6 s'],
  [6200, 1000, 'about 5 s'],
  [6200, 5400, 'about 1 s'],
  [6200, 6200, 'any moment now'],
  [6200, 60_000, 'any moment now'],
])('of %i ms, after %i', (expected, passed, words) => {
  expect(countdown(expected, passed)).toBe(words)
})
