import type { Cause } from '../doctor'

/** Likely causes, each with the one thing to change. */
export function Causes({ causes }: { causes: Cause[] }) {
  return (
    <ol class="causes">
      {causes.map(({ cause, fix, command }) => (
        <li key={cause}>
          <b>{cause}</b> {fix}
          {command && (
            <span class="command">
              <code>{command}</code>
              <button type="button" class="link" onClick={() => void navigator.clipboard?.writeText(command)}>
                Copy
              </button>
            </span>
          )}
        </li>
      ))}
    </ol>
  )
}
