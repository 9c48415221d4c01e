/**
 * The lines of a folder as rows, and the folder that only grows.
 *
 * @import { Line, Slip } from "../../playground/src/frame"
 * @import { Recorded } from "./record.js"
 */
import { long } from "./long_text.js";
import { bringIntoView, heading, make } from "./make.js";
import { makeEarlier, makeWindow, ROOM } from "./windowed.js";

const SHORT = 400; // a call as it is written in a picture is cut before that

/** @param {number} count */
export const messages = (count) => (count === 1 ? "1 message" : `${count} messages`);

/** One line of the folder. @param {Line} line */
export function row(line) {
  const said = make("div", "said");
  if (line.who === "tool") said.append(answer(line));
  else if (line.text) said.append(make("div", "", long(line.text)));
  else if (!line.slips.length) said.append(make("span", "nothing", "(said nothing)"));
  said.append(...line.slips.map(slip));
  const kind = line.added_by === null ? "" : ` by-${line.added_by}`;
  return make("li", line.who + kind, make("span", "who", line.who), said);
}

/** One tool call; where it is not run as it was sent, what came and why stand below it. @param {Slip} slip */
function slip({ number, name, arguments: sentAs, call, raw, problem }) {
  const whole = call.endsWith("…") ? `${name} ${sentAs}` : call; // a long call is cut: its arguments say it in full
  const asRead = make(
    "span",
    problem ? "slip unfit" : "slip",
    ticket(number),
    " ",
    make("code", "", ...inPieces(whole)),
  );
  const why = problem ? [make("p", "", "cannot be run: ", long(problem))] : [];
  const sent = raw ? [make("p", "", "sent as ", make("code", "", long(raw)))] : [];
  return why.length || sent.length ? make("div", "amiss", asRead, ...why, ...sent) : asRead;
}

/** A line may end after a bracket or a sign, sooner than within a word or a number. @param {string} call */
function inPieces(call) {
  if (call.length > SHORT) return [long(call)];
  return call.split(/(?<=[(=,])/).flatMap((piece) => [piece, make("wbr", "")]);
}

/** @param {number} number  the same on a slip and on its answer */
const ticket = (number) => make("span", "no", `#${number}`);

/** @param {Line} line */
function answer(line) {
  const number = line.answers === null ? [] : [ticket(line.answers), " "];
  return make("div", "answer", ...number, make("code", "", long(line.text)));
}

/**
 * The sheet shows the number that a row holds: where the sheet counts, all are laid out again when the first one goes.
 *
 * @param {HTMLElement} line @param {number} number
 */
function numbered(line, number) {
  /** @type {HTMLElement} */ (line.firstElementChild).dataset.number = String(number);
  return line;
}

/** The folder as it is at a frame: its last lines, and the earlier ones where they are asked for. */
export function makeFolder() {
  const count = make("span", "count");
  const list = make("ol");
  list.setAttribute("role", "list"); // Safari forgets that a list without bullets is one
  list.setAttribute("aria-label", "Messages in the folder");
  /** @type {Line[]} */ let lines = [];
  const rows = makeWindow(list, (index) => numbered(row(/** @type {Line} */ (lines[index])), index + 1));
  const earlier = makeEarlier(() => {
    const below = box.scrollHeight - box.scrollTop;
    room += ROOM;
    draw();
    box.scrollTop = box.scrollHeight - below; // what was being read stays where it is
  });
  const box = make("div", "folder", earlier.node, list);
  box.tabIndex = 0; // a box that scrolls must be reachable by keyboard
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", "The folder");
  let version = -1; // nothing is drawn yet
  let room = ROOM;
  let [fresh, end] = [0, 0]; // the lines from fresh up to end carry the coloured edge

  const showNewest = () => {
    if (end <= 2) return; // a prompt and a question are read from the top
    const newest = rows.at(end - 1);
    if (newest) bringIntoView(box, newest);
  };
  const draw = () => {
    const start = Math.max(0, end - room);
    rows.show(start, end);
    earlier.show(start);
  };
  /** @param {boolean} edged */
  const edge = (edged) => {
    for (let index = fresh; index < end; index += 1) rows.at(index)?.classList.toggle("new", edged);
  };
  // A notebook draws the view before it has a place on the page, where nothing can be scrolled yet.
  const watcher = new ResizeObserver(showNewest);
  watcher.observe(box);

  return {
    node: make("div", "", heading("The folder", "what has been said", count), box),
    /** @param {Recorded} record @param {number} at */
    show(record, at) {
      const { ends } = record.sums;
      const [old, now] = [end, ends[at] ?? 0];
      const begin = at > 0 ? (ends[at - 1] ?? now) : now;
      const same = record.version === version;
      if (same && now === old && begin === fresh) return;
      lines = record.sums.lines;
      if (same) edge(false);
      else {
        rows.clear();
        [version, room] = [record.version, ROOM];
      }
      [fresh, end] = [begin, now];
      draw();
      edge(true);
      count.textContent = messages(end);
      showNewest();
    },
    destroy: () => watcher.disconnect(),
  };
}
