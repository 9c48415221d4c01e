/**
 * The buttons of a notebook's view; the playground page has its own.
 *
 * A notebook keeps what was pressed until the kernel is free. So each press says on which frame of which run it was
 * made: the second of two clicks must not run a card that nobody has seen.
 */

import { letGoOn } from "./notebook.js";

/** What each is called, and what it is for, in the order in which they stand. */
const BUTTONS = [
  { act: "next", label: "Next card", title: "Go one step on (→)", look: "main" },
  { act: "back", label: "Back", title: "Look one step back (←)", look: "" },
  { act: "play", label: "Play", title: "Go on to the end", look: "" },
  { act: "reset", label: "Reset", title: "Begin a fresh run", look: "" },
];
/** The arrows do in every button what they do in the picture. */
const KEYS = new Map([
  ["ArrowRight", "next"],
  ["ArrowLeft", "back"],
]);
const TRAITS = ["at", "run", "busy", "can"];

/**
 * What anywidget calls: the traits say what can be pressed, Python hears what was.
 *
 * @param {{model: any, el: HTMLElement}} notebook
 */
function render({ model, el }) {
  let waiting = false;

  const nodes = BUTTONS.map(({ label, title, look }) => {
    const node = document.createElement("button");
    Object.assign(node, { type: "button", className: look, title });
    node.append(label);
    return node;
  });

  /** @param {string} act */
  const may = (act) => !waiting && !model.get("busy") && model.get("can").includes(act);

  const show = () => {
    nodes.forEach((node, index) => {
      // Not `disabled`, which would take the keyboard from it: the arrows go on working where they are.
      node.ariaDisabled = String(!may(BUTTONS[index].act));
    });
  };

  const changed = () => {
    waiting = false;
    show();
  };

  /** @param {string} act */
  const press = (act) => {
    if (!may(act)) return;
    waiting = true; // for what comes of it
    model.send({ act, at: model.get("at"), run: model.get("run") });
    show();
  };

  nodes.forEach((node, index) => node.addEventListener("click", () => press(BUTTONS[index].act)));
  el.addEventListener("keydown", (event) => {
    const act = KEYS.get(event.key);
    if (!act || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    press(act);
  });
  // JupyterLab hears keys before the page does; this is its own way to be told that they are not for it. It looks for
  // that on what has the keyboard, and only then further out.
  for (const node of nodes) node.dataset.lmSuppressShortcuts = "true";
  for (const name of TRAITS) model.on(`change:${name}`, changed);
  el.classList.add("buttons");
  el.append(...nodes);
  show();
  const stop = letGoOn(el);
  return () => {
    stop();
    for (const name of TRAITS) model.off(`change:${name}`, changed);
  };
}

export default { render };
