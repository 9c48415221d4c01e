/**
 * The buttons of a notebook's view; the playground page has its own.
 *
 * A notebook keeps what was pressed until the kernel is free. So each press says on which frame of which run it was
 * made: the second of two clicks must not run a card that nobody has seen.
 */

/** What each is called, and what it is for, in the order in which they stand. */
const BUTTONS = [
  { act: "next", label: "Next card", title: "Run the card in the hand", look: "main" },
  { act: "back", label: "Back", title: "Look at the card before", look: "" },
  { act: "play", label: "Play", title: "Run card after card to the end", look: "" },
  { act: "reset", label: "Reset", title: "Begin a fresh run", look: "" },
];
const TRAITS = ["at", "run", "busy", "can"];

/**
 * What anywidget calls: the traits say what can be pressed, Python hears what was.
 *
 * @param {{model: any, el: HTMLElement}} notebook
 */
function render({ model, el }) {
  let waiting = false; // for what comes of the last press

  const nodes = BUTTONS.map(({ label, title, look }) => {
    const node = document.createElement("button");
    Object.assign(node, { type: "button", className: look, title });
    node.append(label);
    return node;
  });

  const show = () => {
    const held = waiting || model.get("busy");
    const focused = document.activeElement;
    nodes.forEach((node, index) => {
      node.disabled = !model.get("can").includes(BUTTONS[index].act);
      // For the length of a card it keeps the keyboard, so that it can be pressed again without a search.
      node.ariaDisabled = String(held);
    });
    const desk = el.closest(".mingraph")?.querySelector(".desk");
    if (nodes.some((node) => node === focused && node.disabled)) desk?.focus({ preventScroll: true });
  };

  const changed = () => {
    waiting = false;
    show();
  };

  nodes.forEach((node, index) => {
    node.addEventListener("click", () => {
      if (waiting || model.get("busy")) return;
      waiting = true;
      model.send({ act: BUTTONS[index].act, at: model.get("at"), run: model.get("run") });
      show();
    });
  });
  for (const name of TRAITS) model.on(`change:${name}`, changed);
  el.classList.add("buttons");
  el.append(...nodes);
  show();
  return () => {
    for (const name of TRAITS) model.off(`change:${name}`, changed);
  };
}

export default { render };
