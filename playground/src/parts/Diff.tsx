import { changes, type DiffLine } from '../edits/changes'

const SIGNS = { same: ' ', removed: '−', added: '+' } as const
const SPOKEN = { same: '', removed: 'taken away: ', added: 'added: ' } as const

/** What changed, line by line: in signs and in words, so that nobody has to see the colours. */
export function Diff({ before, after }: { before: string; after: string }) {
  return (
    <ol class="pg-diff" aria-label="What changed">
      {changes(before, after).map((line, index) =>
        line.kind === 'gap' ? (
          <li key={index} class="pg-diff-gap">
            … {line.lines} lines as they were
          </li>
        ) : (
          <Line key={index} line={line} />
        ),
      )}
    </ol>
  )
}

function Line({ line: { kind, pieces } }: { line: DiffLine }) {
  const Mark = kind === 'removed' ? 'del' : 'ins'
  return (
    <li class={`pg-diff-${kind}`}>
      <span class="pg-diff-sign" aria-hidden="true">
        {SIGNS[kind]}
      </span>
      <code>
        {SPOKEN[kind] && <span class="pg-unseen">{SPOKEN[kind]}</span>}
        {pieces.map(({ text, changed }, index) => (changed ? <Mark key={index}>{text}</Mark> : text))}
        {pieces.length === 0 && <span class="pg-unseen">an empty line</span>}
      </code>
    </li>
  )
}
