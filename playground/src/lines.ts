// Made of mingraph_lite/views/lines_types.py by `python -m mingraph_lite.views.typescript playground/src/lines.ts`

/**
 * Lines to order, where they were put, and what the check said.
 *
 * `lines` stand in their shuffled order. `placed` is empty before the first check.
 * `left_out` has the letters of the lines that are one too many. `verdict` is empty
 * until something was checked.
 */
export interface Lines {
  lines: Array<LineToOrder>
  placed: Array<Placed>
  left_out: Array<string>
  verdict: string
  right: boolean
}

/**
 * One line of code, not indented; each `____` is a blank.
 */
export interface LineToOrder {
  letter: string
  text: string
}

/**
 * Where one line was put: how deep, with what in its blanks.
 */
export interface Placed {
  letter: string
  depth: number
  fills: Array<string>
}
