/**
 * The folder and the card: one run, drawn from the frames it has recorded so far.
 *
 * A notebook (through anywidget) and the playground page share this file as it is. It draws what it is given
 * and says what was pressed; who runs the agent, and where, it does not know.
 */

/**
 * What a frame holds is written in frame_types.py, and these are made of it.
 *
 * @import { CardKind, CardShown, Frame, Line, Slip } from "../../playground/src/frame"
 *
 * @typedef {object} Shown
 * @property {Frame[]} frames  the frames recorded so far
 * @property {number} at  the index of the frame to show
 * @property {boolean} controls  false where other controls do the job
 * @property {boolean} busy  the card in hand is being run
 * @property {boolean} canNext  another card can be asked for
 *
 * @typedef {"next" | "back" | "reset" | "play" | "stop" | "goto"} Act
 */

/**
 * Each kind of card has a word and a shape, so that none of them depends on its colour.
 *
 * @type {Record<CardKind, {word: string, shape: string[]}>}
 */
const KINDS = {
  calling: { word: "call", shape: ["M4 5h16v11h-9l-4 4v-4H4z"] },
  running: {
    word: "tools",
    shape: ["M4 8a2 2 0 0 0 2-2h12a2 2 0 0 0 2 2v3a2 2 0 0 0 0 4v3H4v-3a2 2 0 0 0 0-4z", "M10 8v2m0 2.5v2"],
  },
  finished: { word: "finished", shape: ["M4.5 12.5l5 5L19.5 7"] },
  stopped: { word: "stopped", shape: ["M8.5 3.5h7l5 5v7l-5 5h-7l-5-5v-7z", "M9.5 12h5"] },
  human: { word: "human", shape: ["M12 11.5a4 4 0 1 0 0-8 4 4 0 0 0 0 8z", "M4.5 20.5a7.5 7.5 0 0 1 15 0"] },
  other: { word: "card", shape: ["M6 3.5h12v17H6z", "M9.5 8.5h5m-5 4h5"] },
};

/**
 * Text only ever enters the page as text nodes: a tool's answer may hold HTML.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {string} className @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
function make(tag, className = "", ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children);
  return node;
}

/** @param {CardKind} kind */
function icon(kind) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  for (const d of KINDS[kind].shape) {
    const path = document.createElementNS(svg.namespaceURI, "path");
    path.setAttribute("d", d);
    svg.append(path);
  }
  return svg;
}

/** @param {string} title @param {string} what @param {Node} count */
const heading = (title, what, count) => make("h2", "", make("span", "", make("b", "", title), what), count);

/** @param {number} count */
export const messages = (count) => (count === 1 ? "1 message" : `${count} messages`);

/** Moves a scrolled box, and never the page around it, until the node can be seen.
 * @param {HTMLElement} box @param {HTMLElement} node */
function bringIntoView(box, node) {
  const top = node.offsetTop - box.clientTop;
  const bottom = top + node.offsetHeight;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
}

/** One line of the folder. @param {Line} line */
function row(line) {
  const said = make("div", "said");
  if (line.who === "tool") said.append(answer(line));
  else if (line.text) said.append(make("div", "", line.text));
  else if (!line.slips.length) said.append(make("span", "nothing", "(said nothing)"));
  said.append(...line.slips.map(slip));
  const kind = line.added_by === null ? "" : ` by-${line.added_by}`;
  return make("li", line.who + kind, make("span", "who", line.who), said);
}

/** One tool call; where it is not run as it was sent, what came and why stand below it. @param {Slip} slip */
function slip({ number, call, raw, problem }) {
  const asRead = make("span", problem ? "slip unfit" : "slip", ticket(number), " ", make("code", "", call));
  const why = problem ? [make("p", "", "cannot be run: ", problem)] : [];
  const sent = raw ? [make("p", "", "sent as ", make("code", "", raw))] : [];
  return why.length || sent.length ? make("div", "amiss", asRead, ...why, ...sent) : asRead;
}

/** @param {number} number  the same on a slip and on its answer */
const ticket = (number) => make("span", "no", `#${number}`);

/** @param {Line} line */
function answer(line) {
  const number = line.answers === null ? [] : [ticket(line.answers), " "];
  return make("div", "answer", ...number, make("code", "", line.text));
}

