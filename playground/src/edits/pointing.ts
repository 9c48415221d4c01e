// Where Python points in the learner's code, at the frame that is shown.
import type { Pointed } from '../frame'
import type { Run } from '../run'

const TOOLS_FILE = 'tools.py'

export const isOfTools = ({ file }: Pointed) => file === TOOLS_FILE

/** What the notice points at, then what the shown frame does; a line once. */
export function pointedNow({ notice, frames, at }: Run): Pointed[] {
  const refused = notice.value?.pointed
  // A stop belongs to the end of the run: while the reader looks at an earlier frame, that one's lines are marked.
  const atEnd = at.value >= frames.value.length - 1
  const shown = frames.value[at.value]?.pointed ?? []
  const all = [...(refused && atEnd ? [refused] : []), ...shown]
  return all.filter((one, index) => all.findIndex((other) => isSame(one, other)) === index)
}

export const isSame = (one: Pointed, other: Pointed) => one.file === other.file && one.line === other.line
