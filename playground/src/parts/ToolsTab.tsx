import { useComputed } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { isOfTools, pointedNow } from '../edits/pointing'
import { usePage } from '../page'
import { Edited } from './Edited'
import type { Editor as EditorPart } from './Editor'

const ABOUT = 'tools-py-about'

export function ToolsTab() {
  const { edits, scenario, run, lookingFor } = usePage()
  const [Editor, setEditor] = useState<typeof EditorPart | null>(null)
  // Three quarters of the page's script is the editor: Python should not wait for it.
  useEffect(() => {
    void import('./Editor').then((part) => setEditor(() => part.Editor))
  }, [])
  const text = useComputed(() => edits.texts.value.tools)
  // What was edited since is not what Python points at.
  const asItRan = (run.value.tools.value ?? edits.originals.value.tools) === text.value
  const marked = asItRan ? pointedNow(run.value).filter(isOfTools) : []
  return (
    <div class="pg-paper pg-code">
      <Edited field="tools" name="tools.py">
        {Editor && (
          <Editor
            key={scenario.value?.name ?? ''} // another scenario is another file: Ctrl+Z must not bring this one's text
            label="tools.py"
            about={ABOUT}
            text={text}
            onText={(changed) => edits.change('tools', changed)}
            marked={marked}
            lookingFor={lookingFor.value}
            onFound={() => {
              lookingFor.value = null
            }}
          />
        )}
      </Edited>
      <p class="pg-quiet pg-foot" id={ABOUT}>
        {marked.length
          ? marked.map(({ line, what }) => `Line ${line} is marked: ${what.replace(/\.$/, '')}.`).join(' ')
          : 'Each function becomes a tool: its name, docstring and hints are what the model is shown.'}
      </p>
    </div>
  )
}
