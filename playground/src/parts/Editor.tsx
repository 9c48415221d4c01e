import { python } from '@codemirror/lang-python'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { basicSetup } from 'codemirror'
import { useEffect, useRef } from 'preact/hooks'

// The page's own colours, so that light and dark are one theme.
const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword, tags.definitionKeyword], color: 'var(--calling)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--finished)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--human)' },
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
  { tag: [tags.function(tags.definition(tags.variableName)), tags.className], color: 'var(--running)' },
])

/** A code editor. Tab leaves it, as in any other field; Python's indent comes with Enter. */
export function Editor({ label, text, onText }: { label: string; text: string; onText: (text: string) => void }) {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const tell = useRef(onText)
  tell.current = onText

  useEffect(() => {
    const editor = new EditorView({
      parent: place.current!,
      doc: text,
      extensions: [
        basicSetup,
        python(),
        syntaxHighlighting(colours),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) tell.current(update.state.doc.toString())
        }),
      ],
    })
    view.current = editor
    return () => editor.destroy()
  }, [])

  useEffect(() => {
    const editor = view.current!
    const now = editor.state.doc.toString()
    if (now !== text) editor.dispatch({ changes: { from: 0, to: now.length, insert: text } })
  }, [text])

  return <div class="pg-editor" ref={place} />
}
