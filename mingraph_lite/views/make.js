/**
 * What every part of the picture is made with: nodes, shapes, and a box that scrolls without the page.
 *
 * @import { CardKind } from "../../playground/src/frame"
 */

/**
 * Each kind of card has a word and a shape, so that none of them depends on its colour.
 *
 * @type {Record<CardKind, {word: string, shape: string[]}>}
 */
export const KINDS = {
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
export function make(tag, className = "", ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children);
  return node;
}

/** @param {string} label @param {string} className @param {() => void} press */
export function button(label, className, press) {
  const node = make("button", className, label);
  node.type = "button";
  node.addEventListener("click", press);
  return node;
}

/** @param {CardKind} kind */
export function icon(kind) {
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

/**
 * Has just these nodes in a box, in this order. Those that stay are not touched: a browser lays out again what was taken
 * out and put back.
 *
 * @param {HTMLElement} box @param {HTMLElement[]} nodes
 */
export function fill(box, nodes) {
  const staying = new Set(nodes);
  for (const node of [...box.children]) if (!staying.has(/** @type {HTMLElement} */ (node))) node.remove();
  nodes.forEach((node, index) => {
    const there = box.children[index] ?? null;
    if (there !== node) box.insertBefore(node, there);
  });
}

/** @param {string} title @param {string} what @param {Node} count */
export const heading = (title, what, count) =>
  make("h2", "", make("span", "", make("b", "", title), make("span", "what", what)), count);

/**
 * Moves a scrolled box, and never the page around it, until the node can be seen.
 *
 * @param {HTMLElement} box @param {HTMLElement} node @param {number} room  to leave above and below
 */
export function bringIntoView(box, node, room = 0) {
  const top = node.offsetTop - box.clientTop - room;
  const bottom = top + node.offsetHeight + 2 * room;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
}
