import { signal } from '@preact/signals'
import { expect, it } from 'vitest'
import { makeAsks } from './asks'
import type { Frame } from './frame'
import type { Measured, Scenario, Setup } from './python/messages'

const ASK = { question: 'How many calls?', choices: ['1', '2', '3'] }
const SCENARIO = { name: 'paris', ask: ASK } as Scenario
const cards = (count: number) => Array.from({ length: count }, () => ({}) as Frame)

function open() {
  const question = signal('Paris?')
  const scenario = signal<Scenario | null>(SCENARIO)
  const makeRun = (number: number) => ({
    number,
    frames: signal<readonly Frame[]>(cards(1)),
    measured: signal<Measured | null>(null),
    over: signal(false),
  })
  const run = signal(makeRun(1))
  const setup = () => ({ scenario: scenario.value?.name, question: question.value }) as Setup
  const asks = makeAsks({ scenario, setup, run })
  const told = () => {
    const { guess, skipped, fact } = asks.shown.value!
    return { guess, skipped, fact }
  }
  const note = () => asks.shown.value!.note
  return { asks, question, scenario, run, told, note, again: (number: number) => (run.value = makeRun(number)) }
}

const OPEN = { guess: null, skipped: false, fact: null }

it('asks before the first card, keeps the guess, and has the fact at the end', () => {
  const { asks, run, told } = open()
  expect(told()).toEqual(OPEN)
  asks.press({ act: 'guess', value: '2', why: '' })
  run.value.frames.value = cards(3)
  expect(told()).toEqual({ guess: '2', skipped: false, fact: null })
  run.value.measured.value = { fact: '3', told: 'Three.' }
  expect(told()).toEqual({ guess: '2', skipped: false, fact: '3' })
})

it('is skipped by a press on Next card, and measured all the same', () => {
  const { run, told } = open()
  run.value.frames.value = cards(2)
  expect(told()).toEqual({ guess: null, skipped: true, fact: null })
  run.value.measured.value = { fact: '3', told: 'Three.' }
  expect(told()).toEqual({ guess: null, skipped: true, fact: '3' })
})

it('keeps the answer for another run of the same texts, and asks anew about changed ones', () => {
  const { asks, question, told, again } = open()
  asks.press({ act: 'guess', value: '2', why: '' })
  again(2)
  expect(told()).toEqual({ ...OPEN, guess: '2' })
  question.value = 'Oslo?'
  expect(told()).toEqual(OPEN)
  question.value = 'Paris?'
  expect(told()).toEqual({ ...OPEN, guess: '2' })
})

it('says why it asks anew, until it is answered again or the texts are as they were', () => {
  const { asks, question, scenario, note, again } = open()
  asks.press({ act: 'guess', value: '2', why: '' })
  expect(note()).toBe('')
  question.value = 'Oslo?'
  expect(note()).toBe('You guessed 2. That was before you changed what the run is made of: guess again.')
  scenario.value = { ...SCENARIO, name: 'another' }
  expect(note()).toBe('')
  scenario.value = SCENARIO
  asks.press({ act: 'skip' })
  expect(note()).toBe('')
  question.value = 'Paris?'
  expect(note()).toBe('')
  again(2)
  asks.askAgain(2)
  expect(note()).toBe('')
})

it('says nothing of a guess whose run has been measured', () => {
  const { asks, question, run, note, again } = open()
  asks.press({ act: 'guess', value: '2', why: '' })
  run.value.measured.value = { fact: '3', told: 'Three.' }
  run.value.over.value = true
  expect(note()).toBe('')
  again(2)
  question.value = 'Oslo?'
  expect(note()).toBe('')
})

it('says how the guess compares with what was measured', () => {
  const { asks, run } = open()
  asks.press({ act: 'guess', value: '2', why: '' })
  run.value.measured.value = { fact: '3', told: 'Three.' }
  expect(asks.shown.value!.told).toBe('You guessed 2. Three.')
  run.value.measured.value = { fact: '2', told: 'Two.' }
  expect(asks.shown.value!.told).toBe('Your guess was right. Two.')
})

it('does not promise what a run that was stopped cannot show', () => {
  const { asks, run, note } = open()
  asks.press({ act: 'guess', value: '2', why: '' })
  run.value.over.value = true
  expect(note()).toBe('Not measured: the run was interrupted')
})

it('stays with the run that is under way, whatever is typed meanwhile', () => {
  const { asks, question, run, told, again } = open()
  asks.press({ act: 'guess', value: '2', why: '' })
  run.value.frames.value = cards(2)
  expect(told().guess).toBe('2')
  question.value = 'Oslo?'
  expect(told().guess).toBe('2')
  again(2)
  expect(told()).toEqual(OPEN)
})

it('asks anew about a run that goes on in a folder', () => {
  const { asks, told, again } = open()
  asks.press({ act: 'guess', value: '2', why: '' })
  again(2)
  asks.askAgain(2)
  expect(told()).toEqual(OPEN)
  again(3)
  expect(told().guess).toBe('2')
})

it('asks nothing where the scenario does not', () => {
  const { asks, scenario } = open()
  scenario.value = { ...SCENARIO, ask: null }
  expect(asks.shown.value).toBe(null)
})
