/**
 * What was read aloud: the messages and the menu of a model call, what is new in it, and what it was not told.
 *
 * @import { Line, Span } from "../../playground/src/frame"
 * @import { Recorded } from "./record.js"
 */
import { row } from "./lines.js";
import { bringIntoView, fill, heading, make } from "./make.js";
import { holds, lastOf, size, without } from "./spans.js";
import { makeEarlier, ROOM } from "./windowed.js";

/**
 * A line, and whether the call before differs in it. The key is the same where its row is.
 *
 * @typedef {{key: string, line: Line, aside: boolean, marked: boolean}} Told
 */

/** The newest calls up to a frame; between two calls the last one stays. */
export function makeAloud() {
  const count = make("span", "count");
  const box = make("div", "aloud");
  box.tabIndex = 0; // a box that scrolls must be reachable by keyboard
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", "What was read aloud");
  let drawn = "";
  let room = ROOM; // lines that are drawn; a call reads out most of the folder again
  /** @type {Map<string, ReturnType<typeof makeList>>} */ let lists = new Map(); // by the place of their call, and name
  let fallen = true; // it was drawn where nothing can be scrolled: off the page, or hidden

  const showNewest = () => {
    const last = /** @type {HTMLElement | undefined} */ ([...box.querySelectorAll(".told > li:last-child")].at(-1));
    if (last && fallen && box.clientHeight) bringIntoView(box, last);
    fallen = !box.clientHeight;
  };
  const watcher = new ResizeObserver(showNewest);
  watcher.observe(box);

  /** @param {ReturnType<typeof compare>[]} pages @param {number} first */
  const draw = (pages, first) => {
    const each = Math.max(1, Math.floor(room / pages.length));
    const more = () => {
      const below = box.scrollHeight - box.scrollTop;
      room += ROOM;
      draw(pages, first);
      box.scrollTop = box.scrollHeight - below; // what was being read stays where it is
    };
    const head = (/** @type {number} */ index) =>
      pages.length > 1 ? [make("h3", "", `call ${first + index + 1}`)] : [];
    const nothing = make("p", "nothing", "Nothing yet: no model call was heard.");
    const parts = pages.flatMap((page, index) => {
      const listed = (/** @type {"told" | "held"} */ name) => {
        const known = lists.get(`${index} ${name}`) ?? makeList(name);
        lists.set(`${index} ${name}`, known);
        return known.show(page[name], each, more);
      };
      return [...head(index), ...pageOf(page, listed)];
    });
    fill(box, pages.length ? parts : [nothing]);
  };

  return {
    node: make("div", "", heading("Read aloud", "what the model hears", count), box),
    /** @param {Recorded} record @param {number} at */
    show(record, at) {
      const { first, end } = record.sums.heard[at] ?? { first: 0, end: 0 };
      const asked = `${record.version} ${first} ${end}`;
      if (asked === drawn) return;
      if (drawn.split(" ", 1)[0] !== String(record.version)) [room, lists] = [ROOM, new Map()];
      drawn = asked;
      const pages = Array.from({ length: end - first }, (_, index) => compare(record, first + index));
      count.textContent = pages.length ? counted(end, pages) : "no call yet";
      draw(pages, first);
      fallen = true;
      showNewest();
    },
    destroy: () => watcher.disconnect(),
  };
}

/** @param {number} number @param {ReturnType<typeof compare>[]} pages */
function counted(number, pages) {
  const held = pages.at(-1)?.held.count ?? 0;
  return `call ${number}: ${pages.at(-1)?.told.count ?? 0} read${held ? `, ${held} not` : ""}`;
}

/** A call beside the one before. @param {Recorded} record @param {number} index */
function compare({ sums }, index) {
  const { spans, folder, menu } = /** @type {import("../../playground/src/frame").Reading} */ (sums.calls[index]);
  const before = sums.calls[index - 1]?.spans ?? null;
  const left = (before ?? []).filter(({ of }) => of === "aside");
  /** @type {Span} */ const all = { of: "folder", start: 0, end: folder };
  const held = [...without(left, spans), ...without([all], spans)];
  /** @param {Span[]} places @param {(known: boolean) => boolean} marked */
  const lines = (places, marked) => ({
    count: size(places),
    /** @param {number} room @returns {Told[]} */
    last: (room) =>
      lastOf(places, room).map((place) => {
        const aside = place.of === "aside";
        const isMarked = before !== null && marked(holds(before, place));
        const line = /** @type {Line} */ ((aside ? sums.asides : sums.lines)[place.index]);
        return { key: `${place.of} ${place.index} ${isMarked}`, line, aside, marked: isMarked };
      }),
  });
  return {
    told: lines(spans, (known) => !known),
    held: lines(held, (known) => known),
    menu: sums.menus[index] ?? [],
    menuBefore: menu && before ? (sums.menus[index - 1] ?? []) : null,
  };
}

/**
 * @param {ReturnType<typeof compare>} page
 * @param {(name: "told" | "held") => HTMLElement[]} listed
 */
function pageOf({ held, menu, menuBefore }, listed) {
  const parts = [...listed("told"), menuRow(menu, menuBefore)];
  if (!held.count) return parts;
  return [...parts, make("h3", "", "Not read aloud"), ...listed("held")];
}

/** What each line is marked with where the call before differs in it. */
const MARKS = { told: "new", held: "dropped" };

/** The lines of a call. Most of them stay from one to the next, and so do their rows. @param {"told" | "held"} name */
function makeList(name) {
  const node = make("ol", name);
  node.setAttribute("role", "list"); // Safari forgets that a list without bullets is one
  /** @type {Map<string, HTMLElement>} */ let rows = new Map();
  return {
    /** @param {ReturnType<typeof compare>["told"]} lines @param {number} room @param {() => void} more */
    show(lines, room, more) {
      const shown = lines.last(room);
      /** @type {Map<string, number>} */ const times = new Map(); // a memory may read out a line twice
      rows = new Map(
        shown.map((told) => {
          const time = times.get(told.key) ?? 0;
          times.set(told.key, time + 1);
          const key = `${told.key} ${time}`;
          return [key, rows.get(key) ?? rowOf(told, MARKS[name])];
        }),
      );
      fill(node, [...rows.values()]);
      const earlier = makeEarlier(more);
      earlier.show(lines.count - shown.length);
      return [earlier.node, node];
    },
  };
}

/** @param {Told} told @param {string} mark */
function rowOf({ line, aside, marked }, mark) {
  const item = row(line);
  if (aside) item.lastElementChild?.append(make("div", "nothing", "not in the folder"));
  if (marked) {
    item.classList.add("new");
    item.append(make("span", "tag", mark));
  }
  return item;
}

/** @param {string[]} menu @param {string[] | null} before  null where it is the same as before */
function menuRow(menu, before) {
  const names = menu.map((name) => {
    const tool = make("code", "tool", name);
    return before && !before.includes(name) ? make("span", "", tool, " ", make("span", "tag", "new")) : tool;
  });
  const gone = (before ?? []).filter((name) => !menu.includes(name));
  const rest = gone.length ? [make("span", "tag", `gone: ${gone.join(", ")}`)] : [];
  const said = make("span", "said", ...(names.length ? names : [make("span", "nothing", "(no tools)")]), ...rest);
  return make("div", "menu", make("span", "who", "menu"), said);
}
