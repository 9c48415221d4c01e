// The page's end of a model call: fetch what Python asks for, and hand the pieces back as they arrive.

import type { Asked, ToWorker } from '../python/messages'
import { Cut, type Failure, failureOf, inWords, isFinal, saidBy } from './failure'
import type { Keeper } from './keeper'

export type { Failure } from './failure'

/** Nothing has come yet, or the reply is on its way. */
export type Phase = 'asked' | 'receiving'

export interface Hooks {
  /** What is told to the worker that asked. */
  reply(message: ToWorker): void
  /** A request goes out: once for each try, whatever its method, and never for one that the page refuses. */
  sent(): void
  /** Since when the model is waited for, in the time of `performance.now()`, and what is waited for; null: for none. */
  waiting(since: number | null, phase: Phase | null): void
  /** What came of the last request that went out; null as long as nothing has failed. */
  failed(failure: Failure | null): void
}

interface Call {
  asked: Asked
  abort: AbortController
  /** When the request went out. */
  since: number | null
  phase: Phase
  patience?: ReturnType<typeof setTimeout>
}

/** So much of an error is kept to be shown; Python reads all of it. */
const MOST_OF_AN_ERROR = 20_000

export function makeLine(keeper: Keeper, hooks: Hooks, now: () => number = () => performance.now()) {
  const open = new Map<number, Call>()

  async function serve(asked: Asked) {
    const call: Call = { asked, abort: new AbortController(), since: null, phase: 'asked' }
    open.set(asked.id, call)
    try {
      const response = await keeper.send(asked, call.abort.signal, () => leave(call))
      await handOn(response, call)
    } catch (error) {
      if (call.abort.signal.reason !== 'dropped') tell(whatFailed(error, call), call)
    } finally {
      clearTimeout(call.patience)
      // Another worker counts from the beginning again: its call may have this number by now.
      if (open.get(asked.id) === call) open.delete(asked.id)
      tellWaiting()
    }
  }

  function leave(call: Call) {
    call.since = now()
    watch(call)
    hooks.failed(null)
    hooks.sent()
    tellWaiting()
  }

  /** The first of the body is here: many servers send the head at once, and compute only then. */
  function begin(call: Call) {
    call.phase = 'receiving'
    tellWaiting()
  }

  async function handOn(response: Response, call: Call) {
    const { id } = call.asked
    const { status, ok } = response
    hooks.reply({ type: 'head', id, status, headers: [...response.headers] })
    const isPage = ok && /html/.test(response.headers.get('content-type') ?? '')
    const wrong = (said: string) => {
      if (isPage) hooks.failed({ kind: 'html', said })
      else if (!ok) hooks.failed({ kind: 'status', status, said })
    }
    wrong('')
    let body = ''
    const text = new TextDecoder()
    const reader = response.body?.getReader()
    for (let piece = await read(reader); piece; piece = await read(reader)) {
      watch(call)
      if (call.phase === 'asked') begin(call)
      if (body.length < MOST_OF_AN_ERROR) body += text.decode(piece, { stream: true })
      hooks.reply({ type: 'chunk', id, bytes: piece })
    }
    wrong(saidBy(body))
    hooks.reply({ type: 'end', id })
  }

  function tell(failure: Failure, { asked }: Call) {
    hooks.reply({ type: 'trouble', id: asked.id, what: forPython(failure, asked.url), silent: isFinal(failure) })
    if (failure.kind !== 'not sent') hooks.failed(failure)
  }

  /** Several runs can be open; the one that has waited longest is told. */
  function tellWaiting() {
    const first = [...open.values()].find((call) => call.since !== null)
    hooks.waiting(first?.since ?? null, first?.phase ?? null)
  }

  function drop(id: number) {
    open.get(id)?.abort.abort('dropped')
  }

  return {
    serve: (asked: Asked) => void serve(asked),
    drop,
    dropAll: () => [...open.keys()].forEach(drop),
    isWaiting: () => open.size > 0,
  }
}

/** What the page shows meanwhile: once a second is often enough. */
export function waitingInWords(since: number, phase: Phase | null, now = performance.now()): string {
  const seconds = Math.max(0, Math.floor((now - since) / 1000))
  return phase === 'receiving' ? `the model replies, ${seconds} s` : `waiting for the model, ${seconds} s`
}

/** Be patient, from now on, for as long as was asked for. */
function watch(call: Call) {
  clearTimeout(call.patience)
  call.patience = setTimeout(() => call.abort.abort('timeout'), call.asked.timeout * 1000)
}

async function read(reader: ReadableStreamDefaultReader<Uint8Array> | undefined): Promise<Uint8Array | undefined> {
  const piece = await reader?.read().catch(() => {
    throw new Cut()
  })
  return piece?.value
}

function whatFailed(error: unknown, { asked, abort, phase }: Call): Failure {
  if (abort.signal.reason !== 'timeout') return failureOf(error)
  return { kind: phase === 'asked' ? 'silent' : 'cut', seconds: asked.timeout }
}

/** The same in the words for whoever reads the card. */
function forPython(failure: Failure, url: string): string {
  const words = inWords(failure, url)
  if (failure.kind === 'silent') return `${words} It may still be computing, so it is not asked again by itself.`
  if (failure.kind === 'unreachable')
    return `The browser could not reach ${url}. "Why?" on the page lists the likely causes.`
  return words
}
