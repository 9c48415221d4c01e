import { expect, it } from 'vitest'
import type { ToWorker } from '../python/messages'
import type { Failure } from './failure'
import { makeKeeper } from './keeper'
import { makeLine, type Phase, waitingInWords } from './live'

const BASE = 'https://api.example.org/v1'
const CHAT = `${BASE}/chat/completions`
const KEY = 'sk-Zq7Wm2Xv9Lt4Rb8Nc3Hd6Jf1Kg5P'

type Answer = (url: string, signal: AbortSignal) => Promise<Response>

/** A line whose fetch answers like this, and all that it says, in order. */
function listening(answer: Answer) {
  const keeper = makeKeeper(((url: string, options: RequestInit) => answer(url, options.signal!)) as typeof fetch)
  keeper.candidate(BASE, KEY).keep()
  const said: unknown[] = []
  const failures: (Failure | null)[] = []
  const replies: ToWorker[] = []
  let clock = 0
  let settled: () => void = () => {}
  const hooks = {
    reply(message: ToWorker) {
      replies.push(message)
      said.push(message.type)
      if (message.type === 'end' || message.type === 'trouble') setTimeout(settled)
    },
    sent: () => void said.push('sent'),
    waiting: (since: number | null, phase: string | null) =>
      void said.push(since === null ? 'idle' : `${phase} ${since}`),
    failed: (failure: Failure | null) => void failures.push(failure),
  }
  const line = makeLine(keeper, hooks, () => (clock += 10))
  let id = 0
  const ask = (method = 'POST', url = CHAT, timeout = 60) => {
    const done = new Promise<void>((settle) => (settled = settle))
    line.serve({ id: (id += 1), method, url, body: new Uint8Array(), timeout })
    return done
  }
  return { line, ask, said, failures, replies }
}

const good: Answer = () => Promise.resolve(Response.json({ choices: [{ message: { content: 'Mild.' } }] }))

/** A fetch that ends only when it is told to. */
const silent: Answer = (_, signal) =>
  new Promise((_settle, fail) => signal.addEventListener('abort', () => fail(signal.reason)))

it('tells since when it waits, and what for, until the reply is whole', async () => {
  const { ask, said, failures } = listening(good)
  await ask()
  expect(said).toEqual(['sent', 'asked 10', 'head', 'receiving 10', 'chunk', 'end', 'idle'])
  expect(failures).toEqual([null])
})

it('counts each request that goes out, whatever its method, and each try', async () => {
  const { ask, said } = listening((url) => (url === CHAT ? Promise.reject(new TypeError()) : good(url, null!)))
  await ask('POST')
  await ask('POST')
  await ask('GET', `${BASE}/models`)
  expect(said.filter((each) => each === 'sent').length).toBe(3)
})

it.each([
  ['DELETE', `${BASE}/models/tiny`],
  ['GET', `${BASE}/files`],
  ['GET', CHAT],
])('counts no %s %s: it is refused for good, and no call has failed', async (method, url) => {
  const { ask, said, failures, replies } = listening(good)
  await ask(method, url)
  expect(said).toEqual(['trouble', 'idle'])
  expect(failures).toEqual([])
  expect(replies).toEqual([
    {
      type: 'trouble',
      id: 1,
      what: `The page did not send ${method} ${url}. It sends POST ${CHAT} and GET ${BASE}/models, and nothing else.`,
      silent: true,
    },
  ])
})

it('keeps what failed for as long as it is the last call', async () => {
  let calls = 0
  const { ask, failures } = listening(() => (calls++ ? good('', null!) : Promise.reject(new TypeError())))
  await ask()
  await ask()
  expect(failures).toEqual([null, { kind: 'unreachable' }, null])
})

it("tells the status at once, and the server's own words when they are whole", async () => {
  const { ask, failures } = listening(() =>
    Promise.resolve(Response.json({ error: { message: `No such key: ${KEY}` } }, { status: 401 })),
  )
  await ask()
  expect(failures).toEqual([
    null,
    { kind: 'status', status: 401, said: '' },
    { kind: 'status', status: 401, said: 'No such key: ***' },
  ])
})

it('names a web page in the place of a reply', async () => {
  const page = () => new Response('<!doctype html><title>Welcome</title>', { headers: { 'content-type': 'text/html' } })
  const { ask, failures } = listening(() => Promise.resolve(page()))
  await ask()
  expect(failures.at(-1)).toEqual({ kind: 'html', said: 'Welcome' })
})

it('gives up when nothing comes for the whole patience, and has it not asked again', async () => {
  const { ask, failures, replies } = listening(silent)
  await ask('POST', CHAT, 0.01)
  const what = `${CHAT} sent nothing for 0.01 seconds. It may still be computing, so it is not asked again by itself.`
  expect(replies).toEqual([{ type: 'trouble', id: 1, what, silent: true }])
  expect(failures).toEqual([null, { kind: 'silent', seconds: 0.01 }])
})

it.each([
  ['breaks', { kind: 'cut', seconds: null }, 'began a reply, and then the connection broke.'],
  ['falls silent', { kind: 'cut', seconds: 0.05 }, 'began a reply and then sent nothing for 0.05 seconds.'],
])('names a reply that %s in the middle', async (how, failure, words) => {
  const body = new ReadableStream({
    start(out) {
      out.enqueue(new TextEncoder().encode('data: {"choices": [{"delta": {}}]}\n\n'))
    },
    pull(out) {
      if (how === 'breaks') out.error(new TypeError('network error'))
    },
  })
  const { ask, failures, replies } = listening((_, signal) =>
    Promise.resolve(new Response(body.pipeThrough(new TransformStream(), { signal }))),
  )
  await ask('POST', CHAT, 0.05)
  expect(failures.at(-1)).toEqual(failure)
  expect(replies.at(-1)).toEqual({ type: 'trouble', id: 1, what: `${CHAT} ${words}`, silent: false })
})

it('says nothing more of a call that was dropped', async () => {
  const { line, ask, said, failures } = listening(silent)
  void ask()
  expect(line.isWaiting()).toBe(true)
  line.dropAll()
  await new Promise((go) => setTimeout(go))
  expect(line.isWaiting()).toBe(false)
  expect([said, failures]).toEqual([['sent', 'asked 10', 'idle'], [null]])
})

it('lets a new worker count from one again while an old call ends', async () => {
  const { line, said } = listening(silent)
  const asked = { id: 1, method: 'POST', url: CHAT, body: new Uint8Array(), timeout: 60 }
  line.serve(asked)
  line.dropAll()
  line.serve(asked)
  await new Promise((go) => setTimeout(go))
  expect([line.isWaiting(), said.at(-1)]).toEqual([true, 'asked 20'])
  line.dropAll()
})

it.each<[number, number, Phase, string]>([
  [1000, 1000, 'asked', 'waiting for the model, 0 s'],
  [1000, 5999, 'asked', 'waiting for the model, 4 s'],
  [1000, 78_000, 'receiving', 'the model replies, 77 s'],
  [1000, 900, 'asked', 'waiting for the model, 0 s'],
])('is waited for since %i, at %i, when %s: %s', (since, now, phase, words) => {
  expect(waitingInWords(since, phase, now)).toBe(words)
})
