import { causesOf } from '../model/doctor'
import { inWords } from '../model/failure'
import { usePage } from '../page'
import { Causes } from './Causes'

/** Shown after a model call that failed, until the next one goes out. */
export function Why() {
  const { failure, model } = usePage()
  const failed = failure.value
  const base = model.value?.baseUrl
  if (!failed || !base) return null
  return (
    <details class="pg-why" open>
      <summary>Why? {inWords(failed, base)}</summary>
      <Causes causes={causesOf(failed, location.href, base, 'chat')} />
    </details>
  )
}
