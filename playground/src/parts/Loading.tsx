import { load, status } from '../state'

const MB = (bytes: number) => (bytes / 1_000_000).toFixed(1)

/** Why nothing can be run yet, and how far it is. */
export function Loading() {
  const now = status.value
  if (now.phase === 'ready') return null
  if (now.phase === 'failed') {
    return (
      <div class="loading failed" role="alert">
        <p>
          <b>Python could not be loaded, so nothing can be run.</b> {now.what}
        </p>
        <p>
          Most often the connection broke off, or a file of this page is missing on its server.{' '}
          <button type="button" class="field" onClick={load}>
            Retry
          </button>
        </p>
      </div>
    )
  }
  const share = PYTHON_BYTES ? Math.min(1, now.bytes / PYTHON_BYTES) : 0
  return (
    <div class="loading">
      <label>
        <span>
          {now.phase === 'loading' ? 'Loading Python into this page' : 'Starting Python again'}: {now.stage}
          {now.bytes > 0 && `, ${MB(now.bytes)} of ${MB(PYTHON_BYTES)} MB`}. The buttons wait for it.
        </span>
        <progress max={1} value={share} />
      </label>
    </div>
  )
}
