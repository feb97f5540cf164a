// A translation job: how far it is, what became of each file, and its translations.

import { h, put, button, keyed, say } from "./dom.js";
import { segmentsView } from "./segments.js";
import { consentCard } from "./cards.js";
import { LostError } from "./errors.js";

export const STATUS = { running: "running", complete: "done", canceled: "stopped", interrupted: "interrupted", failed: "failed", budget_exceeded: "budget used up" };
const OUTCOME = { ok: "done", flagged: "to look at", skipped: "was done", failed: "failed", planned: "counted" };
const number = (n) => (n ?? 0).toLocaleString("en");

/** @param {Store} store @param {Work} work @param {UI} ui @param {string} id */
export function jobView(store, work, ui, id) {
  /** @type {any} */
  let job = null;
  /** @type {any} */
  let editor = null;
  let timer = 0, closed = false;
  const rows = new Map(); // of files at work, by path and language
  const title = h("h2", null), facts = h("p", { class: "sub", role: "status" }), says = h("div"), acts = h("div", { class: "choices" });
  const bar = h("progress", { "aria-label": "Files done", max: "1", value: 0 });
  const files = h("details", { class: "trresults" }), filelist = h("ul", { class: "paths" }), below = h("div", { class: "trbelow" });
  put(files, h("summary", null, h("h3", null, "Files")), filelist);
  const el = h("div", { class: "trjob" }, h("div", { class: "trjobhead" }, h("div", null, title, facts), acts), bar, says, files, below);
  const stop = work.listen((method, p) => {
    if (p.job_id !== id) return;
    if (method === "TranslateProgress") { progress(p); }
    if (method === "TranslateComplete") read().then(() => { say(`The translation is ${STATUS[p.status]}.`); work.refreshState().catch(() => {}); work.refreshChanges(); work.refreshFiles(); });
  });
  const leave = /** @type {any} */ (store.watch(["connection", "instance"], (s) => { if (s.connection === "open" && !closed) read(); }));

  function progress(p) {
    rows.set(`${p.path}\n${p.language}`, p);
    bar.max = p.files || 1;
    bar.value = p.files_done + (p.status ? 0 : (p.done || 0) / (p.segments || 1));
    facts.textContent = `${p.files_done} of ${p.files} files${p.tokens ? ` · ${number(p.tokens)} tokens` : ""}`;
    drawWorking();
  }

  function drawWorking() {
    const list = [...rows.values()].sort((a, b) => Number(Boolean(a.status)) - Number(Boolean(b.status))).slice(0, 200);
    files.hidden = false;
    files.open = true;
    keyed(filelist, list, (p) => `${p.path}\n${p.language}`, (p) => { const li = h("li", null); put(li, working(p)); return li; }, (li, p) => put(li, working(p)));
  }

  const working = (p) => [h("bdi", null, p.path), h("span", { class: "sub" }, ` ${p.language} · `), p.status ? h("strong", { class: p.status === "failed" ? "warn-text" : "" }, OUTCOME[p.status] ?? p.status) : [h("progress", { max: p.segments || 1, value: p.done, "aria-label": `Segments of ${p.path}` }), h("span", { class: "sub" }, ` ${number(p.done)} of ${number(p.segments)} segments`)]];

  async function read() {
    clearTimeout(timer);
    try {
      job = await work.call("TranslateStatus", { job_id: id, limit: 500 });
    } catch (e) {
      if (!(e instanceof LostError)) put(says, h("p", { class: "problem", role: "alert" }, e.message));
      return;
    }
    draw();
    if (job.status === "running" && !closed) timer = setTimeout(read, 2000); // progress that is told in between is nicer, not needed
  }

  function draw() {
    const run = job.status === "running", f = job.figures ?? {};
    put(title, h("bdi", null, job.in_place ? "In place" : `${job.folder}/`), ` → ${job.to.join(", ")} `, h("span", { class: `mark ${{ complete: "added", failed: "removed" }[job.status] ?? ""}` }, STATUS[job.status]));
    if (!run || !rows.size) facts.textContent = [run ? `${job.files_done} of ${job.files} files` : !job.files ? "" : `${job.files} ${job.files === 1 ? "file" : "files"}, ${number(f.translated)} of ${number(f.segments)} segments translated`, f.memory ? `${number(f.memory)} from the memory` : "", f.repetitions ? `${number(f.repetitions)} ${f.repetitions === 1 ? "repetition" : "repetitions"}` : "",
      f.prompt_tokens ? `${number(f.prompt_tokens + f.completion_tokens)} tokens` : "", f.cost ? `${f.cost.toFixed(3)} ${job.currency ?? ""}` : "", job.engine].filter(Boolean).join(" · ");
    bar.hidden = !run;
    if (run && !rows.size) { bar.max = job.files || 1; bar.value = job.files_done; }
    put(says, job.error ? h("p", { class: "warning", dir: "auto" }, job.error) : null, job.status === "interrupted" ? h("p", { class: "warning" }, "The program ended while it translated. What was done is kept.") : null);
    put(acts, run ? button("Stop", () => work.call("TranslateCancel", { job_id: id }).then(() => { facts.textContent = "Stopping …"; }, () => {})) : null,
      !run && job.params && job.status !== "complete" ? button("Go on", goOn, { class: "primary" }) : null,
      !run && job.failed && job.status === "complete" && job.params ? button("Try the failed files again", goOn) : null,
      run ? null : button("Review and publish", () => ui.tab("changes")), run ? null : exchange());
    if (run) return;
    rows.clear();
    results();
    if (!editor && !job.dry_run) { editor = segmentsView(store, work, ui, job); put(below, editor.el); }
  }

  function results() {
    const bad = job.results.filter((r) => r.error || r.warnings?.length);
    files.hidden = !job.results.length;
    files.open = bad.some((r) => r.error);
    put(files.firstChild, h("h3", null, `Files ${job.files}`), h("span", { class: "sub" }, [job.failed ? ` ${job.failed} failed` : "", job.flagged ? ` ${job.flagged} to look at` : "", bad.length > job.failed ? ` ${bad.length - job.failed} with warnings` : ""].filter(Boolean).join(",")));
    filelist.keyedNodes = undefined;
    put(filelist, job.results.map((r) => h("li", null, h("bdi", null, r.output || r.input), h("span", { class: "sub" }, ` ${r.language} · ${OUTCOME[r.status] ?? r.status} · ${number(r.translated)} of ${number(r.segments)} segments`),
      r.error ? h("p", { class: "problem", dir: "auto" }, r.error) : null, (r.warnings ?? []).map((w) => h("p", { class: "warning", dir: "auto" }, w)))), job.has_more ? h("li", { class: "sub" }, "The list shows the first 500.") : null);
  }

  async function goOn() {
    const { workbench_id: _, ...params } = job.params;
    try {
      await work.call("TranslateStart", params);
      rows.clear();
      await read();
      work.refreshState().catch(() => {});
    } catch (e) {
      if (e instanceof LostError) return work.lost("Translating");
      put(says, e.errorCode === "EGRESS_CONSENT_REQUIRED" ? consentCard(e, goOn, store, work, () => put(says)) : h("p", { class: "problem", role: "alert" }, e.message));
    }
  }

  /** Files in and out. */
  function exchange() {
    const result = h("p", { class: "sub", role: "status" });
    const out = (label, params) => button(label, async () => {
      result.textContent = "Writing …";
      try {
        const r = await work.call("TranslateExport", { job_id: id, ...params });
        save(r.name, r.bytes_base64);
        result.textContent = `${r.name}: ${number(r.entries)} ${params.format === "tmx" ? "entries" : "documents"}`;
      } catch (e) { result.textContent = e.message; }
    });
    const into = (label, format, accept) => {
      const input = h("input", { type: "file", accept, multiple: true, class: "hide", tabindex: "-1", "aria-label": label, on: { change: async () => {
        const said = [];
        for (const f of input.files ?? []) {
          result.textContent = `Reading ${f.name} …`;
          try {
            const r = await work.call("TranslateImport", { job_id: id, format, name: f.name, content: await base64(f) });
            said.push(`${f.name}: ${r.tmx ? `${number(r.tmx.entries)} entries are in the memory${r.tmx.skipped ? `, ${number(r.tmx.skipped)} were skipped` : ""}` : `${number(r.corrected)} ${r.corrected === 1 ? "segment was" : "segments were"} corrected${r.refused?.length ? `, ${r.refused.length} not: ${r.refused[0].reason}` : ""}`}.`);
          } catch (e) { said.push(`${f.name}: ${e.message}`); }
        }
        input.value = "";
        result.textContent = said.join(" ");
        say(result.textContent);
      } } });
      return [input, button(label, () => input.click())];
    };
    return h("details", { class: "exchange" }, h("summary", null, "XLIFF and TMX"), h("div", { class: "choices" }, out("Download XLIFF 2.1", { format: "xliff" }), out("Download XLIFF 1.2", { format: "xliff", version: "1.2" }), into("Take in XLIFF …", "xliff", ".xlf,.xliff"),
      out("Download the memory (TMX)", { format: "tmx" }), into("Take in TMX …", "tmx", ".tmx")), result);
  }

  return { el, close() { closed = true; stop(); leave(); clearTimeout(timer); editor?.close(); } };
}

function save(name, content) {
  const address = URL.createObjectURL(new Blob([Uint8Array.from(atob(content), (c) => c.charCodeAt(0))]));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

const base64 = (file) => new Promise((done, fail) => {
  const r = new FileReader();
  r.onload = () => done(String(r.result).replace(/^[^,]*,/, ""));
  r.onerror = () => fail(new Error("The file cannot be read."));
  r.readAsDataURL(file);
});
