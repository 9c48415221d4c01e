import { expect, it } from 'vitest'
import type { Frame, Happening } from '../frame'
import { makeTraceRows } from './trace_rows'

const happening = (seq: number, name: string, what = '') =>
  ({ seq, step: 1, name, what, notes: [], tokens_in: null, tokens_out: null }) as unknown as Happening

const frame = (events: Happening[], more: Partial<Frame> = {}): Frame => ({
  ...{ number: 1, card: null, picked_by: null, because: '', lines: [], asides: [], readings: [], events },
  ...{ printed: '', pointed: [], outcome: null, sentence: '' },
  ...more,
})

const read = (found: ReturnType<ReturnType<typeof makeTraceRows>>) => found.rows.map(({ name, what }) => [name, what])
const over = (reason: string) => ({ outcome: { reason, answer: null, error: null } })

it('gathers each frame once, and counts up to any frame', () => {
  const gather = makeTraceRows()
  const frames = [frame([happening(1, 'run_start')]), frame([]), frame([happening(2, 'reply'), happening(3, 'tool')])]
  const first = gather(frames.slice(0, 2))
  expect([read(first), first.upTo(0), first.upTo(1)]).toEqual([[['run_start', '']], 1, 1])
  const { rows } = first
  const again = gather(frames)
  expect([again.rows === rows, again.rows.length, again.upTo(2), again.upTo(-1)]).toEqual([true, 3, 3, 0])
})

it('begins anew with the frames of another run', () => {
  const gather = makeTraceRows()
  gather([frame([happening(1, 'run_start', 'a')]), frame([])])
  expect(read(gather([frame([happening(1, 'run_start', 'b')]), frame([])]))).toEqual([['run_start', 'b']])
  expect(read(gather([]))).toEqual([])
})

it('has what was printed behind what happened, and the end last', () => {
  const gather = makeTraceRows()
  const ran = frame([happening(1, 'tool_result', '18')], { printed: 'looking\nfound\n' })
  const end = frame([happening(2, 'finish', 'failed')], { printed: 'bye\n', ...over('failed') })
  expect(read(gather([ran, end]))).toEqual([
    ['tool_result', '18'],
    ['printed', 'looking\nfound'],
    ['printed', 'bye'],
    ['finish', 'failed'],
  ])
})

it('tells of an end that Python could not announce, in the same word', () => {
  const gather = makeTraceRows()
  expect(read(gather([frame([happening(1, 'reply')]), frame([], over('interrupted'))]))).toEqual([
    ['reply', ''],
    ['finish', 'interrupted'],
  ])
})
