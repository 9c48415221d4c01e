/**
 * Lines to order: each is moved, indented, filled in or left out, by keys, by buttons, or by dragging it.
 *
 * A notebook (through anywidget) and the playground page share this file as it is. Where the lines were put is sent
 * when Check is pressed; whether that is right is decided elsewhere.
 */

/**
 * What is given is written in lines_types.py, and these are made of it.
 *
 * @import { LineToOrder, Lines, Placed } from "../../playground/src/lines"
 *
 * @typedef {{act: "check" | "put", placed: Placed[]}} Press  `put` when changed lines are left
 *
 * @typedef {object} Spot  where one line is now
 * @property {string} letter
 * @property {number} depth
 * @property {boolean} out  left out
 * @property {string[]} fills
 *
 * @typedef {"up" | "down" | "in" | "back" | "out"} Move
 *
 * @typedef {object} Row  one line as it is drawn
 * @property {HTMLLIElement} node
 * @property {HTMLButtonElement} grip
 * @property {HTMLInputElement[]} blanks
 * @property {(spot: Spot, held: boolean) => void} show
 */

const BLANK = "____";
const DEEPEST = 6;
const STEP = 24; // how many pixels a drag goes to the side for one level
const SLACK = 5; // a hand that presses moves a little, and does not drag

/** @type {{move: Move, sign: string, label: string}[]} */
const MOVES = [
  { move: "up", sign: "↑", label: "Move up" },
  { move: "down", sign: "↓", label: "Move down" },
  { move: "back", sign: "←", label: "Indent less" },
  { move: "in", sign: "→", label: "Indent more" },
];
/** @type {Map<string, Move>} */
const KEYS = new Map([
  ["ArrowUp", "up"],
  ["ArrowDown", "down"],
  ["ArrowLeft", "back"],
  ["ArrowRight", "in"],
  ["Delete", "out"],
  ["Backspace", "out"],
]);

import { button, make } from "./make.js";
import { bringUp, isOnward, letGoOn } from "./notebook.js";

/** @param {LineToOrder} line @returns {Spot} */
const unplaced = ({ letter, text }) => ({
  letter,
  depth: 0,
  out: false,
  fills: text
    .split(BLANK)
    .slice(1)
    .map(() => ""),
});

/** Where the lines are by the data: those placed, those left out, then the rest as shuffled. @param {Lines} data */
function spotsOf({ lines, placed, left_out }) {
  /** @type {Spot[]} */
  const spots = placed.map((each) => ({ ...each, fills: [...each.fills], out: false }));
  const rest = lines.filter(({ letter }) => !spots.some((spot) => spot.letter === letter)).map(unplaced);
  for (const spot of rest) spot.out = left_out.includes(spot.letter);
  return [...spots, ...rest];
}

/** @param {Spot[]} spots @returns {Placed[]} */
const placedOf = (spots) =>
  spots.filter(({ out }) => !out).map(({ letter, depth, fills }) => ({ letter, depth, fills: [...fills] }));

/** @param {Spot[]} spots */
const copy = (spots) => spots.map((spot) => ({ ...spot, fills: [...spot.fills] }));

/** @param {Spot[]} one @param {Spot[]} other */
const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/**
 * Moves one line by one step; at the end of its way it stays.
 *
 * @param {Spot[]} spots @param {string} letter @param {Move} move
 */
function shift(spots, letter, move) {
  const index = spots.findIndex((each) => each.letter === letter);
  const spot = spots[index];
  if (!spot || isIdle(spots, index, move)) return;
  if (move === "out") spot.out = !spot.out;
  else if (move === "in") spot.depth += 1;
  else if (move === "back") spot.depth -= 1;
  else spots.splice(index + (move === "up" ? -1 : 1), 0, ...spots.splice(index, 1));
}

/**
 * Would this move change nothing? A line left out has a place and no depth.
 *
 * @param {Spot[]} spots @param {number} index @param {Move} move
 */
function isIdle(spots, index, move) {
  const spot = spots[index];
  if (!spot) return true;
  if (move === "up") return index === 0;
  if (move === "down") return index === spots.length - 1;
  if (move === "back") return spot.out || spot.depth === 0;
  return move === "in" && (spot.out || spot.depth === DEEPEST);
}

/** A line in words, for whoever hears it. @param {string} text */
const aloud = (text) => text.replaceAll(BLANK, "blank");

/** @param {number} depth */
const indented = (depth) => (depth ? `, indented ${depth === 1 ? "once" : `${depth} times`}` : "");

/**
 * One line: a grip, the code with its blanks, and a word where there is something to say.
 *
 * @param {LineToOrder} line @param {string} keys  the id of what says which keys it takes
 * @param {(index: number, text: string) => void} fill
 * @returns {Row}
 */
