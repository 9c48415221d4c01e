import { afterEach, describe, expect, it } from 'vitest'
import { makeStorage } from './edits/fake_storage'
import { makePage, type Page } from './page'
import { fakeWorkers, type Habit, until } from './python/fake_python'

const open: Page[] = []

function makeOpenPage(options: Parameters<typeof fakeWorkers>[0] = {}, hasRoom = false) {
  const { made, makeWorker } = fakeWorkers(options)
  const page = makePage({
    base: 'http://page/python/',
    makeWorker,
    workerUrl: '/worker.js',
    hasRoom: () => hasRoom,
    fetch: () => Promise.reject(new TypeError('no network in here')),
    storage: () => storage,
  })
  const storage = makeStorage()
  page.pace.value = 2
  open.push(page)
  page.load()
  return { page, made }
}

afterEach(() => {
  for (const page of open.splice(0)) page.end()
})

const numbers = (page: Page) => page.run.value.frames.value.map(({ number }) => number)
const held = (page: Page) => until(() => page.run.value.frames.value.length === 1 && !page.run.value.busy.value)
const reason = (page: Page) => page.run.value.frames.value.at(-1)?.outcome?.reason
const told = (page: Page) => page.run.value.notice.value?.text
const endless = 'Interrupted in the middle of a computation. Python starts again.'

describe('a run', () => {
  it('is held before its first card, goes card by card to its end, and no further', async () => {
    const { page, made } = makeOpenPage()
    await held(page)
    for (let press = 0; press < 6; press += 1) await page.run.value.next()
    expect(numbers(page)).toEqual([1, 2, 3, null])
    expect(made.map(({ told }) => told)).toEqual([['begin 2', 'next 2', 'next 2', 'next 2']])
  })

  it('plays to its end, and Play begins a fresh one there', async () => {
    const { page } = makeOpenPage()
    await held(page)
    await page.play()
    const first = page.run.value
    expect(numbers(page)).toEqual([1, 2, 3, null])
    await page.play()
    expect(page.run.value).not.toBe(first)
    expect(numbers(page)).toEqual([1, 2, 3, null])
  })

  it('pauses when the reader goes back while it plays, and Play goes on from there', async () => {
    const { page } = makeOpenPage({ cards: 100 })
    await held(page)
    const playing = page.play()
    await until(() => numbers(page).length > 3)
    page.run.value.back()
    await playing
    const { frames, at, busy } = page.run.value
    await until(() => !busy.value)
    const count = frames.value.length
    const seen = at.value
    expect(seen).toBeLessThan(count - 1)
    void page.play()
    await until(() => at.value > seen && numbers(page).length > count)
    expect(page.run.value.over.value).toBe(false)
  })

  it('is one run after Stop, Reset and Play, however fast they come', async () => {
    const { page, made } = makeOpenPage({ cards: 1000 })
    await held(page)
    void page.play()
    await until(() => numbers(page).length > 2)
    const old = page.run.value
    void page.run.value.stop()
    page.reset()
    void page.play()
    await until(() => numbers(page).length > 2)
    const count = old.frames.value.length
    const before = numbers(page).length
    await until(() => numbers(page).length > before + 2)
    expect(old.frames.value.length).toBe(count)
    expect(numbers(page)).toEqual(numbers(page).map((_, index) => index + 1))
    expect(made.length).toBe(1)
  })
})

describe('picking a scenario while Stop works', () => {
  it.each<[Habit, number]>([
    ['computes', 1],
    ['deaf', 2],
  ])('leaves the new run untouched where the worker %s', async (habit, workers) => {
    let now: Habit = habit
    const { page, made } = makeOpenPage({ habit: () => now })
    await held(page)
    const old = page.run.value
    void old.next()
    await until(() => made[0]!.told.includes('next 2'))
    const stopping = old.stop()
    page.choose('second')
    const fresh = page.run.value
    if (habit === 'computes') now = 'quick'
    await stopping
    await held(page)
    expect(page.run.value).toBe(fresh)
    expect(old.frames.value.at(-1)?.outcome?.reason).toBe('interrupted')
    now = 'quick'
    await fresh.next()
    expect(numbers(page)).toEqual([1, 2])
    expect(made.length).toBe(workers)
    // The old one never computes on behind "ready": its worker obeyed, or is gone.
    expect(made.slice(0, -1).every(({ ended }) => ended)).toBe(true)
    expect(made.at(-1)!.told.filter((word) => word === 'next 2').length).toBe(workers === 1 ? 1 : 0)
  })
})

