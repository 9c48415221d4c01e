import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { MOST_ROUNDS } from '../edits/edits'
import { usePage } from '../page'
import { Edited } from './Edited'

function Text({ field, label }: { field: 'question' | 'systemPrompt'; label: string }) {
  const { edits, scenario } = usePage()
  const id = useId()
  const waiting = scenario.value === null
  return (
    <Edited field={field} name={<label for={id}>{label}</label>}>
      <textarea
        id={id}
        rows={3}
        disabled={waiting}
        placeholder={waiting ? 'Comes with Python…' : ''}
        value={edits.texts.value[field]}
        onInput={(event) => edits.change(field, event.currentTarget.value)}
      />
    </Edited>
  )
}

/** How many model calls a run may take. What is typed stays as it is typed; what is no number is said to be none. */
function Rounds() {
  const { edits, scenario } = usePage()
  const id = useId()
  const place = useRef<HTMLInputElement>(null)
  const rounds = edits.texts.value.maxSteps
  const wrong = edits.wrong.value

  useLayoutEffect(() => {
    const input = place.current!
    if (!Object.is(input.valueAsNumber, rounds)) input.value = String(rounds)
  }, [rounds])

  return (
    <Edited field="maxSteps" name={<label for={id}>Most rounds (max_steps)</label>}>
      <div class="pg-rounds">
        <input
          id={id}
          ref={place}
          type="number"
          inputMode="numeric"
          min={1}
          max={MOST_ROUNDS}
          step={1}
          disabled={scenario.value === null}
          aria-invalid={wrong !== ''}
          aria-describedby={`${id}-said`}
          onInput={(event) => edits.change('maxSteps', event.currentTarget.valueAsNumber)}
        />
        <p id={`${id}-said`} role={wrong ? 'alert' : undefined} class={wrong ? 'pg-wrong' : 'pg-quiet'}>
          {wrong || 'One round is one call of the model. A run that reaches the limit ends: step limit.'}
        </p>
      </div>
    </Edited>
  )
}

export function QuestionTab() {
  const { model, scenario } = usePage()
  return (
    <div class="pg-paper">
      <Text field="question" label="Question" />
      <Text field="systemPrompt" label="System prompt" />
      <Rounds />
      <p class="pg-quiet">
        {model.value
          ? 'The model reads both. Change them and see what it does.'
          : scenario.value?.kind === 'reading'
            ? 'The reading model reads the question. Change it, and the answer changes.'
            : scenario.value
              ? 'A script says its lines whatever you ask. Change the question, and see who notices.'
              : 'What the run is made of comes with Python.'}
      </p>
    </div>
  )
}
