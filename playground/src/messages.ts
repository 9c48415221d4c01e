// What page and worker say to each other. The key is in none of it: the page adds that itself.
import type { Frame } from './frame'
import type { Loading } from './loading'

export interface Scenario {
  name: string
  title: string
  question: string
  systemPrompt: string
  tools: string
  script: string[]
  /** What goes wrong, and what right behaviour looks like; null where nothing does. */
  fault: string | null
}

/** What a run is made of. `tools` is null where nobody edited them, `model` is null for the script. */
export interface Setup {
  scenario: string
  question: string
  systemPrompt: string
  tools: string | null
  model: { name: string; baseUrl: string; kind: 'native' | 'json' } | null
}

export interface Asked {
  id: number
  method: string
  url: string
  body: Uint8Array
  /** The longest silence, in seconds. */
  timeout: number
}

/** What came of turning a card: a frame, nothing more to turn, a set-up that cannot run, a stop, or a breakdown. */
export interface Turned {
  frame?: Frame
  over?: true
  refused?: string
  stopped?: string
  broken?: string
}

export type ToWorker =
  | { type: 'load'; base: string; interrupt: SharedArrayBuffer | null }
  | { type: 'start'; run: number; setup: Setup }
  | { type: 'next'; run: number }
  | { type: 'stop' }
  | { type: 'head'; id: number; status: number; headers: [string, string][] }
  | { type: 'chunk'; id: number; bytes: Uint8Array }
  | { type: 'end'; id: number }
  | { type: 'trouble'; id: number; what: string; silent: boolean }

export type FromWorker =
  | { type: 'alive' }
  | ({ type: 'loading' } & Loading)
  | { type: 'ready'; scenarios: Scenario[]; python: string; live: boolean }
  | { type: 'failed'; what: string }
  | ({ type: 'turned'; run: number } & Turned)
  | { type: 'fetch'; run: number; asked: Asked }
  | { type: 'drop'; id: number }
  | { type: 'pausing'; on: boolean }
