import { useRef, useState } from 'preact/hooks'
import type { Cause } from '../model/doctor'

/** Likely causes, each with the one thing to change. */
export function Causes({ causes }: { causes: Cause[] }) {
  return (
    <ol class="pg-causes">
      {causes.map(({ cause, fix, command }) => (
        <li key={cause}>
          <b>{cause}</b> {fix}
          {command && <Command text={command} />}
        </li>
      ))}
    </ol>
  )
}

/** A line for a terminal. */
function Command({ text }: { text: string }) {
  const code = useRef<HTMLElement>(null)
  const [copied, setCopied] = useState(false)
  async function copy() {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
    } catch {
      // A page that came over plain http has no clipboard, and a reader may forbid it: then it is marked, to be copied.
      getSelection()?.selectAllChildren(code.current!)
    }
  }
  return (
    <span class="pg-command">
      <code ref={code}>{text}</code>
      <button
        type="button"
        class="pg-link"
        aria-live="polite"
        onClick={() => void copy()}
        onBlur={() => setCopied(false)}
      >
        {copied ? 'Copied' : 'Copy'}
      </button>
    </span>
  )
}
