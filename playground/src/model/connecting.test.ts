import { describe, expect, it } from 'vitest'
import {
  afterAnEdit,
  askForModels,
  blockedBefore,
  type Field,
  readTyped,
  type Said,
  saidOfName,
  toldOf,
} from './connecting'
import { makeKeeper } from './keeper'

const BASE = 'http://localhost:11434/v1'
const PAGE = 'http://127.0.0.1:8900/'
const KEY = 'sk-Zq7Wm2Xv9Lt4Rb8Nc3Hd6Jf1Kg5P'
const never = new AbortController().signal

type Answer = (signal: AbortSignal) => Promise<Response>

/** What comes of asking a server that answers like this. */
function ask(answer: Answer, cancel = never, seconds = 60) {
  const fetcher = ((_: string, options: RequestInit) => answer(options.signal!)) as typeof fetch
  return askForModels(makeKeeper(fetcher).candidate(BASE, KEY).send, BASE, cancel, seconds)
}

const answers = (body: unknown, status = 200) => ask(() => Promise.resolve(Response.json(body, { status })))

/** A fetch that never answers, and ends when it is told to; old browsers do not hand on the reason. */
const silent: Answer = (signal) =>
  new Promise((_, fail) => {
    signal.addEventListener('abort', () => fail(new DOMException('The user aborted a request.', 'AbortError')))
  })

describe('asking for the models', () => {
  it('gives the list', async () => {
    expect(await answers({ data: [{ id: 'tiny' }] })).toEqual({ kind: 'listed', chat: ['tiny'], others: [] })
  })

  it("gives the status and the server's own words, without the key", async () => {
    expect(await answers({ error: { message: `Incorrect key: ${KEY}` } }, 401)).toEqual({
      kind: 'status',
      status: 401,
      said: 'Incorrect key: ***',
    })
  })

  it('hides the key in what is no list, too', async () => {
    expect(await answers({ error: `Incorrect key: ${KEY}` })).toEqual({ kind: 'error', said: 'Incorrect key: ***' })
  })

  it('tells a server that keeps silent from one that is not there', async () => {
    expect(await ask(silent, never, 0.01)).toEqual({ kind: 'silent', seconds: 0.01 })
    expect(await ask(() => Promise.reject(new TypeError('Failed to fetch')))).toEqual({ kind: 'unreachable' })
  })

  it('tells a list that stops in the middle', async () => {
    const endless = new Response(new ReadableStream({ start: (out) => out.enqueue(new TextEncoder().encode('{"da')) }))
    const half: Answer = (signal) => {
      const body = endless.body!.pipeThrough(new TransformStream(), { signal })
      return Promise.resolve(new Response(body, { headers: { 'content-type': 'application/json' } }))
    }
    expect(await ask(half, never, 0.05)).toEqual({ kind: 'cut', seconds: 0.05 })
    const broken = new ReadableStream({ start: (out) => out.error(new TypeError('network error')) })
    expect(await ask(() => Promise.resolve(new Response(broken)))).toEqual({ kind: 'cut', seconds: null })
  })

  it('stops when it is cancelled, and takes that for no failure', async () => {
    const cancel = new AbortController()
    const asked = ask(silent, cancel.signal)
    cancel.abort()
    expect(await asked).toEqual({ kind: 'cancelled' })
  })

  it('is not begun where it was cancelled before', async () => {
    const cancel = new AbortController()
    cancel.abort()
    let asked = 0
    const count: Answer = () => Promise.reject((asked += 1))
    expect([await ask(count, cancel.signal), asked]).toEqual([{ kind: 'cancelled' }, 0])
  })

  it('names a fault of the page as one', async () => {
    const broken: Answer = () => {
      throw new TypeError('x is not a function')
    }
    expect(await ask(broken)).toEqual({ kind: 'bug', what: 'TypeError: x is not a function' })
  })

  it('names a redirect', async () => {
    const away = { type: 'opaqueredirect', status: 0, ok: false } as Response
    expect(await ask(() => Promise.resolve(away))).toEqual({ kind: 'redirected' })
  })
})

