import { useState } from 'preact/hooks'

/** Longer texts are folded: a page of 200,000 letters is no page. */
export const LONG = 2_000

export const counted = (letters: number) => letters.toLocaleString('en-US')

/** A text, or the beginning of a long one with a button for the rest. */
export function LongText({ text }: { text: string }) {
  const [whole, setWhole] = useState(false)
  if (text.length <= LONG) return <>{text}</>
  return (
    <>
      {whole ? text : text.slice(0, LONG)}
      {!whole && '… '}
      <button type="button" class="pg-link" onClick={() => setWhole(!whole)}>
        {whole ? 'Show less' : `Show ${counted(text.length - LONG)} more characters`}
      </button>
    </>
  )
}
