/**
 * The timeline: a mark for each frame recorded, and a slider where there are more than can be seen.
 *
 * @import { CardShown, Frame } from "../../playground/src/frame"
 * @import { Recorded } from "./record.js"
 */
import { KINDS, make } from "./make.js";
import { makeWindow } from "./windowed.js";

const AROUND = 20; // marks drawn before and after the shown one

/** @param {(index: number) => void} goTo */
export function makeTimeline(goTo) {
  const line = make("div", "line");
  const slider = makeSlider(goTo);
  const node = make("div", "timeline", line, slider.node);
  node.setAttribute("role", "group");
  node.setAttribute("aria-label", "Timeline");
  /** @type {Frame[]} */ let frames = [];
  let ofCards = true; // a reader who has not met cards reads of stops
  let version = 0;
  let shown = -1; // marks up to this one are past, the others lie ahead

  const marks = makeWindow(line, (index) => {
    const mark = markOf(/** @type {Frame} */ (frames[index]), ofCards);
    if (index <= shown) mark.classList.add("past");
    mark.addEventListener("click", () => goTo(index));
    return mark;
  });
  const [first, after] = [() => Math.max(0, shown - AROUND), () => Math.min(frames.length, shown + AROUND + 1)];

  /** The shown mark is in the middle, and those around it can be seen too. */
  const centre = () => {
    const now = marks.at(shown);
    const far = after() - first() < frames.length; // the slider alone reaches its ends
    node.classList.toggle("far", far);
    slider.node.classList.toggle("needed", far || line.scrollWidth > line.clientWidth);
    if (now) line.scrollLeft = now.offsetLeft + now.offsetWidth / 2 - line.clientWidth / 2;
  };
  const watcher = new ResizeObserver(centre);
  watcher.observe(line);

  /** Says of each mark whether it is past, shown or ahead. @param {number} at */
  const reach = (at) => {
    const before = marks.at(shown);
    before?.removeAttribute("aria-current");
    if (before) before.tabIndex = -1;
    const [low, high] = [Math.min(at, shown), Math.max(at, shown)];
    shown = at;
    marks.show(first(), after());
    for (let index = Math.max(low, first()); index <= Math.min(high, after() - 1); index += 1) {
      marks.at(index)?.classList.toggle("past", index <= at);
    }
  };

  return {
    node,
    /** @param {Recorded} record @param {number} at @param {boolean} withCards @param {boolean} withSlider */
    show(record, at, withCards, withSlider) {
      const stepping = line.contains(document.activeElement);
      const same = record.version === version && withCards === ofCards;
      if (same && record.frames.length === frames.length && at === shown) return;
      if (!same) {
        marks.clear();
        shown = -1;
      }
      [frames, version, ofCards] = [record.frames, record.version, withCards];
      reach(frames.length ? at : -1);
      slider.show(record.frames, at, withCards, withSlider);
      const now = marks.at(shown);
      if (now) {
        now.setAttribute("aria-current", "step");
        now.tabIndex = 0; // one stop for Tab, the arrow keys do the rest
        if (stepping) now.focus({ preventScroll: true });
      }
      centre();
    },
    destroy: () => watcher.disconnect(),
  };
}

/** It has its place from the first frame, and is seen where it is needed. @param {(index: number) => void} goTo */
function makeSlider(goTo) {
  const node = make("input", "slider");
  Object.assign(node, { type: "range", min: "1", step: "1", value: "1", ariaLabel: "Go to a recorded card" });
  node.addEventListener("input", () => goTo(Number(node.value) - 1));
  return {
    node,
    /** @param {Frame[]} frames @param {number} at @param {boolean} withCards @param {boolean} shown */
    show(frames, at, withCards, shown) {
      node.hidden = !shown;
      node.max = String(Math.max(1, frames.length));
      node.value = String(at + 1);
      const cards = frames.length - (frames.at(-1)?.card === null ? 1 : 0);
      const word = withCards ? "card" : "stop";
      node.ariaLabel = `Go to a recorded ${word}`;
      node.ariaValueText = frames[at]?.card ? `${word} ${at + 1} of ${cards} recorded` : `run over, ${cards} recorded`;
    },
  };
}

/** @param {Frame} frame @param {boolean} ofCards */
function markOf(frame, ofCards) {
  const { card, outcome } = frame;
  const good = outcome !== null && outcome.answer !== null && outcome.error === null;
  const kind = card ? card.kind : good ? "finished" : "stopped";
  const mark = make("button", `mark ${kind}`, card ? wordOf(card) : "over");
  mark.type = "button";
  mark.tabIndex = -1;
  mark.title = titleOf(frame, ofCards);
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
