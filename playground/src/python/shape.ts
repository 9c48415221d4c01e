// Whether a value is what its type says, for what comes from where no compiler has looked.
import { SHAPES } from '../frame_shapes'

/** A plain type or one of `SHAPES` by its name, or what it is made of. What else an object holds is nobody's business. */
export type Shape =
  | string
  | { list: Shape }
  | { record: Shape }
  | { either: Shape[] }
  | { oneOf: unknown[] }
  | { fields: Record<string, Shape> }

const SHOWN = 40

/** What is wrong with a value, in words that name the place; empty where nothing is. */
export function flaw(value: unknown, shape: Shape, at: string): string {
  if (typeof shape === 'string') {
    const named = SHAPES[shape]
    return named ? flaw(value, named, at) : isPlain(value, shape) ? '' : but(at, shape, value)
  }
  if ('oneOf' in shape) return shape.oneOf.includes(value) ? '' : but(at, `one of: ${shape.oneOf.join(', ')}`, value)
  if ('either' in shape) return flawOfAll(value, shape.either, at)
  if ('list' in shape) {
    if (!Array.isArray(value)) return but(at, 'a list', value)
    return first(value, (each, index) => flaw(each, shape.list, `${at}[${index}]`))
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return but(at, 'an object', value)
  const object = value as Record<string, unknown>
  if ('record' in shape)
    return first(Object.keys(object), (key) => flaw(object[key], shape.record, `${at}[${told(key)}]`))
  return first(Object.keys(shape.fields), (key) => flaw(object[key], shape.fields[key]!, `${at}.${key}`))
}

/** Of several forms, the one that the value is nearest to tells what is wrong: it is wrong deepest in it. */
function flawOfAll(value: unknown, shapes: Shape[], at: string): string {
  let found = ''
  for (const shape of shapes) {
    const wrong = flaw(value, shape, at)
    if (!wrong) return ''
    if (!found || !wrong.startsWith(`${at} `)) found = wrong
  }
  return found
}

function isPlain(value: unknown, shape: string): boolean {
  if (shape === 'null') return value === null
  if (shape === 'integer') return Number.isSafeInteger(value)
  return typeof value === shape
}

function first<Item>(items: Item[], look: (item: Item, index: number) => string): string {
  for (let index = 0; index < items.length; index += 1) {
    const wrong = look(items[index]!, index)
    if (wrong) return wrong
  }
  return ''
}

const but = (at: string, wanted: string, value: unknown) => `${at} is ${told(value)} and not ${withArticle(wanted)}`

const withArticle = (wanted: string) =>
  /^(an? |one |null|undefined)/.test(wanted) ? wanted : `${/^[aeio]/.test(wanted) ? 'an' : 'a'} ${wanted}`

function told(value: unknown): string {
  if (value === undefined) return 'missing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value) return 'an object'
  const text = JSON.stringify(value)
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}
