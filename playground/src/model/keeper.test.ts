import { expect, it } from 'vitest'
import { NotSent, Redirected, Unreachable } from './failure'
import { makeKeeper } from './keeper'

const BASE = 'https://api.example.org/v1'
const KEY = 'sk-canary'

interface Sent {
  method: unknown
  url: string
  headers: unknown
  redirect: unknown
}

/** A keeper whose fetch writes down what it was asked. */
function recording() {
  const sent: Sent[] = []
  const keeper = makeKeeper(((url: string, options: RequestInit) => {
    sent.push({ method: options.method, url, headers: options.headers, redirect: options.redirect })
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
      method: 'POST',
      url: `${BASE}/chat/completions`,
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${KEY}` },
      redirect: 'manual',
    },
  ])
})

it('sends no Authorization without a key, and no Content-Type without a body', async () => {
  const { keeper, sent } = recording()
  const candidate = keeper.candidate(BASE, '')
  await candidate.send({ method: 'GET', url: `${BASE}/models`, body: null }, never)
  expect(sent.map((each) => each.headers)).toEqual([{}])
})

/** All that a server may be asked, and what is close to it. */
const ATTEMPTS: [string, string][] = [
  ['POST', 'https://evil.example/v1/chat/completions'],
  ['POST', `${BASE}/completions`],
  ['GET', `${BASE}/files`],
  ['POST', `${BASE}/files`],
  ['GET', `${BASE}/models/tiny`],
  ['DELETE', `${BASE}/models/tiny`],
  ['GET', BASE],
  ['GET', `${BASE}/chat/completions`],
  ['PUT', `${BASE}/chat/completions`],
  ['DELETE', `${BASE}/chat/completions`],
  ['post', `${BASE}/chat/completions`],
  ['POST', `${BASE}/models`],
  ['HEAD', `${BASE}/models`],
  ['POST', `${BASE}/../v1/chat/completions`],
  ['POST', `${BASE}/files/../chat/completions`],
  ['POST', `${BASE}/./chat/completions`],
  ['POST', `${BASE}/%2e%2e/v1/chat/completions`],
  ['POST', `${BASE}/chat%2Fcompletions`],
  ['POST', `${BASE}/chat%2fcompletions`],
  ['POST', `${BASE}\\chat\\completions`],
  ['POST', `${BASE}//chat/completions`],
  ['POST', `${BASE}/chat/completions/`],
  ['POST', `${BASE}/chat/completions?`],
  ['POST', `${BASE}/chat/completions?stream=1`],
  ['GET', `${BASE}/models?key=1`],
  ['POST', `${BASE}/chat/completions#`],
  ['POST', `${BASE}/chat/completions#part`],
  ['POST', `${BASE}/chat/completions\n`],
  ['POST', ` ${BASE}/chat/completions`],
  ['POST', BASE.replace('api.', 'API.') + '/chat/completions'],
  ['POST', BASE.replace('https', 'HTTPS') + '/chat/completions'],
  ['POST', BASE.replace('https', 'http') + '/chat/completions'],
  ['POST', BASE.replace('.org', '.org.') + '/chat/completions'],
  ['POST', BASE.replace('.org', '.org:443') + '/chat/completions'],
  ['POST', BASE.replace('.org', '.org:444') + '/chat/completions'],
  ['POST', BASE.replace('//', '//me:secret@') + '/chat/completions'],
  ['POST', BASE.replace('//', '//me@') + '/chat/completions'],
  ['POST', '/v1/chat/completions'],
  ['POST', 'chat/completions'],
  ['POST', 'data:text/plain,hello'],
  ['POST', 'not an address'],
  ['POST', ''],
]

it.each(ATTEMPTS)('sends no %s to %j, counts nothing, and says what it sends', async (method, url) => {
  const { keeper, sent } = recording()
  keeper.candidate(BASE, KEY).keep()
  let left = 0
  const asked = keeper.send({ method, url, body: new Uint8Array([123, 125]) }, never, () => (left += 1))
  await expect(asked).rejects.toThrow(
    new NotSent(
      `The page did not send ${method} ${url}. It sends POST ${BASE}/chat/completions and GET ${BASE}/models, and nothing else.`,
    ),
  )
  expect([sent, left]).toEqual([[], 0])
})

it('shows a long address in part', async () => {
  const { keeper } = recording()
  keeper.candidate(BASE, KEY).keep()
  const asked = keeper.send(post('https://h/' + 'x'.repeat(5000)), never)
  await expect(asked).rejects.toThrow(`The page did not send POST https://h/${'x'.repeat(185)}…. It sends POST`)
})

// An Azure-like base has a query of its own, which is part of both addresses.
const AZURE = 'https://mine.openai.azure.com/openai/v1'
it.each([
  `${AZURE}/chat/completions`,
  `${AZURE}/chat/completions?api-version=v2`,
  `${AZURE}/chat/completions?api-version=preview&more=1`,
  `${AZURE}/chat/completions?more=1&api-version=preview`,
  `${AZURE}/files?api-version=preview`,
])('sends nothing to %s either', async (url) => {
  const { keeper, sent } = recording()
  keeper.candidate(`${AZURE}?api-version=preview`, KEY).keep()
  await expect(keeper.send(post(url), never)).rejects.toThrow(
    `It sends POST ${AZURE}/chat/completions?api-version=preview and GET ${AZURE}/models?api-version=preview, and`,
  )
  expect(sent).toEqual([])
})

it('sends the list of models without a body, whatever was handed in', async () => {
  const bodies: unknown[] = []
  const keeper = makeKeeper(((_: string, options: RequestInit) => {
    bodies.push(options.body)
    return Promise.resolve(new Response('{}'))
  }) as typeof fetch)
  keeper.candidate(BASE, KEY).keep()
  await keeper.send({ method: 'GET', url: `${BASE}/models`, body: new Uint8Array() }, never)
  expect(bodies).toEqual([null])
})

it('says each time that a request goes out, before it does', async () => {
  const order: string[] = []
  const keeper = makeKeeper((() => {
    order.push('fetch')
    return Promise.resolve(new Response('{}'))
  }) as typeof fetch)
  keeper.candidate(BASE, KEY).keep()
  await keeper.send(post(`${BASE}/chat/completions`), never, () => order.push('leaves'))
  await keeper.send({ method: 'GET', url: `${BASE}/models`, body: null }, never, () => order.push('leaves'))
  expect(order).toEqual(['leaves', 'fetch', 'leaves', 'fetch'])
})

it('follows no redirect, and tells it from a server that is not there', async () => {
  const away = { type: 'opaqueredirect', status: 0, ok: false } as Response
  const redirecting = makeKeeper((() => Promise.resolve(away)) as typeof fetch)
  redirecting.candidate(BASE, KEY).keep()
  await expect(redirecting.send(post(`${BASE}/chat/completions`), never)).rejects.toThrow(Redirected)
  const gone = makeKeeper((() => Promise.reject(new TypeError('Failed to fetch'))) as typeof fetch)
  gone.candidate(BASE, KEY).keep()
  await expect(gone.send(post(`${BASE}/chat/completions`), never)).rejects.toThrow(Unreachable)
})

it('takes no fault of its own for one of the server', async () => {
  const broken = makeKeeper((() => {
    throw new TypeError('x is not a function')
  }) as typeof fetch)
  broken.candidate(BASE, KEY).keep()
  await expect(broken.send(post(`${BASE}/chat/completions`), never)).rejects.toThrow(
    new TypeError('x is not a function'),
  )
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
  await expect(keeper.send(post(`${BASE}/chat/completions`), never)).rejects.toThrow(
    'No model is connected to this page, so it sends nothing.',
  )
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
  expect(sent).toEqual([
    { method: 'POST', url, headers: { 'Content-Type': 'application/json', 'api-key': KEY }, redirect: 'manual' },
  ])
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
