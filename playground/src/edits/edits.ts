// What the learner changed, for each scenario: kept over a reload and over another scenario, and taken back one by one.
// It is text only. Nothing of it is run before a press.
import { batch, computed, type ReadonlySignal, signal } from '@preact/signals'
import type { Scenario } from '../python/messages'
import { FIELDS, type Field, type Kept, readAll, readOne, scenarioAt, type Texts, write } from './kept'

export { FIELDS, type Field, type Texts } from './kept'

export const MOST_ROUNDS = 2000

/** What was taken back last, until the next edit: it can be brought back once. */
interface TakenBack {
  scenario: string
  texts: Partial<Texts>
  from: Partial<Texts>
}

export function makeEdits(scenario: ReadonlySignal<Scenario | null>, storage: () => Storage) {
  const all = signal<ReadonlyMap<string, Kept>>(readAll(storage))
  const lastTaken = signal<TakenBack | null>(null)
  /** Why the last edit is not kept; empty where it is. */
  const unkept = signal('')
  /** The scenario that was edited in another tab too, and not here since. */
  const elsewhere = signal<string | null>(null)

  const name = computed(() => scenario.value?.name ?? '')
  const mine = computed<Kept>(() => all.value.get(name.value) ?? { texts: {}, from: {} })
  const originals = computed<Texts>(() => {
    const { question = '', systemPrompt = '', tools = '', maxSteps = 10 } = scenario.value ?? {}
    return { question, systemPrompt, tools, maxSteps }
  })
  const texts = computed<Texts>(() => ({ ...originals.value, ...mine.value.texts }))
  const differs = (field: Field) => texts.value[field] !== originals.value[field]
  const edited = computed(() => FIELDS.filter(differs))
  /** Edited fields whose original is no longer what it was when they were edited. */
  const outdated = computed(() => edited.value.filter((field) => isOutdated(mine.value.from[field], field)))
  const wrong = computed(() => wrongRounds(texts.value.maxSteps))
  const taken = computed<Field[]>(() => {
    const last = lastTaken.value
    return last && last.scenario === name.value ? fieldsOf(last.texts) : []
  })

  function isOutdated(from: Texts[Field] | undefined, field: Field) {
    return from !== undefined && from !== originals.value[field]
  }

  function put(of: string, kept: Kept | null) {
    const next = new Map(all.value)
    if (kept) next.set(of, kept)
    else next.delete(of)
    batch(() => {
      all.value = next
      unkept.value = write(storage, of, kept)
    })
  }

  /** Keep what differs from the originals of the scenario at hand. */
  function keep(changed: Partial<Texts>, from: Partial<Texts>) {
    if (!scenario.value) return
    const differing = fieldsOf(changed).filter((field) => changed[field] !== originals.value[field])
    const sources = { ...originals.value, ...from }
    const kept = { texts: only(changed, differing), from: only(sources, differing) }
    put(name.value, differing.length ? kept : null)
  }

  function takeBack(fields: readonly Field[]) {
    const { texts: old, from } = mine.value
    const going = fields.filter((field) => old[field] !== undefined)
    const staying = fieldsOf(old).filter((field) => !going.includes(field))
    if (!going.length) return
    batch(() => {
      keep(only(old, staying), from)
      lastTaken.value = { scenario: name.value, texts: only(old, going), from: only(from, going) }
    })
  }

  return {
    texts,
    originals,
    edited,
    outdated,
    /** What is wrong with these texts, in a sentence; no run begins with it. Empty where all is well. */
    wrong,
    unkept: unkept as ReadonlySignal<string>,
    isElsewhere: computed(() => elsewhere.value !== null && elsewhere.value === name.value),
    /** What `bringBack` would bring back here. */
    taken,

    change<F extends Field>(field: F, value: Texts[F]) {
      // An editor says what it was told: that is nobody's edit.
      if (Object.is(value, texts.value[field])) return
      batch(() => {
        lastTaken.value = null
        elsewhere.value = null
        keep({ ...mine.value.texts, [field]: value }, mine.value.from)
      })
    },
    takeBack: (field: Field) => takeBack([field]),
    takeBackAll: () => takeBack(FIELDS),
    bringBack() {
      const last = lastTaken.value
      if (!last || last.scenario !== name.value) return
      batch(() => {
        lastTaken.value = null
        keep({ ...mine.value.texts, ...last.texts }, { ...mine.value.from, ...last.from })
      })
    },

    /** The edited fields of any scenario, for a menu that marks it. */
    editsOf: (of: string): Field[] => fieldsOf(all.value.get(of)?.texts ?? {}),
    /** Scenarios that have edits and that this page does not have. */
    orphans: (known: readonly Scenario[]) =>
      [...all.value.keys()].filter((each) => !known.some((scenario) => scenario.name === each)),
    /** The edits of a scenario that is gone, as text: nobody can open them here. */
    orphan: (of: string) => all.value.get(of)?.texts ?? {},
    throwAway: (of: string) => put(of, null),

    /** Another tab wrote into the storage. What is open here stays as it is: nobody's text changes under their hands. */
    heard(place: string | null) {
      const of = scenarioAt(place ?? '')
      if (of === null) return
      if (of === name.value) {
        elsewhere.value = of
        return
      }
      const next = new Map(all.value)
      const kept = readOne(storage, of)
      if (kept) next.set(of, kept)
      else next.delete(of)
      all.value = next
    },
  }
}

export type Edits = ReturnType<typeof makeEdits>

const fieldsOf = (texts: Partial<Texts>) => FIELDS.filter((field) => texts[field] !== undefined)

const only = (texts: Partial<Texts>, fields: readonly Field[]): Partial<Texts> =>
  Object.fromEntries(fields.map((field) => [field, texts[field]]))

function wrongRounds(rounds: number): string {
  if (Number.isInteger(rounds) && rounds >= 1 && rounds <= MOST_ROUNDS) return ''
  const given = Number.isNaN(rounds) ? 'What is there is no number.' : `${rounds} is not.`
  return `“Most rounds” takes a whole number from 1 to ${MOST_ROUNDS}. ${given}`
}