describe('a worker that had to end', () => {
  it('is followed by another, and the run says that it was interrupted', async () => {
    const { page, made } = makeOpenPage({ habit: () => 'deaf' })
    await held(page)
    void page.run.value.next()
    await until(() => made[0]!.told.includes('next 2'))
    await page.run.value.stop()
    expect(reason(page)).toBe('interrupted')
    expect(page.run.value.notice.value?.text).toBe('Interrupted in the middle of a computation. Python starts again.')
    await until(() => page.ready.value)
    page.reset()
    await held(page)
    expect(made.map(({ ended }) => ended)).toEqual([true, false])
  })

  it('is followed at once by a spare one, where there is room', async () => {
    let now: Habit = 'quick'
    const { page, made } = makeOpenPage({ habit: () => now }, true)
    await held(page)
    await page.play()
    await until(() => made.length === 2)
    page.reset()
    await held(page)
    now = 'deaf'
    void page.run.value.next()
    await until(() => made[0]!.told.at(-1)!.startsWith('next'))
    await page.run.value.stop()
    expect(page.ready.value).toBe(true)
    expect(made.map(({ ended }) => ended)).toEqual([true, false])
  })

  it('takes the run with it where Python is restarted by hand, and a fresh one is held', async () => {
    const { page, made } = makeOpenPage()
    await held(page)
    await page.run.value.next()
    const old = page.run.value
    page.restartPython()
    await held(page)
    expect(old.frames.value.at(-1)?.outcome).toEqual({
      reason: 'interrupted',
      answer: null,
      error: 'Interrupted: Python was started again.',
    })
    expect(made.map(({ ended }) => ended)).toEqual([true, false])
    expect(page.canAskAgain.value).toBe(false)
  })

  it('is replaced at once and in words where another waits', async () => {
    const { page, made } = makeOpenPage({}, true)
    await held(page)
    await page.play()
    await until(() => made.length === 2 && page.ready.value)
    page.restartPython()
    expect(told(page)).toBe('Another Python has taken over. The run is at its first card.')
    await held(page)
    expect(numbers(page)).toEqual([1])
  })

  it('may end while it loads, and the next one holds the run', async () => {
    const { page, made } = makeOpenPage({ waits: true })
    await until(() => made.length === 1)
    page.restartPython()
    made[1]!.load()
    await held(page)
    expect(made.map(({ ended, told }) => [ended, told])).toEqual([
      [true, []],
      [false, ['begin 3']],
    ])
  })
})

describe('a stop, a breakdown or an error before anything was run', () => {
  it.each([false, true])('is still told in the next Python, and its run goes on (a spare one: %s)', async (spare) => {
    let begins: Habit = 'quick'
    const { page, made } = makeOpenPage({ begins: () => begins }, spare)
    await held(page)
    if (spare) await page.play()
    page.choose('second')
    await held(page)
    page.edits.change('tools', 'while True: pass')
    begins = 'deaf'
    void page.run.value.next()
    await until(() => made[0]!.told.filter((word) => word === `begin ${page.run.value.number}`).length === 2)
    begins = 'quick'
    await page.run.value.stop()
    await held(page)
    expect(told(page)).toBe(endless)
    await page.play()
    expect([reason(page), page.canAskAgain.value]).toEqual(['answered', true])
  })

  it.each<[Habit, string]>([
    ['deaf', endless],
    ['breaks', 'Python broke down and starts again. It said: out of order'],
  ])('is still told after a Reset, where tools.py %s', async (habit, words) => {
    let begins: Habit = 'quick'
    const once = () => {
      const now = begins
      begins = 'quick'
      return now
    }
    const { page, made } = makeOpenPage({ begins: once })
    await held(page)
    begins = habit
    page.reset()
    await until(() => made[0]!.told.at(-1) === 'begin 3')
    if (habit === 'deaf') await page.run.value.stop()
    await until(() => made.length === 2)
    await held(page)
    expect(told(page)).toBe(words)
  })

  it('is told where code interrupts itself', async () => {
    let begins: Habit = 'quick'
    const { page } = makeOpenPage({ begins: () => begins })
    await held(page)
    begins = 'raises'
    page.reset()
    await until(() => told(page) !== undefined)
    expect([told(page), page.run.value.busy.value]).toEqual([
      'tools.py was interrupted, and nobody pressed Stop: it raised KeyboardInterrupt itself.',
      false,
    ])
  })

  it('leaves a run that can begin, where its worker went and a spare one came', async () => {
    let begins: Habit = 'quick'
    const { page, made } = makeOpenPage({ begins: () => begins }, true)
    await held(page)
    await page.play()
    await until(() => made.length === 2)
    begins = 'deaf'
    page.reset()
    await until(() => made[0]!.told.at(-1) === 'begin 3')
    begins = 'quick'
    page.load()
    await until(() => !page.run.value.busy.value)
    await page.run.value.next()
    expect(numbers(page)).toEqual([1])
  })
})

