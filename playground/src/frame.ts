// Made of mingraph_lite/views/frame_types.py by `python -m mingraph_lite.views.typescript playground/src/frame.ts`

/**
 * One stop: the card in the hand, and what is new.
 *
 * The card has not run yet; where the run is over there is no card but an outcome.
 * `picked_by` and `because` say who handed the card over and why, `sentence` is the
 * picture in words. `readings` are the model calls since the frame before, `asides`
 * what they were read that is no line of the folder, such as a summary. `printed` is
 * what code printed while the card before ran, empty where nobody listened; `pointed`
 * are the places in code of one's own where something went wrong.
 */
export interface Frame {
  number: number | null
  card: CardShown | null
  picked_by: string | null
  because: string
  lines: Array<Line>
  asides: Array<Line>
  readings: Array<Reading>
  events: Array<Happening>
  outcome: Outcome | null
  printed: string
  pointed: Array<Pointed>
  sentence: string
}

/**
 * A card as it is drawn.
 *
 * `source` is null where a frame before shows a card of this name with the same
 * source, and empty where nobody kept it.
 */
export interface CardShown {
  name: string
  kind: CardKind
  rule: string
  fields: Record<string, string>
  source: string | null
  round: number | null
}

export type CardKind = "calling" | "running" | "finished" | "stopped" | "human" | "other"

/**
 * One message of the folder.
 *
 * `answers` is the number of the slip that it answers. `added_by` is the kind of card
 * that added it, null for what was there before the first card.
 */
export interface Line {
  who: Who
  text: string
  slips: Array<Slip>
  answers: number | null
  added_by: CardKind | null
}

export type Who = "system" | "user" | "model" | "tool" | "other"

/**
 * One tool call.
 *
 * `arguments` is the JSON that goes to the tool. `call` is both as a reader writes
 * them, cut where it is long. `raw` is what was sent where the arguments are not as
 * they came, `problem` is why it cannot be run.
 */
export interface Slip {
  number: number
  name: string
  arguments: string
  call: string
  raw: string | null
  problem: string | null
}

/**
 * What one model call was read aloud, from the top.
 *
 * `folder` counts the lines that were there then; those in no span were held back.
 * `menu` holds the tools on offer, and is null where they are those of the call
 * before.
 */
export interface Reading {
  step: number
  spans: Array<Span>
  folder: number
  menu: Array<ToolShown> | null
}

/**
 * Lines that follow each other: from `start` up to, not including, `end`.
 *
 * They are counted from 0 over all frames: lines of the folder, or asides. Why not
 * the lines themselves? Each call reads out most of the folder again, and a long run
 * would repeat every line at every call.
 */
export interface Span {
  of: "folder" | "aside"
  start: number
  end: number
}

/**
 * One tool of a menu, as the model reads it.
 *
 * `parameters` is their JSON schema as text, empty where a menu has none.
 */
export interface ToolShown {
  name: string
  description: string
  parameters: string
}

/**
 * One announcement, in a few words.
 *
 * `what` is cut where it is long. `line` is the line of the folder that holds the rest
 * of it, counted from 0 over all frames; where no line does, `whole` has the text.
 *
 * The other fields are those of a reply, but for `value`: what a tool gave back, as
 * JSON. It is null where the line is that very text, and empty where the line is its
 * JSON, so that a long result is said once.
 */
export interface Happening {
  seq: number
  step: number
  name: string
  what: string
  whole: string | null
  line: number | null
  value: string | null
  notes: Array<string>
  reasoning: string | null
  finish_reason: string | null
  model: string | null
  tokens_in: number | null
  tokens_out: number | null
  tokens_reasoning: number | null
  tokens_cached: number | null
}

/**
 * How a run ended.
 *
 * A card of one's own may finish with a word of its own.
 */
export interface Outcome {
  reason: FinishReason | string
  answer: string | null
  error: string | null
}

export type FinishReason = "answered" | "refused" | "step limit" | "token limit" | "cost limit" | "time limit" | "failed" | "interrupted" | "abandoned" | "paused"

/**
 * A place in code of one's own, and what happened there.
 *
 * `text` is the line itself, without the spaces around it.
 */
export interface Pointed {
  file: string
  line: number
  text: string
  what: string
}

export type Panel = "folder" | "aloud" | "card"
