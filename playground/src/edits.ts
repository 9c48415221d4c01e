// What the learner changed, for each scenario: kept over a reload and over another scenario, and taken back one by one.
// It is text only. Nothing of it is run before a press.
import { computed, type ReadonlySignal, signal } from '@preact/signals'
import type { Scenario } from './messages'

/** What of a run can be edited. */
export interface Texts {
  question: string
  systemPrompt: string
  tools: string
  maxSteps: number
}
export type Field = keyof Texts
export const FIELDS: readonly Field[] = ['question', 'systemPrompt', 'tools', 'maxSteps']

type Kept = Record<string, Partial<Texts>>

const PLACE = 'mingraph-lite edits'

export function makeEdits(scenario: ReadonlySignal<Scenario | null>, storage: () => Storage) {
  const kept = signal<Kept>(read(storage))
  const mine = computed(() => kept.value[scenario.value?.name ?? ''] ?? {})
  const originals = computed<Texts>(() => {
    const { question = '', systemPrompt = '', tools = '', maxSteps = 10 } = scenario.value ?? {}
    return { question, systemPrompt, tools, maxSteps }
  })
  const texts = computed<Texts>(() => ({ ...originals.value, ...mine.value }))
  const edited = computed(() => FIELDS.filter((field) => texts.value[field] !== originals.value[field]))

  function keep(changed: Partial<Texts>) {
    const name = scenario.value?.name
    if (name === undefined) return
    const differing = Object.entries(changed).filter(([field, value]) => value !== originals.value[field as Field])
    const { [name]: _, ...others } = kept.value
    kept.value = differing.length ? { ...others, [name]: Object.fromEntries(differing) } : others
    write(storage, kept.value)
  }

  return {
    texts,
    originals,
    edited,
    change: <F extends Field>(field: F, value: Texts[F]) => keep({ ...mine.value, [field]: value }),
    takeBack(field: Field) {
      const { [field]: _, ...others } = mine.value
      keep(others)
    },
    takeBackAll: () => keep({}),
  }
}

export type Edits = ReturnType<typeof makeEdits>

/** What was kept, as far as it can be read: another page may have written here, and a browser may refuse. */
function read(storage: () => Storage): Kept {
  try {
    const found: unknown = JSON.parse(storage().getItem(PLACE) ?? '{}')
    if (!isRecord(found)) return {}
    return Object.fromEntries(Object.entries(found).map(([name, texts]) => [name, known(texts)]))
  } catch {
    return {}
  }
}

function known(texts: unknown): Partial<Texts> {
  const pairs = isRecord(texts) ? Object.entries(texts) : []
  return Object.fromEntries(pairs.filter(([field, value]) => typeof value === KINDS[field as Field]))
}

const KINDS: Record<Field, string> = { question: 'string', systemPrompt: 'string', tools: 'string', maxSteps: 'number' }

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function write(storage: () => Storage, kept: Kept) {
  try {
    if (Object.keys(kept).length) storage().setItem(PLACE, JSON.stringify(kept))
    else storage().removeItem(PLACE)
  } catch {
    // No storage here: the edits last as long as the page.
  }
}
