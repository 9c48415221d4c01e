// Holds Python. One card at a time; while Python waits for a reply, only replies and Stop get in.
import type { PyodideInterface } from 'pyodide'
import glueSource from './glue.py?raw'
import { loadPython } from './loading'
import type { Asked, FromWorker, Setup, ToWorker } from './messages'

const say = (message: FromWorker, move: Transferable[] = []) => self.postMessage(message, { transfer: move })

interface Waiting {
  settle: (value: unknown) => void
  fail: (error: Error) => void
}

/** A reply on its way: what came and was not read yet, and who is waiting for more. */
interface Reply {
  arrived: unknown[]
  waiting: Waiting | null
  over: Error | 'end' | null
}

class Stopped extends Error {
  override name = 'Stopped'
}

/** Nothing came for the whole patience: the server may still compute, and is not asked on top. */
class Silent extends Error {
  override name = 'Silent'
}

const replies = new Map<number, Reply>()
let endPause: ((error?: Error) => void) | null = null
let lastAsked = 0
let run = 0
let python: PyodideInterface
let glue: { describe: PyCallable; live: PyCallable; turn: PyCallable; close_run: PyCallable }
let interrupt: Int32Array | null = null
let turning = false
let live = false

interface PyCallable {
  (...args: unknown[]): unknown
  callPromising(...args: unknown[]): Promise<unknown>
}

function read(id: number): Promise<unknown> {
  const reply = replies.get(id)
  return new Promise((settle, fail) => {
    if (!reply) return fail(new Stopped('This reply is closed.'))
    if (reply.arrived.length) return settle(reply.arrived.shift())
    if (reply.over === 'end') return settle(undefined)
    if (reply.over) return fail(reply.over)
    reply.waiting = { settle, fail }
  })
}

function arrive(id: number, value: unknown) {
  const reply = replies.get(id)
  if (!reply) return
  const waiting = reply.waiting
  reply.waiting = null
  if (waiting) waiting.settle(value)
  else reply.arrived.push(value)
}

function finish(id: number, over: Error | 'end') {
  const reply = replies.get(id)
  if (!reply) return
  reply.over = over
  const waiting = reply.waiting
  reply.waiting = null
  if (waiting && over === 'end') waiting.settle(undefined)
  else if (waiting) waiting.fail(over as Error)
}

/** The doors that Python has to the page. JavaScript's undefined is Python's None; its null is something else. */
const page = {
  ask(method: string, url: string, body: Uint8Array, timeout: number): Promise<unknown> {
    const id = ++lastAsked
    replies.set(id, { arrived: [], waiting: null, over: null })
    const asked: Asked = { id, method, url, body, timeout }
    say({ type: 'fetch', run, asked })
    return read(id)
  },
  chunk: (id: number) => read(id),
  pause(seconds: number): Promise<void> {
    say({ type: 'pausing', on: true })
    return new Promise((settle, fail) => {
      const timer = setTimeout(() => endPause?.(), seconds * 1000)
      endPause = (error) => {
        endPause = null
        clearTimeout(timer)
        say({ type: 'pausing', on: false })
        if (error) fail(error)
        else settle()
      }
    })
  },
  drop(id: number) {
    if (replies.delete(id)) say({ type: 'drop', id })
  },
}

async function load(base: string, shared: SharedArrayBuffer | null) {
  try {
    python = await loadPython(base, (loading) => say({ type: 'loading', ...loading }))
    python.registerJsModule('page', page)
    python.runPython("import sys, types; sys.modules['glue'] = types.ModuleType('glue')")
    python.globals.set('glue_source', glueSource)
    python.runPython("exec(compile(glue_source, 'glue.py', 'exec'), sys.modules['glue'].__dict__)")
    glue = python.pyimport('glue') as unknown as typeof glue
    if (shared) {
      interrupt = new Int32Array(shared)
      interrupt[0] = 0
      python.setInterruptBuffer(interrupt)
    }
    // Without stack switching `callPromising` throws, and Python can only be called straight through.
    live = await canWait()
    const about = JSON.parse(String(glue.describe()))
    say({ type: 'ready', ...about, live })
  } catch (error) {
    say({ type: 'failed', what: lastLine(error) })
  }
}

async function canWait(): Promise<boolean> {
  try {
    return Boolean(await glue.live.callPromising())
  } catch {
    return false
  }
}

/** Open a run, where there is a set-up, and turn one card. Called so that Python may wait in the middle of it. */
async function turn(asked: number, setup: Setup | null) {
  turning = true
  run = asked
  if (interrupt) interrupt[0] = 0
  try {
    const asText = setup ? JSON.stringify(setup) : undefined
    const text = live ? await glue.turn.callPromising(asText) : glue.turn(asText)
    say({ type: 'turned', run, ...JSON.parse(String(text)) })
  } catch (error) {
    // The interrupt can also land in the few lines around the learner's code.
    const interrupted = (error as { type?: string }).type === 'KeyboardInterrupt'
    say(interrupted ? { type: 'turned', run, stopped: '' } : { type: 'turned', run, broken: lastLine(error) })
  } finally {
    turning = false
    if (interrupt) interrupt[0] = 0
  }
}

/** Stop a wait, or a run held between two cards. Python that computes never gets here; the page sees to that. */
function stop() {
  if (!turning) {
    // The signal may have come after the turn it was meant for; closing the run must not be what it strikes.
    if (interrupt) interrupt[0] = 0
    glue.close_run()
    return say({ type: 'turned', run, stopped: '' })
  }
  const stopped = new Stopped('Stopped while waiting for the model.')
  endPause?.(stopped)
  for (const [id, reply] of replies) {
    reply.arrived = []
    finish(id, stopped)
  }
}

function lastLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.trim().split('\n').at(-1) ?? text
}

self.onmessage = (event: MessageEvent<ToWorker>) => {
  const message = event.data
  switch (message.type) {
    case 'load':
      return void load(message.base, message.interrupt)
    case 'start':
      return void turn(message.run, message.setup)
    case 'next':
      return void turn(message.run, null)
    case 'stop':
      return stop()
    case 'head':
      return arrive(message.id, { id: message.id, status: message.status, headers: message.headers })
    case 'chunk':
      return arrive(message.id, message.bytes)
    case 'end':
      return finish(message.id, 'end')
    case 'trouble':
      return finish(message.id, message.silent ? new Silent(message.what) : new Error(message.what))
  }
}
say({ type: 'alive' })
