// Under the tabs: what holds for all edits of this scenario. Its place is kept free, and it stays in sight.
import { usePage } from '../page'

/** An edit counts from the next start; a run that is under way goes on as it began. */
function WhenItCounts() {
  const { stale, frames } = usePage().run.value
  if (!stale.value || frames.value.length < 2) return null
  return <p class="pg-hint">The run on this page began before this change. Press Reset, and the next run has it.</p>
}

function AllBack() {
  const { edits } = usePage()
  const some = edits.edited.value.length > 0
  if (!some && edits.taken.value.length < 2) return null
  function press() {
    if (some) edits.takeBackAll()
    else edits.bringBack()
    requestAnimationFrame(keepTheKeyboard)
  }
  return (
    <button type="button" class="pg-link" onClick={press}>
      {some ? 'Take back all edits' : 'Bring them back'}
    </button>
  )
}

/** What was pressed may be gone: the keyboard goes to what brings the edit back, or to the tabs. */
function keepTheKeyboard() {
  if (document.activeElement !== document.body) return
  const places = document.querySelectorAll<HTMLElement>('.pg-made :is(.pg-marks button, [role=tab][tabindex="0"])')
  const seen = [...places].filter((each) => each.checkVisibility())
  ;(seen.find((each) => each.matches('.pg-marks *')) ?? seen[0])?.focus()
}

/** Edits that no scenario of this page has a place for. */
function Orphans() {
  const { edits, scenarios } = usePage()
  const names = scenarios.value.length ? edits.orphans(scenarios.value) : []
  return (
    <>
      {names.map((name) => (
        <details key={name} class="pg-orphan">
          <summary>Edits are kept of “{name}”, which this page no longer has</summary>
          <pre class="pg-data">{Object.values(edits.orphan(name)).join('\n\n')}</pre>
          <button type="button" class="pg-link" onClick={() => edits.throwAway(name)}>
            Throw them away
          </button>
        </details>
      ))}
    </>
  )
}

export function EditsFoot() {
  const { edits } = usePage()
  return (
    <div class="pg-edits-foot">
      <div role="status">
        <WhenItCounts />
        {edits.unkept.value && <p class="pg-hint">{edits.unkept.value}</p>}
        {edits.isElsewhere.value && (
          <p class="pg-hint">Another tab has edits of this too. What is typed last, here or there, is kept.</p>
        )}
      </div>
      <AllBack />
      <Orphans />
    </div>
  )
}