/** The folder keeps a row for every recorded line and shows those up to a frame. */
function makeFolder() {
  const count = make("span", "count");
  const list = make("ol", "folder");
  list.setAttribute("role", "list"); // Safari forgets that a list without bullets is one
  list.tabIndex = 0; // a box that scrolls must be reachable by keyboard
  list.setAttribute("aria-label", "Messages in the folder");
  /** @type {HTMLElement[]} */ const rows = [];
  /** @type {number[]} */ const ends = []; // ends[i]: how many lines frames 0 to i hold
  let fresh = 0; // rows[fresh] to rows[end - 1] carry the coloured edge
  let end = 0;

  const showNewest = () => {
    const newest = rows[end - 1];
    if (newest) bringIntoView(list, newest);
  };
  // A notebook draws the view before it has a place on the page, where nothing can be scrolled yet.
  const watcher = new ResizeObserver(showNewest);
  watcher.observe(list);

  return {
    node: make("div", "", heading("The folder", "what has been said", count), list),
    /** @param {number} length  forgets the lines of the frames from there on */
    cut(length) {
      ends.length = length;
      for (const gone of rows.splice(ends.at(-1) ?? 0)) gone.remove();
      end = Math.min(end, rows.length);
      fresh = Math.min(fresh, end);
    },
    /** @param {Frame} frame */
    add(frame) {
      const added = frame.lines.map(row);
      for (const each of added) each.hidden = true;
      rows.push(...added);
      list.append(...added);
      ends.push(rows.length);
    },
    /** @param {number} at */
    show(at) {
      for (const old of rows.slice(fresh, end)) old.classList.remove("new");
      const past = end;
      end = ends[at] ?? 0;
      fresh = at > 0 ? (ends[at - 1] ?? end) : end;
      for (const each of rows.slice(past, end)) each.hidden = false;
      for (const each of rows.slice(end, past)) each.hidden = true;
      for (const each of rows.slice(fresh, end)) each.classList.add("new");
      count.textContent = messages(end);
      showNewest();
    },
    destroy: () => watcher.disconnect(),
  };
}

