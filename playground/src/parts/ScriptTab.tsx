import { usePage } from '../page'

export function ScriptTab() {
  const { scenario, model } = usePage()
  const lines = scenario.value?.script ?? []
  const scripted = lines.length > 0
  const more = (scenario.value?.scriptLines ?? 0) - lines.length
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
            {lines.map((line, index) => (
              <li key={index}>
                <code>{line}</code>
              </li>
            ))}
          </ol>
          {more > 0 && <p class="pg-quiet">and {more} more of the kind</p>}
        </details>
      )}
    </div>
  )
}
