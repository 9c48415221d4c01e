import { describe, expect, it } from 'vitest'
import type { Frame, Line, Reading } from '../frame'
import { checked, isPlace } from './checked'
import { frame } from './fake_python'
import type { Place, Turned } from './messages'

const line: Line = { who: 'user', text: 'Hello.', slips: [], answers: null, added_by: null }
const reading = (changes: object = {}): Reading => ({
  step: 1,
  spans: [{ of: 'folder', start: 0, end: 2 }],
  folder: 2,
  menu: [{ name: 'add', description: '', parameters: '' }],
  ...changes,
})
const before: Frame[] = [{ ...frame(1), lines: [line] }]
const good: Frame = { ...frame(2), lines: [line], readings: [reading()] }

/** What is wrong with a frame that differs from a good one in this; what is in it need not be of any type. */
const wrongWith = (changes: object) => checked({ frame: { ...good, ...changes } as Frame }, before).wrong
const wrongAs = (turned: unknown) => checked(turned as Turned, before).wrong

describe('what Python says of a turn', () => {
  it.each<Turned>([
    { frame: good },
    { frame: frame(null), measured: { fact: '3', told: 'It asked three times.' } },
    { frame: frame(null, 'a word of its own'), broken: 'sys has changed' },
    { over: true },
    { refused: 'The question is empty.', pointed: null },
    { stopped: '', pointed: { file: 'tools.py', line: 3, text: 'return 1', what: 'stopped here' } },
    { broken: 'out of memory' },
    { lost: true },
  ])('is handed on as it is: %j', (turned) => {
    expect(checked(turned, before)).toBe(turned)
  })

  it('may say more than the page knows of', () => {
    expect(wrongWith({ colour: 'red' })).toBe(undefined)
  })

  it.each<[unknown, string]>([
    [{}, 'there is none, and no word of why'],
    [{ frame: null }, 'frame is null and not an object'],
    [{ frame: 'a frame' }, 'frame is "a frame" and not an object'],
    [{ frame: [] }, 'frame is a list and not an object'],
    [{ frame: {} }, 'frame.number is missing and not an integer'],
    [{ refused: { html: '<b>' } }, 'refused is an object and not a string'],
    [{ refused: 'No.', pointed: { file: 'tools.py' } }, 'pointed.line is missing and not an integer'],
    [{ frame: good, measured: { fact: 3, told: '' } }, 'measured.fact is 3 and not a string'],
  ])('is named where it is nonsense: %j', (turned, words) => {
    expect(wrongAs(turned)).toBe(words)
  })
})

describe('where Python is', () => {
  const place: Place = { file: 'tools.py', line: 3, text: 'return 1', sleeping: false }
  it.each<[object, boolean]>([
    [{}, true],
    [{ text: 5 }, false],
    [{ line: '3' }, false],
    [{ file: null }, false],
    [{ sleeping: undefined }, false],
  ])('is heard where it is a place: %j', (changes, is) => {
    expect(isPlace({ ...place, ...changes } as Place)).toBe(is)
  })
})

describe('a frame', () => {
  const card = frame(2).card
  const happening = { seq: 1, step: 1, name: 'x', what: 'y' }
  it.each<[object, string]>([
    [{ lines: null }, 'frame.lines is null and not a list'],
    [{ lines: { length: 1 } }, 'frame.lines is an object and not a list'],
    [{ lines: [line, null] }, 'frame.lines[1] is null and not an object'],
    [
      { lines: [{ ...line, who: 'nobody' }] },
      'frame.lines[0].who is "nobody" and not one of: system, user, model, tool, other',
    ],
    [{ lines: [{ ...line, slips: 'none' }] }, 'frame.lines[0].slips is "none" and not a list'],
    [{ card: { ...card, fields: { answer: 18 } } }, 'frame.card.fields["answer"] is 18 and not a string'],
    [{ card: { ...card, fields: [] } }, 'frame.card.fields is a list and not an object'],
    [
      { card: { ...card, kind: 'ace' } },
      'frame.card.kind is "ace" and not one of: calling, running, finished, stopped, human, other',
    ],
    [{ events: [happening] }, 'frame.events[0].whole is missing and not a string'],
    [{ readings: [reading({ menu: [{}] })] }, 'frame.readings[0].menu[0].name is missing and not a string'],
    [{ number: 1.5 }, 'frame.number is 1.5 and not an integer'],
    [{ printed: true }, 'frame.printed is true and not a string'],
    [{ sentence: 'x'.repeat(100), because: 5 }, 'frame.because is 5 and not a string'],
    [{ pointed: 'x'.repeat(100) }, `frame.pointed is "${'x'.repeat(39)}… and not a list`],
  ])('of another shape is refused where it differs: %j', (changes, words) => {
    expect(wrongWith(changes)).toBe(words)
  })

  it.each<[object, string]>([
    [{ card: null }, 'it has to hold a card or an outcome, and never both'],
    [{ outcome: frame(null).outcome }, 'it has to hold a card or an outcome, and never both'],
    [{ lines: [] }, 'a reading counts 2 lines, and there are 1'],
    [{ readings: [reading({ folder: -1 })] }, 'a reading counts -1 lines, and there are 2'],
    [
      { readings: [reading({ spans: [{ of: 'folder', start: 0, end: 9_000_000 }] })] },
      'a reading goes from 0 to 9000000 of 2 lines (folder)',
    ],
    [
      { readings: [reading({ spans: [{ of: 'aside', start: 0, end: 1 }] })] },
      'a reading goes from 0 to 1 of 0 lines (aside)',
    ],
    [
      { readings: [reading({ spans: [{ of: 'folder', start: 2, end: 1 }] })] },
      'a reading goes from 2 to 1 of 2 lines (folder)',
    ],
  ])('that does not fit those before it is refused: %j', (changes, words) => {
    expect(wrongWith(changes)).toBe(words)
  })
})
