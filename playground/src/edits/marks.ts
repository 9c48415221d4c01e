// Lines of the editor that Python points at: a colour behind the line, a sign in the gutter, the reason behind the text.
import { type Extension, type Range, RangeSet, StateEffect, StateField } from '@codemirror/state'
import { Decoration, EditorView, GutterMarker, gutter } from '@codemirror/view'
import type { Pointed } from '../frame'

const point = StateEffect.define<readonly Pointed[]>()

/** Decorations and gutter signs are sets over the same lines. */
interface Marks {
  lines: RangeSet<Decoration>
  signs: RangeSet<GutterMarker>
}

class Sign extends GutterMarker {
  constructor(readonly what: string) {
    super()
  }
  override eq(other: Sign) {
    return other.what === this.what
  }
  override toDOM() {
    const sign = document.createElement('span')
    sign.className = 'pg-sign'
    sign.textContent = '!'
    sign.title = this.what
    return sign
  }
}

const NONE: Marks = { lines: RangeSet.empty, signs: RangeSet.empty }

const field = StateField.define<Marks>({
  create: () => NONE,
  update(marks, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(point)) return drawn(effect.value, transaction.state.doc)
    }
    // Edited text is not what Python ran.
    return transaction.docChanged ? NONE : marks
  },
  provide: (self) => EditorView.decorations.from(self, ({ lines }) => lines),
})

function drawn(pointed: readonly Pointed[], doc: { lines: number; line(at: number): { from: number } }): Marks {
  const lines: Range<Decoration>[] = []
  const signs: Range<GutterMarker>[] = []
  for (const { line, what } of pointed) {
    if (line < 1 || line > doc.lines) continue
    const { from } = doc.line(line)
    lines.push(Decoration.line({ class: 'pg-pointed-line', attributes: { 'data-what': what } }).range(from))
    signs.push(new Sign(what).range(from))
  }
  return { lines: RangeSet.of(lines, true), signs: RangeSet.of(signs, true) }
}

export const marks: Extension = [
  field,
  gutter({ class: 'pg-signs', markers: (view) => view.state.field(field).signs, initialSpacer: () => new Sign('') }),
]

export const pointAt = (pointed: readonly Pointed[]) => point.of(pointed)
