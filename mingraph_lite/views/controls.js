/**
 * The buttons, the sentence that says the picture in words, and the switch that shows all panels.
 *
 * A button that may not be pressed is `aria-disabled`, not `disabled`, which would take the keyboard from it: Next keeps
 * it through a whole run.
 *
 * @import { Shown } from "./folder_and_card.js"
 */
import { button, make } from "./make.js";

/** @param {string} label @param {string} className @param {() => void} press */
function guarded(label, className, press) {
  const node = button(label, className, () => node.ariaDisabled !== "true" && press());
  return node;
}

/** @param {HTMLElement} node @param {boolean} can */
function allow(node, can) {
  node.ariaDisabled = String(!can);
}

/** A button that a key presses too. @param {HTMLButtonElement} node @param {string} key */
function withKey(node, key) {
  const hint = make("kbd", "", key);
  hint.setAttribute("aria-hidden", "true"); // the label says it already
  node.append(" ", hint);
  return node;
}

/**
 * Play, and Stop in its very place while a card is being run.
 *
 * @param {() => void} press @param {() => void} pressStop
 */
function makePlayAndStop(press, pressStop) {
  const play = guarded("Play", "play", press);
  const stop = button("Stop", "stop", pressStop);
  return {
    node: make("span", "turn", play, stop),
    /** @param {boolean} busy @param {boolean} onward */
    show(busy, onward) {
      const held = document.activeElement;
      allow(play, onward);
      // Both are always there, the wider one gives the width. Stop comes late: most cards run in a blink.
      play.inert = busy;
      play.ariaHidden = busy ? "true" : null;
      stop.inert = !busy;
      stop.ariaHidden = busy ? null : "true";
      if (busy && held === play) stop.focus({ preventScroll: true });
      if (!busy && held === stop) play.focus({ preventScroll: true });
    },
  };
}

/** How fast Play goes on. @param {(index: number) => void} choose */
function makeSpeed(choose) {
  const node = make("select", "speed");
  Object.assign(node, { ariaLabel: "Speed of Play", title: "Speed of Play" });
  node.addEventListener("change", () => choose(node.selectedIndex));
  let names = "";
  return {
    node,
    /** @param {string[]} speeds @param {string} speed */
    show(speeds, speed) {
      if (names !== speeds.join("\n")) {
        names = speeds.join("\n");
        node.replaceChildren(...speeds.map((name) => make("option", "", name)));
      }
      node.hidden = !speeds.length;
      node.value = speed;
    },
  };
}

/** Buttons beside the usual ones. @param {(act: string) => void} press */
function makeMore(press) {
  const node = make("div", "more");
  /** @type {HTMLButtonElement[]} */ let nodes = [];
  let drawn = "";
  return {
    node,
    /** @param {Shown["more"]} more */
    show(more) {
      const asked = JSON.stringify(more.map(({ act, label, title }) => [act, label, title]));
      if (asked !== drawn) {
        drawn = asked;
        nodes = more.map(({ act, label, title }) =>
          Object.assign(
            guarded(label, "", () => press(act)),
            { title },
          ),
        );
        node.replaceChildren(...nodes);
      }
      node.hidden = !more.length;
      more.forEach(({ can }, index) => allow(/** @type {HTMLElement} */ (nodes[index]), can));
    },
  };
}

/**
 * @param {Record<"forward" | "back" | "play" | "reset" | "stop" | "all", () => void>} press
 * @param {(act: string, value?: number) => void} act
 */
export function makeControls(press, act) {
  const next = withKey(guarded("Next card", "main", press.forward), "→");
  const back = withKey(guarded("Back", "", press.back), "←");
  const turn = makePlayAndStop(press.play, press.stop);
  const speed = makeSpeed((index) => act("speed", index));
  const reset = guarded("Reset", "", press.reset);
  const buttons = make("div", "buttons", next, back, turn.node, speed.node, reset);
  const more = makeMore(act);
  const say = make("span", "say");
  const all = button("show all", "all", press.all);
  all.title = "Show all panels, or only those of this lesson";
  return {
    node: make("div", "controls", buttons, more.node, say, all),
    /** @param {Shown} shown @param {boolean} onward @param {string} sentence @param {boolean | null} allShown */
    show(shown, onward, sentence, allShown) {
      const { controls, busy, at, frames } = shown;
      buttons.hidden = !controls;
      allow(next, onward);
      allow(back, at > 0);
      allow(reset, !busy && (shown.canNext || frames.length > 0));
      turn.show(busy, onward || (shown.canPlay && !busy));
      speed.show(shown.speeds, shown.speed);
      more.show(controls ? shown.more : []);
      all.hidden = allShown === null; // there are no others
      all.ariaPressed = String(allShown);
      const words = (controls && shown.waiting) || sentence;
      if (say.textContent !== words) say.textContent = words;
    },
  };
}
