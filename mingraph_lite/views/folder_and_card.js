/**
 * The folder and the card: one run, drawn from the frames it has recorded so far.
 *
 * A notebook (through anywidget) and the playground page share this file and those beside it. It draws what it is given
 * and says what was pressed; who runs the agent, and where, it does not know.
 */

/**
 * What a frame holds is written in frame_types.py, and these are made of it.
 *
 * @import { Frame, Panel } from "../../playground/src/frame"
 *
 * @typedef {object} Shown
 * @property {Frame[]} frames  the frames recorded so far
 * @property {number} at  the index of the frame to show
 * @property {boolean} controls  false where other controls do the job
 * @property {boolean} busy  the card in hand is being run
 * @property {boolean} canNext  another card can be asked for
 * @property {boolean} canPlay  Play does something at the end too: it begins a fresh run
 * @property {Panel[]} panels  what is shown; a switch in the picture shows all
 * @property {"" | "large"} size  large is for a projector
 * @property {{act: string, label: string, title: string, can: boolean}[]} more  buttons beside Reset, quieter than it
 * @property {string[]} speeds  of Play; none where there is one speed
 * @property {string} speed  the one that is chosen
 * @property {string} waiting  what is waited for, in the place of the sentence
 *
 * What was pressed: next, back, reset, play, stop; goto and speed with a number; and the acts in `more`.
 */

import { makeControls } from "./controls.js";
import { makeHand } from "./hand.js";
import { makeFolder, messages } from "./lines.js";
import { make } from "./make.js";
import { bringUp, letGoOn } from "./notebook.js";
import { makeAloud } from "./read_aloud.js";
import { makeRecord } from "./record.js";
import { makeSpeaker } from "./speaker.js";
import { makeTimeline } from "./timeline.js";

/** @import { Recorded } from "./record.js" */

/** Each panel in the words of its heading, in the order in which they stand. @type {[Panel, string][]} */
const PANELS = [
  ["folder", "the folder"],
  ["aloud", "what was read aloud"],
  ["card", "the card"],
];

/** @type {Shown} */
const NOTHING = {
  frames: [],
  at: 0,
  controls: true,
  busy: false,
  canNext: false,
  canPlay: false,
  panels: ["folder", "card"],
  size: "",
  more: [],
  speeds: [],
  speed: "",
  waiting: "",
};

/**
 * Draws the folder and the card into `el` and tells `act` what was pressed.
 *
 * @param {HTMLElement} el
 * @param {(name: string, value?: number) => void} act
 */