function makeRow({ text }, keys, fill) {
  const grip = make("button", "grip", "⋮⋮");
  grip.type = "button";
  grip.setAttribute("aria-describedby", keys);
  const pieces = text.split(BLANK);
  const blanks = pieces.slice(1).map((_, index) => {
    const blank = make("input", "blank");
    Object.assign(blank, { type: "text", autocomplete: "off", spellcheck: false, placeholder: "?" });
    blank.autocapitalize = "off";
    const number = pieces.length > 2 ? ` ${index + 1}` : "";
    blank.setAttribute("aria-label", `Blank${number} in ${aloud(text)}`);
    blank.addEventListener("input", () => fill(index, blank.value));
    return blank;
  });
  const code = make("code", "", pieces[0] ?? "");
  blanks.forEach((blank, index) => code.append(blank, pieces[index + 1] ?? ""));
  const word = make("small");
  return {
    node: make("li", "", grip, code, word),
    grip,
    blanks,
    show({ depth, out, fills }, held) {
      this.node.className = `${out ? "gone" : ""}${held ? " held" : ""}`.trim();
      code.style.setProperty("--depth", out ? "0" : `${depth}`);
      blanks.forEach((blank, index) => {
        const value = fills[index] ?? "";
        if (blank.value !== value) blank.value = value;
        blank.disabled = out;
        blank.style.width = `${Math.max(8, value.length + 2)}ch`;
      });
      word.textContent = out ? "left out" : fills.some((each) => !each.trim()) ? "fill" : "";
      grip.setAttribute("aria-label", `${aloud(text)}${out ? ", left out" : indented(depth)}`);
    },
  };
}

/** What the check said; after a change it is marked as said before. */
function makeVerdict() {
  const node = make("div", "verdict");
  node.setAttribute("role", "status");
  return {
    node,
    /** The same words twice are said twice. */
    clear: () => node.replaceChildren(),
    /** @param {Lines} data @param {boolean} old */
    show({ right, verdict }, old) {
      const said = right || verdict !== "";
      const word = !said ? "" : old ? "The last check said: " : right ? "✓ Right. " : "";
      const words = verdict || (old && right ? "right." : "");
      node.className = `verdict${right && !old ? " right" : ""}${old ? " old" : ""}`;
      if (node.textContent === word + words) return;
      node.replaceChildren(...(word ? [make("b", "", word)] : []), ...(words ? [words] : []));
    },
  };
}

/** The buttons that move the line in hand. @param {(move: Move) => void} step */
function makeTools(step) {
  const moves = MOVES.map(({ move, sign, label }) => {
    const node = button(sign, "tool", () => step(move));
    Object.assign(node, { ariaLabel: label, title: label });
    return node;
  });
  const leave = button("Leave out", "tool word", () => step("out"));
  const node = make("div", "tools", ...moves, leave);
  node.setAttribute("role", "group");
  return {
    node,
    /** @param {Spot[]} spots @param {string} letter @param {string} text */
    show(spots, letter, text) {
      const index = spots.findIndex((each) => each.letter === letter);
      // Not disabled: a button at the end of its way keeps the keyboard for the way back.
      MOVES.forEach(({ move }, each) => moves[each]?.setAttribute("aria-disabled", `${isIdle(spots, index, move)}`));
      node.setAttribute("aria-label", `The line in hand: ${text}`);
      leave.textContent = spots[index]?.out ? "Put back in" : "Leave out";
    },
  };
}

/**
 * Lets a pointer carry a line: up and down to another place, to the side to indent it.
 *
 * @param {HTMLElement} list
 * @param {object} told
 * @param {(row: HTMLElement) => void} told.taken
 * @param {(row: HTMLElement, index: number, levels: number) => void} told.carried
 * @param {(row: HTMLElement, kept: boolean) => void} told.dropped
 * @param {(row: HTMLElement) => void} told.pressed  and not carried
 */
