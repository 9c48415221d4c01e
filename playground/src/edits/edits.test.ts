import { signal } from '@preact/signals'
import { expect, it } from 'vitest'
import type { Scenario } from '../python/messages'
import { makeEdits } from './edits'

const WEATHER: Scenario = {
  name: 'weather',
  title: 'Weather',
  kind: 'script',
  question: 'Paris?',
  systemPrompt: 'Use the tools.',
  tools: 'def get_weather(): ...',
  maxSteps: 10,
  script: [],
  scriptLines: 0,
  what: '',
  ask: null,
}
const SUM: Scenario = { ...WEATHER, name: 'sum', title: 'Sum', question: '2 + 2?' }

/** A storage in memory. `refuse` is what it raises where it is asked to keep something. */
function shelf(entries: Record<string, string> = {}, refuse: Error | null = null): Storage {
  const kept = new Map(Object.entries(entries))
  return {
    get length() {
      return kept.size
    },
    key: (index) => [...kept.keys()][index] ?? null,
    getItem: (key) => kept.get(key) ?? null,
    setItem(key, value) {
      if (refuse) throw refuse
      kept.set(key, value)
    },
    removeItem: (key) => void kept.delete(key),
    clear: () => kept.clear(),
  }
}

function open(storage: () => Storage, first: Scenario | null = WEATHER) {
  const scenario = signal(first)
  return { scenario, edits: makeEdits(scenario, storage) }
}

it('keeps edits over another scenario and over a reload', () => {
  const store = shelf()
  const { scenario, edits } = open(() => store)
  edits.change('question', 'Oslo?')
  edits.change('maxSteps', 3)
  scenario.value = SUM
  expect([edits.texts.value.question, edits.edited.value]).toEqual(['2 + 2?', []])
  expect([edits.editsOf('weather'), edits.editsOf('sum')]).toEqual([['question', 'maxSteps'], []])

  const again = open(() => store).edits
  expect(again.texts.value).toEqual({ ...again.originals.value, question: 'Oslo?', maxSteps: 3 })
  expect(again.edited.value).toEqual(['question', 'maxSteps'])
})

it('has nothing kept where all is as it came', () => {
  const store = shelf()
  const { edits } = open(() => store)
  edits.change('question', 'Oslo?')
  edits.change('question', 'Paris?')
  expect([edits.edited.value, store.length, edits.editsOf('weather')]).toEqual([[], 0, []])
})

it('takes back one field, and brings it back once', () => {
  const { edits } = open(shelf)
  edits.change('question', 'Oslo?')
  edits.change('tools', 'x = 1')
  edits.takeBack('tools')
  expect([edits.edited.value, edits.taken.value, edits.texts.value.tools]).toEqual([
    ['question'],
    ['tools'],
    WEATHER.tools,
  ])
  edits.bringBack()
  expect([edits.edited.value, edits.taken.value, edits.texts.value.tools]).toEqual([['question', 'tools'], [], 'x = 1'])
  edits.bringBack()
  expect(edits.edited.value).toEqual(['question', 'tools'])
})

it('takes no editor that repeats what it was told for a reader who edits', () => {
  const { edits } = open(shelf)
  edits.change('tools', 'x = 1')
  edits.takeBack('tools')
  edits.change('tools', WEATHER.tools)
  expect(edits.taken.value).toEqual(['tools'])
})

it('takes back all, and brings all back until the next edit', () => {
  const { scenario, edits } = open(shelf)
  edits.change('question', 'Oslo?')
  edits.change('maxSteps', 3)
  edits.takeBackAll()
  expect([edits.edited.value, edits.taken.value]).toEqual([[], ['question', 'maxSteps']])
  scenario.value = SUM
  expect(edits.taken.value).toEqual([])
  scenario.value = WEATHER
  edits.change('systemPrompt', 'Hm.')
  edits.bringBack()
  expect([edits.edited.value, edits.taken.value]).toEqual([['systemPrompt'], []])
})

it('says which original has changed since it was edited', () => {
  const store = shelf()
  const { edits } = open(() => store)
  edits.change('question', 'Oslo?')
  edits.change('tools', 'x = 1')
  const newer = { ...WEATHER, tools: 'def get_weather(city): ...' }
  const again = open(() => store, newer).edits
  expect([again.edited.value, again.outdated.value]).toEqual([['question', 'tools'], ['tools']])
  again.change('tools', 'x = 2')
  expect(again.outdated.value).toEqual(['tools'])
  again.takeBack('tools')
  expect([again.texts.value.tools, again.outdated.value]).toEqual([newer.tools, []])
})

it('names edits of a scenario that is no more, and throws them away when told', () => {
  const store = shelf()
  open(() => store).edits.change('question', 'Oslo?')
  const { edits } = open(() => store, SUM)
  expect([edits.orphans([SUM]), edits.orphan('weather')]).toEqual([['weather'], { question: 'Oslo?' }])
  edits.throwAway('weather')
  expect([edits.orphans([SUM]), store.length]).toEqual([[], 0])
})

it.each([
  [new DOMException('full', 'QuotaExceededError'), 'has no room left'],
  [new DOMException('no', 'SecurityError'), 'does not let this page keep anything'],
])('goes on without a storage, and says that nothing is kept: %s', (error, why) => {
  const full = open(() => shelf({}, error)).edits
  full.change('question', 'Oslo?')
  expect([full.texts.value.question, full.edited.value]).toEqual(['Oslo?', ['question']])
  expect(full.unkept.value).toBe(`Your browser ${why}: this edit lasts until the page is closed. Copy what you need.`)
})

it('opens where even the storage is refused', () => {
  const { edits } = open(() => {
    throw new DOMException('no', 'SecurityError')
  })
  expect([edits.edited.value, edits.unkept.value]).toEqual([[], ''])
})

it.each(['', '{', '[]', 'null', '{"texts": 3}', '{"texts": {"question": 3, "own": "x"}}', '{"texts": {}, "from": []}'])(
  'takes what it cannot read for nothing: %s',
  (text) => {
    const { edits } = open(() => shelf({ 'mingraph-lite edits of weather': text, other: 'x' }))
    expect([edits.edited.value, edits.editsOf('weather'), edits.orphans([])]).toEqual([[], [], []])
  },
)

it('hears of another tab: the scenario at hand stays as it is, any other is read again', () => {
  const store = shelf()
  const here = open(() => store).edits
  const { edits: there, scenario } = open(() => store)
  here.change('question', 'Oslo?')
  there.change('question', 'Rome?')
  scenario.value = SUM
  there.change('question', '3 + 3?')
  for (let index = 0; index < store.length; index++) here.heard(store.key(index))
  here.heard('other')
  here.heard(null)
  expect([here.texts.value.question, here.isElsewhere.value]).toEqual(['Oslo?', true])
  expect([here.editsOf('sum'), there.isElsewhere.value]).toEqual([['question'], false])
  here.change('question', 'Rome.')
  expect(here.isElsewhere.value).toBe(false)
})

it.each([
  [1, ''],
  [2000, ''],
  [0, '0 is not.'],
  [2001, '2001 is not.'],
  [2.5, '2.5 is not.'],
  [Number.NaN, 'What is there is no number.'],
])('takes whole numbers from 1 to 2000 for the most rounds: %s', (rounds, said) => {
  const { edits } = open(shelf)
  edits.change('maxSteps', rounds)
  expect(edits.wrong.value).toBe(said && `“Most rounds” takes a whole number from 1 to 2000. ${said}`)
})
