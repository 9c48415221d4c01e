/** A long text shows its beginning: one result of 200 KB would push away everything around it. */
import { button, make } from "./make.js";

const LONG = 4000; // characters; what is longer is folded
const SHOWN = 1500;

/**
 * The text, or its beginning and a button that shows the rest and folds it again.
 *
 * @param {string} text @returns {string | HTMLElement}
 */
export function long(text) {
  if (text.length <= LONG) return text;
  const beginning = `${cut(text, SHOWN)}…`;
  const part = make("span", "part", beginning);
  const all = `show all ${amount(text)} characters`;
  const fold = button(all, "fold", () => {
    const open = fold.ariaExpanded !== "true";
    part.textContent = open ? text : beginning;
    fold.textContent = open ? "fold again" : all;
    fold.ariaExpanded = String(open);
    fold.scrollIntoView({ block: "nearest" }); // the text above it grew or shrank by pages
  });
  fold.ariaExpanded = "false";
  return make("span", "long", part, fold);
}

/** The first characters; none of them is halved. @param {string} text @param {number} room */
export const cut = (text, room) => text.slice(0, room).replace(/[\uD800-\uDBFF]$/, "");

/** How many characters a reader would count. @param {string} text */
export const amount = (text) => count(text).toLocaleString("en");

/** @param {string} text */
const count = (text) => text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
