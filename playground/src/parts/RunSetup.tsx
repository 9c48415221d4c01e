import { useEffect, useState } from 'preact/hooks'
import {
  frames,
  model,
  question,
  revert,
  scenario,
  stale,
  systemPrompt,
  textsEdited,
  tools,
  toolsEdited,
} from '../state'
import type { Editor as EditorPart } from './Editor'
import { Tabs } from './Tabs'

function Edited({ what, edited }: { what: 'question' | 'tools'; edited: boolean }) {
  if (!edited) return null
  return (
    <span>
      <b class="mark-edited">edited</b> ·{' '}
      <button type="button" class="link" onClick={() => revert(what)}>
        Reset to original
      </button>
    </span>
  )
}

/** An edit counts from the next start; a run that is under way goes on as it began. */
function WhenItCounts() {
  if (!stale.value || frames.value.length < 2) return null
  return <p class="hint">The run on this page began before this edit. Press Reset, and the next run has it.</p>
}

function Question() {
  const waiting = scenario.value === null
  const hint = waiting ? 'Comes with Python…' : ''
  return (
    <div class="paper">
      <div class="bar">
        <span>What the run begins with</span>
        <Edited what="question" edited={textsEdited.value} />
      </div>
      <label>
        Question
        <textarea
          rows={3}
          disabled={waiting}
          placeholder={hint}
          value={question.value}
          onInput={(event) => (question.value = event.currentTarget.value)}
        />
      </label>
      <label>
        System prompt
        <textarea
          rows={3}
          disabled={waiting}
          placeholder={hint}
          value={systemPrompt.value}
          onInput={(event) => (systemPrompt.value = event.currentTarget.value)}
        />
      </label>
      <p class="quiet">
        {model.value
          ? 'The model reads both. Change them and see what it does.'
          : 'A script says its lines whatever you ask. Change the question, and see who notices.'}
      </p>
    </div>
  )
}

function Tools() {
  const [Editor, setEditor] = useState<typeof EditorPart | null>(null)
  // Three quarters of the page's script is the editor: Python should not wait for it.
  useEffect(() => {
    void import('./Editor').then((part) => setEditor(() => part.Editor))
  }, [])
  return (
    <div class="paper code">
      <div class="bar">
        <span>tools.py</span>
        <Edited what="tools" edited={toolsEdited.value} />
      </div>
      {Editor && <Editor label="tools.py" text={tools.value} onText={(text) => (tools.value = text)} />}
      <p class="quiet foot">Each function becomes a tool: its name, docstring and hints are what the model is shown.</p>
    </div>
  )
}

function Script() {
  const lines = scenario.value?.script ?? []
  return (
    <div class="paper">
      <p class="quiet">
        {model.value
          ? 'A real model is connected, so nobody follows this script now.'
          : 'A scripted model answers here: at once, always the same, without a key.'}
      </p>
      {scenario.value?.fault && <p class="quiet">{scenario.value.fault}</p>}
      <details>
        <summary>Show what it will say (this gives the run away)</summary>
        <ol class="script">
          {lines.slice(0, 12).map((line, index) => (
            <li key={index}>
              <code>{line}</code>
            </li>
          ))}
        </ol>
        {lines.length > 12 && <p class="quiet">and {lines.length - 12} more of the kind</p>}
      </details>
    </div>
  )
}

export function RunSetup() {
  return (
    <section class="left" aria-label="What the run is made of">
      <Tabs
        label="What the run is made of"
        tabs={[
          { name: 'Question', ...(textsEdited.value ? { mark: 'edited' } : {}), body: <Question /> },
          { name: 'Tools', ...(toolsEdited.value ? { mark: 'edited' } : {}), body: <Tools /> },
          { name: 'Script', body: <Script /> },
        ]}
      />
      <WhenItCounts />
    </section>
  )
}
