import { usePage } from '../page'

const SHOWN = 12

export function ScriptTab() {
  const { scenario, model } = usePage()
  const lines = scenario.value?.script ?? []
  const scripted = lines.length > 0
  return (
    <div class="pg-paper">
      <p class="pg-quiet">
        {model.value
          ? 'A real model is connected, so nobody follows this script now.'
          : scripted
            ? 'A scripted model answers here: at once, always the same, without a key.'
            : 'No script here: a small reading model looks at what it is asked and told, and answers from that.'}
      </p>
      {scenario.value?.what && <p class="pg-quiet">{scenario.value.what}</p>}
      {scripted && (
        <details>
          <summary>Show what it will say (this gives the run away)</summary>
          <ol class="pg-script">
            {lines.slice(0, SHOWN).map((line, index) => (
              <li key={index}>
                <code>{line}</code>
              </li>
            ))}
          </ol>
          {lines.length > SHOWN && <p class="pg-quiet">and {lines.length - SHOWN} more of the kind</p>}
        </details>
      )}
    </div>
  )
}
