/** A long list of which only a part is on the page: a browser lays out what is there, seen or not. */
import { button, make } from "./make.js";

/** How many lines are drawn, and how many more each press adds. */
export const ROOM = 200;

/**
 * The nodes from one index up to, not including, another; what stays in the part is not touched.
 *
 * @template {HTMLElement} Item
 * @param {HTMLElement} box @param {(index: number) => Item} nodeOf
 */
export function makeWindow(box, nodeOf) {
  /** @type {Item[]} */ let nodes = [];
  let from = 0;

  /** @param {number} start @param {number} end */
  const made = (start, end) => Array.from({ length: Math.max(0, end - start) }, (_, index) => nodeOf(start + index));
  const clear = () => {
    for (const node of nodes) node.remove();
    nodes = [];
  };

  return {
    clear,
    /** @param {number} index @returns {Item | undefined} */
    at: (index) => nodes[index - from],
    /** @param {number} start @param {number} end */
    show(start, end) {
      if (start >= from + nodes.length || end <= from) clear();
      if (!nodes.length) from = start;
      for (const gone of nodes.splice(0, start - from)) gone.remove();
      from = Math.max(from, start);
      for (const gone of nodes.splice(end - from)) gone.remove();
      const [before, after] = [made(start, from), made(from + nodes.length, end)];
      box.prepend(...before);
      box.append(...after);
      nodes = [...before, ...nodes, ...after];
      from = start;
    },
  };
}

/** What stands above the lines that are drawn, and shows more of them. @param {() => void} press */
export function makeEarlier(press) {
  const more = button("", "earlier", press);
  const node = make("div", "before", more);
  node.hidden = true;
  return {
    node,
    /** @param {number} hidden  how many are not drawn */
    show(hidden) {
      if (node.hidden !== (hidden === 0)) node.hidden = hidden === 0;
      const text = `show earlier (${hidden.toLocaleString("en")} more)`;
      if (more.textContent !== text) more.textContent = text;
    },
  };
}
