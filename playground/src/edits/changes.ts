// Two texts, line by line: what stayed, what was taken away, what was added.
import { Chunk } from '@codemirror/merge'
import { Text } from '@codemirror/state'

/** A piece of a line; `changed` pieces are where the two lines differ. */
export interface Piece {
  text: string
  changed: boolean
}
export interface DiffLine {
  kind: 'same' | 'removed' | 'added'
  pieces: Piece[]
}
/** Lines that stayed and stand far from any change. */
export interface Gap {
  kind: 'gap'
  lines: number
}

/** How many lines around a change are shown. */
const AROUND = 2

interface Range {
  from: number
  to: number
}

export function changes(before: string, after: string): (DiffLine | Gap)[] {
  const old = Text.of(before.split('\n'))
  const now = Text.of(after.split('\n'))
  const found: (DiffLine | Gap)[] = []
  let done = 0
  const chunks = Chunk.build(old, now)
  for (const chunk of chunks) {
    found.push(...stayed(now, done, chunk.fromB, found.length === 0 ? 0 : AROUND, AROUND))
    const a = chunk.changes.map(({ fromA, toA }) => ({ from: fromA + chunk.fromA, to: toA + chunk.fromA }))
    const b = chunk.changes.map(({ fromB, toB }) => ({ from: fromB + chunk.fromB, to: toB + chunk.fromB }))
    found.push(
      ...paired(linesOf(old, chunk.fromA, chunk.toA, 'removed', a), linesOf(now, chunk.fromB, chunk.toB, 'added', b)),
    )
    done = chunk.toB
  }
  if (chunks.length) found.push(...stayed(now, done, now.length + 1, AROUND, 0))
  return found
}

/** Removed lines, then added ones; a line that only stands at the edge of a change, as one does without a line end, stayed. */
function paired(removed: DiffLine[], added: DiffLine[]): DiffLine[] {
  let head = 0
  while (removed[head] && added[head] && textOf(removed[head]!) === textOf(added[head]!)) head += 1
  const same = added.slice(0, head).map((line): DiffLine => ({ kind: 'same', pieces: line.pieces }))
  return [...same, ...removed.slice(head), ...added.slice(head)]
}

const textOf = ({ pieces }: DiffLine) => pieces.map(({ text }) => text).join('')

/** Lines that stayed: `first` of them after a change, `last` of them before one, and how many are left out between. */
function stayed(doc: Text, from: number, to: number, first: number, last: number): (DiffLine | Gap)[] {
  const lines = linesOf(doc, from, to, 'same', [])
  const left = lines.length - first - last
  if (left < 2) return lines
  return [...lines.slice(0, first), { kind: 'gap', lines: left }, ...lines.slice(lines.length - last)]
}

/** The lines from one position up to another, which is the beginning of a line or one behind the end of the text. */
function linesOf(doc: Text, from: number, to: number, kind: DiffLine['kind'], changed: Range[]): DiffLine[] {
  const lines: DiffLine[] = []
  for (let at = from; at < to; ) {
    const line = doc.lineAt(Math.min(at, doc.length))
    lines.push({ kind, pieces: pieces(line, changed) })
    at = line.to + 1
  }
  return lines
}

function pieces(line: { from: number; to: number; text: string }, changed: Range[]): Piece[] {
  const found: Piece[] = []
  const add = (from: number, to: number, is: boolean) => {
    if (to > from) found.push({ text: line.text.slice(from - line.from, to - line.from), changed: is })
  }
  let at = line.from
  const words = line.from + (line.text.length - line.text.trimStart().length)
  for (const { from, to } of changed) {
    // The indent of a line that is new as a whole says nothing.
    const start = Math.max(from, at, to > words ? words : 0)
    const end = Math.min(to, line.to)
    if (end <= start) continue
    add(at, start, false)
    add(start, end, true)
    at = end
  }
  add(at, line.to, false)
  return found
}
