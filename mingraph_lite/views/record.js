/**
 * What has been recorded, laid out once, so that a step has nothing to count again.
 *
 * A frame holds only what is new in it. What the folder, the calls and the sources are at a frame is kept here as the
 * frames come in: a run of 2,000 frames steps as fast as one of 20.
 *
 * @import { Frame, Line, Reading } from "../../playground/src/frame"
 *
 * @typedef {ReturnType<typeof makeRecord>} Recorded
 */

/** One run: the frames, and what they add up to. */
export function makeRecord() {
  /** @type {Frame[]} */ let frames = [];
  /** @type {Map<string, string>} */ let known = new Map(); // the newest source of each card, by name
  const blank = () => ({
    /** @type {Line[]} */ lines: [],
    /** @type {Line[]} */ asides: [],
    /** @type {Reading[]} */ calls: [],
    /** @type {string[][]} */ menus: [], // menus[i]: what was on offer at call i
    /** @type {number[]} */ ends: [], // ends[at]: how many lines the folder has at a frame
    /** @type {{first: number, end: number}[]} */ heard: [], // heard[at]: the calls of the card that made the newest
    /** @type {string[]} */ sources: [], // sources[at]: the source of the card in the hand
  });
  let sums = blank();

  /** @param {Frame} frame */
  const add = ({ card, lines, asides, readings }) => {
    const first = sums.calls.length;
    sums.lines.push(...lines);
    sums.asides.push(...asides);
    sums.calls.push(...readings);
    for (const { menu } of readings) sums.menus.push(menu ?? sums.menus.at(-1) ?? []);
    sums.ends.push(sums.lines.length);
    const newest = readings.length ? { first, end: sums.calls.length } : sums.heard.at(-1);
    sums.heard.push(newest ?? { first: 0, end: 0 });
    // A frame holds a source only where the frames before do not.
    if (card && card.source !== null) known.set(card.name, card.source);
    sums.sources.push(card ? (known.get(card.name) ?? "") : "");
  };

  return {
    /** Another number means another run: what was drawn of this record is no longer true. */
    version: 0,
    get frames() {
      return frames;
    },
    get sums() {
      return sums;
    },
    /** @param {Frame[]} others  the frames recorded so far, or those of another run */
    take(others) {
      const differs = frames.findIndex((frame, index) => !isSame(frame, others[index]));
      if (differs >= 0) {
        this.version += 1;
        sums = blank();
        known = new Map();
      }
      for (const frame of others.slice(sums.ends.length)) add(frame);
      frames = [...others];
    },
  };
}

/**
 * A frame that came over a wire is another object with the same content.
 *
 * @param {any} one @param {any} other @returns {boolean}
 */
function isSame(one, other) {
  if (one === other) return true;
  if (!one || !other || typeof one !== "object" || typeof other !== "object") return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => isSame(one[name], other[name]));
}
