import type { Cause } from '../doctor'

/** Likely causes, each with the one thing to change. */
export function Causes({ causes }: { causes: Cause[] }) {
  return (
    <ol class="pg-causes">
      {causes.map(({ cause, fix, command }) => (
        <li key={cause}>
          <b>{cause}</b> {fix}
          {command && (
            <span class="pg-command">
              <code>{command}</code>
              <button type="button" class="pg-link" onClick={() => void navigator.clipboard?.writeText(command)}>
                Copy
              </button>
            </span>
          )}
        </li>
      ))}
    </ol>
  )
}
