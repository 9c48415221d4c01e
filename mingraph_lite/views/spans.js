/**
 * Lines that follow each other, counted and compared without a list of every one of them.
 *
 * @import { Span } from "../../playground/src/frame"
 */

/** How many places these are. @param {Span[]} spans */
export const size = (spans) => spans.reduce((sum, { start, end }) => sum + end - start, 0);

/** @param {Span[]} spans @param {{of: string, index: number}} place */
export const holds = (spans, { of, index }) =>
  spans.some((span) => span.of === of && span.start <= index && index < span.end);

/** What is in none of the others, each place once. @param {Span[]} spans @param {Span[]} others @returns {Span[]} */
export function without(spans, others) {
  const gone = [...others];
  return spans.flatMap((span) => {
    const rest = gone.reduce((parts, other) => parts.flatMap((part) => cut(part, other)), [span]);
    gone.push(span);
    return rest;
  });
}

/** @param {Span} part @param {Span} other @returns {Span[]} */
function cut(part, { of, start, end }) {
  if (part.of !== of || end <= part.start || start >= part.end) return [part];
  const [before, after] = [
    { of, start: part.start, end: start },
    { of, start: end, end: part.end },
  ];
  return [before, after].filter((each) => each.start < each.end);
}

/** The last places of these, in their order. @param {Span[]} spans @param {number} room */
export function lastOf(spans, room) {
  const places = [];
  for (const { of, start, end } of [...spans].reverse()) {
    for (let index = end - 1; index >= start && places.length < room; index -= 1) places.push({ of, index });
  }
  return places.reverse();
}
