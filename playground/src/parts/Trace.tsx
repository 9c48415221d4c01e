import { useMemo, useRef } from 'preact/hooks'
import { usePage } from '../page'
import { makeTraceRows, type TraceRow } from '../trace/trace_rows'
import { LongText } from './LongText'
import { useVirtualRows } from './useVirtualRows'

const COLUMNS = ['step', 'event', 'what', 'tokens in', 'out'] as const
const isNumber = (column: string) => column !== 'event' && column !== 'what'

/** Unknown is a dash: a zero would be a claim. */
const known = (count: number | null) => (count === null ? '–' : count)

/**
 * What was announced up to the frame that is shown.
 *
 * However long the run, only the rows around those in sight are drawn; what stands above and below is empty space of
 * their height.
 */
export function Trace() {
  const { run } = usePage()
  // A fresh run is a fresh list, at its beginning.
  return <Rows key={run.value.number} />
}

function Rows() {
  const { at, frames } = usePage().run.value
  const gather = useMemo(makeTraceRows, [])
  const { rows, upTo } = gather(frames.value)
  const count = upTo(at.value)
  const nowFrom = at.value > 0 ? upTo(at.value - 1) : count
  const box = useRef<HTMLDivElement>(null)
  const { first, end, above, below, onKeyDown } = useVirtualRows(box, count)

  return (
    <div class="pg-scroll pg-trace" ref={box} tabIndex={0} role="region" aria-label="Trace" onKeyDown={onKeyDown}>
      <div style={{ paddingTop: `${above}px`, paddingBottom: `${below}px` }}>
        <table class="pg-table" aria-rowcount={count + 1}>
          <thead>
            <tr aria-rowindex={1}>
              {COLUMNS.map((name) => (
                <th key={name} class={isNumber(name) ? 'pg-n' : ''} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(first, end).map((row, index) => (
              <Row key={first + index} row={row} place={first + index} now={first + index >= nowFrom} />
            ))}
            {count === 0 && (
              <tr>
                <td colSpan={COLUMNS.length} class="pg-quiet">
                  Nothing has happened yet.
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </div>
    </div>
  )
}

function Row({ row, place, now }: { row: TraceRow; place: number; now: boolean }) {
  return (
    <tr aria-rowindex={place + 2} data-row={place} class={now ? 'pg-now' : ''}>
      <td class="pg-n">{known(row.step)}</td>
      <td>{row.name}</td>
      <td>
        <code class={row.isOutput ? 'pg-output' : ''}>
          <LongText text={row.what} />
        </code>
        {row.notes.map((note, index) => (
          <div key={index} class="pg-quiet">
            note: {note}
          </div>
        ))}
        <Tokens row={row} />
      </td>
      <td class="pg-n">{known(row.tokensIn)}</td>
      <td class="pg-n">{known(row.tokensOut)}</td>
    </tr>
  )
}

/** Where there is no room for columns of them: only what is known. */
function Tokens({ row: { tokensIn, tokensOut } }: { row: TraceRow }) {
  if (tokensIn === null && tokensOut === null) return null
  return (
    <div class="pg-quiet pg-tokens">
      tokens: {known(tokensIn)} in, {known(tokensOut)} out
    </div>
  )
}
