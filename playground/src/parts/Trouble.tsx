import { usePage } from '../page'

/** Why nothing can be run, and what to do. */
export function Trouble({ what }: { what: string }) {
  const { load } = usePage()
  return (
    <div class="pg-loading-failed" role="alert">
      <b>Python could not be loaded, so nothing can be run.</b> {what} Most often the connection broke off. If Retry
      does not help, reload the page: a file of it may have been replaced.{' '}
      <button type="button" class="pg-field" onClick={load}>
        Retry
      </button>
    </div>
  )
}
