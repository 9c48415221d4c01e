// What the reader guesses before a run. A guess is kept as long as the page is open, beside the texts it was made about:
// another run of the same texts still has it, and changed texts or another scenario ask anew. What was measured
// belongs to one run, and comes with its end.
import { computed, type ReadonlySignal, signal } from '@preact/signals'
import type { Scenario, Setup } from './python/messages'
import type { Question } from './question'
import type { Run } from './run'

/** A press in the question card. */
export type Press = { act: 'guess'; value: string; why: string } | { act: 'skip' }

export interface AsksParts {
  scenario: ReadonlySignal<Scenario | null>
  /** What a run would be made of now. */
  setup(): Setup
  run: ReadonlySignal<Pick<Run, 'number' | 'frames' | 'measured' | 'over'>>
}

function compared(guess: string | null, fact: string): string {
  if (guess === null) return ''
  return guess === fact ? 'Your guess was right. ' : `You guessed ${guess}. `
}

const UNMEASURED = 'Not measured: the run was interrupted'

const isUnmeasured = ({ over, measured }: Pick<Run, 'over' | 'measured'>) => over.value && measured.value === null

export function makeAsks({ scenario, setup, run }: AsksParts) {
  const answers = signal<Record<string, { guess: string | null; why: string }>>({})
  /** A run that goes on in another's folder is asked about by itself. */
  const goesOn = signal<number | null>(null)
  /** The last guess, and what it was about: who changes the texts is told why they are asked anew. */
  const last = signal<{ scenario: string; key: string; value: string } | null>(null)
  const settled = new Set<string>()
  let about = ''

  /** What the question is about. It stays while a run is under way, whatever is typed meanwhile. */
  const key = computed(() => {
    const { number, frames } = run.value
    const now = JSON.stringify([setup(), goesOn.value === number ? number : null])
    if (frames.value.length < 2) about = now
    return about
  })

  /** Why an answered question is open again. */
  function whyAnew(): string {
    const before = last.value
    const { number, frames } = run.value
    if (!before || before.scenario !== scenario.value?.name) return ''
    if (settled.has(before.key)) return '' // it is known what came of it
    if (before.key === key.value || goesOn.value === number || frames.value.length > 1) return ''
    return `You guessed ${before.value}. That was before you changed what the run is made of: guess again.`
  }

  const shown = computed<Question | null>(() => {
    const ask = scenario.value?.ask
    if (!ask) return null
    const { frames, measured } = run.value
    if (measured.value) settled.add(key.value)
    const answer = answers.value[key.value] ?? null
    return {
      key: key.value,
      question: ask.question,
      choices: ask.choices,
      number: '',
      guess: answer?.guess ?? null,
      // Whoever presses Next card instead has skipped it, this time.
      skipped: answer ? answer.guess === null : frames.value.length > 1,
      why: answer?.why ?? '',
      votes: null,
      fact: measured.value?.fact ?? null,
      told: measured.value ? compared(answer?.guess ?? null, measured.value.fact) + measured.value.told : '',
      note: isUnmeasured(run.value) ? UNMEASURED : answer ? '' : whyAnew(),
    }
  })

  return {
    shown,
    press(press: Press) {
      const answer = press.act === 'guess' ? { guess: press.value, why: press.why } : { guess: null, why: '' }
      answers.value = { ...answers.value, [key.value]: answer }
      if (press.act === 'guess') last.value = { scenario: scenario.value!.name, key: key.value, value: press.value }
    },
    /** This run goes on in the folder of the one before. */
    askAgain: (number: number) => void (goesOn.value = number),
  }
}
