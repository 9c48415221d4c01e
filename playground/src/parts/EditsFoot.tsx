// Under the tabs: what holds for all edits of this scenario. Its place is kept free, and it stays in sight.
import { usePage } from '../page'

/** An edit counts from the next start; a run that is under way goes on as it began. */
function WhenItCounts() {
  const { stale, frames } = usePage().run.value
  if (!stale.value || frames.value.length < 2) return null
  return <p class="pg-hint">The run on this page began before this edit. Press Reset, and the next run has it.</p>
}

function AllBack() {
  const { edits } = usePage()
  const some = edits.edited.value.length > 0
  if (!some && edits.taken.value.length < 2) return null
  return (
    <button type="button" class="pg-link" onClick={() => (some ? edits.takeBackAll() : edits.bringBack())}>
      {some ? 'Take back all edits' : 'Bring them back'}
    </button>
  )
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
