import { useState } from 'preact/hooks'
import { calls, choose, chosen, load, model, ready, scenarios, status } from '../state'
import { isDark, toggleTheme } from '../theme'
import { ModelDialog } from './ModelDialog'

function Python() {
  const now = status.value
  const [kind, text] = {
    loading: ['wait', 'Python is loading…'],
    restarting: ['wait', 'Python is starting again…'],
    ready: ['ok', 'Python ready in this page'],
    failed: ['bad', 'Python could not be loaded'],
  }[now.phase]!
  return (
    <span class="quiet python" role="status" data-phase={now.phase}>
      <span class={`dot ${kind}`} aria-hidden="true" />
      {text}
      {now.phase === 'failed' && (
        <button type="button" class="field small" onClick={load}>
          Retry
        </button>
      )}
    </span>
  )
}

export function Header() {
  const [open, setOpen] = useState(false)
  const live = model.value
  return (
    <header>
      <h1 class="brand">mingraph lite</h1>
      <span class="grow" />
      <Python />
      {live && (
        <span class="quiet" title={live.baseUrl}>
          Model: <b>{live.name}</b>, {calls.value === 1 ? '1 call' : `${calls.value} calls`}
        </span>
      )}
      <select
        class="field"
        aria-label="Scenario"
        disabled={!ready.value}
        value={chosen.value}
        onChange={(event) => void choose(event.currentTarget.value)}
      >
        {scenarios.value.length === 0 && <option value="">Script: not there yet</option>}
        {scenarios.value.map((each) => (
          <option key={each.name} value={each.name}>
            {live ? 'Question' : 'Script'}: {each.title}
          </option>
        ))}
      </select>
      <button type="button" class="field" onClick={() => setOpen(true)}>
        {live ? 'Change the model…' : 'Connect a model…'}
      </button>
      <button type="button" class="field icon" aria-label={isDark() ? 'Use light colours' : 'Use dark colours'} onClick={toggleTheme}>
        <span aria-hidden="true">{isDark() ? '☀' : '☾'}</span>
      </button>
      {open && <ModelDialog close={() => setOpen(false)} />}
    </header>
  )
}
