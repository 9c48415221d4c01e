// The page's end of the worker: load it, watch it, hand it one card at a time, and stop it whatever it does.
import type { Asked, FromWorker, Scenario, Setup, ToWorker, Turned } from './messages'

export type Status =
  | { phase: 'loading' | 'restarting'; stage: string; bytes: number }
  | { phase: 'ready'; python: string; live: boolean }
  | { phase: 'failed'; what: string }

/** Which of the cases a Stop met. */
export type Met = 'between' | 'waiting' | 'computing' | 'gone'

export interface Hooks {
  status(status: Status): void
  scenarios(scenarios: Scenario[]): void
  asked(asked: Asked): void
  drop(id: number): void
}

/** Without a sign of life for this long, the reader is told that loading has failed. The worker may ask for more. */
const PATIENCE = 30_000
/** How long Stop waits to be obeyed. Together with the end of the worker it stays well within a second. */
const OBEY_SIGNAL = 600
const OBEY_MESSAGE = 200

export function makePython(base: string, hooks: Hooks) {
  let worker: Worker | null = null
  let ready = false
  let pausing = false
  let watchdog: ReturnType<typeof setTimeout> | undefined
  let run = 0
  let turned: ((turned: Turned) => void) | null = null
  const interrupt = globalThis.crossOriginIsolated ? new SharedArrayBuffer(4) : null

  function load(phase: 'loading' | 'restarting') {
    drop()
    performance.mark(`python-${phase}`)
    const mine = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'python' })
    worker = mine
    const fail = (what: string) => {
      if (worker !== mine) return
      drop()
      hooks.status({ phase: 'failed', what })
    }
    // A slow machine may be silent for long: say so, offer to begin again, and still take what comes.
    const watch = (patience: number) => {
      clearTimeout(watchdog)
      const what = `Nothing has arrived for ${patience / 1000} seconds.`
      watchdog = setTimeout(() => hooks.status({ phase: 'failed', what }), patience)
    }
    mine.onmessage = (event: MessageEvent<FromWorker>) => {
      if (worker !== mine) return
      const message = event.data
      if (!ready) watch(message.type === 'loading' ? message.patience : PATIENCE)
      switch (message.type) {
        case 'alive':
          return tell({ type: 'load', base, interrupt })
        case 'loading':
          return hooks.status({ phase, stage: message.stage, bytes: message.bytes })
        case 'ready':
          ready = true
          clearTimeout(watchdog)
          performance.mark('python-ready')
          hooks.scenarios(message.scenarios)
          return hooks.status({ phase: 'ready', python: message.python, live: message.live })
        case 'failed':
          return fail(message.what)
        case 'fetch':
          return hooks.asked(message.asked)
        case 'drop':
          return hooks.drop(message.id)
        case 'pausing':
          pausing = message.on
          if (pausing) performance.mark('pausing')
          return
        case 'turned':
          if (message.run === run) answer(message)
      }
    }
    // A module worker that cannot be loaded says so without a reason.
    mine.onerror = (event) => fail(event.message || 'A file of this page could not be loaded.')
    hooks.status({ phase, stage: 'the worker', bytes: 0 })
    watch(PATIENCE)
  }

  function drop() {
    clearTimeout(watchdog)
    worker?.terminate()
    worker = null
    ready = false
    pausing = false
  }

  function tell(message: ToWorker) {
    worker?.postMessage(message)
  }

  function answer(what: Turned) {
    const waiting = turned
    turned = null
    waiting?.(what)
  }

  /** Say something to the worker and wait for what comes of it. */
  function ask(message: ToWorker): Promise<Turned> {
    return new Promise((settle) => {
      turned = settle
      tell(message)
    })
  }

  function signal() {
    if (interrupt) Atomics.store(new Int32Array(interrupt), 0, 2)
  }

  return {
    load: () => load('loading'),
    restart: () => load('restarting'),
    tell,
    isReady: () => ready,
    isTurning: () => turned !== null,
    start(setup: Setup): Promise<Turned> {
      run += 1
      return ask({ type: 'start', run, setup })
    },
    next: () => ask({ type: 'next', run }),

    /**
     * Ask politely, wait to be obeyed, then end the worker and start another. `waiting` says that a request is on its
     * way. A turn that is cut off is answered with `stopped`, so that whoever waits for it goes on.
     */
    async stop(waiting: boolean): Promise<Met> {
      const was: Met = waiting || pausing ? 'waiting' : turned ? 'computing' : 'between'
      const stopping = run
      const obeyed = turned ? ended(turned) : ask({ type: 'stop' }).then(() => true)
      if (turned && was !== 'between') {
        if (was === 'computing') signal()
        tell({ type: 'stop' })
      }
      const limit = was === 'computing' && !interrupt ? OBEY_MESSAGE : OBEY_SIGNAL
      if (await Promise.race([obeyed, after(limit)])) return was
      if (run === stopping) {
        load('restarting')
        answer({ stopped: '' })
      }
      return was === 'computing' ? 'computing' : 'gone'
    },
  }

  /** True when the turn that is on has come to an end; whoever waited for it hears of it as before. */
  function ended(waiting: (turned: Turned) => void): Promise<true> {
    return new Promise((settle) => {
      turned = (what) => {
        waiting(what)
        settle(true)
      }
    })
  }
}

function after(milliseconds: number): Promise<false> {
  return new Promise((settle) => setTimeout(() => settle(false), milliseconds))
}
