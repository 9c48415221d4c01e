import { refused, unreachable } from '../doctor'
import { usePage } from '../page'
import { Causes } from './Causes'

/** Shown after a model call that failed. */
export function Why() {
  const { failure, model } = usePage()
  const failed = failure.value
  const base = model.value?.baseUrl
  if (!failed || !base) return null
  const causes = failed.kind === 'unreachable' ? unreachable(location.href, base) : refused(failed.status, base)
  const what = failed.kind === 'unreachable' ? `No answer from ${base}.` : `${base} answered ${failed.status}.`
  return (
    <details class="pg-why" open>
      <summary>Why? {what}</summary>
      <Causes causes={causes} />
    </details>
  )
}
