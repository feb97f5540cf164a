// A list of any length of which only what is seen is made and fetched. All rows
// have the same height.

import { segmentKey } from "./segmentsave.js";
import { h, put, soon } from "./dom.js";
import { shown } from "./tagged.js";
import { LostError } from "./errors.js";

const ROW = 46, CHUNK = 100, KEPT = 30; // pixels, rows of a request, requests that are remembered
export const MOST = 150_000; // rows: browsers lay out no longer pages

const MARKS = { machine: "", memory: "memory", person: "✓" };

/** The one line that says how a segment is. */
export function stateOf(s) {
  const out = [];
  if (s.saving) out.push(h("span", { class: "sub" }, "saving …"));
  if (s.state === "left") out.push(h("strong", { class: "warn-text" }, "not translated"));
  else if (MARKS[s.origin]) out.push(h("span", { class: s.origin === "person" ? "confirmed" : "sub", title: s.origin === "person" ? "Confirmed by a person" : "From the memory" }, MARKS[s.origin], s.origin === "person" ? h("span", { class: "hide" }, "confirmed") : null));
  if (s.remarks?.length) out.push(h("span", { class: s.origin === "person" ? "sub" : "warn-text" }, `⚠ ${s.remarks.length}`));
  return out;
}

/**
 * Makes the list. fetch(offset, limit) gives {segments, total}; choose(segment, index)
 * is called when another is selected; enter() when it is opened with Enter.
 * @param {any} on
 */
export function segmentList(on) {
  const inner = h("div", { class: "segrows", role: "none" });
  const el = h("div", { class: "seglist", role: "listbox", tabindex: "0", "aria-label": "Segments", on: { scroll: soon(() => draw()), keydown: keys } }, inner);
  const rows = new Map(); // elements by index
  let chunks = new Map(), wanted = new Set(), total = 0, selected = -1, turn = 0;

  const at = (i) => chunks.get(Math.floor(i / CHUNK))?.[i % CHUNK];

  async function load(c) {
    if (wanted.has(c)) return;
    wanted.add(c);
    const mine = turn;
    try {
      const r = await on.fetch(c * CHUNK, CHUNK);
      if (mine !== turn) return;
      chunks.delete(c);
      chunks.set(c, r.segments);
      for (const old of chunks.keys()) if (chunks.size > KEPT && old !== c) chunks.delete(old);
      setTotal(r.total);
    } catch (e) {
      if (mine !== turn) return;
      if (e instanceof LostError) setTimeout(() => { wanted.delete(c); if (mine === turn) draw(); }, 1500);
      else on.failed(e);
      return;
    }
    wanted.delete(c);
    draw();
  }

  function setTotal(n) {
    if (n === total) return;
    total = n;
    inner.style.height = `${Math.min(total, MOST) * ROW}px`;
    on.total?.(total);
  }

  function draw() {
    const count = Math.min(total, MOST);
    const first = Math.max(0, Math.floor(el.scrollTop / ROW) - 4), last = Math.min(count, Math.ceil((el.scrollTop + el.clientHeight) / ROW) + 4);
    for (const [i, row] of rows) if (i < first || i >= last) { row.remove(); rows.delete(i); }
    for (let i = first; i < last; i++) {
      const s = at(i);
      if (!s) load(Math.floor(i / CHUNK));
      let row = rows.get(i);
      if (!row) {
        row = h("div", { class: "segrow", role: "option", id: `seg-${i}`, "aria-posinset": i + 1, on: { click: () => { select(i); on.enter?.(true); } } });
        row.style.top = `${i * ROW}px`;
        rows.set(i, row);
        inner.append(row);
      }
      row.setAttribute("aria-setsize", String(count));
      row.setAttribute("aria-selected", String(i === selected));
      if (row.of === s && row.version === s?.version) continue;
      row.of = s;
      row.version = s?.version;
      put(row, s ? [h("span", { class: "segno" }, String(i + 1)), h("span", { class: "segtext", dir: "auto" }, shown(s.source, 400)),
        h("span", { class: "segtext", dir: on.rtl?.(s.language) ? "rtl" : "auto", lang: s.language }, s.target ? shown(s.target, 400) : null), h("span", { class: "segstate" }, stateOf(s))] : h("span", { class: "sub" }, "…"));
    }
    el.setAttribute("aria-activedescendant", rows.has(selected) ? `seg-${selected}` : "");
    if (!rows.has(selected)) el.removeAttribute("aria-activedescendant");
  }

  function show(i) {
    const top = i * ROW;
    if (top < el.scrollTop) el.scrollTop = top;
    else if (top + ROW > el.scrollTop + el.clientHeight) el.scrollTop = top + ROW - el.clientHeight;
  }

  async function select(i) {
    if (i < 0 || i >= Math.min(total, MOST)) return;
    selected = i;
    show(i);
    draw();
    if (!at(i)) await load(Math.floor(i / CHUNK));
    if (selected === i && at(i)) on.choose(at(i), i);
  }

  function keys(ev) {
    if (ev.ctrlKey || ev.metaKey || ev.altKey) return;
    const page = Math.max(1, Math.floor(el.clientHeight / ROW) - 1);
    const to = { ArrowUp: selected - 1, ArrowDown: selected + 1, PageUp: Math.max(0, selected - page), PageDown: Math.min(total - 1, selected + page), Home: 0, End: Math.min(total, MOST) - 1 }[ev.key];
    if (to !== undefined) select(to);
    else if (ev.key === "Enter") on.enter?.(false);
    else return;
    ev.preventDefault();
  }

  new ResizeObserver(() => draw()).observe(el);
  return {
    el, select,
    selected: () => selected,
    at,
    total: () => total,
    /** Begins anew, such as with another filter. */
    async reset() {
      turn++;
      chunks = new Map();
      wanted = new Set();
      selected = -1;
      el.scrollTop = 0;
      for (const row of rows.values()) row.remove();
      rows.clear();
      total = -1;
      await load(0);
    },
    /** Fetches again what is seen; the selection stays at its segment. */
    async again() {
      const first = Math.floor(el.scrollTop / ROW / CHUNK), last = Math.floor((el.scrollTop + el.clientHeight) / ROW / CHUNK);
      turn++;
      const mine = turn;
      wanted = new Set();
      const fresh = new Map();
      for (let c = first; c <= last; c++) {
        const r = await on.fetch(c * CHUNK, CHUNK);
        if (mine !== turn) return;
        fresh.set(c, r.segments);
        setTotal(r.total);
      }
      const now = at(selected); // of now: the person may have moved on while it was fetched
      chunks = fresh;
      if (now) for (const [c, list] of fresh) for (const [i, s] of list.entries()) if (segmentKey(s) === segmentKey(now)) selected = c * CHUNK + i;
      draw();
    },
    /** Shows a segment anew that was changed. */
    changed: () => draw(),
    each(f) { for (const list of chunks.values()) list.forEach(f); },
  };
}
