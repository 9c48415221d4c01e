/** What a view asks of the notebook around it. Where there is none, nothing happens. */

/**
 * Goes on to the next cell, so that Shift+Enter runs that one.
 *
 * A press inside a picture makes its own cell the active one, and Shift+Enter would run what has just been answered once
 * more. JupyterLab takes the cell that has the keyboard for the active one; other notebooks keep theirs.
 *
 * @param {Element} el
 */
export function goOn(el) {
  const next = el.closest(".jp-Cell")?.nextElementSibling;
  if (next?.matches(".jp-Cell")) /** @type {HTMLElement} */ (next).focus({ preventScroll: true });
}

/** Is it the key that runs a cell and goes on? @param {KeyboardEvent} event */
export const isOnward = ({ key, shiftKey, altKey, ctrlKey, metaKey }) =>
  key === "Enter" && shiftKey && !altKey && !ctrlKey && !metaKey;
