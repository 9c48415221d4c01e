// What page and worker say to each other. The key is in none of it: the page adds that itself.
//
// All of it goes over a MessagePort that the page makes for each worker. Python can post to the page too, through the
// worker itself; nobody listens there, so nothing of its making is taken for the worker's own.
import type { Frame, Pointed } from '../frame'
import type { Loading } from './loading'

/** A scenario as the menu and the editor need it. */
export interface Scenario {
  name: string
  title: string
  /** The group it stands in: who answers. */
  kind: 'reading' | 'script' | 'fault'
  question: string
  systemPrompt: string
  /** The source of its tools. */
  tools: string
  maxSteps: number
  /** What a script will say, at its beginning; nothing for the reading model. */
  script: string[]
  /** How many lines the whole script has. */
  scriptLines: number
  /** A sentence or two for the reader, before the run. */
  what: string
  /** What is asked before the first card; the answer is measured on the run and comes with its end. */
  ask: { question: string; choices: string[] } | null
}

/** What a run is made of. `tools` is null where nobody edited them, `model` is null for the scenario's own. */
export interface Setup {
  scenario: string
  question: string
  systemPrompt: string
  tools: string | null
  maxSteps: number
  model: { name: string; baseUrl: string; kind: 'native' | 'json' } | null
  /** The run on whose folder this one goes on. */
  after: number | null
}

export interface Asked {
  id: number
  method: string
  url: string
  body: Uint8Array
  /** The longest silence, in seconds. */
  timeout: number
}

/** What was measured on a run: the answer to what its scenario asks. */
export interface Measured {
  fact: string
  told: string
}

/** What came of a turn: a frame, nothing more to turn, a set-up that cannot run, a stop, a breakdown, a lost worker, or nonsense. */
export interface Turned {
  frame?: Frame
  measured?: Measured
  over?: true
  refused?: string
  pointed?: Pointed | null
  stopped?: string
  broken?: string
  lost?: true
  /** What is wrong with what Python said: it could not be drawn. */
  wrong?: string
}

/** Where the learner's code is, told before it may be too late to ask. */
export interface Place {
  file: string
  line: number
  text: string
  sleeping: boolean
}

export type ToWorker =
  | { type: 'turn'; turn: number; run: number; setup: Setup | null }
  | { type: 'close'; turn: number; run: number }
  | { type: 'stop' }
  | { type: 'head'; id: number; status: number; headers: [string, string][] }
  | { type: 'chunk'; id: number; bytes: Uint8Array }
  | { type: 'end'; id: number }
  | { type: 'trouble'; id: number; what: string; silent: boolean }

export interface About {
  scenarios: Scenario[]
  /** What is asked where a live model answers, whatever the scenario. */
  liveAsk: Scenario['ask']
  python: string
  version: string
  /** Whether Python can wait for a reply of the page. */
  live: boolean
}

export type FromWorker =
  | ({ type: 'loading' } & Loading)
  | ({ type: 'ready' } & About)
  | { type: 'failed'; what: string }
  | ({ type: 'turned'; turn: number } & Turned)
  | { type: 'fetch'; asked: Asked }
  | { type: 'drop'; id: number }
  | { type: 'pausing'; on: boolean }
  | ({ type: 'at' } & Place)

/** The first message, and the only one that goes to the worker itself. */
export interface Load {
  type: 'load'
  base: string
  interrupt: SharedArrayBuffer | null
  port: MessagePort
}
