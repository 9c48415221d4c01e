/**
 * The lines of a folder as rows, and the folder that only grows.
 *
 * @import { Frame, Line, Slip } from "../../playground/src/frame"
 */
import { bringIntoView, heading, make } from "./make.js";

/** @param {number} count */
export const messages = (count) => (count === 1 ? "1 message" : `${count} messages`);

/** One line of the folder. @param {Line} line */
export function row(line) {
  const said = make("div", "said");
  if (line.who === "tool") said.append(answer(line));
  else if (line.text) said.append(make("div", "", line.text));
  else if (!line.slips.length) said.append(make("span", "nothing", "(said nothing)"));
  said.append(...line.slips.map(slip));
  const kind = line.added_by === null ? "" : ` by-${line.added_by}`;
  return make("li", line.who + kind, make("span", "who", line.who), said);
}

/** One tool call; where it is not run as it was sent, what came and why stand below it. @param {Slip} slip */
function slip({ number, name, arguments: sentAs, call, raw, problem }) {
  const whole = call.endsWith("…") ? `${name} ${sentAs}` : call; // a long call is cut: its arguments say it in full
  const asRead = make("span", problem ? "slip unfit" : "slip", ticket(number), " ", make("code", "", whole));
  const why = problem ? [make("p", "", "cannot be run: ", brief(problem))] : [];
  const sent = raw ? [make("p", "", "sent as ", make("code", "", brief(raw)))] : [];
  return why.length || sent.length ? make("div", "amiss", asRead, ...why, ...sent) : asRead;
}

/** @param {string} text */
const brief = (text) => (text.length <= 200 ? text : `${text.slice(0, 199)}…`);

/** @param {number} number  the same on a slip and on its answer */
const ticket = (number) => make("span", "no", `#${number}`);

/** @param {Line} line */
function answer(line) {
  const number = line.answers === null ? [] : [ticket(line.answers), " "];
  return make("div", "answer", ...number, make("code", "", line.text));
}

/** The folder keeps a row for every recorded line and shows those up to a frame. */
export function makeFolder() {
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
