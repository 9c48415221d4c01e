import { useEffect, useState } from 'preact/hooks'
import type { Field } from '../edits'
import { usePage } from '../page'
import type { Editor as EditorPart } from './Editor'
import { Tabs } from './Tabs'

function Edited({ fields }: { fields: Field[] }) {
  const { edits } = usePage()
  const mine = fields.filter((field) => edits.edited.value.includes(field))
  if (!mine.length) return null
  return (
    <span>
      <b class="pg-mark-edited">edited</b> ·{' '}
      <button
        type="button"
        class="pg-link"
        onClick={() => {
          for (const field of mine) edits.takeBack(field)
        }}
      >
        Take back
      </button>
    </span>
  )
}

/** An edit counts from the next start; a run that is under way goes on as it began. */
function WhenItCounts() {
  const { stale, frames } = usePage().run.value
  if (!stale.value || frames.value.length < 2) return null
  return <p class="pg-hint">The run on this page began before this edit. Press Reset, and the next run has it.</p>
}

function Question() {
  const { edits, model, scenario } = usePage()
  const waiting = scenario.value === null
  const hint = waiting ? 'Comes with Python…' : ''
  return (
    <div class="pg-paper">
      <div class="pg-bar">
        <span>What the run begins with</span>
        <Edited fields={['question', 'systemPrompt']} />
      </div>
      <label>
        Question
        <textarea
          rows={3}
          disabled={waiting}
          placeholder={hint}
          value={edits.texts.value.question}
          onInput={(event) => edits.change('question', event.currentTarget.value)}
        />
      </label>
      <label>
        System prompt
        <textarea
          rows={3}
          disabled={waiting}
          placeholder={hint}
          value={edits.texts.value.systemPrompt}
          onInput={(event) => edits.change('systemPrompt', event.currentTarget.value)}
        />
      </label>
      <p class="pg-quiet">
        {model.value
          ? 'The model reads both. Change them and see what it does.'
          : 'A script says its lines whatever you ask. Change the question, and see who notices.'}
      </p>
    </div>
  )
}

function Tools() {
  const { edits } = usePage()
  const [Editor, setEditor] = useState<typeof EditorPart | null>(null)
  // Three quarters of the page's script is the editor: Python should not wait for it.
  useEffect(() => {
    void import('./Editor').then((part) => setEditor(() => part.Editor))
  }, [])
  return (
    <div class="pg-paper pg-code">
      <div class="pg-bar">
        <span>tools.py</span>
        <Edited fields={['tools']} />
      </div>
      {Editor && (
        <Editor label="tools.py" text={edits.texts.value.tools} onText={(text) => edits.change('tools', text)} />
      )}
      <p class="pg-quiet pg-foot">
        Each function becomes a tool: its name, docstring and hints are what the model is shown.
      </p>
    </div>
  )
}

function Script() {
  const { scenario, model } = usePage()
  const lines = scenario.value?.script ?? []
  return (
    <div class="pg-paper">
      <p class="pg-quiet">
        {model.value
          ? 'A real model is connected, so nobody follows this script now.'
          : 'A scripted model answers here: at once, always the same, without a key.'}
      </p>
      {scenario.value?.what && <p class="pg-quiet">{scenario.value.what}</p>}
      <details>
        <summary>Show what it will say (this gives the run away)</summary>
        <ol class="pg-script">
          {lines.slice(0, 12).map((line) => (
            <li key={line}>
              <code>{line}</code>
            </li>
          ))}
        </ol>
        {lines.length > 12 && <p class="pg-quiet">and {lines.length - 12} more of the kind</p>}
      </details>
    </div>
  )
}

export function RunSetup() {
  const { edits } = usePage()
  const edited = edits.edited.value
  const texts = edited.some((field) => field !== 'tools')
  return (
    <section class="pg-left" aria-label="What the run is made of">
      <Tabs
        label="What the run is made of"
        tabs={[
          { name: 'Question', ...(texts ? { mark: 'edited' } : {}), body: <Question /> },
          { name: 'Tools', ...(edited.includes('tools') ? { mark: 'edited' } : {}), body: <Tools /> },
          { name: 'Script', body: <Script /> },
        ]}
      />
      <WhenItCounts />
    </section>
  )
}
