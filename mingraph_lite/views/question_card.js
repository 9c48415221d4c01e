/**
 * The question card: a question, a guess that is locked with a press, and later what was measured.
 *
 * A notebook (through anywidget) and the playground page share this file as it is. It draws what it is given and says
 * what was pressed. The right answer is measured elsewhere, and comes only with the reveal.
 */

/**
 * What a question holds is written in question_types.py, and this is made of it.
 *
 * @import { Question } from "../../playground/src/question"
 *
 * @typedef {{act: "guess", value: string, why: string} | {act: "skip"}} Press
 *
 * @typedef {object} Draft  what the learner has not locked yet
 * @property {string | null} value
 * @property {string} why
 *
 * @typedef {object} Asking  the part that takes a guess
 * @property {HTMLElement[]} nodes
 * @property {HTMLElement} first  where the keyboard goes
 * @property {(index: number) => void} pick
 * @property {(held: boolean) => void} hold
 */

import { button, make } from "./make.js";
import { bringUp, goOn } from "./notebook.js";

/** @type {Question} */
const NOTHING_ASKED = {
  key: "",
  question: "",
  choices: [],
  number: "",
  guess: null,
  skipped: false,
  why: "",
  votes: null,
  fact: null,
  told: "",
  note: "",
};

/** A picture of what a word beside it says. @param {string} sign */
function chip(sign) {
  const node = make("i", "", sign);
  node.setAttribute("aria-hidden", "true");
  return node;
}

/** Can it still be answered? @param {Question} question */
const isOpen = ({ guess, skipped, votes, fact }) => guess === null && !skipped && votes === null && fact === null;

/** Where the question stands, in a few words. @param {Question} question */
function state({ guess, skipped, votes, fact, note }) {
  if (fact !== null) return "Measured just now";
  if (votes !== null) {
    const count = votes.reduce((sum, each) => sum + each, 0);
    return `${count === 1 ? "1 vote" : `${count} votes`}, before the reveal`;
  }
  if (note && (guess !== null || skipped)) return note;
  if (guess !== null) return "Your guess is locked";
  return skipped ? "Skipped" : "Before you run it";
}

/**
 * The choices as radio buttons: arrows move among them, and each has a number key.
 *
 * @param {Question} question @param {Draft} draft @param {string} label
 */
function makeRadios({ choices }, draft, label) {
  const name = `${label}-choice`;
  const radios = choices.map((choice) => {
    const radio = make("input");
    Object.assign(radio, { type: "radio", name, value: choice, checked: choice === draft.value });
    return radio;
  });
  const tags = choices.map(() => make("span", "tag"));
  const rows = choices.map((choice, index) => {
    const text = make("span", "text", choice);
    const tag = /** @type {Node} */ (tags[index]);
    return make("label", "choice", /** @type {Node} */ (radios[index]), chip(`${index + 1}`), text, tag);
  });
  const group = make("div", "choices", ...rows);
  group.setAttribute("role", "radiogroup");
  group.setAttribute("aria-labelledby", label);
  const show = () => {
    draft.value = radios.find((radio) => radio.checked)?.value ?? null;
    tags.forEach((tag, index) => (tag.textContent = radios[index]?.checked ? "your guess" : ""));
  };
  group.addEventListener("change", show);
  show();
  return {
    node: group,
    first: radios.find((radio) => radio.checked) ?? /** @type {HTMLInputElement} */ (radios[0]),
    /** @param {number} index */
    pick(index) {
      const radio = radios[index];
      if (!radio || radio.disabled) return;
      radio.checked = true;
      radio.focus();
      show();
    },
    /** A locked choice stays where the keyboard is, and does not change. @param {boolean} held */
    hold: (held) => radios.forEach((radio) => (radio.disabled = held && !radio.checked)),
  };
}

/**
 * A field for a guess that is a value.
 *
 * @param {Question} question @param {Draft} draft @param {string} label
 */
