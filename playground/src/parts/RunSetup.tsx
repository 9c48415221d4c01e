import { useSignal, useSignalEffect } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { usePage } from '../page'
import { EditsFoot } from './EditsFoot'
import { QuestionTab } from './QuestionTab'
import { ScriptTab } from './ScriptTab'
import { Tabs } from './Tabs'
import { ToolsTab } from './ToolsTab'

const TOOLS = 1

/** What a run is made of, in tabs that say which of them was edited. */
export function RunSetup() {
  const { edits, lookingFor } = usePage()
  const open = useSignal(0)
  const edited = edits.edited.value
  const mark = (is: boolean) => (is ? { mark: 'edited' } : {})

  useSignalEffect(() => {
    if (lookingFor.value) open.value = TOOLS
  })
  useEffect(() => {
    const hear = (event: StorageEvent) => edits.heard(event.key)
    addEventListener('storage', hear)
    return () => removeEventListener('storage', hear)
  }, [edits])

  return (
    <section class="pg-left" aria-label="What the run is made of">
      <Tabs
        label="What the run is made of"
        at={open}
        tabs={[
          {
            name: 'Question',
            stays: true,
            ...mark(edited.some((field) => field !== 'tools')),
            body: <QuestionTab />,
          },
          { name: 'Tools', stays: true, ...mark(edited.includes('tools')), body: <ToolsTab /> },
          { name: 'Script', body: <ScriptTab /> },
        ]}
      />
      <EditsFoot />
    </section>
  )
}
