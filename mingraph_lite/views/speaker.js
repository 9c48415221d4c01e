/** The place from which a screen reader speaks: heard, and not seen. */
import { make } from "./make.js";
import { spoken } from "./spoken.js";

/** @import { Recorded } from "./record.js" */

const A_CHARACTER = 50; // milliseconds in which a voice speaks one
const PATIENCE = 8000;

/**
 * Speaks each step once.
 *
 * While a run goes on by itself, frames come faster than a voice can speak, and a screen reader would keep them all for
 * later. What comes while it speaks waits until it has spoken, and is then said in one sentence.
 */
export function makeSpeaker() {
  const node = make("span", "heard");
  node.setAttribute("role", "status"); // a live region is heard only if it was there before its words changed
  let last = -1; // the frame that was spoken
  let version = 0;
  let speaksUntil = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ let timer;

  return {
    node,
    /** @param {Recorded} record @param {number} at @param {boolean} busy @param {boolean} withCard */
    say(record, at, busy, withCard) {
      clearTimeout(timer);
      if (record.version !== version) [version, last] = [record.version, -1];
      if (at === last && record.frames.length) return;
      const now = performance.now();
      if (busy && at > last && now < speaksUntil) {
        timer = setTimeout(() => this.say(record, at, busy, withCard), speaksUntil - now + 1);
        return;
      }
      node.textContent = spoken(record.frames, last, at, withCard);
      last = record.frames.length ? at : -1;
      speaksUntil = now + Math.min(PATIENCE, A_CHARACTER * node.textContent.length);
    },
    destroy: () => clearTimeout(timer),
  };
}
