import { expect, it } from 'vitest'
import { makeHeights } from './heights'

it('takes rows for equally high until they are measured', () => {
  const heights = makeHeights()
  heights.grow(100)
  expect([heights.top(0), heights.top(10), heights.rowAt(0), heights.rowAt(332), heights.rowAt(1e9)]).toEqual([
    0, 330, 0, 10, 99,
  ])
})

it('knows where rows begin, however they were measured and however many came later', () => {
  const heights = makeHeights()
  const expected = Array.from({ length: 3000 }, (_, row) => 20 + ((row * 7919) % 90))
  heights.grow(700)
  for (let row = 0; row < 700; row += 1) heights.measure(row, 1)
  for (const [row, height] of expected.entries()) {
    heights.grow(Math.max(700, row + 1))
    heights.measure(row, height)
  }
  let top = 0
  for (const [row, height] of expected.entries()) {
    expect([row, heights.top(row), heights.rowAt(top), heights.rowAt(top + height - 1)]).toEqual([row, top, row, row])
    top += height
  }
  expect(heights.top(3000)).toBe(top)
})

it('forgets what it measured when the rows have another width', () => {
  const heights = makeHeights()
  heights.grow(3)
  heights.measure(0, 100)
  expect(heights.top(3)).toBe(166)
  heights.forget()
  expect(heights.top(3)).toBe(99)
})