/** The hand holds one card; a new one is laid down only when the frame is another. */
function makeHand() {
  const count = make("span", "count");
  const place = make("div", "place");
  let held = ""; // what the card on the table was drawn from
  let open = false; // a reader who opened the source compares it with the next card's

  /** @param {Frame} frame @param {string} source */
  const lay = (frame, source) => {
    const card = frame.card ? cardInHand(frame, frame.card, source) : nothingInHand(frame);
    const fold = card.querySelector("details");
    if (fold) {
      fold.open = open;
      fold.addEventListener("toggle", () => (open = fold.open));
    }
    const reading = place.contains(document.activeElement);
    place.replaceChildren(card);
    if (reading) card.focus({ preventScroll: true });
  };

  return {
    node: make("div", "", heading("The card", "where we are", count), place),
    /** @param {Frame | null} frame @param {string} source @param {boolean} running */
    show(frame, source, running) {
      const number = frame?.card ? `card ${frame.number}` : frame ? "run over" : "no card yet";
      count.textContent = running && frame?.card ? `${number}, running` : number;
      const asked = JSON.stringify([frame, source]);
      if (asked === held) return;
      held = asked;
      if (frame) lay(frame, source);
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

/** @param {Frame} frame @param {CardShown} card @param {string} source */
function cardInHand(frame, card, source) {
  /** @type {HTMLElement[]} */ const parts = [make("p", "rule", card.rule)];
  const pairs = Object.entries(card.fields).flatMap(([name, value]) => [make("dt", "", name), make("dd", "", value)]);
  if (pairs.length) parts.push(make("dl", "", ...pairs));
  parts.push(make("p", "picked", ...pickedBy(frame)), ...notesOn(frame));
  if (source) {
    const code = make("pre", "", make("code", "", source));
    parts.push(make("details", "", make("summary", "", "source"), code));
  }
  return paper(card.kind, card.name, ...parts);
}

/**
 * A frame holds a source only where the frames before do not; look back for it.
 *
 * @param {Frame[]} frames @param {number} at
 */
function sourceAt(frames, at) {
  const name = frames[at]?.card?.name;
  const holds = (/** @type {Frame} */ { card }) => card !== null && card.name === name && card.source !== null;
  return frames.slice(0, at + 1).findLast(holds)?.card?.source ?? "";
}

/** @param {Frame} frame @returns {(Node | string)[]} */
function pickedBy({ picked_by, because }) {
  const reason = because ? ` because ${because}` : "";
  return picked_by ? ["picked by ", make("b", "", picked_by), reason] : [`the first card of the run${reason}`];
}

/** What the card before heard of a reply besides its words. @param {Frame} frame */
function notesOn({ events }) {
  const notes = events.flatMap((event) => event.notes);
  return notes.map((note) => make("p", "note", "note on the reply: ", note));
}

/** @param {Frame} frame  the closing one */
function nothingInHand(frame) {
  const { reason, answer: text, error } = frame.outcome ?? { reason: "", answer: null, error: null };
  const parts = [make("p", "rule", "The run is over: ", make("b", "", reason || "no reason given"), ".")];
  if (text !== null) parts.push(make("p", "last", text));
  if (error !== null) parts.push(make("p", "last error", make("code", "", error)));
  parts.push(...notesOn(frame));
  const card = paper(text !== null && error === null ? "finished" : "stopped", "Nothing in hand", ...parts);
  card.classList.add("over");
  return card;
}

/** One mark for each frame recorded. @param {(index: number) => void} goTo */
function makeTimeline(goTo) {
  const node = make("div", "line");
  node.setAttribute("role", "group");
  node.setAttribute("aria-label", "Timeline");
  /** @type {HTMLButtonElement[]} */ const marks = [];
  let reached = -1; // marks up to this one are past, the others lie ahead

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
      const index = marks.push(mark) - 1;
      mark.addEventListener("click", () => goTo(index));
      node.append(mark);
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
      bringIntoView(node, now);
    },
  };
}

/** @param {Frame} frame */
function markOf({ card, number, outcome }) {
  const good = outcome !== null && outcome.answer !== null && outcome.error === null;
  const kind = card ? card.kind : good ? "finished" : "stopped";
  const word = card?.kind === "other" ? card.name : KINDS[kind].word;
  const mark = make("button", `mark ${kind}`, card ? word : "over");
  const round = card && card.round !== null ? `, round ${card.round}` : "";
  mark.type = "button";
  mark.title = card ? `card ${number}: ${card.name}${round}` : `run over: ${outcome?.reason ?? ""}`;
  mark.tabIndex = -1;
  return mark;
}

/** @param {string} label @param {string} key @param {string} className @param {() => void} press */
function button(label, key, className, press) {
  const node = make("button", className, label);
  node.type = "button";
  if (key) {
    const hint = make("kbd", "", key);
    hint.setAttribute("aria-hidden", "true"); // the label says it already
    node.append(" ", hint);
  }
  node.addEventListener("click", press);
  return node;
}

/**
 * The buttons, and the sentence that says the picture in words.
 *
 * @param {Record<"forward" | "back" | "play" | "reset" | "stop", () => void>} press
 */
function makeControls(press) {
  const next = button("Next card", "→", "main", press.forward);
  const back = button("Back", "←", "", press.back);
  const play = button("Play", "", "", press.play);
  const reset = button("Reset", "", "", press.reset);
  const stop = button("Stop", "", "stop", press.stop);
  const say = make("span", "say");
  say.setAttribute("role", "status"); // a live region is heard only if it was there before its words changed
  const buttons = make("div", "buttons", next, back, play, stop, reset);
  return {
    node: make("div", "controls", buttons, say),
    /** @param {Shown} shown @param {boolean} onward @param {string} sentence */
    show({ controls, busy, at, frames }, onward, sentence) {
      buttons.hidden = !controls;
      next.disabled = play.disabled = !onward;
      back.disabled = at < 1;
      reset.disabled = busy || !frames.length;
      play.hidden = busy;
      stop.hidden = !busy;
      if (say.textContent !== sentence) say.textContent = sentence;
    },
  };
}

/**
 * A frame that came over a wire is another object with the same content.
 *
 * @param {Frame | undefined} one @param {Frame} other
 */
const isSame = (one, other) => one === other || JSON.stringify(one) === JSON.stringify(other);

/**
 * Draws the folder and the card into `el` and tells `act` what was pressed.
 *
 * @param {HTMLElement} el
 * @param {(name: Act, value?: number) => void} act
 */
export function mount(el, act) {
  /** @type {Shown} */
  let shown = { frames: [], at: 0, controls: true, busy: false, canNext: false };
  /** @type {Frame[]} */
  const drawn = [];
  const last = () => shown.frames.length - 1;
  const onward = () => !shown.busy && (shown.at < last() || shown.canNext);

  const press = {
    // Over frames already recorded there is nothing to run: moving on is only a look.
    forward: () => onward() && (shown.at < last() ? act("goto", shown.at + 1) : act("next")),
    back: () => shown.at > 0 && act("back"),
    first: () => shown.at > 0 && act("goto", 0),
    last: () => shown.at < last() && act("goto", last()),
    play: () => act("play"),
    reset: () => act("reset"),
    stop: () => act("stop"),
  };
  const keys = new Map([
    ["ArrowRight", press.forward],
    ["ArrowLeft", press.back],
    ["Home", press.first],
    ["End", press.last],
  ]);

  const folder = makeFolder();
  const hand = makeHand();
  const timeline = makeTimeline((index) => act("goto", index));
  const controls = makeControls(press);
  const desk = make("div", "desk", make("div", "pair", folder.node, hand.node), timeline.node, controls.node);
  desk.tabIndex = 0;
  desk.setAttribute("role", "group");
  desk.setAttribute("aria-label", "The folder and the card");
  // JupyterLab hears keys before the page does; this is its own way to be told that they are not for it.
  desk.dataset.lmSuppressShortcuts = "true";
  desk.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    const typing = target.isContentEditable || target.closest("input, textarea, select");
    const move = keys.get(event.key);
    if (!move || typing || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  });
  const root = make("div", "mingraph folder-and-card", desk);
  el.append(root);

  /** Draws only what differs from what is drawn. @param {Frame[]} frames */
  function take(frames) {
    const other = frames.findIndex((frame, index) => !isSame(drawn[index], frame));
    const same = other < 0 ? frames.length : other;
    drawn.splice(0, same, ...frames.slice(0, same));
    if (same < drawn.length) {
      drawn.length = same;
      folder.cut(same);
      timeline.cut(same);
    }
    for (const frame of frames.slice(same)) {
      drawn.push(frame);
      folder.add(frame);
      timeline.add(frame);
    }
  }

  return {
    /** @param {Partial<Shown>} changes */
    update(changes) {
      shown = { ...shown, ...changes };
      shown.at = Math.max(0, Math.min(shown.at, last()));
      take(shown.frames);
      const frame = shown.frames[shown.at] ?? null;
      const focused = /** @type {HTMLButtonElement | null} */ (document.activeElement);
      folder.show(shown.at);
      hand.show(frame, sourceAt(shown.frames, shown.at), shown.busy && shown.at === last());
      timeline.show(shown.at);
      const pressed = controls.node.contains(focused) ? focused : null;
      controls.show(shown, onward(), frame?.sentence ?? "");
      // A button that may not be pressed loses the keyboard; the desk takes it, so that the arrows go on working.
      if (pressed && (pressed.disabled || pressed.hidden)) desk.focus({ preventScroll: true });
    },
    destroy() {
      folder.destroy();
      root.remove();
    },
  };
}

/**
 * What anywidget calls in a notebook: the traits hold the frames, Python hears what was pressed.
 *
 * @param {{model: any, el: HTMLElement}} notebook
 */
function render({ model, el }) {
  const traits = ["frames", "at", "busy", "can_next"];
  // Where it was pressed: what waits until the kernel is free may come too late.
  const place = () => ({ at: model.get("at"), run: model.get("run") });
  const view = mount(el, (act, value) => model.send({ act, value: value ?? null, ...place() }));
  const show = () => {
    const [frames, at, busy, canNext] = traits.map((name) => model.get(name));
    view.update({ frames, at, busy, canNext, controls: false });
    nameSlider(el.parentElement);
  };
  for (const name of traits) model.on(`change:${name}`, show);
  show();
  return () => {
    for (const name of traits) model.off(`change:${name}`, show);
    view.destroy();
  };
}

/** ipywidgets gives its slider a label to see, but no name to hear. @param {HTMLElement | null} box */
function nameSlider(box) {
  const label = box?.querySelector(".widget-slider label")?.textContent;
  if (label) box.querySelector(".widget-slider [role=slider]")?.setAttribute("aria-label", label);
}

export default { render };