function makeField({ note }, draft, label) {
  const field = make("input");
  Object.assign(field, { type: "text", value: draft.value ?? "", autocomplete: "off", spellcheck: false });
  field.autocapitalize = "off";
  field.setAttribute("aria-describedby", `${label} ${label}-said`);
  field.ariaInvalid = String(note !== "");
  field.addEventListener("input", () => (draft.value = field.value.trim() || null));
  return {
    node: make("label", "typed", "Your guess", field),
    first: field,
    pick: () => {},
    /** @param {boolean} held */
    hold: (held) => (field.readOnly = held),
  };
}

/**
 * What takes a guess: the choices or a field, a line for why, two buttons.
 *
 * @param {Question} question @param {Draft} draft @param {string} label
 * @param {{guess: () => void, skip: () => void}} press
 * @returns {Asking}
 */
function makeAsking(question, draft, label, press) {
  const guess = question.choices.length ? makeRadios(question, draft, label) : makeField(question, draft, label);
  const why = make("textarea");
  Object.assign(why, { rows: 2, value: draft.why });
  why.addEventListener("input", () => (draft.why = why.value));
  const buttons = [button("That is my guess", "main", press.guess), button("Skip", "plain", press.skip)];
  const row = make("div", "row", ...buttons);
  return {
    nodes: [guess.node, make("label", "why", "Why? A few words, for yourself.", why), row],
    first: guess.first,
    pick: guess.pick,
    hold(held) {
      guess.hold(held);
      why.readOnly = held;
      // Not disabled: the button keeps the keyboard for as long as the answer takes.
      for (const node of buttons) node.ariaDisabled = String(held);
    },
  };
}

/**
 * The choices to look at: the guess, what was measured, and the votes of a class.
 *
 * @param {Question} question
 */
function makeRows({ choices, guess, fact, votes }) {
  const typed = [fact, guess].filter((each) => each !== null);
  const texts = choices.length ? choices : [...new Set(typed)];
  const most = (votes ?? []).reduce((sum, each) => sum + each, 0);
  const rows = texts.map((text, index) => {
    const [mine, measured] = [text === guess, text === fact];
    const sign = measured ? "✓" : choices.length ? `${index + 1}` : "?";
    const words = [...(mine ? ["your guess"] : []), ...(measured ? ["measured"] : [])];
    const parts = [chip(sign), make("span", "text", text), make("span", "tag", words.join(" · "))];
    if (votes) parts.push(...bar(votes[index] ?? 0, most));
    return make("li", "", make("div", `choice${mine ? " mine" : ""}${measured ? " fact" : ""}`, ...parts));
  });
  const list = make("ol", "choices", ...rows);
  list.setAttribute("role", "list"); // Safari forgets that a list without bullets is one
  return list;
}

/** One count, and the same as a bar. @param {number} count @param {number} all */
function bar(count, all) {
  const filled = make("span");
  filled.style.width = `${all ? (100 * count) / all : 0}%`;
  const unit = make("span", "heard", count === 1 ? " vote" : " votes");
  return [make("span", "n", `${count}`, unit), make("span", "bar", filled)];
}

/**
 * What is said below the choices; a screen reader hears it as it comes.
 *
 * @param {Question} question @param {string} next @returns {(Node | string)[]}
 */
function sentences({ guess, skipped, votes, fact, told, note, why }, next) {
  if (fact !== null) {
    const mine = guess === null ? "" : ` Your guess: ${guess}.`;
    const wrote = why ? [make("span", "wrote", " You wrote: ", make("q", "", why))] : [];
    return [make("span", "heard", `Measured: ${fact}.${mine} `), ...(told ? [make("b", "", told)] : []), ...wrote];
  }
  if (note && (guess !== null || skipped)) return []; // the state says it
  const onward = next ? [` ${next}`] : [];
  if (guess !== null) return [make("b", "", "Your guess is noted."), ...onward];
  if (skipped) return [make("b", "", "Skipped."), ...onward];
  return votes === null && note ? [note] : [];
}

/**
 * Draws a question into `el` and tells `act` what was pressed.
 *
 * @param {HTMLElement} el
 * @param {(press: Press) => void} act
 * @param {object} options
 * @param {string} [options.next]  what to do after a guess, where that is always the same
 * @param {() => void} [options.leave]  does the first step of it, for who has the keyboard here
 */
