import { useEffect, useState } from 'preact/hooks'
import { usePage } from '../page'
import { countdown } from '../python/countdown'

const SAID = {
  loading: ['wait', 'Python is loading…'],
  restarting: ['wait', 'Python starts again'],
  ready: ['ok', 'Python ready in this page'],
  failed: ['bad', 'Python could not be loaded'],
} as const

const MB = (bytes: number) => (bytes / 1_000_000).toFixed(1)

/** How long a start has still to go, by the one before. */
function Countdown({ expected }: { expected: number }) {
  const [begun] = useState(() => performance.now())
  const [now, setNow] = useState(begun)
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return <>, {countdown(expected, now - begun)}</>
}

/** What changes by the second is seen and not heard: a screen reader should not say each megabyte. */
function More() {
  const now = usePage().status.value
  if (now.phase === 'restarting' && now.expected !== null) return <Countdown expected={now.expected} />
  if (now.phase !== 'loading' && now.phase !== 'restarting') return null
  // All has come: what is still to do is not counted.
  return now.bytes > 0 && now.bytes < PYTHON_BYTES ? (
    <>
      {' '}
      {MB(now.bytes)}
      <span class="pg-of"> of {MB(PYTHON_BYTES)}</span> MB
    </>
  ) : null
}

export function PythonState() {
  const now = usePage().status.value
  const [kind, text] = SAID[now.phase]
  const stage = now.phase === 'loading' || now.phase === 'restarting' ? `It is at: ${now.stage}` : undefined
  return (
    <div class="pg-quiet pg-state" title={stage}>
      <span class={`pg-dot pg-${kind}`} aria-hidden="true" />
      <p>
        <span class="pg-python" role="status" data-phase={now.phase}>
          {text}
        </span>
        <span class="pg-more" aria-hidden="true">
          <More />
        </span>
      </p>
    </div>
  )
}

/** How far loading is: a line along the header's edge, which takes no room from anything. */
export function Progress() {
  const now = usePage().status.value
  if (now.phase !== 'loading' && now.phase !== 'restarting') return null
  const label = `Loading Python: ${now.stage}`
  return <progress class="pg-progress" aria-label={label} max={PYTHON_BYTES || 1} value={now.bytes} />
}
