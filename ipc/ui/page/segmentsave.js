// Corrections on their way. They are sent together, as many as wait, and again when
// the program was away or busy.

import { LostError } from "./errors.js";

const TOGETHER = 50, AGAIN = 1500;
export const segmentKey = (s) => `${s.path}\n${s.segment}`;

/**
 * Makes the queue. on: saved(segments), refused(refusals), waits(why), failed(error, corrections).
 * @param {any} work @param {string} job @param {any} on
 */
export function makeSaver(work, job, on) {
  const queue = new Map(); // corrections by segment, so that the last of a segment counts
  let sending = false;

  async function send() {
    if (sending) return;
    sending = true;
    while (queue.size) {
      const first = queue.values().next().value;
      const part = [...queue].filter(([, f]) => f.equal === first.equal).slice(0, TOGETHER);
      for (const [key] of part) queue.delete(key);
      const corrections = part.map(([, f]) => f.correction);
      try {
        const r = await work.call("TranslateCorrect", { job_id: job, corrections, equal: first.equal });
        on.waits("");
        on.saved(r);
      } catch (e) {
        const away = e instanceof LostError, busy = e.data?.retryable;
        if (!away && !busy) {
          on.failed(e, corrections);
          continue;
        }
        for (const [key, f] of part) if (!queue.has(key)) queue.set(key, f);
        on.waits(away ? "Not connected: your corrections are sent when the program is there again." : `${e.message}. Your corrections wait for its end.`);
        await new Promise((done) => setTimeout(done, AGAIN));
      }
    }
    sending = false;
  }

  const leaving = (ev) => { if (queue.size || sending) ev.preventDefault(); };
  window.addEventListener("beforeunload", leaving);
  return {
    add(segment, target, equal) {
      queue.set(segmentKey(segment), { equal, correction: { path: segment.path, segment: segment.segment, target } });
      send();
    },
    /** The correction of a segment that waits. */
    waiting: (s) => queue.get(segmentKey(s))?.correction.target,
    busy: () => sending || queue.size > 0,
    close: () => window.removeEventListener("beforeunload", leaving),
  };
}