function letDrag(list, { taken, carried, dropped, pressed }) {
  /** @type {{row: HTMLElement, x: number, y: number, id: number, moving: boolean} | null} */
  let drag = null;
  list.addEventListener("pointerdown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    const row = target.closest("li");
    // A finger that goes over a line scrolls; only its grip carries.
    const carries = event.pointerType === "mouse" ? !target.closest("input") : target.closest(".grip");
    if (!row || drag || event.button !== 0) return;
    taken(row);
    if (!carries) return;
    if (!target.closest(".grip")) event.preventDefault(); // no text is marked on the way
    drag = { row, x: event.clientX, y: event.clientY, id: event.pointerId, moving: false };
    // Not the row: it loses the pointer when it is put elsewhere.
    list.setPointerCapture(event.pointerId);
  });
  list.addEventListener("pointermove", (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    const [aside, along] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.moving && Math.hypot(aside, along) < SLACK) return;
    drag.moving = true;
    drag.row.classList.add("carried");
    const others = [...list.children].filter((node) => node !== drag?.row);
    const above = others.filter((node) => {
      const { top, height } = node.getBoundingClientRect();
      return event.clientY > top + height / 2;
    });
    carried(drag.row, above.length, Math.trunc(aside / STEP));
  });
  /** @param {PointerEvent} event */
  const end = (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    const { row, moving } = drag;
    drag = null;
    row.classList.remove("carried");
    if (moving) dropped(row, event.type === "pointerup");
    else pressed(row);
  };
  list.addEventListener("pointerup", end);
  list.addEventListener("pointercancel", end);
}

/**
 * Draws lines to order into `el` and tells `act` when they are to be checked.
 *
 * @param {HTMLElement} el
 * @param {(press: Press) => void} act
 */
