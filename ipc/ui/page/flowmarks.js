// The changes of a text document by the addresses of its blocks, made of the answer of
// ReviewGetContentDiff.

import { words } from "./diff.js";
import { saysOf } from "./marks.js";

const BLOCK = /^(?:p\d+|t\d+(?:\.[rcpt]\d+)*)$/;

/**
 * The marks of a document: at has those of blocks by address, gone what was removed, each
 * with the address before which it was ("" for the end). unplaced counts the others.
 */
export function flowMarks(diff) {
  const at = new Map(), gone = [], old = [], added = [];
  let unplaced = diff.omitted ?? 0;
  const number = (a) => (/^p\d+$/.test(a ?? "") ? Number(a.slice(1)) : -1);
  const items = diff.groups.flatMap((g) => g.items);
  for (const item of items) {
    if (item.change === "removed" || item.change === "moved") old.push(number(item.change === "moved" ? item.from : item.at));
    if (item.change === "added" || item.change === "moved") added.push(number(item.at));
  }
  const sorted = (list) => list.filter((n) => n >= 0).sort((a, b) => a - b);
  const [goneAt, newAt] = [sorted(old), sorted(added)];
  for (const item of items) {
    const mark = { ...item, says: saysOf(item) };
    if (!BLOCK.test(item.at ?? "")) unplaced++;
    else if (item.change !== "removed") at.set(item.at, mark);
    else if (number(item.at) >= 0 && !diff.omitted) {
      // It stood before the paragraph that as many kept ones precede.
      let place = number(item.at) - goneAt.filter((n) => n < number(item.at)).length;
      for (const n of newAt) if (n <= place) place++;
      gone.push({ ...mark, before: `p${place}` });
    } else unplaced++;
  }
  return { marks: { at, gone, count: at.size + gone.length }, unplaced };
}

/** What became of a text: [{kind: "same" | "ins" | "del", text}]. */
export function steps(before, after) {
  const [a, b] = words(before, after).map((side) => side.map((p) => (typeof p === "string" ? { same: true, text: p } : { same: false, text: p.textContent })));
  const out = [];
  while (a.length || b.length) {
    if (a[0] && !a[0].same) out.push({ kind: "del", text: /** @type {any} */ (a.shift()).text });
    else if (b[0] && !b[0].same) out.push({ kind: "ins", text: /** @type {any} */ (b.shift()).text });
    else {
      const n = Math.min(a[0]?.text.length ?? 0, b[0]?.text.length ?? 0);
      if (!n) break; // both sides keep the same text, so this is its end
      out.push({ kind: "same", text: b[0].text.slice(0, n) });
      for (const side of [a, b]) {
        side[0].text = side[0].text.slice(n);
        if (!side[0].text) side.shift();
      }
    }
  }
  return out;
}
