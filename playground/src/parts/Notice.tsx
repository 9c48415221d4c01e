// Under the desk: what was refused or stopped, and where in the learner's code. A press on the place opens the editor.

import { isOfTools, isSame, pointedNow } from '../edits/pointing'
import type { Pointed } from '../frame'
import { usePage } from '../page'

const nameOf = ({ file, line }: Pointed) => `${file}, line ${line}`

function Place({ pointed }: { pointed: Pointed }) {
  const { lookingFor } = usePage()
  if (!isOfTools(pointed)) return <>{nameOf(pointed)}</>
  return (
    <button
      type="button"
      class="pg-link"
      title="Show this line in the editor"
      onClick={() => {
        lookingFor.value = { line: pointed.line }
      }}
    >
      {nameOf(pointed)}
    </button>
  )
}

/** The text with its place in it as a button, or behind it; then the line itself. */
function Said({ text, pointed }: { text: string; pointed: Pointed | null }) {
  if (!pointed) return <>{text}</>
  const [before = '', ...rest] = text.split(nameOf(pointed))
  const after = rest.join(nameOf(pointed))
  const line = pointed.text && !text.includes(pointed.text) ? <code>{pointed.text}</code> : null
  return (
    <>
      {before} <Place pointed={pointed} />
      {rest.length ? after : ''}
      {line && (
        <>
          {after.endsWith('.') ? ' ' : ': '}
          {line}
        </>
      )}
    </>
  )
}

/** Always there, so that what comes does not push what is under it. */
export function Notice() {
  const { run } = usePage()
  const said = run.value.mended.value ? null : run.value.notice.value
  const others = pointedNow(run.value).filter((one) => !said?.pointed || !isSame(one, said.pointed))
  return (
    <div class="pg-notice-place">
      <div role="status" class={said ? `pg-notice pg-${said.kind}` : ''} data-notice={said?.kind}>
        {said && <Said text={said.text} pointed={said.pointed} />}
      </div>
      {others.length > 0 && (
        <ul class="pg-notice pg-info pg-pointed">
          {others.map((one) => (
            <li key={nameOf(one)}>
              <Place pointed={one} />: <code>{one.text}</code>, {one.what}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