export function mount(el, act) {
  const name = `mingraph-lines-${Math.random().toString(36).slice(2)}`; // ids are the page's, and it shows many views
  /** @type {Lines} */
  let data = { header: "", lines: [], placed: [], left_out: [], verdict: "", right: false };
  /** @type {Spot[]} */
  let spots = [];
  /** @type {Spot[] | null} */
  let before = null; // what "Put them back" took away
  /** @type {Spot[]} */
  let lifted = []; // where the lines were when a drag began
  /** @type {Spot[]} */
  let checked = [];
  /** @type {Spot[]} */
  let known = []; // where the lines are as far as Python was told
  let held = ""; // the letter of the line in hand
  let waiting = false; // for what the check says
  /** @type {Map<string, Row>} */
  const rows = new Map();

  const list = make("ol", "parsons");
  list.setAttribute("role", "list"); // Safari forgets that a list without bullets is one
  list.setAttribute("aria-label", "Lines");
  const keys = make("span", "keys", "Tab picks a line · ↑ ↓ move · ← → indent · Del leaves out");
  keys.id = `${name}-keys`;
  const what = make("span", "what");
  const heard = make("div", "heard");
  const verdict = makeVerdict();
  heard.setAttribute("role", "status");
  const tools = makeTools((move) => step(move));
  const check = button("Check", "main", () => {
    if (waiting) return;
    waiting = true;
    checked = copy(spots);
    known = copy(spots);
    draw();
    act({ act: "check", placed: placedOf(spots) });
  });
  const again = button("Put them back", "plain", () => {
    const start = data.lines.map(unplaced);
    const undone = before;
    before = undone || isSame(spots, start) ? null : copy(spots);
    spots = undone ?? start;
    draw();
    say(undone ? "The lines are as you had them." : "All lines are back in the order in which they came.");
  });
  const head = make("div", "head");
  const foot = make("div", "row", check, again, tools.node);
  const card = make("section", "order", make("p", "state", what, keys), head, list, foot, verdict.node, heard);
  card.setAttribute("role", "group");
  card.setAttribute("aria-label", "Lines to order");
  const root = make("div", "mingraph lines-to-order", card);
  el.append(root);

  /** @param {string} letter */
  const textOf = (letter) => aloud(data.lines.find((line) => line.letter === letter)?.text ?? "");
  /** @param {Element} node */
  const letterOf = (node) => [...rows].find(([, row]) => row.node === node)?.[0] ?? "";
  /** @param {string} sentence */
  const say = (sentence) => heard.replaceChildren(sentence);

  /** @param {Element} row */
  const focus = (row) => rows.get(letterOf(row))?.grip.focus({ preventScroll: true });

  /** Says where the line in hand is now. */
  function tell() {
    const index = spots.findIndex(({ letter }) => letter === held);
    const spot = spots[index];
    if (!spot) return;
    const place = spot.out ? "is left out" : `is line ${index + 1} of ${spots.length}${indented(spot.depth)}`;
    say(`${textOf(held)} ${place}.`);
  }

  /** @param {Move} move */
  function step(move) {
    before = null;
    shift(spots, held, move);
    draw();
    tell();
  }

  /** @param {string} letter */
  function take(letter) {
    if (letter === held) return;
    held = letter;
    draw();
  }

  function draw() {
    const focused = /** @type {HTMLElement | null} */ (document.activeElement);
    const inside = focused && list.contains(focused);
    spots.forEach((spot, index) => {
      const row = /** @type {Row} */ (rows.get(spot.letter));
      row.show(spot, spot.letter === held);
      if (list.children[index] !== row.node) list.insertBefore(row.node, list.children[index] ?? null);
    });
    if (inside && document.activeElement !== focused) focused.focus({ preventScroll: true });
    tools.show(spots, held, textOf(held));
    again.textContent = before ? "Undo" : "Put them back";
    check.ariaDisabled = String(waiting);
    verdict.show(data, !isSame(spots, checked));
  }

  list.addEventListener("focusin", (event) => {
    const row = /** @type {HTMLElement} */ (event.target).closest("li");
    if (row) take(letterOf(row));
  });
  list.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.altKey || event.ctrlKey || event.metaKey || event.isComposing || isOnward(event)) return;
    const row = rows.get(held);
    if (target.matches("input")) {
      if (event.key !== "Enter" && event.key !== "Escape") return;
      row?.grip.focus();
    } else {
      const move = KEYS.get(event.key);
      const blank = row?.blanks.find((each) => !each.disabled);
      // The key goes on into the blank, which has the keyboard by the time it is typed.
      if (event.key.length === 1 && event.key !== " ") return blank?.focus();
      if (move && !event.shiftKey) step(move);
      else if (event.key === "Enter" && blank) blank.focus();
      else return;
    }
    event.preventDefault();
    event.stopPropagation();
  });
  // Whoever orders the lines and runs the next cell has not pressed Check, and is asked there for what lies here.
  card.addEventListener("focusout", ({ relatedTarget }) => {
    if (card.contains(/** @type {Node | null} */ (relatedTarget))) return;
    queueMicrotask(() => {
      // A line that is moved loses the keyboard, and has it again by now.
      if (card.contains(document.activeElement) || isSame(spots, known)) return;
      known = copy(spots);
      act({ act: "put", placed: placedOf(spots) });
    });
  });
  letDrag(list, {
    taken(row) {
      take(letterOf(row));
      lifted = copy(spots);
    },
    carried(row, index, levels) {
      const letter = letterOf(row);
      const spot = spots.find((each) => each.letter === letter);
      const start = lifted.find((each) => each.letter === letter);
      if (!spot || !start) return;
      before = null;
      spots = spots.filter((each) => each !== spot);
      spots.splice(index, 0, spot);
      if (!spot.out) spot.depth = Math.max(0, Math.min(DEEPEST, start.depth + levels));
      draw();
      row.classList.add("carried");
    },
    dropped(row, kept) {
      if (!kept) spots = lifted;
      draw();
      tell();
      focus(row);
    },
    pressed: focus,
  });

  /** @param {Lines} shown */
  function lay(shown) {
    rows.clear();
    for (const line of shown.lines) {
      const fill = (/** @type {number} */ index, /** @type {string} */ text) => {
        const spot = spots.find(({ letter }) => letter === line.letter);
        if (spot) spot.fills[index] = text;
        before = null;
        draw();
      };
      rows.set(line.letter, makeRow(line, keys.id, fill));
    }
    list.replaceChildren(...[...rows.values()].map(({ node }) => node));
    // JupyterLab hears keys before the page does; this is its own way to be told that they are not for it. It looks
    // for that on what has the keyboard before it looks further out.
    for (const node of [card, ...card.querySelectorAll("input, button")]) {
      node.toggleAttribute("data-lm-suppress-shortcuts", true);
    }
    head.replaceChildren(make("code", "", shown.header));
    head.hidden = !shown.header;
    const blanks = shown.lines.some(({ text }) => text.includes(BLANK));
    what.textContent = `Order the lines${blanks ? ", fill the blanks" : ""}, leave out what is too much`;
  }

  return {
    /** @param {Lines} shown */
    update(shown) {
      const others = JSON.stringify([shown.header, shown.lines]) !== JSON.stringify([data.header, data.lines]);
      const put = spotsOf(shown);
      // What was checked lies here as it was sent, the lines left out in the places where the learner sees them.
      const sent = waiting && !others && JSON.stringify(placedOf(checked)) === JSON.stringify(placedOf(put));
      waiting = false;
      data = shown;
      if (others) {
        lay(shown);
        held = put[0]?.letter ?? "";
      }
      if (!sent) {
        spots = put;
        known = copy(put);
        checked = copy(put);
      }
      verdict.clear();
      draw();
    },
    destroy: () => root.remove(),
  };
}

/**
 * What anywidget calls in a notebook: a trait holds the lines, Python hears where they were put.
 *
 * @param {{model: any, el: HTMLElement}} notebook
 */
function render({ model, el }) {
  const view = mount(el, (press) => model.send(press));
  const ends = [letGoOn(el), bringUp(el)];
  const show = () => view.update(model.get("lines"));
  // A second check of the same lines leaves the trait as it was, so each answer is counted.
  model.on("change:answers", show);
  show();
  return () => {
    model.off("change:answers", show);
    for (const end of ends) end();
    view.destroy();
  };
}

export default { render };
