// What the page knows, as signals, and what its buttons do. The key is not among it.
import { batch, computed, effect, signal } from '@preact/signals'
import { messages } from '../../mingraph_lite/views/lines.js'
import type { Frame, Outcome } from './frame'
import { makeKeeper } from './keeper'
import { type Failure, makeLine, type Phase } from './live'
import type { Scenario, Setup, Turned } from './messages'
import { type Met, makePython, type Status } from './python'

export interface Model {
  baseUrl: string
  name: string
  kind: 'native' | 'json'
}

/** How long a card stays in sight while a run plays. */
const LOOK = 450

export const status = signal<Status>({ phase: 'loading', stage: 'the page', bytes: 0 })
export const scenarios = signal<Scenario[]>([])
export const chosen = signal('')
export const model = signal<Model | null>(null)
export const failure = signal<Failure | null>(null)
export const calls = signal(0)
/** Since when the model is waited for, and for what. */
export const waiting = signal<{ since: number; phase: Phase | null } | null>(null)

export const question = signal('')
export const systemPrompt = signal('')
export const tools = signal('')

export const frames = signal<Frame[]>([])
export const at = signal(0)
export const doing = signal<'nothing' | 'turning' | 'stopping'>('nothing')
export const playing = signal(false)
export const notice = signal<{ kind: 'info' | 'trouble'; text: string } | null>(null)
/** The texts that the run in the picture was started with. */
const startedWith = signal('')

export const scenario = computed(() => scenarios.value.find((each) => each.name === chosen.value) ?? null)
export const ready = computed(() => status.value.phase === 'ready')
export const live = computed(() => status.value.phase === 'ready' && status.value.live)
export const over = computed(() => frames.value.at(-1)?.outcome != null)
export const toolsEdited = computed(() => scenario.value !== null && tools.value !== scenario.value.tools)
export const textsEdited = computed(
  () =>
    scenario.value !== null &&
    (question.value !== scenario.value.question || systemPrompt.value !== scenario.value.systemPrompt),
)
export const busy = computed(() => playing.value || doing.value !== 'nothing')
export const canNext = computed(() => ready.value && !over.value && scenario.value !== null)
/** An edit that the run in the picture does not know of. */
export const stale = computed(() => startedWith.value !== '' && startedWith.value !== JSON.stringify(setup()))

export const keeper = makeKeeper((...args) => fetch(...args))
const line = makeLine(keeper, {
  reply: (message) => python.tell(message),
  sent: () => (calls.value += 1),
  waiting: (since, phase) => (waiting.value = since === null ? null : { since, phase }),
  failed: (what) => (failure.value = what),
})
const python = makePython(new URL(PYTHON_FOLDER, document.baseURI).href, {
  status: changeStatus,
  scenarios: (found) => (scenarios.value = found),
  asked: line.serve,
  drop: line.drop,
})

function changeStatus(next: Status) {
  status.value = next
  if (next.phase !== 'ready') return
  if (!chosen.value) choose(scenarios.value[0]?.name ?? '')
  else if (!startedWith.value) void begin()
}

export const load = () => python.load()

function setup(): Setup {
  const live = model.value
  return {
    scenario: chosen.value,
    question: question.value,
    systemPrompt: systemPrompt.value,
    tools: toolsEdited.value ? tools.value : null,
    model: live && { name: live.name, baseUrl: live.baseUrl, kind: live.kind },
  }
}

/** Take a scenario as it is written, and hold its run at the first card. */
export function choose(name: string) {
  batch(() => {
    chosen.value = name
    revert('question')
    revert('tools')
  })
  return reset()
}

export function revert(what: 'question' | 'tools') {
  const original = scenario.value
  if (!original) return
  batch(() => {
    if (what === 'tools') tools.value = original.tools
    else {
      question.value = original.question
      systemPrompt.value = original.systemPrompt
    }
  })
}

/** Ask this model from now on, or follow the script again; the keeper has the key, or has forgotten it. */
export async function useModel(next: Model | null) {
  if (!next) keeper.forget()
  batch(() => {
    model.value = next
    failure.value = null
    calls.value = 0
  })
  await reset()
}

