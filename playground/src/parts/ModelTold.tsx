import { useEffect, useState } from 'preact/hooks'
import type { Said } from '../model/connecting'
import type { Cause } from '../model/doctor'
import { Causes } from './Causes'

/** Whom the page asks, and for how long; null while it asks nobody. */
export function Asking({ base }: { base: string | null }) {
  return (
    <p role="status" class={base === null ? '' : 'pg-asking'}>
      {base !== null && (
        <>
          Asking {base} for its models
          <Seconds key={base} />
        </>
      )}
    </p>
  )
}

/** Counted for the eye. A screen reader that is told each second can tell nothing else. */
function Seconds() {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const begun = performance.now()
    const timer = setInterval(() => setSeconds(Math.floor((performance.now() - begun) / 1000)), 200)
    return () => clearInterval(timer)
  }, [])
  return <span aria-hidden="true">, {seconds} s</span>
}

interface Props {
  said: Said | null
  /** Known before anything is asked. */
  blocked: Cause | null
  use(address: string): void
}

/** What came of it: said at once where it is trouble, and with the ways on. */
export function Told({ said, blocked, use }: Props) {
  const causes = said ? said.causes : blocked ? [blocked] : []
  const tone = said?.tone ?? (blocked ? 'trouble' : null)
  return (
    <div class={tone ? `pg-told pg-notice pg-${tone}` : 'pg-told'}>
      <div id="model-told">
        <div role="alert">{said?.tone === 'trouble' && said.text}</div>
        <div role="status">{said?.tone === 'info' && said.text}</div>
      </div>
      {said && said.instead.length > 0 && (
        <div class="pg-instead">
          {said.instead.map((address) => (
            <button key={address} type="button" onClick={() => use(address)}>
              Use {address}
            </button>
          ))}
        </div>
      )}
      {causes.length > 0 && <Causes causes={causes} />}
    </div>
  )
}
