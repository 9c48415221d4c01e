import type { Scenario } from '../messages'
import { calls, choose, chosen, model, ready, scenarios, status } from '../state'
import { isDark, toggleTheme } from '../theme'
import { ModelButton } from './ModelDialog'

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
    </span>
  )
}

const MB = (bytes: number) => (bytes / 1_000_000).toFixed(1)

/** How far loading is. Beside the status line, not in it: a screen reader should not hear each megabyte. */
function Progress() {
  const now = status.value
  if (now.phase !== 'loading' && now.phase !== 'restarting') return null
  return (
    <label class="quiet progress">
      <span>
        {now.stage}
        {now.bytes > 0 && `, ${MB(now.bytes)} of ${MB(PYTHON_BYTES)} MB`}
      </span>
      <progress max={PYTHON_BYTES || 1} value={now.bytes} />
    </label>
  )
}

export function Header() {
  const live = model.value
  const option = (each: Scenario) => (
    <option key={each.name} value={each.name}>
      {live ? 'Question' : 'Script'}: {each.title}
    </option>
  )
  return (
    <header>
      <h1 class="brand">mingraph lite</h1>
      <span class="grow" />
      <Python />
      <Progress />
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
        {scenarios.value.filter((each) => each.fault === null).map(option)}
        <optgroup label="What can go wrong">
          {scenarios.value.filter((each) => each.fault !== null).map(option)}
        </optgroup>
      </select>
      <ModelButton />
      <button
        type="button"
        class="field icon"
        aria-label={isDark() ? 'Use light colours' : 'Use dark colours'}
        onClick={toggleTheme}
      >
        <span aria-hidden="true">{isDark() ? '☀' : '☾'}</span>
      </button>
    </header>
  )
}