export function mount(el, act, { next = "", leave = () => {} } = {}) {
  // Ids are the page's, and a notebook shows many cards, each with this module for itself.
  const label = `mingraph-question-${Math.random().toString(36).slice(2)}`;
  let question = NOTHING_ASKED;
  let waiting = false; // for what comes of the last press
  /** @type {Draft} */
  let draft = { value: null, why: "" };
  /** @type {Asking | null} */
  let asking = null;

  const [where, number] = [make("span"), make("span", "count")];
  const asked = make("p", "q");
  const body = make("div", "answer");
  const said = make("div", "said");
  asked.id = label;
  said.id = `${label}-said`;
  said.setAttribute("role", "status"); // a live region is heard only if it was there before its words changed
  const card = make("section", "ask", make("p", "state", where, number), asked, body, said);
  card.setAttribute("role", "group");
  card.tabIndex = -1; // so that a click anywhere on it brings the number keys

  /** @param {Press} press */
  const send = (press) => {
    waiting = true;
    asking?.hold(true);
    act(press);
  };
  /** @param {string} sentence @param {string} kind */
  const say = (sentence, kind = "") => {
    said.className = `said${kind}`;
    said.replaceChildren(...(sentence ? [sentence] : []));
  };
  const press = {
    guess() {
      if (waiting) return;
      if (draft.value !== null) return send({ act: "guess", value: draft.value, why: draft.why.trim() });
      say(`${question.choices.length ? "Pick" : "Type"} your guess first, or skip this one.`, " amiss");
      asking?.first.focus();
    },
    skip: () => waiting || send({ act: "skip" }),
  };

  card.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    const typing = target.matches("textarea, input[type=text]");
    if (!asking || event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
    // Shift+Enter is what runs a cell: who presses it out of habit, and has picked, means the same.
    if (!typing && !waiting && !event.shiftKey && /^[1-9]$/.test(event.key)) asking.pick(Number(event.key) - 1);
    else if (event.key === "Enter" && !target.matches("textarea, button")) press.guess();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  const root = make("div", "mingraph question-card", card);
  el.append(root);

  function draw() {
    const reading = card.contains(document.activeElement);
    const open = isOpen(question);
    asking = open ? makeAsking(question, draft, label, press) : null;
    body.replaceChildren(...(asking ? asking.nodes : [makeRows(question)]));
    where.textContent = state(question);
    number.textContent = question.number;
    asked.textContent = question.question;
    card.setAttribute("aria-label", `Question${question.number && ` ${question.number}`}`);
    // JupyterLab hears keys before the page does; this is its own way to be told that they are not for it. It looks
    // for that on what has the keyboard before it looks further out. A card that takes no keys any more gives them
    // back, so that Shift+Enter runs the next cell.
    for (const node of [card, ...card.querySelectorAll("input, textarea, button")]) {
      node.toggleAttribute("data-lm-suppress-shortcuts", open);
    }
    said.className = open && question.note ? "said amiss" : question.fact !== null ? "said told" : "said";
    said.replaceChildren(...sentences(question, next));
    if (reading) (asking?.first ?? card).focus({ preventScroll: true });
  }

  return {
    /** @param {Question} shown */
    update(shown) {
      const other = shown.key !== question.key || shown.question !== question.question;
      const again = isOpen(shown) && !isOpen(question);
      if (other || again) draft = { value: null, why: shown.why };
      const answered = waiting && !isOpen(shown);
      waiting = false;
      question = shown;
      draw();
      if (answered && card.contains(document.activeElement)) leave();
    },
    destroy: () => root.remove(),
  };
}

/**
 * What anywidget calls in a notebook: a trait holds the question, Python hears what was pressed.
 *
 * @param {{model: any, el: HTMLElement}} notebook
 */
function render({ model, el }) {
  const view = mount(el, (press) => model.send(press), {
    next: "Now run the next cell.",
    leave: () => goOn(el),
  });
  const show = () => view.update(model.get("question"));
  // A second guess of the same wrong kind leaves the question as it was, so each answer is counted.
  model.on("change:answers", show);
  show();
  const stop = bringUp(el);
  return () => {
    stop();
    model.off("change:answers", show);
    view.destroy();
  };
}

export default { render };