export function mount(el, act) {
  let shown = NOTHING;
  let allShown = false;
  const record = makeRecord();
  const last = () => shown.frames.length - 1;
  const onward = () => shown.at < last() || (!shown.busy && shown.canNext);

  const press = {
    // Over frames already recorded there is nothing to run: moving on is only a look.
    forward: () => onward() && (shown.at < last() ? act("goto", shown.at + 1) : act("next")),
    back: () => shown.at > 0 && act("back"),
    first: () => shown.at > 0 && act("goto", 0),
    last: () => shown.at < last() && act("goto", last()),
    play: () => act("play"),
    reset: () => act("reset"),
    stop: () => act("stop"),
    all: () => {
      allShown = !allShown;
      draw();
    },
  };
  const keys = new Map([
    ["ArrowRight", press.forward],
    ["ArrowLeft", press.back],
    ["Home", press.first],
    ["End", press.last],
  ]);

  const folder = makeFolder();
  const aloud = makeAloud();
  const hand = makeHand();
  const nodes = { folder: folder.node, aloud: aloud.node, card: hand.node };
  const timeline = makeTimeline((index) => act("goto", index));
  const controls = makeControls(press, act);
  const speaker = makeSpeaker();
  const panels = make("div", "panels");
  const desk = make("div", "desk", panels, timeline.node, controls.node, speaker.node);
  desk.tabIndex = 0;
  desk.setAttribute("role", "group");
  // JupyterLab hears keys before the page does; this is its own way to be told that they are not for it. It looks for
  // that on what has the keyboard before it looks further out.
  desk.dataset.lmSuppressShortcuts = "true";
  desk.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    const typing = target.isContentEditable || target.closest("input, textarea, select");
    const move = keys.get(event.key);
    if (!move || typing || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (scrolls(target, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  });
  const root = make("div", "mingraph folder-and-card", desk);
  el.append(root);

  function draw() {
    const { at, busy } = shown;
    const now = allShown ? PANELS.map(([name]) => name) : shown.panels;
    const withCard = now.includes("card");
    if (panels.dataset.shown !== now.join(" ")) {
      panels.replaceChildren(...PANELS.filter(([name]) => now.includes(name)).map(([name]) => nodes[name]));
      panels.dataset.shown = now.join(" ");
      panels.dataset.count = String(now.length);
      desk.setAttribute("aria-label", named(now));
    }
    root.dataset.size = shown.size;
    folder.show(record, at);
    if (now.includes("aloud")) aloud.show(record, at);
    hand.show(record, at, busy && at === last());
    timeline.show(record, at, withCard, shown.controls);
    const every = shown.panels.length === PANELS.length;
    controls.show(shown, onward(), sentenceOf(record, at, withCard), every ? null : allShown);
    speaker.say(record, at, busy, withCard);
  }

  draw();
  return {
    /** @param {Partial<Shown>} changes */
    update(changes) {
      const held = root.contains(document.activeElement);
      shown = { ...shown, ...changes };
      shown.at = Math.max(0, Math.min(shown.at, last()));
      record.take(shown.frames);
      draw();
      // A mark that Reset takes away had the keyboard; the desk gets it, so that the arrows go on working.
      if (held && !root.contains(document.activeElement)) desk.focus({ preventScroll: true });
    },
    destroy() {
      for (const part of [folder, aloud, timeline, speaker]) part.destroy();
      root.remove();
    },
  };
}

/** The picture's name for who hears it. @param {Panel[]} panels */
function named(panels) {
  const names = PANELS.filter(([name]) => panels.includes(name)).map(([, words]) => words);
  const text = [names.slice(0, -1).join(", "), names.at(-1)].filter(Boolean).join(" and ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Where no card is shown, nothing is said of it. @param {Recorded} record @param {number} at @param {boolean} withCard */
function sentenceOf({ frames, sums }, at, withCard) {
  const frame = frames[at];
  if (!frame || withCard || !frame.card) return frame?.sentence ?? "";
  return `folder has ${messages(sums.ends[at] ?? 0)}`;
}

/** Whether an arrow moves long lines of source in the box that has the keyboard. @param {HTMLElement} box @param {string} key */
function scrolls(box, key) {
  if (!box.matches("pre")) return false;
  const rest = box.scrollWidth - box.clientWidth - box.scrollLeft;
  return (key === "ArrowRight" && rest > 1) || (key === "ArrowLeft" && box.scrollLeft > 0);
}

/**
 * What anywidget calls in a notebook: the traits hold the frames, Python hears what was pressed.
 *
 * @param {{model: any, el: HTMLElement}} notebook
 */
function render({ model, el }) {
  const traits = ["frames", "at", "busy", "can_next", "panels", "size"];
  // Where it was pressed: what waits until the kernel is free may come too late.
  const place = () => ({ at: model.get("at"), run: model.get("run") });
  const view = mount(el, (act, value) => model.send({ act, value: value ?? null, ...place() }));
  // JupyterLab looks for this on what has the keyboard before it looks further out; on the page nobody wants the keys.
  const hold = (/** @type {FocusEvent} */ { target }) => {
    /** @type {HTMLElement} */ (target).dataset.lmSuppressShortcuts = "true";
  };
  el.addEventListener("focusin", hold);
  const ends = [letGoOn(el), bringUp(el), () => el.removeEventListener("focusin", hold)];
  const show = () => {
    const [frames, at, busy, canNext, panels, size] = traits.map((name) => model.get(name));
    view.update({ frames, at, busy, canNext, panels, size, controls: false });
    nameSlider(el.parentElement);
  };
  for (const name of traits) model.on(`change:${name}`, show);
  show();
  return () => {
    for (const name of traits) model.off(`change:${name}`, show);
    for (const end of ends) end();
    view.destroy();
  };
}

/** ipywidgets gives its slider a label to see, but no name to hear. @param {HTMLElement | null} box */
function nameSlider(box) {
  const label = box?.querySelector(".widget-slider label")?.textContent;
  if (label) box.querySelector(".widget-slider [role=slider]")?.setAttribute("aria-label", label);
}

export default { render };
