// Holds Python. One turn at a time; while Python waits for a reply, only replies and Stop get in.
import type { PyodideInterface } from 'pyodide'
import glueSource from './glue.py?raw'
import { loadPython } from './loading'
import type { FromWorker, Load, Place, Setup, ToWorker, Turned } from './messages'
import { makeReplies, Silent, Stopped } from './replies'
import { makeWire, shutDoors } from './wire'

interface PyCallable {
  (...args: unknown[]): unknown
  callPromising(...args: unknown[]): Promise<unknown>
}

const replies = makeReplies()
let say: (message: FromWorker) => void
let endPause: ((error?: Error) => void) | null = null
let python: PyodideInterface
let glue: { describe: PyCallable; live: PyCallable; turn: PyCallable; close_run: PyCallable }
let interrupt: Int32Array | null = null
let turning = false
let live = false
/** Where the learner's code was seen last, in this turn. */
let last: Place | null = null

/** The doors that Python has to the page. JavaScript's undefined is Python's None; its null is something else. */
const page = {
  ask(method: string, url: string, body: Uint8Array, timeout: number): Promise<unknown> {
    const id = replies.begin()
    say({ type: 'fetch', asked: { id, method, url, body, timeout } })
    return replies.read(id)
  },
  chunk: (id: number) => replies.read(id),
  drop(id: number) {
    if (replies.drop(id)) say({ type: 'drop', id })
  },
  pause(seconds: number, _where: string): Promise<void> {
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
  at: (file: string, line: number, text: string, sleeping: boolean) => {
    last = { file, line, text, sleeping }
    say({ type: 'at', ...last })
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

/** Do one thing in Python and say what came of it. Called so that Python may wait in the middle of it. */
async function inPython(turn: number, act: PyCallable, ...args: unknown[]) {
  turning = true
  last = null
  calm()
  try {
    const text = live ? await act.callPromising(...args) : act(...args)
    // What Python says stands first: it may hold a `type` of its own, and is no other message all the same.
    say({ ...JSON.parse(String(text ?? '{}')), type: 'turned', turn })
  } catch (error) {
    // The interrupt can also land in the few lines around the learner's code.
    const interrupted = (error as { type?: string }).type === 'KeyboardInterrupt'
    say({ type: 'turned', turn, ...(interrupted ? { stopped: '' } : brokenDown(lastLine(error))) })
  } finally {
    turning = false
    calm()
  }
}

/** It cannot say itself where: the line that it was at last is the best that is known. */
function brokenDown(what: string): Turned {
  return {
    broken: what,
    pointed: last && { file: last.file, line: last.line, text: last.text, what: 'broke down here' },
  }
}

/** A signal that came after the turn it was meant for must not strike another. */
function calm() {
  if (interrupt) interrupt[0] = 0
}

/** Stop a wait. Python that computes never gets here; the page sees to that. */
function stop() {
  if (!turning) return
  const stopped = new Stopped('Stopped while waiting.')
  endPause?.(stopped)
  replies.stopAll(stopped)
}

function lastLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.trim().split('\n').at(-1) ?? text
}

function hear(message: ToWorker) {
  switch (message.type) {
    case 'turn': {
      const setup: Setup | null = message.setup
      return void inPython(message.turn, glue.turn, message.run, setup ? JSON.stringify(setup) : undefined)
    }
    case 'close':
      return void inPython(message.turn, glue.close_run, message.run)
    case 'stop':
      return stop()
    case 'head':
      return replies.arrive(message.id, { id: message.id, status: message.status, headers: message.headers })
    case 'chunk':
      return replies.arrive(message.id, message.bytes)
    case 'end':
      return replies.finish(message.id, 'end')
    case 'trouble':
      return replies.finish(message.id, message.silent ? new Silent(message.what) : new Error(message.what))
  }
}

self.onmessage = ({ data }: MessageEvent<Load>) => {
  self.onmessage = null
  shutDoors()
  say = makeWire(data.port, hear)
  void load(data.base, data.interrupt)
}