describe('what was typed', () => {
  it('is an address and a key', () => {
    expect(readTyped(' localhost:11434 ', ` Bearer ${KEY}`)).toEqual({ base: BASE })
  })

  it.each([
    ['http://', '', 'address', '"http://" is not an address of a model. One looks like http://localhost:11434/v1.'],
    ['', '', 'address', 'Type the base URL of a model, for example http://localhost:11434/v1.'],
    [BASE, 'sk-kläy', 'key', 'The key holds a character that no key has. Copy it again.'],
  ])('%j with the key %j is wrong in the field %s', (address, key, field, text) => {
    const said = { tone: 'trouble', text, causes: [], field, anyway: false, instead: [] }
    expect(readTyped(address, key)).toEqual({ said })
  })
})

describe('the name of a model', () => {
  const listed = { kind: 'listed' as const, chat: ['tiny:latest', 'small', 'models/gem'], others: ['embed'] }
  const about = (name: string, list = listed) => saidOfName(name, list)

  it.each(['small', 'tiny', 'tiny:latest', 'gem', 'embed'])('%s can be used', (name) => {
    expect(about(name)).toBe(null)
  })

  it('is to be picked where it is missing', () => {
    expect(about('')).toEqual({
      tone: 'info',
      text: 'Pick one of its 4 models. Then press Connect.',
      causes: [],
      field: 'choice',
      anyway: false,
      instead: [],
    })
  })

  it('may be used all the same where the server does not list it', () => {
    expect(about('smal')).toEqual({
      tone: 'trouble',
      text: 'The server does not list "smal". Pick one of its 4 models.',
      causes: [],
      field: 'model',
      anyway: true,
      instead: [],
    })
  })

  it('is asked of a server that lists none', () => {
    const none = { kind: 'listed' as const, chat: [], others: [] }
    expect([about('', none)!.text, about('a', none)!.text]).toEqual([
      'The server lists no model. Load one there, or type a name.',
      'The server does not list "a". It lists no model at all.',
    ])
  })
})

describe('what is told of a failure', () => {
  it('offers http on loopback, and the model all the same', () => {
    const { causes, ...told } = toldOf({ kind: 'unreachable' }, PAGE, 'https://localhost:11434/v1')
    expect(told).toEqual({
      tone: 'trouble',
      text: 'No answer from https://localhost:11434/v1. Likely causes:',
      field: 'address',
      anyway: true,
      instead: ['http://localhost:11434/v1'],
    })
    expect(causes.length).toBe(2)
  })

  it.each([
    [401, 'key'],
    [403, 'key'],
    [404, 'address'],
    [429, null],
    [503, null],
  ] as const)('with status %i marks the field %s', (status, field) => {
    expect(toldOf({ kind: 'status', status, said: '' }, PAGE, BASE).field).toBe(field)
  })

  it('is told before anything is asked, where a browser is sure to block it', () => {
    expect(blockedBefore('https://pages.example/', 'http://10.0.0.7:8000/v1')!.text).toBe(
      'The browser will not let this page call http://10.0.0.7:8000/v1.',
    )
    expect(blockedBefore(PAGE, 'http://10.0.0.7:8000/v1')).toBe(null)
  })
})

describe('what was said, once a field is edited', () => {
  const said = (field: Field | null, causes = [{ cause: 'It is so.', fix: 'Change it.' }]): Said => ({
    tone: 'trouble',
    text: 'No.',
    causes,
    field,
    anyway: true,
    instead: [],
  })

  it.each<[string, Said, Field | null, Field | null | 'gone']>([
    ['another address', said('key'), 'address', 'gone'],
    ['the key at fault', said('key'), 'key', null],
    ['a name at fault', said('model', []), 'model', 'gone'],
    ['the name, where the list is missing', said('address'), 'model', 'address'],
    ['the kind', said('model', []), null, 'model'],
  ])('%s', (_, before, field, left) => {
    expect(afterAnEdit(before, field)).toEqual(left === 'gone' ? null : { ...before, field: left })
  })
})
