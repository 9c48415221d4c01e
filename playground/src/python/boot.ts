// One worker with Python in it, from its first byte to its end.
import type { About, FromWorker, Load, ToWorker } from './messages'

/** What of a Worker is used here. */
export interface WorkerLike {
  postMessage(message: Load, transfer: Transferable[]): void
  terminate(): void
  onerror: ((event: ErrorEvent) => void) | null
}

export interface Progress {
  stage: string
  bytes: number
}

export interface Ears {
  loading(progress: Progress): void
  ready(about: About): void
  /** `final` is false where it may still come. */
  failed(what: string, final: boolean): void
  said(message: FromWorker): void
}

export interface Boot {
  /** Null until it is ready. */
  about: () => About | null
  progress: () => Progress
  tell(message: ToWorker): void
  /** Interrupt what computes. False where memory cannot be shared. */
  interrupt(): boolean
  end(): void
  ears: Ears
}

/** Without a sign of life for this long, the reader is told. The worker may ask for more. */
const PATIENCE = 30_000

const SIGINT = 2

/** Start a worker. What it says goes to `ears`, which may be others later: a spare has somebody else's. */
export function startPython(base: string, makeWorker: () => WorkerLike, ears: Ears): Boot {
  const { port1: ours, port2: theirs } = new MessageChannel()
  // Memory of its own: what was left in the memory of a worker that had to end cannot strike this one.
  const shared = canShare() ? new SharedArrayBuffer(4) : null
  const worker = makeWorker()
  let about: About | null = null
  let progress: Progress = { stage: 'the worker', bytes: 0 }
  let watchdog: ReturnType<typeof setTimeout> | undefined

  const boot: Boot = {
    about: () => about,
    progress: () => progress,
    tell: (message) => ours.postMessage(message),
    interrupt() {
      if (shared) Atomics.store(new Int32Array(shared), 0, SIGINT)
      return shared !== null
    },
    end() {
      clearTimeout(watchdog)
      ours.onmessage = null
      ours.close()
      worker.onerror = null
      worker.terminate()
    },
    ears,
  }

  function watch(patience: number) {
    clearTimeout(watchdog)
    const what = `Nothing has arrived for ${patience / 1000} seconds.`
    watchdog = setTimeout(() => boot.ears.failed(what, false), patience)
  }

  function fail(what: string) {
    boot.end()
    boot.ears.failed(what, true)
  }

  ours.onmessage = ({ data: message }: MessageEvent<FromWorker>) => {
    switch (message.type) {
      case 'loading':
        progress = { stage: message.stage, bytes: message.bytes }
        watch(message.patience)
        return boot.ears.loading(progress)
      case 'ready':
        clearTimeout(watchdog)
        about = message
        return boot.ears.ready(about)
      case 'failed':
        return fail(message.what)
      default:
        return boot.ears.said(message)
    }
  }
  // A module worker that cannot be loaded says so without a reason. Once it is up, what is uncaught in it comes from a
  // timer that the learner's code has set, and Python goes on.
  worker.onerror = (event) => {
    if (!about) fail(event.message || 'A file of this page could not be loaded.')
  }
  worker.postMessage({ type: 'load', base, interrupt: shared, port: theirs }, [theirs])
  watch(PATIENCE)
  return boot
}

/** WebKitGTK says that a page is isolated and has no memory to share all the same: ask for both. */
function canShare(): boolean {
  return globalThis.crossOriginIsolated === true && typeof SharedArrayBuffer === 'function'
}
