/**
 * The timeline: one mark for each frame recorded.
 *
 * @import { CardShown, Frame } from "../../playground/src/frame"
 */
import { KINDS, make } from "./make.js";

/** One mark for each frame recorded. @param {(index: number) => void} goTo */
export function makeTimeline(goTo) {
  const node = make("div", "line");
  node.setAttribute("role", "group");
  node.setAttribute("aria-label", "Timeline");
  /** @type {HTMLButtonElement[]} */ const marks = [];
  let reached = -1; // marks up to this one are past, the others lie ahead
  let ofCards = true; // a reader who has not met cards reads of stops

  return {
    node,
    /** @param {number} length */
    cut(length) {
      for (const gone of marks.splice(length)) gone.remove();
      reached = Math.min(reached, length - 1);
    },
    /** @param {Frame} frame */
    add(frame) {
      const mark = markOf(frame);
      mark.title = titleOf(frame, ofCards);
      const index = marks.push(mark) - 1;
      mark.addEventListener("click", () => goTo(index));
      node.append(mark);
    },
    /** @param {Frame[]} frames @param {boolean} withCards */
    name(frames, withCards) {
      if (withCards === ofCards) return;
      ofCards = withCards;
      frames.forEach((frame, index) => {
        const mark = marks[index];
        if (mark) mark.title = titleOf(frame, ofCards);
      });
    },
    /** @param {number} at */
    show(at) {
      const stepping = node.contains(document.activeElement);
      const [before, now] = [marks[reached], marks[at]];
      before?.removeAttribute("aria-current");
      if (before) before.tabIndex = -1;
      for (const mark of marks.slice(reached + 1, at + 1)) mark.classList.add("past");
      for (const mark of marks.slice(at + 1, reached + 1)) mark.classList.remove("past");
      reached = now ? at : -1;
      if (!now) return;
      now.setAttribute("aria-current", "step");
      now.tabIndex = 0; // one stop for Tab, the arrow keys do the rest
      if (stepping) now.focus({ preventScroll: true });
      const beside = now.offsetLeft + now.offsetWidth / 2 - node.clientWidth / 2;
      node.scrollLeft = beside; // the marks around it can be seen too
    },
  };
}

/** @param {Frame} frame */
function markOf({ card, outcome }) {
  const good = outcome !== null && outcome.answer !== null && outcome.error === null;
  const kind = card ? card.kind : good ? "finished" : "stopped";
  const mark = make("button", `mark ${kind}`, card ? wordOf(card) : "over");
  mark.type = "button";
  mark.tabIndex = -1;
  return mark;
}

/** @param {CardShown} card */
const wordOf = (card) => (card.kind === "other" ? card.name : KINDS[card.kind].word);

/** @param {Frame} frame @param {boolean} ofCards */
function titleOf({ card, number, outcome }, ofCards) {
  if (!card) return `run over: ${outcome?.reason ?? ""}`;
  const round = card.round === null ? "" : `, round ${card.round}`;
  return ofCards ? `card ${number}: ${card.name}${round}` : `stop ${number}: ${wordOf(card)}${round}`;
}