/** Put the run back to its first card; edits stay. */
export async function reset() {
  if (busy.value) await stop()
  batch(() => {
    frames.value = []
    at.value = 0
    notice.value = null
    startedWith.value = ''
  })
  if (ready.value) await begin()
}

/** Start a run, held before its first card: nothing is asked and nothing is run yet. */
async function begin() {
  const now = setup()
  batch(() => {
    frames.value = []
    at.value = 0
    doing.value = 'turning'
    notice.value = null
    startedWith.value = JSON.stringify(now)
  })
  take(await python.start(now))
}

/** Run the card in the hand, or show the next one where it has been run already. */
export async function next() {
  if (at.value < frames.value.length - 1) return void (at.value += 1)
  if (!canNext.value || doing.value !== 'nothing') return
  // Nothing has been run yet, so an edit counts at once.
  if (!frames.value.length || (stale.value && frames.value.length === 1)) {
    await begin()
    if (!frames.value.length || over.value) return
  }
  doing.value = 'turning'
  performance.mark('card')
  take(await python.next())
}

function take(turned: Turned) {
  batch(() => {
    if (doing.value === 'turning') doing.value = 'nothing'
    if (turned.frame) {
      frames.value = [...frames.value, turned.frame]
      at.value = frames.value.length - 1
    }
    if (turned.broken !== undefined) {
      python.restart()
      end('Python broke down and starts again.', 'failed', turned.broken)
    }
    if (turned.refused !== undefined) {
      playing.value = false
      notice.value = { kind: 'trouble', text: turned.refused }
    }
    if (over.value) {
      playing.value = false
      performance.mark('run-over')
    }
  })
}

export async function play() {
  if (playing.value) return
  if (over.value && at.value === frames.value.length - 1) await reset()
  playing.value = true
  while (playing.value) {
    await next()
    if (at.value === frames.value.length - 1 && !canNext.value) playing.value = false
    if (playing.value) await new Promise((go) => setTimeout(go, LOOK))
  }
}

const SAID: Record<Met, string> = {
  between: 'Stopped between two cards.',
  waiting: 'Stopped while waiting for the model. The request was cut off.',
  computing: 'Stopped in the middle of a computation.',
  gone: 'Stopped, but Python did not let go.',
}

/** Stop the run, whatever Python is doing. The frames so far stay; a closing one says that it was stopped. */
export async function stop() {
  if (doing.value === 'stopping' || (!busy.value && !frames.value.length)) return
  const waiting = line.isWaiting()
  batch(() => {
    playing.value = false
    doing.value = 'stopping'
  })
  line.dropAll()
  const met = await python.stop(waiting)
  const restarted = !python.isReady()
  batch(() => {
    doing.value = 'nothing'
    end(SAID[met] + (restarted ? ' Python starts again.' : ''), 'interrupted', SAID[met])
  })
  performance.mark('stopped')
}

function end(text: string, reason: Outcome['reason'], error: string) {
  playing.value = false
  if (!over.value && frames.value.length) frames.value = [...frames.value, closing(reason, error)]
  at.value = Math.max(0, frames.value.length - 1)
  notice.value = { kind: 'info', text }
}

/** The frame that the page adds where Python could not say goodbye itself. */
function closing(reason: Outcome['reason'], error: string): Frame {
  const count = frames.value.reduce((sum, frame) => sum + frame.lines.length, 0)
  return {
    number: null,
    card: null,
    picked_by: null,
    because: '',
    lines: [],
    asides: [],
    readings: [],
    events: [],
    outcome: { reason, answer: null, error },
    sentence: `run over: ${reason} | folder has ${messages(count)}`,
  }
}

export function goto(index: number) {
  at.value = Math.max(0, Math.min(index, frames.value.length - 1))
}

// The picture of a run that failed to start is empty: say so where the reader looks.
effect(() => {
  if (status.value.phase === 'failed') playing.value = false
})
