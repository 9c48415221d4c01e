import { python } from '@codemirror/lang-python'
import { HighlightStyle, indentUnit, syntaxHighlighting } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { type ReadonlySignal, useSignalEffect } from '@preact/signals'
import { basicSetup } from 'codemirror'
import { useEffect, useRef } from 'preact/hooks'
import { marks, pointAt } from '../edits/marks'
import type { Pointed } from '../frame'

// The page's own colours, so that light and dark are one theme.
const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword, tags.definitionKeyword], color: 'var(--calling)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--finished)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--human)' },
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
  { tag: [tags.function(tags.definition(tags.variableName)), tags.className], color: 'var(--running)' },
])

export interface EditorProps {
  label: string
  /** The id of what is said about it. */
  about: string
  text: ReadonlySignal<string>
  onText(text: string): void
  /** Lines that Python points at. */
  marked: readonly Pointed[]
  /** A line that is to be shown, with the cursor in it. */
  lookingFor: { line: number } | null
  onFound(): void
}

/** A code editor. Tab leaves it, as in any other field; Python's indent comes with Enter. */
export function Editor({ label, about, text, onText, marked, lookingFor, onFound }: EditorProps) {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const tell = useRef(onText)
  tell.current = onText

  useEffect(() => {
    const editor = new EditorView({
      parent: place.current!,
      doc: text.peek(),
      extensions: [
        marks,
        basicSetup,
        python(),
        indentUnit.of('    '),
        syntaxHighlighting(colours),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label, 'aria-describedby': about }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) tell.current(update.state.doc.toString())
        }),
      ],
    })
    view.current = editor
    return () => editor.destroy()
  }, [])

  // What was taken back is one change of its own, and Ctrl+Z undoes it. Why not in an effect of the rendering? It would
  // come later than the next key of a quick typist, and put an older text in the place of theirs.
  useSignalEffect(() => {
    const now = text.value
    const editor = view.current
    const old = editor?.state.doc.toString()
    if (editor && old !== undefined && old !== now) {
      editor.dispatch({ changes: { from: 0, to: old.length, insert: now }, userEvent: 'takeback' })
    }
  })

  useEffect(() => {
    view.current!.dispatch({ effects: pointAt(marked) })
  }, [JSON.stringify(marked)])

  useEffect(() => {
    if (!lookingFor) return
    // Its tab is being opened: a hidden editor cannot take the keyboard.
    const soon = requestAnimationFrame(() => {
      show(view.current!, lookingFor.line)
      onFound()
    })
    return () => cancelAnimationFrame(soon)
  }, [lookingFor])

  return <div class="pg-editor" ref={place} />
}

function show(editor: EditorView, line: number) {
  const { doc } = editor.state
  const { from, text } = doc.line(Math.max(1, Math.min(line, doc.lines)))
  const anchor = from + (text.length - text.trimStart().length)
  editor.focus()
  editor.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) })
}
