import { expect, it } from 'vitest'
import { makeStorage } from '../edits/fake_storage'
import { makeSize } from './size'

const rootOf = () => ({ dataset: {} as DOMStringMap })

it('follows the address until it is pressed, and a reload has what was pressed', () => {
  const storage = makeStorage()
  const first = rootOf()
  const size = makeSize('?size=large', first, () => storage)
  expect(first.dataset).toEqual({ size: 'large' })
  size.toggle()
  expect(first.dataset).toEqual({})

  const reloaded = rootOf()
  makeSize('?size=large', reloaded, () => storage)
  expect(reloaded.dataset).toEqual({})
})

it('keeps nothing that the address says as well', () => {
  const storage = makeStorage()
  const size = makeSize('', rootOf(), () => storage)
  size.toggle()
  expect(storage.length).toBe(1)
  size.toggle()
  expect(storage.length).toBe(0)
})

it('works where nothing can be kept', () => {
  const root = rootOf()
  const size = makeSize('', root, () => {
    throw new DOMException('denied', 'SecurityError')
  })
  size.toggle()
  expect(root.dataset).toEqual({ size: 'large' })
})
