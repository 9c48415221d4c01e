import { expect, it } from 'vitest'
import { makeKeeper } from './keeper'

const BASE = 'https://api.example.org/v1'
const KEY = 'sk-canary'

interface Sent {
  url: string
  headers: unknown
  redirect: unknown
}

/** A keeper whose fetch writes down what it was asked. */
function recording() {
  const sent: Sent[] = []
  const keeper = makeKeeper(((url: string, options: RequestInit) => {
    sent.push({ url, headers: options.headers, redirect: options.redirect })
    return Promise.resolve(new Response('{}'))
  }) as typeof fetch)
  return { keeper, sent }
}

const never = new AbortController().signal
const post = (url: string) => ({ method: 'POST', url, body: new Uint8Array([123, 125]) })

it('adds the key for the address it was typed for, and follows no redirect', async () => {
  const { keeper, sent } = recording()
  keeper.candidate(BASE, ` ${KEY} `).keep()
  await keeper.send(post(`${BASE}/chat/completions`), never)
  expect(sent).toEqual([
    {
      url: `${BASE}/chat/completions`,
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${KEY}` },
      redirect: 'error',
    },
  ])
})

it('sends no Authorization without a key, and no Content-Type without a body', async () => {
  const { keeper, sent } = recording()
  const candidate = keeper.candidate(BASE, '')
  await candidate.send({ method: 'GET', url: `${BASE}/models`, body: null }, never)
  expect(sent.map((each) => each.headers)).toEqual([{}])
})

it('sends nothing anywhere else', async () => {
  const { keeper, sent } = recording()
  keeper.candidate(BASE, KEY).keep()
  await expect(keeper.send(post('https://evil.example/v1/chat/completions'), never)).rejects.toThrow(
    `The page sends requests to ${BASE} only, not to https://evil.example/v1/chat/completions.`,
  )
  expect(sent).toEqual([])
})

it('keeps a key for the same address only', async () => {
  const { keeper, sent } = recording()
  keeper.candidate(BASE, KEY).keep()
  await keeper.candidate(BASE, '').send({ method: 'GET', url: `${BASE}/models`, body: null }, never)
  const other = 'https://other.example/v1'
  await keeper.candidate(other, '').send({ method: 'GET', url: `${other}/models`, body: null }, never)
  expect(sent.map((each) => each.headers)).toEqual([{ Authorization: `Bearer ${KEY}` }, {}])
})

it('forgets the key', async () => {
  const { keeper, sent } = recording()
  keeper.candidate(BASE, KEY).keep()
  keeper.forget()
  expect(keeper.hasKey(BASE)).toBe(false)
  await expect(keeper.send(post(`${BASE}/chat/completions`), never)).rejects.toThrow('no model only')
  expect(sent).toEqual([])
})

it('shows the key in nothing that it hands out', () => {
  const { keeper } = recording()
  const candidate = keeper.candidate(BASE, KEY)
  candidate.keep()
  expect(JSON.stringify([keeper, candidate, Object.values(keeper).map(String)])).not.toContain(KEY)
})
