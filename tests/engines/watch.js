// Stands before the page's own scripts: notes what a test looks at, and finds what a reader would look for.
// A script of the page's origin, since that is all that its rules allow, and each engine runs it in the same way.
(() => {
  const noted = { boots: 0, told: [], broken: [], place: "" };
  const broken = (what) => noted.broken.push(String(what));

  addEventListener("error", ({ message, error, target }) => {
    broken(error?.stack ? `${error}\n${error.stack}` : (message ?? `${target?.src ?? target?.href} did not load`));
  }, true);
  addEventListener("unhandledrejection", ({ reason }) => broken(`unhandled: ${reason}`));
  addEventListener("securitypolicyviolation", (event) => {
    broken(`${event.violatedDirective} forbids ${event.blockedURI}`);
  });
  const complain = console.error;
  console.error = (...words) => {
    broken(words.join(" "));
    complain.apply(console, words);
  };

  // What the page tells a worker: to load, which goes to the worker itself, and all else, over a port.
  for (const { prototype } of [Worker, MessagePort]) {
    const send = prototype.postMessage;
    prototype.postMessage = function (message, ...rest) {
      const readable = (_, value) => (value instanceof Uint8Array ? new TextDecoder().decode(value) : value);
      if (message?.type === "load") noted.boots += 1;
      if (message?.type === "turn") noted.place = "";
      noted.told.push(JSON.stringify(message, readable));
      return send.call(this, message, ...rest);
    };
  }

  // What a worker tells of the reader's code: nothing in sight says that Python is in the middle of it.
  const heard = Object.getOwnPropertyDescriptor(MessagePort.prototype, "onmessage");
  const hear = ({ data }) => {
    if (data?.type === "at") noted.place = `${data.sleeping ? "asleep in" : "at"} line ${data.line}`;
  };
  Object.defineProperty(MessagePort.prototype, "onmessage", {
    ...heard,
    set(act) {
      heard.set.call(this, act && ((event) => (hear(event), act(event))));
    },
  });

  const KINDS = {
    button: "button:not([role]), [role=button]",
    tab: "[role=tab]",
    field: "input, textarea, select, [role=textbox]",
  };
  const inSight = (node) => node.getClientRects().length > 0 && getComputedStyle(node).visibility === "visible";
  const inUse = (node) => inSight(node) && !node.closest("[inert]");
  const words = (node) => {
    const copy = node.cloneNode(true);
    for (const unspoken of copy.querySelectorAll("[aria-hidden=true], select, textarea")) unspoken.remove();
    return copy.textContent.replace(/\s+/g, " ").trim();
  };
  const nameOf = (node) =>
    node.ariaLabel || [...(node.labels ?? [])].map(words).join(" ") || words(node);
  const all = (kind) => {
    const open = document.querySelector("dialog[open]") ?? document; // nothing else can be reached then
    return [...open.querySelectorAll(KINDS[kind])].filter(inUse);
  };
  const find = (kind, name) => all(kind).find((node) => nameOf(node) === name);
  const usable = (node) => !node.disabled && node.ariaDisabled !== "true";

  window.noted = noted;
  window.reader = {
    names: (kind) => all(kind).map(nameOf),
    find,
    canPress: (kind, name) => Boolean(find(kind, name)) && usable(find(kind, name)),
    /** The middle of what can be pressed, where a pointer would press; null where it cannot be. */
    middle(kind, name) {
      if (!this.canPress(kind, name)) return null;
      const node = find(kind, name);
      node.scrollIntoView({ block: "nearest", inline: "nearest" });
      const { x, y, width, height } = node.getBoundingClientRect();
      const middle = [x + width / 2, y + height / 2];
      const above = document.elementFromPoint(...middle);
      return { middle, covered: node.contains(above) ? "" : (above?.outerHTML.slice(0, 120) ?? "nothing") };
    },
    texts: (css) => [...document.querySelectorAll(css)].filter(inSight).map((node) => node.innerText.trim()),
    /** A menu's choice, and what the page draws at once: before, the run of the choice before is in sight. */
    async choose(name, value) {
      const menu = find("field", name);
      menu.value = value;
      menu.dispatchEvent(new Event("change", { bubbles: true }));
      const { value: chosen } = menu;
      for (let drawn = 0; drawn < 2; drawn += 1) await new Promise(requestAnimationFrame);
      await new Promise((done) => setTimeout(done));
      return chosen;
    },
    /** Text into what has the keyboard, as it is: typed, an editor would indent and close brackets. */
    insert: (text) => document.execCommand("insertText", false, text),
  };
})();
