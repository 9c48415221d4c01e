/**
 * The hand: the one card that says where the run is, with its fields, its source, and who picked it.
 *
 * @import { CardKind, CardShown, Frame } from "../../playground/src/frame"
 * @import { Recorded } from "./record.js"
 */
import { long } from "./long_text.js";
import { bringIntoView, heading, icon, make } from "./make.js";
import { notesOn } from "./notes.js";

/** The hand holds one card; a new one is laid down only when the frame is another. */
export function makeHand() {
  const count = make("span", "count");
  const place = make("div", "place");
  let held = ""; // what the card on the table was drawn from
  let open = false; // a reader who opened the source compares it with the next card's

  /** @param {Frame} frame @param {string} source @param {string} ran  the card before */
  const lay = (frame, source, ran) => {
    open = place.querySelector("details")?.open ?? open; // a press may not have been told of yet
    const card = frame.card ? cardInHand(frame, frame.card, source, ran) : nothingInHand(frame, ran);
    const fold = card.querySelector("details");
    if (fold) {
      fold.open = open;
      fold.addEventListener("toggle", () => {
        open = fold.open;
        if (open) showReturns(card);
      });
    }
    const reading = place.contains(document.activeElement);
    place.replaceChildren(card);
    if (reading) card.focus({ preventScroll: true });
  };

  return {
    node: make("div", "", heading("The card", "where we are", count), place),
    /** @param {Recorded} record @param {number} at @param {boolean} running */
    show({ frames, sums, version }, at, running) {
      const frame = frames[at];
      const number = frame?.card ? `card ${frame.number}` : frame ? "run over" : "no card yet";
      count.textContent = running && frame?.card ? `${number}, running` : number;
      const asked = frame ? `${version} ${at}` : "";
      if (asked === held) return;
      held = asked;
      if (frame) lay(frame, sums.sources[at] ?? "", frames[at - 1]?.card?.name ?? "");
      else place.replaceChildren();
    },
  };
}

/** @param {CardKind} kind @param {string} name @param {(Node | string)[]} rest */
function paper(kind, name, ...rest) {
  const card = make("div", `card ${kind}`, make("div", "name", icon(kind), make("span", "", name)), ...rest);
  card.tabIndex = 0; // it scrolls when its fields are long
  card.setAttribute("role", "group");
  card.setAttribute("aria-label", name);
  return card;
}

/** @param {Frame} frame @param {CardShown} card @param {string} source @param {string} ran */
function cardInHand(frame, card, source, ran) {
  /** @type {HTMLElement[]} */ const parts = card.rule ? [make("p", "rule", long(card.rule))] : [];
  const fields = Object.entries(card.fields);
  const pairs = fields.flatMap(([name, value]) => [make("dt", "", name), make("dd", "", long(value))]);
  if (pairs.length) parts.push(make("dl", "", ...pairs));
  parts.push(make("p", "picked", ...pickedBy(frame)), ...notesOn(frame, ran));
  if (source) {
    const code = make("pre", "", make("code", "", ...sourceLines(source)));
    code.tabIndex = 0; // long lines scroll sideways
    code.setAttribute("role", "group");
    code.setAttribute("aria-label", `source of ${card.name}`);
    parts.push(make("details", "", make("summary", "", "source"), code));
  }
  return paper(card.kind, card.name, ...parts);
}

const QUOTES = /"""|'''/g;
const RETURN = /^\s*(?:[^#"']*:\s*)?return\b/;

/** The source with its returns marked: they say which card is next. @param {string} source */
function sourceLines(source) {
  let quoted = false; // a docstring may begin a line with this word too
  return source.split(/(?<=\n)/).map((text) => {
    const marked = !quoted && RETURN.test(text);
    if ((text.match(QUOTES) ?? []).length % 2) quoted = !quoted;
    return marked ? make("mark", "", text) : text;
  });
}

/** Moves the card under its frame until its returns can be seen, or the first of them. @param {HTMLElement} card */
function showReturns(card) {
  const returns = [...card.querySelectorAll("mark")];
  const [first, last] = [returns[0], returns.at(-1)];
  if (!first || !last) return;
  bringIntoView(card, last, 8);
  // The card's name stays on top of what is scrolled under it.
  const name = /** @type {HTMLElement} */ (card.firstElementChild);
  bringIntoView(card, first, name.offsetHeight);
}

/** @param {Frame} frame @returns {(Node | string)[]} */
function pickedBy({ picked_by, because }) {
  const reason = because ? [" because ", long(because)] : [];
  return picked_by ? ["picked by ", make("b", "", picked_by), ...reason] : ["the first card of the run", ...reason];
}

/** @param {Frame} frame  the closing one @param {string} ran */
function nothingInHand(frame, ran) {
  const { reason, answer: text, error } = frame.outcome ?? { reason: "", answer: null, error: null };
  /** @type {HTMLElement[]} */
  const parts = [make("p", "rule", "The run is over: ", make("b", "", reason || "no reason given"), ".")];
  if (text !== null) parts.push(make("p", "last", long(text)));
  if (error !== null) parts.push(make("p", "last error", make("code", "", long(error))));
  parts.push(...notesOn(frame, ran));
  const card = paper(text !== null && error === null ? "finished" : "stopped", "Run over", ...parts);
  card.classList.add("over");
  return card;
}
