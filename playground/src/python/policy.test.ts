import { expect, it } from 'vitest'
import { sendsPolicy } from './policy'

const CLOSED = { 'Content-Security-Policy': "connect-src 'self'" }

it.each([
  ['a host that closes the worker', new Response(null, { headers: CLOSED }), true],
  ['a host that sends nothing', new Response(null), false],
  ['a host that refuses to say', new Response(null, { status: 405 }), null],
])('%s', async (_, response, found) => {
  const asked: unknown[] = []
  const answer = async (...args: unknown[]) => {
    asked.push(args)
    return response
  }
  expect(await sendsPolicy('/worker.js', answer)).toBe(found)
  expect(asked).toEqual([['/worker.js', { method: 'HEAD' }]])
})

it('a host that does not answer', async () => {
  expect(await sendsPolicy('/worker.js', () => Promise.reject(new TypeError('offline')))).toBe(null)
})
