/** What a view asks of the notebook around it. Where there is none, nothing happens. */

/** The cell below the one that shows this. @param {Element} el @returns {HTMLElement | null} */
function nextCell(el) {
  const next = el.closest(".jp-Cell")?.nextElementSibling;
  return next?.matches(".jp-Cell") ? /** @type {HTMLElement} */ (next) : null;
}

/**
 * Goes on to the next cell, so that Shift+Enter runs that one.
 *
 * A press inside a picture makes its own cell the active one, and Shift+Enter would run what has just been answered once
 * more. JupyterLab takes the cell that has the keyboard for the active one; other notebooks keep theirs.
 *
 * @param {Element} el
 */
export function goOn(el) {
  nextCell(el)?.focus({ preventScroll: true });
}

/** Is it the key that runs a cell and goes on? @param {KeyboardEvent} event */
export const isOnward = ({ key, shiftKey, altKey, ctrlKey, metaKey }) =>
  key === "Enter" && shiftKey && !altKey && !ctrlKey && !metaKey;

/**
 * Lets Shift+Enter go on from a picture and leave it as it is: to run its cell again would throw the steps away.
 *
 * Why heard at the window, and not in the picture? A press beside a button gives the keyboard to the whole cell, and a
 * mark that Reset takes away leaves it to the page. The learner is still in the picture, until a press or the keyboard
 * goes elsewhere. And JupyterLab hears keys before the picture does, but after the window.
 *
 * @param {Element} el @returns {() => void} what ends it
 */
export function letGoOn(el) {
  let inside = false;
  /** @param {Event} event */
  const follow = ({ type, target }) => {
    const node = /** @type {Node} */ (target);
    const output = el.closest(".jp-OutputArea") ?? el;
    if (output.contains(node)) inside = true;
    // What holds the picture gets the keyboard when something in the picture loses it.
    else if (type === "pointerdown" || !node.contains(el)) inside = false;
  };
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    if (!inside || !isOnward(event) || !el.closest(".jp-Cell")) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    goOn(el);
    nextCell(el)?.scrollIntoView({ block: "nearest" });
  };
  window.addEventListener("pointerdown", follow, true);
  window.addEventListener("focusin", follow, true);
  window.addEventListener("keydown", press, true);
  return () => {
    window.removeEventListener("pointerdown", follow, true);
    window.removeEventListener("focusin", follow, true);
    window.removeEventListener("keydown", press, true);
  };
}

const ROOM = 8; // above and below what is brought into view
const LONG_ENOUGH = 800; // milliseconds in which JupyterLab brings the next cell into view, and this one out of it

let byHand = false; // the page was moved or pressed since a cell was run by key
for (const act of ["wheel", "touchmove", "pointerdown", "keydown"]) {
  const note = (/** @type {Event} */ event) => (byHand = !(event instanceof KeyboardEvent && event.key === "Enter"));
  window.addEventListener(act, note, { capture: true, passive: true });
}

/**
 * Brings what a run has just drawn into view, its head first, and never moves a page that the learner moves.
 *
 * JupyterLab brings the cell after it into view before there is a picture to make room for.
 *
 * @param {Element} el @returns {() => void} what ends it
 */
export function bringUp(el) {
  const end = performance.now() + LONG_ENOUGH;
  const look = () => {
    const cell = el.closest(".jp-Cell"); // none until it has its place on the page
    const page = cell?.closest(".jp-WindowedPanel-outer");
    if (page && !byHand && isOfThisRun(cell)) {
      const place = (el.closest(".jp-OutputArea-output") ?? el).getBoundingClientRect();
      page.scrollTop += wayTo(place, page.getBoundingClientRect());
    }
    if (!byHand && performance.now() < end) asked = requestAnimationFrame(look);
  };
  let asked = requestAnimationFrame(look);
  return () => cancelAnimationFrame(asked);
}

/** Whoever ran the cell is in it still, or in the next. @param {Element | null} cell */
const isOfThisRun = (cell) => [cell, cell?.nextElementSibling].some((each) => each?.matches(".jp-mod-active"));

/** How far to scroll, so that all of it is seen, or its head. @param {DOMRect} place @param {DOMRect} page */
function wayTo(place, page) {
  const [over, under] = [place.top - ROOM - page.top, place.bottom + ROOM - page.bottom];
  if (!place.height || place.bottom < page.top || place.top > page.bottom) return 0; // it is elsewhere
  return over < 0 ? over : Math.max(0, Math.min(over, under));
}
