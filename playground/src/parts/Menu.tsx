import { usePage } from '../page'
import type { Scenario } from '../python/messages'

const GROUPS: { kind: Scenario['kind']; label: string }[] = [
  { kind: 'reading', label: 'A model that reads' },
  { kind: 'script', label: 'Scripts' },
  { kind: 'fault', label: 'What can go wrong' },
]

/** What can be chosen, in groups. A fault is a script's or a tool's: a live model is offered the questions only. */
function groups(scenarios: Scenario[], live: boolean) {
  const found = live
    ? [{ label: 'Questions', members: scenarios.filter(({ kind }) => kind !== 'fault') }]
    : GROUPS.map(({ kind, label }) => ({ label, members: scenarios.filter((each) => each.kind === kind) }))
  return found.filter(({ members }) => members.length)
}

export function Menu() {
  const page = usePage()
  return (
    <select
      class="pg-field pg-menu"
      aria-label="Scenario"
      disabled={!page.ready.value}
      value={page.chosen.value}
      onChange={(event) => page.choose(event.currentTarget.value)}
    >
      {page.scenarios.value.length === 0 && <option value="">comes with Python…</option>}
      {groups(page.scenarios.value, page.model.value !== null).map(({ label, members }) => (
        <optgroup key={label} label={label}>
          {members.map(({ name, title }) => (
            <option key={name} value={name}>
              {title}
              {page.edits.editsOf(name).length > 0 && ' (edited)'}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  )
}
