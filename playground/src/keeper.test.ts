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

// H05: Azure wants its key in a header of its own, and the version behind the path.
it('gives Azure its key in its own header', async () => {
  const { keeper, sent } = recording()
  const base = 'https://mine.openai.azure.com/openai/v1?api-version=preview'
  const url = 'https://mine.openai.azure.com/openai/v1/chat/completions?api-version=preview'
  keeper.candidate(base, KEY).keep()
  await keeper.send(post(url), never)
  expect(sent).toEqual([{ url, headers: { 'Content-Type': 'application/json', 'api-key': KEY }, redirect: 'error' }])
})

// H11: what comes along when a key is pasted is taken off.
it.each([`"${KEY}"`, `Bearer ${KEY}`, `export OPENAI_API_KEY='${KEY}'`, ` \u201c${KEY}\u201d\n`, `"${KEY}",`])('cleans the key %j', async (typed) => {
  const { keeper, sent } = recording()
  keeper.candidate(BASE, typed).keep()
  await keeper.send({ method: 'GET', url: `${BASE}/models`, body: null }, never)
  expect(sent.map((each) => each.headers)).toEqual([{ Authorization: `Bearer ${KEY}` }])
})

// H20: a refusal that quotes the key reaches neither Python nor the page with six characters of it.
const LONG = 'sk-Zq7Wm2Xv9Lt4Rb8Nc3Hd6Jf1Kg5P'
it.each([LONG, `${LONG.slice(0, 8)}...${LONG.slice(-4)}`, btoa(LONG), btoa(`me:${LONG}`), encodeURIComponent(`?${LONG}`), `x${LONG}${LONG}`])(
  'hides the key in a refusal that says %j',
  async (said) => {
    const refuse = () =>
      Promise.resolve(new Response(JSON.stringify({ error: `wrong key ${said}.` }), { status: 401, headers: { 'x-said': encodeURIComponent(said) } }))
    const keeper = makeKeeper(refuse as typeof fetch)
    keeper.candidate(BASE, LONG).keep()
    const response = await keeper.send(post(`${BASE}/chat/completions`), never)
    const shown = (await response.text()) + JSON.stringify([...response.headers])
    for (const secret of [LONG, btoa(LONG).slice(0, -4)]) {
      for (let at = 0; at + 6 <= secret.length; at++) expect(shown).not.toContain(secret.slice(at, at + 6))
    }
    expect([response.status, shown.includes('wrong key')]).toEqual([401, true])
  },
)

it('leaves a reply as it came', async () => {
  const keeper = makeKeeper((() => Promise.resolve(new Response(`{"a": "${LONG}"}`))) as typeof fetch)
  keeper.candidate(BASE, LONG).keep()
  expect(await (await keeper.send(post(`${BASE}/chat/completions`), never)).text()).toBe(`{"a": "${LONG}"}`)
})
