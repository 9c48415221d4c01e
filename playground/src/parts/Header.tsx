import type { Scenario } from '../messages'
import { usePage } from '../page'
import { isDark, toggleTheme } from '../theme'
import { ModelButton } from './ModelDialog'

function Python() {
  const now = usePage().status.value
  const [kind, text] = {
    loading: ['wait', 'Python is loading…'],
    restarting: ['wait', 'Python is starting again…'],
    ready: ['ok', 'Python ready in this page'],
    failed: ['bad', 'Python could not be loaded'],
  }[now.phase]!
  return (
    <span class="pg-quiet pg-python" role="status" data-phase={now.phase}>
      <span class={`pg-dot pg-${kind}`} aria-hidden="true" />
      {text}
    </span>
  )
}

const MB = (bytes: number) => (bytes / 1_000_000).toFixed(1)

/** How far loading is. Beside the status line, not in it: a screen reader should not hear each megabyte. */
function Progress() {
  const now = usePage().status.value
  if (now.phase !== 'loading' && now.phase !== 'restarting') return null
  return (
    <label class="pg-quiet pg-progress">
      <span>
        {now.stage}
        {now.bytes > 0 && `, ${MB(now.bytes)} of ${MB(PYTHON_BYTES)} MB`}
      </span>
      <progress max={PYTHON_BYTES || 1} value={now.bytes} />
    </label>
  )
}

export function Header() {
  const page = usePage()
  const live = page.model.value
  const option = (each: Scenario) => (
    <option key={each.name} value={each.name}>
      {live ? 'Question' : 'Script'}: {each.title}
    </option>
  )
  return (
    <header class="pg-header">
      <h1 class="pg-brand">mingraph lite</h1>
      <span class="pg-grow" />
      <Python />
      <Progress />
      {live && (
        <span class="pg-quiet" title={live.baseUrl}>
          Model: <b>{live.name}</b>, {page.calls.value === 1 ? '1 call' : `${page.calls.value} calls`}
        </span>
      )}
      <select
        class="pg-field"
        aria-label="Scenario"
        disabled={!page.ready.value}
        value={page.chosen.value}
        onChange={(event) => page.choose(event.currentTarget.value)}
      >
        {page.scenarios.value.length === 0 && <option value="">Script: not there yet</option>}
        {page.scenarios.value.filter((each) => each.kind !== 'fault').map(option)}
        <optgroup label="What can go wrong">
          {page.scenarios.value.filter((each) => each.kind === 'fault').map(option)}
        </optgroup>
      </select>
      <ModelButton />
      <button
        type="button"
        class="pg-field pg-icon"
        aria-label={isDark() ? 'Use light colours' : 'Use dark colours'}
        onClick={toggleTheme}
      >
        <span aria-hidden="true">{isDark() ? '☀' : '☾'}</span>
      </button>
    </header>
  )
}
