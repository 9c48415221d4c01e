// What the page knows, as signals, and what its menus do. The key is not among it.
import { batch, computed, signal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { makeAsks } from './asks'
import { makeEdits } from './edits/edits'
import { makeKeeper } from './model/keeper'
import { type Failure, makeLine, type Phase } from './model/live'
import type { Scenario, Setup } from './python/messages'
import { sendsPolicy } from './python/policy'
import { makePython, type Status, type Surroundings } from './python/python'
import { makeRun, type Run } from './run'

export interface Model {
  baseUrl: string
  name: string
  kind: 'native' | 'json'
}

/** How long a card stays in sight while a run plays: long enough to read it, or to see that it moves. */
export const PACES = [
  { name: 'slow', milliseconds: 3000 },
  { name: 'steady', milliseconds: 1500 },
  { name: 'fast', milliseconds: 300 },
] as const

export interface Around extends Surroundings {
  /** Where the worker's file is. */
  workerUrl: string
  fetch: typeof fetch
  storage(): Storage
}

export function makePage(around: Around) {
  const status = signal<Status>({ phase: 'loading', stage: 'the page', bytes: 0 })
  const scenarios = signal<Scenario[]>([])
  const chosen = signal('')
  const model = signal<Model | null>(null)
  const failure = signal<Failure | null>(null)
  const calls = signal(0)
  /** Since when the model is waited for, in the time of `performance.now()`, and what of its reply. */
  const waiting = signal<{ since: number; phase: Phase | null } | null>(null)
  const pace = signal(1)
  /** A line of the tools that the reader asked to see; the editor shows it and empties this. */
  const lookingFor = signal<{ line: number } | null>(null)
  let runs = 0

  const scenario = computed(() => scenarios.value.find((each) => each.name === chosen.value) ?? null)
  const ready = computed(() => status.value.phase === 'ready')
  const live = computed(() => status.value.phase === 'ready' && status.value.live)
  const edits = makeEdits(scenario, around.storage)

  const keeper = makeKeeper((...args) => around.fetch(...args))
  const line = makeLine(keeper, {
    reply: (message) => python.tell(message),
    sent: () => (calls.value += 1),
    waiting: (since, phase) => (waiting.value = since === null ? null : { since, phase }),
    failed: (what) => (failure.value = what),
  })
  const python = makePython(around, {
    status: changeStatus,
    asked: line.serve,
    drop: line.drop,
    lost() {
      line.dropAll()
      run.value.lose()
    },
  })
  const run = signal(newRun())
  const canNext = computed(() => ready.value && !run.value.over.value && scenario.value !== null)
  const asks = makeAsks({ scenario, setup, run })
  const canAskAgain = computed(() => ready.value && run.value.over.value && !run.value.lost.value)

  function newRun(): Run {
    return makeRun({
      number: ++runs,
      python,
      line,
      setup,
      wrong: () => edits.wrong.value,
      originalRounds: () => edits.originals.value.maxSteps,
      pace: () => PACES[pace.value]!.milliseconds,
      ended: () => python.prepareSpare(),
    })
  }

  function setup(): Setup {
    const { question, systemPrompt, tools, maxSteps } = edits.texts.value
    const asked = model.value
    return {
      scenario: chosen.value,
      question,
      systemPrompt,
      tools: edits.edited.value.includes('tools') ? tools : null,
      maxSteps,
      model: asked && { name: asked.name, baseUrl: asked.baseUrl, kind: asked.kind },
      after: null,
    }
  }

  function changeStatus(next: Status) {
    status.value = next
    if (next.phase === 'failed') run.value.pausePlaying()
    if (next.phase !== 'ready') return
    scenarios.value = next.scenarios
    if (!scenario.value) choose(next.scenarios[0]?.name ?? '')
    else if (!run.value.isBegun()) void run.value.begin({ pressed: false })
  }

  /** Hold another run before its first card. The one before ends, whatever it does. */
  function replace({ pressed, after }: { pressed: boolean; after?: number }): Run {
    const old = run.value
    const mine = newRun()
    void (after === undefined ? old.dispose() : old.letGo())
    if (after !== undefined) mine.goOnFrom(after)
    run.value = mine
    failure.value = null
    if (ready.value) void mine.begin({ pressed })
    return mine
  }

  /** Take a scenario, with what the learner changed in it before. */
  function choose(name: string) {
    batch(() => {
      chosen.value = name
      replace({ pressed: false })
    })
  }

  return {
    status,
    scenarios,
    chosen,
    scenario,
    ready,
    live,
    model,
    failure,
    calls,
    waiting,
    pace,
    lookingFor,
    edits,
    asks,
    keeper,
    run,
    canNext,
    canAskAgain,
    load: () => python.load(),
    sendsPolicy: () => sendsPolicy(around.workerUrl, (...args) => around.fetch(...args)),
    end: () => python.end(),
    choose,

    /** Ask this model from now on, or the scenario's own again; the keeper has the key, or has forgotten it. */
    useModel(next: Model | null) {
      if (!next) keeper.forget()
      batch(() => {
        model.value = next
        calls.value = 0
        if (next && scenario.value?.kind === 'fault') chosen.value = scenarios.value[0]?.name ?? ''
        replace({ pressed: true })
      })
    },

    /** A fresh run, at its first card; edits stay. */
    reset: () => replace({ pressed: true }),

    /** A fresh run at the end of one, at once on its way. */
    async play() {
      const shown = run.value
      const atEnd = shown.over.value && shown.at.value === shown.frames.value.length - 1
      if (!atEnd) return shown.play()
      await replace({ pressed: true }).play()
    },

    /** The next question goes into the same folder: the model reads what was said before. */
    askAgain() {
      if (!canAskAgain.value) return
      batch(() => asks.askAgain(replace({ pressed: true, after: run.value.number }).number))
    },

    /** Another Python, for a tool that broke this one; edits stay. */
    restartPython() {
      python.restart()
      const mine = replace({ pressed: true })
      // One that waited took over at once: else the header tells of its start.
      if (ready.value) mine.tell('Another Python has taken over. The run is at its first card.')
    },
  }
}

export type Page = ReturnType<typeof makePage>

const Here = createContext<Page | null>(null)
export const PageProvider = Here.Provider

export function usePage(): Page {
  const page = useContext(Here)
  if (!page) throw new Error('A part of the page stands outside of its PageProvider.')
  return page
}
