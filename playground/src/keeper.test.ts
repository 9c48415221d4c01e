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
it.each([`"${KEY}"`, `Bearer ${KEY}`, `export OPENAI_API_KEY='${KEY}'`, ` \u201c${KEY}\u201d\n`, `"${KEY}",`])(
  'cleans the key %j',
  async (typed) => {
    const { keeper, sent } = recording()
    keeper.candidate(BASE, typed).keep()
    await keeper.send({ method: 'GET', url: `${BASE}/models`, body: null }, never)
    expect(sent.map((each) => each.headers)).toEqual([{ Authorization: `Bearer ${KEY}` }])
  },
)

// H20: a refusal that quotes the key reaches neither Python nor the page with six characters of it.
const LONG = 'sk-Zq7Wm2Xv9Lt4Rb8Nc3Hd6Jf1Kg5P'
it.each([
  LONG,
  `${LONG.slice(0, 8)}...${LONG.slice(-4)}`,
  btoa(LONG),
  btoa(`me:${LONG}`),
  encodeURIComponent(`?${LONG}`),
  `x${LONG}${LONG}`,
])('hides the key in a refusal that says %j', async (said) => {
  const refuse = () =>
    Promise.resolve(
      new Response(JSON.stringify({ error: `wrong key ${said}.` }), {
        status: 401,
        headers: { 'x-said': encodeURIComponent(said) },
      }),
    )
  const keeper = makeKeeper(refuse as typeof fetch)
  keeper.candidate(BASE, LONG).keep()
  const response = await keeper.send(post(`${BASE}/chat/completions`), never)
  const shown = (await response.text()) + JSON.stringify([...response.headers])
  for (const secret of [LONG, btoa(LONG).slice(0, -4)]) {
    for (let at = 0; at + 6 <= secret.length; at++) expect(shown).not.toContain(secret.slice(at, at + 6))
  }
  expect([response.status, shown.includes('wrong key')]).toEqual([401, true])
})

/** What comes through of a body with status 200, when it comes in these pieces. */
async function through(kind: string, pieces: string[], key = LONG): Promise<string> {
  const body = new ReadableStream({
    start(out) {
      for (const piece of pieces) out.enqueue(new TextEncoder().encode(piece))
      out.close()
    },
  })
  const keeper = makeKeeper((() =>
    Promise.resolve(new Response(body, { headers: { 'content-type': kind } }))) as typeof fetch)
  keeper.candidate(BASE, key).keep()
  return (await keeper.send(post(`${BASE}/chat/completions`), never)).text()
}

const ERROR = `{"error": {"message": "wrong key ${LONG}"}}`
const SAID = `{"choices": [{"message": {"content": "${LONG}"}}]}`
const CHUNK = `{"choices": [{"delta": {"content": "${LONG}"}}]}`

it.each([
  ['application/json', [SAID]],
  ['application/json', [SAID.slice(0, 20), SAID.slice(20)]],
  ['text/event-stream', [`data: ${CHUNK}\n\ndata: [DO`, 'NE]\n\n']],
  ['text/plain', [`data:${CHUNK}\r\n\r\n`]],
  ['application/x-ndjson', [`{"message": {"content": "${LONG}"}}\n`, '{"done": true}']],
])('leaves what a model says as it came, as %s', async (kind, pieces) => {
  expect(await through(kind, pieces)).toBe(pieces.join(''))
})

// A17, H20: an error with status 200, in one piece or in a stream, quotes no key either.
it.each([
  ['application/json', [ERROR]],
  ['application/json', [ERROR.slice(0, 40), ERROR.slice(40)]],
  ['application/json', [`{"choices": [${ERROR}]}`]],
  ['text/html', [`<title>${LONG}</title>`]],
  ['', [LONG.toUpperCase()]],
  ['text/event-stream', [`data: ${ERROR.slice(0, 40)}`, `${ERROR.slice(40)}\n\n`]],
  ['text/event-stream', [`data: {"choices": [{"delta": {"content": "a"}}]}\n\n`, `data: ${ERROR}\n\n`]],
  ['application/x-ndjson', [`${ERROR}`]],
])('hides the key in an error with status 200, as %s', async (kind, pieces) => {
  const shown = await through(kind, pieces)
  for (let at = 0; at + 6 <= LONG.length; at++)
    expect(shown.toLowerCase()).not.toContain(LONG.slice(at, at + 6).toLowerCase())
  expect(shown).toContain('***')
})

it('hands on each line of a stream when it is whole', async () => {
  let out!: ReadableStreamDefaultController
  const body = new ReadableStream({ start: (controller) => void (out = controller) })
  const keeper = makeKeeper((() =>
    Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }))) as typeof fetch)
  keeper.candidate(BASE, LONG).keep()
  const reader = (await keeper.send(post(`${BASE}/chat/completions`), never)).body!.getReader()
  out.enqueue(new TextEncoder().encode(`data: ${CHUNK}\nda`))
  expect(new TextDecoder().decode((await reader.read()).value)).toBe(`data: ${CHUNK}\n`)
})

it('lets through at once what keeps a line alive', async () => {
  const blanks = ['\n', ' \n\n', SAID]
  expect(await through('application/json', blanks)).toBe(blanks.join(''))
  let out!: ReadableStreamDefaultController
  const body = new ReadableStream({ start: (controller) => void (out = controller) })
  const keeper = makeKeeper((() =>
    Promise.resolve(new Response(body, { headers: { 'content-type': 'application/json' } }))) as typeof fetch)
  keeper.candidate(BASE, LONG).keep()
  const reader = (await keeper.send(post(`${BASE}/chat/completions`), never)).body!.getReader()
  out.enqueue(new TextEncoder().encode('\n'))
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('\n')
})

it.each(['ollama', 'lm-studio', 'none'])('takes %j for a word, and hides no advice with it', async (word) => {
  expect(await through('text/html', [`Is ${word} running?`], word)).toBe(`Is ${word} running?`)
})
