import type { RefObject } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { makeHeights } from '../heights'
import { usePage } from '../page'
import { makeTraceRows, type TraceRow } from '../trace_rows'
import { LongText } from './LongText'

/** Rows that are drawn above and below what is in sight, for a quick scroll and a screen reader. */
const BEYOND = 20
/** How high the box is before it was measured. */
const BOX = 320
/** A reader within this many pixels of the end follows what comes. */
const NEAR = 4

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
  const { first, end, above, below } = useWindow(box, count)

  return (
    <div class="pg-scroll pg-trace" ref={box} tabIndex={0} role="region" aria-label="Trace">
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
      </td>
      <td class="pg-n">{known(row.tokensIn)}</td>
      <td class="pg-n">{known(row.tokensOut)}</td>
    </tr>
  )
}

/** Which of so many rows are drawn, and how much room the others take. Follows the end while the reader is there. */
function useWindow(box: RefObject<HTMLDivElement | null>, count: number) {
  const [, drawFrom] = useState(0)
  const heights = useMemo(makeHeights, [])
  const following = useRef(true)
  const scrolled = useRef({ top: 0, height: BOX })
  heights.grow(count)

  const total = heights.top(count)
  const top = following.current ? Math.max(0, total - scrolled.current.height) : scrolled.current.top
  const first = Math.max(0, heights.rowAt(top) - BEYOND)
  const end = Math.min(count, heights.rowAt(top + scrolled.current.height) + 1 + BEYOND)

  useLayoutEffect(() => {
    const place = box.current!
    const look = () => {
      const followed = following.current
      following.current = place.scrollTop + place.clientHeight >= place.scrollHeight - NEAR
      scrolled.current = { top: place.scrollTop, height: place.clientHeight }
      // At the end it is drawn already: the scroll was this code's own.
      if (!followed || !following.current) drawFrom(heights.rowAt(place.scrollTop))
    }
    // The box with its scroll bar: that comes and goes with the heights, and must not change them in turn.
    let width = place.offsetWidth
    // Text that has another width has other heights.
    const resized = new ResizeObserver(() => {
      if (place.offsetWidth !== width) heights.forget()
      width = place.offsetWidth
      scrolled.current.height = place.clientHeight
      drawFrom(-width)
    })
    place.addEventListener('scroll', look, { passive: true })
    resized.observe(place)
    return () => {
      place.removeEventListener('scroll', look)
      resized.disconnect()
    }
  }, [])

  useLayoutEffect(() => {
    const place = box.current!
    const anchor = heights.rowAt(place.scrollTop)
    const anchored = heights.top(anchor)
    let changed = false
    for (const row of place.querySelectorAll<HTMLElement>('[data-row]')) {
      const index = Number(row.dataset['row'])
      const height = row.getBoundingClientRect().height
      if (Math.abs(heights.top(index + 1) - heights.top(index) - height) < 0.01) continue
      heights.measure(index, height)
      changed = true
    }
    if (following.current) place.scrollTop = place.scrollHeight
    // What was measured above the reader must not move what is being read.
    else if (changed) place.scrollTop += heights.top(anchor) - anchored
  })

  return { first, end, above: heights.top(first), below: Math.max(0, total - heights.top(end)) }
}
