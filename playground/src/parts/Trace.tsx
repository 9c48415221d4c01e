import { useLayoutEffect, useRef } from 'preact/hooks'
import { usePage } from '../page'

/** Unknown is a dash: a zero would be a claim. */
const known = (count: number | null) => (count === null ? '–' : count)

/** What was announced up to the frame that is shown. */
export function Trace() {
  const { at, frames } = usePage().run.value
  const box = useRef<HTMLDivElement>(null)
  const shown = frames.value.slice(0, at.value + 1)
  const rows = shown.flatMap((frame, index) =>
    frame.events.map((event) => ({ event, now: index === at.value && index > 0 })),
  )

  useLayoutEffect(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight
  }, [rows.length])

  return (
    <div class="pg-scroll pg-trace" ref={box} tabIndex={0} role="region" aria-label="Trace">
      <table class="pg-table">
        <thead>
          <tr>
            <th class="pg-n" scope="col">
              step
            </th>
            <th scope="col">event</th>
            <th scope="col">what</th>
            <th class="pg-n" scope="col">
              tokens in
            </th>
            <th class="pg-n" scope="col">
              out
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ event, now }) => (
            <tr key={event.seq} class={now ? 'pg-now' : ''}>
              <td class="pg-n">{event.step}</td>
              <td>{event.name}</td>
              <td>
                <code>{event.what}</code>
                {event.notes.map((note, index) => (
                  <div key={index} class="pg-quiet">
                    note: {note}
                  </div>
                ))}
              </td>
              <td class="pg-n">{known(event.tokens_in)}</td>
              <td class="pg-n">{known(event.tokens_out)}</td>
            </tr>
          ))}
          {rows.length === 0 && (
            <tr>
              <td colSpan={5} class="pg-quiet">
                Nothing has happened yet.
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  )
}