describe('a Python that hands over what is no frame', () => {
  const noFrame = 'Python handed the page something that is no frame:'
  const advice = 'Press Reset, or Restart Python where that does not help.'

  it.each<[Habit, string]>([
    ['babbles', `${noFrame} frame.lines is null and not a list.`],
    ['lies', `${noFrame} there is none, and no word of why.`],
  ])('ends the run with the reason, and the frames before it can be read: it %s', async (habit, words) => {
    let now: Habit = 'quick'
    const { page, made } = makeOpenPage({ habit: () => now })
    await held(page)
    await page.run.value.next()
    now = habit
    await page.play()
    expect(told(page)).toBe(`${words} ${advice}`)
    expect(page.run.value.frames.value.at(-1)?.outcome).toEqual({ reason: 'failed', answer: null, error: words })
    expect([numbers(page), page.run.value.busy.value]).toEqual([[1, 2, null], false])
    page.run.value.goto(0)
    expect(page.run.value.at.value).toBe(0)
    now = 'quick'
    page.reset()
    await held(page)
    await page.play()
    expect([reason(page), told(page), made.length]).toEqual(['answered', undefined, 1])
  })

  it('leaves a run that can begin again, where its first frame is none', async () => {
    let begins: Habit = 'babbles'
    const { page } = makeOpenPage({ begins: () => begins })
    await until(() => told(page) !== undefined)
    const words = `${noFrame} frame.lines is null and not a list. ${advice}`
    expect([told(page), numbers(page), page.run.value.busy.value]).toEqual([words, [], false])
    begins = 'quick'
    page.restartPython()
    await held(page)
    expect(told(page)).toBe(undefined)
  })
})

describe('a Stop in the moment of the end', () => {
  it('says that the run had ended, and how it ended stays', async () => {
    let now: Habit = 'quick'
    const { page, made } = makeOpenPage({ habit: () => now })
    await held(page)
    now = 'ends'
    void page.run.value.next()
    await until(() => made[0]!.told.includes('next 2'))
    await page.run.value.stop()
    expect([reason(page), told(page)]).toEqual(['answered', 'The run came to its end before Stop could interrupt it.'])
  })
})

describe('two presses on Reset', () => {
  it('leave one run open in Python', async () => {
    const { page, made } = makeOpenPage()
    await held(page)
    page.reset()
    page.reset()
    await held(page)
    const words = made[0]!.told
    const begun = () => words.filter((word) => word.startsWith('begin')).map((word) => word.slice('begin '.length))
    await until(
      () =>
        begun()
          .filter((run) => !words.includes(`close ${run}`))
          .join() === '4',
    )
    expect(begun()).toEqual(['2', '3', '4'])
  })
})

describe('an error that nobody caught in a worker', () => {
  it('ends one that loads, and none that is ready', async () => {
    const { page, made } = makeOpenPage({ waits: true })
    await until(() => made.length === 1)
    made[0]!.fail('')
    expect(page.status.value).toEqual({ phase: 'failed', what: 'A file of this page could not be loaded.' })
    page.load()
    made[1]!.load()
    await held(page)
    made[1]!.fail('Uncaught ZeroDivisionError: in a timer of the learner')
    expect(page.ready.value).toBe(true)
    await page.run.value.next()
    expect(numbers(page)).toEqual([1, 2])
  })
})

describe('asking again on the folder', () => {
  it('keeps the run before until the next but one', async () => {
    const { page, made } = makeOpenPage()
    await held(page)
    expect(page.canAskAgain.value).toBe(false)
    for (const _ of [1, 2]) {
      await page.play()
      expect(page.canAskAgain.value).toBe(true)
      page.askAgain()
      await held(page)
    }
    expect(made[0]!.told.filter((word) => !word.startsWith('next'))).toEqual([
      'begin 2',
      'begin 3',
      'close 2',
      'begin 4',
    ])
  })
})
