// The editor of a job's translations: a list of segments, and the one that is worked
// on with its checks, matches and terms.

import { h, put, button, say } from "./dom.js";
import { MOST, segmentList } from "./segmentlist.js";
import { makeSaver, segmentKey } from "./segmentsave.js";
import { segmentPane } from "./segmentpane.js";
import { replaceDialog } from "./segmentreplace.js";
import { LostError } from "./errors.js";

const SHOW = [["", "All segments"], ["open", "To look at"], ["left", "Not translated"], ["machine", "By the engine"], ["memory", "From the memory"], ["person", "Confirmed"]];
const CODES = [["", "Any remarks"], ["tags", "Tags"], ["number", "Numbers"], ["number_order", "Order of numbers"], ["term", "Glossary"], ["forbidden", "Forbidden terms"], ["length", "Too long"], ["length_ratio", "Unusual length"],
  ["untranslated", "Same as the source"], ["placeholder", "Placeholders"], ["address", "Addresses"], ["verbatim", "Paths and code"], ["punctuation", "Punctuation"], ["script", "Wrong script"], ["repaired", "Repaired tags"], ["no_answer", "No answer"]];
const RTL = /^(ar|he|iw|fa|ur|yi|dv|ps|sd|ug|ckb)\b/i;
export const rtl = (language) => RTL.test(language ?? "");

