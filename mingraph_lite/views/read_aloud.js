/**
 * What was read aloud: the messages and the menu of a model call, what is new in it, and what it was not told.
 *
 * @import { Frame, Line, Reading } from "../../playground/src/frame"
 */
import { row } from "./lines.js";
import { bringIntoView, heading, make } from "./make.js";

/** The newest calls up to a frame; between two calls the last one stays. */
export function makeAloud() {
  const count = make("span", "count");
  const box = make("div", "aloud");
  box.tabIndex = 0; // a box that scrolls must be reachable by keyboard
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", "What was read aloud");
  let drawn = "";
  let fallen = true; // it was drawn where nothing can be scrolled: off the page, or hidden

  const showNewest = () => {
    const last = /** @type {HTMLElement | undefined} */ ([...box.querySelectorAll(".told > li:last-child")].at(-1));
    if (last && fallen && box.clientHeight) bringIntoView(box, last);
    fallen = !box.clientHeight;
  };
  const watcher = new ResizeObserver(showNewest);
  watcher.observe(box);

  return {
    node: make("div", "", heading("Read aloud", "what the model hears", count), box),
    /** @param {Frame[]} frames  those up to the one that is shown */
    show(frames) {
      const calls = frames.flatMap((frame) => frame.readings);
      const newest = frames.findLast((frame) => frame.readings.length)?.readings.length ?? 0;
      const lines = { folder: frames.flatMap((frame) => frame.lines), aside: frames.flatMap((frame) => frame.asides) };
      const first = calls.length - newest;
      const pages = calls.slice(first).map((_, index) => compare(calls.slice(0, first + index + 1), lines));
      count.textContent = newest ? counted(calls.length, pages) : "no call yet";
      const asked = JSON.stringify(pages);
      if (asked === drawn) return;
      drawn = asked;
      const nothing = make("p", "nothing", "Nothing yet: no model call was heard.");
      const heads = pages.map((_, index) => (newest > 1 ? [make("h3", "", `call ${first + index + 1}`)] : []));
      box.replaceChildren(
        ...(newest ? pages.flatMap((page, index) => [...(heads[index] ?? []), ...draw(page)]) : [nothing]),
      );
      fallen = true;
      showNewest();
    },
    destroy: () => watcher.disconnect(),
  };
}

/** @param {number} number @param {ReturnType<typeof compare>[]} pages */
function counted(number, pages) {
  const held = pages.at(-1)?.held.length ?? 0;
  return `call ${number}: ${pages.at(-1)?.told.length ?? 0} read${held ? `, ${held} not` : ""}`;
}

/**
 * The last of these calls beside the one before.
 *
 * @param {Reading[]} calls @param {Record<"folder" | "aside", Line[]>} lines
 */
function compare(calls, lines) {
  const call = /** @type {Reading} */ (calls.at(-1));
  const before = calls.length > 1 ? new Set(placesOf(calls.at(-2))) : null;
  const heard = placesOf(call);
  const rest = Array.from({ length: call.folder }, (_, index) => `folder ${index}`);
  const left = [...(before ?? [])].filter((place) => place.startsWith("aside"));
  const known = new Set(heard);
  /** @param {string} place @param {boolean} marked */
  const told = (place, marked) => {
    const [of, index] = /** @type {["folder" | "aside", string]} */ (place.split(" "));
    return { line: /** @type {Line} */ (lines[of][Number(index)]), aside: of === "aside", marked };
  };
  return {
    told: heard.map((place) => told(place, before !== null && !before.has(place))),
    held: [...left, ...rest].filter((p) => !known.has(p)).map((place) => told(place, before?.has(place) ?? false)),
    menu: namesOnMenu(calls),
    menuBefore: call.menu && before ? namesOnMenu(calls.slice(0, -1)) : null,
  };
}

/** The tools on offer at the last of these calls. @param {Reading[]} calls */
const namesOnMenu = (calls) => calls.findLast((each) => each.menu !== null)?.menu?.map(({ name }) => name) ?? [];

/** Where the lines stand that a call was read, in order. @param {Reading | undefined} call */
const placesOf = (call) =>
  (call?.spans ?? []).flatMap(({ of, start, end }) =>
    Array.from({ length: end - start }, (_, index) => `${of} ${start + index}`),
  );

/** @param {ReturnType<typeof compare>} page */
function draw({ told, held, menu, menuBefore }) {
  const parts = [list("told", told, "new"), menuRow(menu, menuBefore)];
  if (held.length) parts.push(make("h3", "", "Not read aloud"), list("held", held, "dropped"));
  return parts;
}

/** @param {string} name @param {{line: Line, aside: boolean, marked: boolean}[]} all @param {string} mark */
function list(name, all, mark) {
  const node = make("ol", name);
  node.setAttribute("role", "list"); // Safari forgets that a list without bullets is one
  for (const { line, aside, marked } of all) {
    const item = row(line);
    if (aside) item.lastElementChild?.append(make("div", "nothing", "not in the folder"));
    if (marked) {
      item.classList.add("new");
      item.append(make("span", "tag", mark));
    }
    node.append(item);
  }
  return node;
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
