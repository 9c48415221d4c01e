/**
 * What happened while the card before ran, besides what was said: it stands on the card that follows.
 *
 * @import { Frame, Pointed } from "../../playground/src/frame"
 */
import { long } from "./long_text.js";
import { make } from "./make.js";

/**
 * Frames recorded by an older version have nothing printed and nothing pointed at.
 *
 * @param {Frame} frame
 */
export function told({ events, printed = "", pointed = [] }) {
  const warnings = events.filter(({ name }) => name === "warning").map(({ what }) => what);
  return { notes: events.flatMap(({ notes }) => notes), warnings, printed, pointed };
}

/** @param {Frame} frame @param {string} ran  the name of the card before */
export function notesOn(frame, ran) {
  const { notes, warnings, printed, pointed } = told(frame);
  const error = frame.outcome?.error;
  const parts = [
    ...pointed.map((place) => pointer(place, error)),
    ...notes.map((note) => make("p", "note", "note on the reply: ", long(note))),
    ...warnings.map((what) => make("p", "note", "warning: ", long(what))),
  ];
  if (!printed) return parts;
  const said = make("p", "note", `${ran ? `${ran} ` : ""}printed:`);
  return [...parts, said, make("pre", "printed", make("code", "", long(printed.replace(/\n$/, ""))))];
}

/** What stands above it as the error of the run is not said again. @param {Pointed} place @param {string | null} [error] */
function pointer({ file, line, text, what }, error) {
  const code = text ? [": ", make("code", "", long(text))] : [];
  const reason = what === error ? [] : [", ", long(what)];
  return make("p", "note pointed", `${file}, line ${line}`, ...code, ...reason);
}
