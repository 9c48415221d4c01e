// What Python says of a turn, looked at before the page builds on it. Code of a learner's, or of whoever sent them
// theirs, can have taken the place of what makes frames; one that cannot be drawn would break the picture for good.
import type { Frame } from '../frame'
import type { Place, Turned } from './messages'
import { flaw, type Shape } from './shape'

const maybe = (shape: Shape): Shape => ({ either: [shape, 'undefined'] })

const TURNED: Record<keyof Turned, Shape> = {
  frame: maybe('Frame'),
  measured: maybe({ fields: { fact: 'string', told: 'string' } }),
  over: maybe('boolean'),
  refused: maybe('string'),
  pointed: { either: ['Pointed', 'null', 'undefined'] },
  stopped: maybe('string'),
  broken: maybe('string'),
  lost: maybe('boolean'),
  wrong: maybe('string'),
}

const PLACE: Record<keyof Place, Shape> = { file: 'string', line: 'integer', text: 'string', sleeping: 'boolean' }

/** Python has a door to say where it is, and code of a learner's can go through it too. */
export const isPlace = (told: Place) => flaw(told, { fields: PLACE }, 'place') === ''

/** The same, or what is wrong with it instead. `before` are the frames of its run so far. */
export function checked(turned: Turned, before: readonly Frame[]): Turned {
  const wrong = flawOf(turned, before)
  return wrong ? { wrong } : turned
}

function flawOf(turned: Turned, before: readonly Frame[]): string {
  for (const [name, shape] of Object.entries(TURNED)) {
    const wrong = flaw(turned[name as keyof Turned], shape, name)
    if (wrong) return wrong
  }
  if (turned.frame) return misfit(turned.frame, before)
  const said = (['over', 'refused', 'stopped', 'broken', 'lost'] as const).some((name) => turned[name] !== undefined)
  return said ? '' : 'there is none, and no word of why'
}

/** A frame counts on those before it: what it points at has to be there. */
function misfit({ card, outcome, lines, asides, readings }: Frame, before: readonly Frame[]): string {
  if ((card === null) === (outcome === null)) return 'it has to hold a card or an outcome, and never both'
  const there = {
    folder: before.reduce((sum, frame) => sum + frame.lines.length, lines.length),
    aside: before.reduce((sum, frame) => sum + frame.asides.length, asides.length),
  }
  for (const { folder, spans } of readings) {
    if (folder < 0 || folder > there.folder) return `a reading counts ${folder} lines, and there are ${there.folder}`
    for (const { of, start, end } of spans) {
      if (start < 0 || start > end || end > there[of])
        return `a reading goes from ${start} to ${end} of ${there[of]} lines (${of})`
    }
  }
  return ''
}
