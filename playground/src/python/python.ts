// The page's end of Python: load it, hand it one turn at a time, stop it whatever it does, and have another ready.
import { type Boot, type Ears, startPython, type WorkerLike } from './boot'
import { isPlace } from './checked'
import type { About, Asked, FromWorker, Place, Setup, ToWorker, Turned } from './messages'

export type Status =
  | { phase: 'loading'; stage: string; bytes: number }
  /** `expected` is how long the last load took, in milliseconds. */
  | { phase: 'restarting'; stage: string; bytes: number; expected: number | null }
  | ({ phase: 'ready' } & About)
  | { phase: 'failed'; what: string }

/** Which of the cases a Stop met, where the learner's code was, and whether the worker had to be ended. */
export interface Stopped {
  met: 'between' | 'waiting' | 'sleeping' | 'computing' | 'gone'
  place: Place | null
  restarted: boolean
}

export interface Hooks {
  status(status: Status): void
  asked(asked: Asked): void
  drop(id: number): void
  /** The worker is gone, and with it every run that was open in it. */
  lost(): void
}

export interface Surroundings {
  /** The folder with Pyodide and the wheels. */
  base: string
  makeWorker(): WorkerLike
  /** Whether this machine has memory for a second Python that waits. */
  hasRoom(): boolean
}

/** How long Stop waits to be obeyed. Together with the end of the worker it stays well within a second. */
const OBEY_SIGNAL = 600
const OBEY_MESSAGE = 200

interface Wish {
  run: number
  /** A run that is lost cannot go on; one that begins can, in the next worker. */
  begins: boolean
  message(turn: number): ToWorker
  settle(turned: Turned): void
}

export function makePython({ base, makeWorker, hasRoom }: Surroundings, hooks: Hooks) {
  let boot: Boot | null = null
  let spare: Boot | null = null
  let wishes: Wish[] = []
  let now: (Wish & { turn: number }) | null = null
  let turns = 0
  let pausing = false
  let place: Place | null = null
  let phase: 'loading' | 'restarting' = 'loading'
  let begun = 0
  let took: number | null = null

  const ears: Ears = {
    loading({ stage, bytes }) {
      hooks.status(phase === 'loading' ? { phase, stage, bytes } : { phase, stage, bytes, expected: took })
    },
    ready(about) {
      took = performance.now() - begun
      performance.mark('python-ready')
      hooks.status({ phase: 'ready', ...about })
      goOn()
    },
    failed: (what) => hooks.status({ phase: 'failed', what }),
    said,
  }

  function said(message: FromWorker) {
    switch (message.type) {
      case 'fetch':
        return hooks.asked(message.asked)
      case 'drop':
        return hooks.drop(message.id)
      case 'pausing':
        pausing = message.on
        if (pausing) performance.mark('pausing')
        return
      case 'at':
        if (isPlace(message)) place = message
        return
      case 'turned':
        // Whether it is lost is for this page to say.
        if (message.turn === now?.turn) answer(message.lost ? {} : message)
    }
  }

  /** End the worker, and let the spare one take over or another begin. */
  function load(next: 'loading' | 'restarting') {
    const had = boot !== null
    boot?.end()
    phase = next
    begun = performance.now()
    performance.mark(`python-${phase}`)
    boot = spare ?? startPython(base, makeWorker, ears)
    spare = null
    boot.ears = ears
    if (had) forget()
    const about = boot.about()
    if (about) ears.ready(about)
    else ears.loading(boot.progress())
  }

  /** Answer for a worker that is gone. */
  function forget() {
    const gone = [...(now ? [now] : []), ...wishes.filter((wish) => !wish.begins)]
    wishes = wishes.filter((wish) => wish.begins)
    now = null
    place = null
    pausing = false
    hooks.lost()
    for (const wish of gone) wish.settle({ lost: true })
  }

  /** One turn at a time; what is wished for meanwhile waits. */
  function goOn() {
    if (now || !boot?.about()) return
    const wish = wishes.shift()
    if (!wish) return
    now = { ...wish, turn: ++turns }
    place = null
    boot.tell(wish.message(now.turn))
  }

  function answer(turned: Turned) {
    const done = now
    now = null
    done?.settle(turned)
    goOn()
  }

  function ask(run: number, begins: boolean, message: (turn: number) => ToWorker): Promise<Turned> {
    return new Promise((settle) => {
      wishes.push({ run, begins, message, settle })
      goOn()
    })
  }

  const close = (run: number) => ask(run, false, (turn) => ({ type: 'close', turn, run }))

  /** Hears when the turn that is on comes to its end; whoever waits for it hears of it as before. */
  function ended(turn: Wish): Promise<true> {
    return new Promise((heard) => {
      const settle = turn.settle
      turn.settle = (turned) => {
        settle(turned)
        heard(true)
      }
    })
  }

  /** Ask politely, wait to be obeyed, then end the worker and start another. `waiting`: a request is on its way. */
  async function stop(run: number, waiting: boolean): Promise<Stopped> {
    for (const wish of wishes.filter((each) => each.run === run)) wish.settle({ stopped: '' })
    wishes = wishes.filter((each) => each.run !== run)
    const turning = now?.run === run ? now : null
    if (!turning) {
      const closed = close(run)
      // Another run has Python: this one is closed when it has time.
      if (now?.run !== run) return { met: 'between', place: null, restarted: false }
      return obeyed(closed, OBEY_SIGNAL, { met: 'between', place: null })
    }
    const met = place?.sleeping ? 'sleeping' : waiting || pausing ? 'waiting' : 'computing'
    const done = ended(turning)
    const polite = waiting || pausing
    const patient = polite || (boot?.interrupt() ?? false)
    boot?.tell({ type: 'stop' })
    return obeyed(done, patient ? OBEY_SIGNAL : OBEY_MESSAGE, { met, place })
  }

  async function obeyed(done: Promise<unknown>, limit: number, stopped: Omit<Stopped, 'restarted'>): Promise<Stopped> {
    const asked = boot
    const kept = await Promise.race([done.then(() => true), after(limit)])
    if (kept || boot !== asked) return { ...stopped, restarted: false }
    const met = stopped.met === 'between' || stopped.met === 'waiting' ? 'gone' : stopped.met
    const last = place ?? stopped.place
    load('restarting')
    return { met, place: last, restarted: true }
  }

  return {
    load: () => load('loading'),
    restart: () => load('restarting'),
    end() {
      boot?.end()
      spare?.end()
    },
    tell: (message: ToWorker) => boot?.tell(message),
    isTurning: (run: number) => now?.run === run,
    begin: (run: number, setup: Setup) => ask(run, true, (turn) => ({ type: 'turn', turn, run, setup })),
    next: (run: number) => ask(run, false, (turn) => ({ type: 'turn', turn, run, setup: null })),
    close,
    stop,
    /** Have another Python ready, for when this one has to be ended. */
    prepareSpare() {
      if (spare || !boot?.about() || !hasRoom()) return
      performance.mark('python-spare')
      const drop = () => {
        spare?.end()
        spare = null
      }
      const ready = () => void performance.mark('python-spare-ready')
      spare = startPython(base, makeWorker, { loading() {}, ready, said() {}, failed: drop })
    },
  }
}

export type Python = ReturnType<typeof makePython>

function after(milliseconds: number): Promise<false> {
  return new Promise((settle) => setTimeout(() => settle(false), milliseconds))
}
