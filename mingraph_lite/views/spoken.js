/**
 * What a screen reader hears of a step: what is new in the picture, in words.
 *
 * @import { Frame, Line, Slip } from "../../playground/src/frame"
 */
import { amount, cut } from "./long_text.js";
import { told } from "./notes.js";

const LONG = 300; // characters; a result of pages would be read for minutes
const ANSWER = 2000; // the answer is what the run was for
const MOST = 12; // lines; whoever jumps far hears the last of them

/**
 * The sentence for the way from one frame to another.
 *
 * @param {Frame[]} frames
 * @param {number} from  the frame that was spoken last, -1 before the first
 * @param {number} at  the frame that is shown
 * @param {boolean} withCard  where no card is shown, nothing is said of it
 */
export function spoken(frames, from, at, withCard) {
  const frame = frames[at];
  if (!frame) return "";
  if (at <= from) return `Back at ${where(frame, withCard)}.`;
  const passed = frames.slice(from + 1, at + 1);
  const lines = passed.flatMap((each) => each.lines);
  // The last message is the answer, which the end says again.
  if (!frame.card && lines.at(-1)?.text === frame.outcome?.answer) lines.pop();
  const left = Math.max(0, lines.length - MOST);
  const parts = left ? [`${left} more ${left === 1 ? "message" : "messages"} before.`] : [];
  parts.push(...lines.slice(left).map(lineInWords), ...passed.slice(-MOST).flatMap(noticed));
  parts.push(frame.card ? inHand(frame, withCard) : ended(frame));
  return parts.filter(Boolean).join(" ");
}

/** @param {Frame} frame @param {boolean} withCard */
function where({ card, number }, withCard) {
  if (!card) return "the end of the run";
  return withCard ? `card ${number}, ${card.name}` : `stop ${number}`;
}

/** @type {Record<Line["who"], string>} */
const SAYS = {
  system: "The system prompt says",
  user: "The user says",
  model: "The model says",
  tool: "A tool answers",
  other: "Somebody says",
};

/** @param {Line} line */
function lineInWords({ who, text, slips, answers }) {
  const says = answers === null ? SAYS[who] : `The answer to number ${answers} is`;
  const words = text || !slips.length ? [`${says}: ${text ? sentence(text) : "nothing."}`] : [];
  const asks = slips.length
    ? [`${who === "model" ? "The model" : "Somebody"} asks for ${sentence(listed(slips))}`]
    : [];
  return [...words, ...asks].join(" ");
}

/** @param {Slip[]} slips */
const listed = (slips) =>
  slips
    .map(({ number, call, problem }) => {
      const why = problem ? `, which cannot be run: ${short(problem, LONG)}` : "";
      return `number ${number}, ${short(call, LONG)}${why}`;
    })
    .join("; ");

/** @param {Frame} frame @returns {string[]} */
function noticed(frame) {
  const { notes, warnings, printed, pointed } = told(frame);
  return [
    ...notes.map((note) => `Note on the reply: ${sentence(note)}`),
    ...warnings.map((what) => `Warning: ${sentence(what)}`),
    ...(printed ? [`Printed: ${sentence(printed.trim())}`] : []),
    ...pointed.map(({ file, line, text, what }) => `${file}, line ${line}: ${short(text, LONG)}. ${sentence(what)}`),
  ];
}

/** @param {Frame} frame @param {boolean} withCard */
function inHand({ card, number, picked_by, because }, withCard) {
  if (!card || !withCard) return "";
  const reason = because ? ` because ${because}` : "";
  const picked = picked_by ? `, picked by ${picked_by}${reason}` : reason;
  return sentence(`In the hand is card ${number}, ${card.name}${picked}`);
}

/** @param {Frame} frame  the closing one */
function ended({ outcome }) {
  const { reason, answer, error } = outcome ?? { reason: "", answer: null, error: null };
  const parts = [`The run is over: ${reason || "no reason given"}.`];
  if (answer !== null) parts.push(`The answer is: ${sentence(answer, ANSWER)}`);
  if (error !== null) parts.push(`The error is: ${sentence(error, ANSWER)}`);
  return parts.join(" ");
}

/** @param {string} text @param {number} room */
const sentence = (text, room = LONG) => {
  const words = short(text.trim(), room);
  return /[.!?…]$/.test(words) ? words : `${words}.`;
};

/** @param {string} text @param {number} room */
function short(text, room) {
  if (text.length <= room) return text;
  const kept = cut(text, room);
  return `${kept} … and ${amount(text.slice(kept.length))} more characters`;
}