/** @param {Store} store @param {Work} work @param {UI} ui @param {any} job */
export function segmentsView(store, work, ui, job) {
  const id = job.job_id;
  const file = h("select", { "aria-label": "File", on: { change: reset } }, h("option", { value: "" }, "All files"));
  const show = select("Which segments", SHOW, reset), code = select("Which remarks", CODES, reset);
  const text = h("input", { type: "search", "aria-label": "Find in segments", placeholder: "Find …", dir: "auto", on: { input: soonest(reset) } });
  const count = h("span", { class: "sub", role: "status" });
  const waits = h("p", { class: "warning", role: "status", hidden: true });
  /** @type {() => any} */
  const filter = () => ({ path: file.value || undefined, show: show.value || undefined, code: code.value || undefined, text: text.value.trim() || undefined });

  const list = segmentList({
    fetch: (offset, limit) => work.call("TranslateSegments", { job_id: id, ...filter(), offset, limit }),
    failed: (e) => put(count, e.message),
    total: (n) => { count.textContent = `${n.toLocaleString("en")} ${n === 1 ? "segment" : "segments"}${n > MOST ? `; the list shows ${MOST.toLocaleString("en")}: choose fewer with the filter` : ""}`; },
    choose: (s, i) => pane.open(s, i),
    enter: (byMouse) => { if (!byMouse || matchMedia("(hover: hover)").matches) pane.focus(); },
    rtl,
  });
  const saver = makeSaver(work, id, {
    saved(r) {
      for (const s of r.segments) update(s);
      for (const f of r.refused ?? []) problem(f, f.reason);
      for (const n of r.notes ?? []) ui.toast(n);
      if (r.corrected > r.segments.length || r.segments.length > 1) say(`${r.corrected} segments saved.`);
      refresh();
    },
    waits(why) { waits.hidden = !why; waits.textContent = why; },
    failed(e, corrections) {
      for (const c of corrections) problem(c, e.message);
      ui.toast(`Not saved: ${e.message}`);
    },
  });
  const pane = segmentPane(store, work, job, {
    rtl, saver,
    async confirm(s, target, equal) {
      const index = list.selected();
      const next = list.at(index + 1);
      mark(s, { saving: true, problem: "" });
      saver.add(s, target, equal);
      if (next || index + 1 < list.total()) await list.select(index + 1);
      else { say("That was the last segment."); ui.toast("That was the last segment."); }
      pane.focus();
    },
    step: async (by) => { await list.select(list.selected() + by); pane.focus(); },
  });

  function mark(s, change) {
    Object.assign(s, change);
    s.version = (s.version ?? 0) + 1;
    list.changed();
  }
  // update takes over what the program stored of a segment.
  function update(now) {
    list.each((s) => { if (segmentKey(s) === segmentKey(now)) mark(s, { remarks: undefined, target: undefined, ...now, saving: saver.waiting(s) !== undefined, problem: "" }); });
    pane.stored(now);
  }
  function problem(c, reason) {
    list.each((s) => { if (segmentKey(s) === segmentKey(c)) mark(s, { saving: false, problem: reason, wanted: c.target }); });
    pane.problem(c, reason);
    say(`Not saved: ${reason}`);
  }

  let lastCounts = "";
  async function refreshCounts() {
    const r = await work.call("TranslateSegments", { job_id: id, limit: 1, counts: true });
    const documents = r.documents ?? [], was = file.value;
    const key = documents.map((d) => `${d.path}${d.segments},${d.open}`).join();
    if (key === lastCounts) return documents;
    lastCounts = key;
    const label = (d) => `${d.path} (${d.open ? `${d.open} to look at of ${d.segments}` : `${d.confirmed} of ${d.segments} confirmed`})`;
    put(file, h("option", { value: "" }, documents.length === 1 ? "All files" : `All ${documents.length} files`), documents.map((d) => h("option", { value: d.path, selected: d.path === was }, label(d))));
    return documents;
  }
  const refresh = soonest(async () => {
    try {
      await refreshCounts();
      await list.again();
      const s = pane.segment();
      if (!s && list.total() > 0) return await list.select(0); // the first documents are written
      const now = list.at(list.selected());
      if (s && now && segmentKey(now) === segmentKey(s) && saver.waiting(s) === undefined) pane.stored(now);
    } catch (e) {
      if (!(e instanceof LostError)) count.textContent = e.message;
    }
  });

  async function reset() {
    count.textContent = "Looking for segments …";
    pane.close();
    try {
      await list.reset();
      if (list.total() > 0) await list.select(0);
    } catch (e) {
      count.textContent = e.message;
    }
  }

  async function begin() {
    await reset();
    try {
      const documents = await refreshCounts();
      if (documents.some((d) => d.unwritten)) await work.call("TranslateCorrect", { job_id: id });
    } catch (e) {
      if (!(e instanceof LostError)) count.textContent = e.message;
    }
  }

  const replace = button("Find and replace", () => replaceDialog(work, id, filter(), text.value.trim(), refresh), { "aria-keyshortcuts": "Control+Shift+H" });
  const el = h("section", { class: "segments", "aria-label": "Translations", on: { keydown: (ev) => {
    if ((ev.ctrlKey || ev.metaKey) && ev.shiftKey && ev.key.toLowerCase() === "h") { ev.preventDefault(); replace.click(); }
    else if ((ev.ctrlKey || ev.metaKey) && ev.key === "Enter" && !ev.defaultPrevented) { ev.preventDefault(); pane.accept(); }
  } } }, h("div", { class: "segbar" }, file, show, code, text, replace, count), waits,
    h("div", { class: "segtitles", "aria-hidden": "true" }, h("span", null, ""), h("span", null, "Source"), h("span", null, "Translation"), h("span", null, "")), list.el, pane.el);
  const stop = work.listen((method, p) => {
    if (method === "TranslateSegmentsChanged" && p.job_id === id) refresh();
    if (method === "TranslateProgress" && p.job_id === id && p.status) refresh();
  });
  const leave = /** @type {any} */ (store.watch(["connection"], (s) => { if (s.connection === "open" && el.isConnected) refresh(); }));
  begin();
  return { el, close() { stop(); leave(); saver.close(); pane.close(); }, busy: saver.busy };
}

function select(label, options, change) {
  return h("select", { "aria-label": label, on: { change } }, options.map(([value, name]) => h("option", { value }, name)));
}

/** Calls f when nothing asked for it for a moment. */
function soonest(f) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(f, 250);
  };
}
