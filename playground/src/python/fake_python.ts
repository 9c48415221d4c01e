// A worker for unit tests: it answers as one with Python in it would, and notes what it was told. No test runs Python
// here; what is tried is who talks to whom, and when.

import type { Frame } from '../frame'
import type { WorkerLike } from './boot'
import type { About, FromWorker, Load, Scenario, ToWorker, Turned } from './messages'

/**
 * `ends`: it comes to its end in the moment of a Stop. `breaks`: it breaks down. `raises`: its code interrupts itself.
 * `babbles`: what it says is no frame. `lies`: it says that it is gone.
 */
export type Habit = 'quick' | 'computes' | 'deaf' | 'ends' | 'breaks' | 'raises' | 'babbles' | 'lies'

export const scenario = (name: string, changes: Partial<Scenario> = {}): Scenario => ({
  name,
  title: name,
  kind: 'reading',
  question: `${name}?`,
  systemPrompt: '',
  tools: 'def tool(): ...',
  maxSteps: 10,
  script: [],
  scriptLines: 0,
  what: '',
  ask: null,
  ...changes,
})

export const about: About = {
  scenarios: [scenario('first'), scenario('second')],
  liveAsk: null,
  python: '3.14',
  version: '0.1',
  live: true,
}

export function frame(number: number | null, reason = 'answered'): Frame {
  return {
    number,
    card: number === null ? null : { name: 'Card', kind: 'other', rule: '', fields: {}, source: null, round: 1 },
    picked_by: null,
    because: '',
    lines: [],
    asides: [],
    readings: [],
    events: [],
    printed: '',
    pointed: [],
    outcome: number === null ? { reason, answer: null, error: null } : null,
    sentence: '',
  }
}

export interface FakeWorker {
  told: string[]
  ended: boolean
  load(): void
  /** An error that nobody caught. */
  fail(message: string): void
}

/** Workers that load at once, or when a test says so, and have `begins()` and `habit()` when a card is turned. */
export function fakeWorkers(habits: Partial<Habits> = {}) {
  const { habit = () => 'quick', begins = () => 'quick', waits = false, cards = 3 } = habits
  const made: FakeWorker[] = []
  function makeWorker(): WorkerLike {
    const fail = (message: string) => worker.onerror?.({ message } as ErrorEvent)
    const mine: FakeWorker = { told: [], ended: false, load() {}, fail }
    made.push(mine)
    let port: MessagePort | undefined
    const worker: WorkerLike = {
      onerror: null,
      terminate() {
        mine.ended = true
        port?.close()
      },
      postMessage(message: Load) {
        port = message.port
        const say = (what: FromWorker) => {
          if (!mine.ended) message.port.postMessage(what)
        }
        mine.load = () => say({ type: 'ready', ...about })
        message.port.onmessage = answering(mine, say, { habit, begins, cards })
        if (!waits) mine.load()
      },
    }
    return worker
  }
  return { made, makeWorker }
}

interface Habits {
  habit(): Habit
  /** The same for the first card: tools.py is run before it. */
  begins(): Habit
  waits: boolean
  cards: number
}

type Answering = Omit<Habits, 'waits'>

function answering(mine: FakeWorker, say: (what: FromWorker) => void, { habit, begins, cards }: Answering) {
  const turned = new Map<number, number>()
  let computing: { turn: number; how: Habit } | null = null
  const settle = (turn: number, what: Turned) => say({ type: 'turned', turn, ...what })
  return ({ data }: MessageEvent<ToWorker>) => {
    if (data.type === 'stop') {
      mine.told.push('stop')
      if (!computing || computing.how === 'deaf') return
      settle(computing.turn, { frame: frame(null, computing.how === 'ends' ? 'answered' : 'interrupted') })
      computing = null
      return
    }
    if (data.type !== 'turn' && data.type !== 'close') return
    const word = data.type === 'close' ? 'close' : data.setup ? 'begin' : 'next'
    mine.told.push(`${word} ${data.run}`)
    if (data.type === 'close') return settle(data.turn, {})
    const how = data.setup ? begins() : habit()
    if (how === 'breaks') return settle(data.turn, { broken: 'out of order', pointed: null })
    if (how === 'raises') return settle(data.turn, { stopped: '', pointed: null })
    if (how === 'babbles') return settle(data.turn, { frame: { ...frame(7), lines: null } as unknown as Frame })
    if (how === 'lies') return settle(data.turn, { lost: true })
    if (how !== 'quick') {
      computing = { turn: data.turn, how }
      return
    }
    const number = data.setup ? 1 : (turned.get(data.run) ?? 0) + 1
    turned.set(data.run, number)
    settle(data.turn, { frame: frame(number > cards ? null : number) })
  }
}

/** Wait until it is so; what goes over a port takes a moment. */
export async function until(so: () => boolean) {
  for (let round = 0; round < 2000 && !so(); round += 1) await new Promise((go) => setTimeout(go, 1))
  if (!so()) throw new Error(`not so: ${so}`)
}
