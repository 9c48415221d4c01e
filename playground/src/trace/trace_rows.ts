// The rows of the trace: those of each frame, gathered once, in the order in which they were announced.
import type { Frame } from '../frame'

export interface TraceRow {
  step: number | null
  name: string
  what: string
  /** Shown as it was printed, with its line ends. */
  isOutput: boolean
  notes: readonly string[]
  tokensIn: number | null
  tokensOut: number | null
}

export interface TraceRows {
  /** All rows so far; it grows in its place. */
  rows: readonly TraceRow[]
  /** How many rows there are up to this frame, itself included. */
  upTo(frame: number): number
}

/** Call it with the frames of a run at any time: frames that it has seen are not looked at again. */
export function makeTraceRows(): (frames: readonly Frame[]) => TraceRows {
  let rows: TraceRow[] = []
  let ends: number[] = []
  let last: Frame | undefined
  const upTo = (frame: number) => ends[frame] ?? 0

  return (frames) => {
    // Frames are only ever added, and a run that begins anew has others.
    if (frames.length < ends.length || frames[ends.length - 1] !== last) {
      rows = []
      ends = []
    }
    for (let index = ends.length; index < frames.length; index++) {
      for (const row of rowsOf(frames[index]!, rows.at(-1)?.step ?? null)) rows.push(row)
      ends.push(rows.length)
    }
    last = frames.at(-1)
    return { rows, upTo }
  }
}

function rowsOf({ events, printed, outcome }: Frame, stepBefore: number | null): TraceRow[] {
  const none = { notes: [], tokensIn: null, tokensOut: null }
  const found: TraceRow[] = events.map(({ step, name, what, notes, tokens_in, tokens_out }) => ({
    step,
    name,
    what,
    isOutput: false,
    notes,
    tokensIn: tokens_in,
    tokensOut: tokens_out,
  }))
  const step = found.at(-1)?.step ?? stepBefore
  const extra: TraceRow[] = []
  if (printed) extra.push({ ...none, step, name: 'printed', what: printed.replace(/\n$/, ''), isOutput: true })
  // Where Python had to be ended, nobody announced it.
  const silent = outcome && !events.some(({ name }) => name === 'finish')
  if (silent) extra.push({ ...none, step, name: 'finish', what: outcome.reason, isOutput: false })
  // What was printed came before the run was over.
  const end = found.at(-1)?.name === 'finish' ? found.length - 1 : found.length
  return [...found.slice(0, end), ...extra, ...found.slice(end)]
}
