// A new translation: files, languages, what translates, terms and memory; what it
// will take is counted before it begins.

import { h, put, button, say } from "./dom.js";
import { filesTree } from "./translatefiles.js";
import { consentCard } from "./cards.js";
import { LostError } from "./errors.js";

const LANGUAGES = ["ar", "bg", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr", "he", "hi", "hr", "hu", "id", "it", "ja", "ko", "lt", "lv", "nb", "nl", "pl", "pt", "pt-BR", "ro", "ru", "sk", "sl", "sr", "sv", "th", "tr", "uk", "vi", "zh", "zh-TW"];
const names = new Intl.DisplayNames(["en"], { type: "language" });
const number = (n) => (n ?? 0).toLocaleString("en");

/** @param {Store} store @param {Work} work @param {UI} ui @param {any} on */
export function translateForm(store, work, ui, on) {
  const tree = filesTree(() => stale());
  const to = field("Into", h("input", { type: "text", list: "languages", placeholder: "es, or es, de", required: true }));
  const from = field("From", h("input", { type: "text", list: "languages", placeholder: "found out by the model" }));
  const engine = field("With", h("select", null)), engineNote = h("p", { class: "sub" });
  const place = field("The translations go", h("select", null, h("option", { value: "folder" }, "into a folder"), h("option", { value: "place" }, "into the originals' places (in the draft)")));
  const folder = field("Folder", h("input", { type: "text", value: "translated" }));
  const glossary = field("Glossary", h("select", null)), tmx = field("Read into the memory first", h("select", null)), memory = h("p", { class: "sub" });
  const instructions = field("Instructions for the model", h("textarea", { rows: "2", dir: "auto" })), keep = field("Do not translate, one a line", h("textarea", { rows: "2", dir: "auto" }));
  const box = (label) => { const input = h("input", { type: "checkbox", on: { change: () => stale() } }); return { input, el: h("label", { class: "box" }, input, ` ${label}`) }; };
  const sheets = box("names of sheets too"), masters = box("texts of slide masters too"), sentences = box("sentence by sentence"), strict = box("leave what misses a term or a number");
  const estimate = h("div", { class: "estimate" }), problem = h("div");
  const start = button("Translate", () => begin(), { class: "primary" });
  const count = button("Estimate", () => countFirst());
  const el = h("form", { class: "trform", on: { submit: (ev) => { ev.preventDefault(); begin(); } } },
    h("section", { class: "trfiles" }, h("h2", null, "Files"), tree.el),
    h("section", { class: "trset" }, h("h2", null, "How"), h("datalist", { id: "languages" }, LANGUAGES.map((c) => h("option", { value: c }, names.of(c)))),
      h("div", { class: "trgrid" }, to.el, from.el, engine.el, place.el, folder.el, glossary.el, tmx.el), engineNote, memory,
      h("details", null, h("summary", null, "More"), h("div", { class: "trgrid" }, instructions.el, keep.el), sheets.el, masters.el, sentences.el, strict.el),
      problem, estimate, h("div", { class: "choices" }, start, count)));
  for (const f of [to, from, engine, place, folder, glossary, tmx, instructions, keep]) f.input.addEventListener("input", () => stale());
  place.input.addEventListener("input", () => { folder.el.hidden = place.input.value === "place"; });
  engine.input.addEventListener("input", () => tellEngine());
  /** @type {any} */
  let options = null;
  let counting = "";

  // stale is called when the person changes something: what was counted is of other params.
  function stale() {
    put(problem);
    if (!counting) put(estimate);
    enable();
  }

  function enable() {
    start.disabled = count.disabled = !tree.chosen().length || store.state.running || Boolean(store.state.activity) || Boolean(counting);
  }
  const leave = /** @type {any} */ (store.watch(["running", "activity", "model"], () => { if (options) { tellEngine(); enable(); } }));

  async function load() {
    options = await work.call("TranslateOptions");
    const leave = (path) => path.startsWith(`${folder.input.value}/`) || /\.(xlf|xliff|tmx|tbx)$/i.test(path) || /(^|\/)(glossary|terms)[^/]*\.(csv|tsv)$/i.test(path);
    tree.show(options.files, leave);
    const was = engine.input.value || (store.state.model === "pseudo" ? "pseudo" : "model");
    put(engine.input, options.engines.map((e) => h("option", { value: e.engine, disabled: !e.available, selected: e.engine === was }, { model: `the model ${store.state.model || ""}`, pseudo: "the built-in one (marks texts only)", apertium: "Apertium, offline", none: "nobody: people do it" }[e.engine] ?? e.engine)));
    const list = (f, ends, none) => { const was = f.input.value; put(f.input, h("option", { value: "" }, none), options.files.filter((x) => ends.test(x.path)).map((x) => h("option", { value: x.path, selected: x.path === was }, x.path))); };
    list(glossary, /\.(csv|tsv|tbx)$/i, "none");
    list(tmx, /\.tmx$/i, "nothing");
    put(memory, options.memory.length ? ["The memory of this folder has ", options.memory.map((m, i) => `${i ? "; " : ""}${m.from || "?"} → ${m.to}: ${number(m.person + m.imported)} by people${m.machine ? `, ${number(m.machine)} by engines` : ""}`), "."] : "The memory of this folder is empty.");
    tellEngine();
    enable();
  }

  function tellEngine() {
    const e = options?.engines.find((x) => x.engine === engine.input.value);
    put(engineNote, e?.pairs ? `Apertium has ${e.pairs.map((p) => `${p.from} → ${p.to}`).join(", ")}. It needs to know the language of the originals.` : e?.engine === "none" ? "Nothing is translated but what the memory has. People do the rest here, or in XLIFF." : "");
  }

  function params() {
    const lines = (f) => f.input.value.split("\n").map((l) => l.trim()).filter(Boolean);
    const chosen = tree.chosen();
    return {
      paths: chosen.length === tree.known() && chosen.length > 2000 ? undefined : chosen,
      to: to.input.value.split(/[,;]/).map((t) => t.trim()).filter(Boolean), from: from.input.value.trim() || undefined,
      engine: engine.input.value, ...(place.input.value === "place" ? { in_place: true } : { folder: folder.input.value.trim() || undefined }),
      glossary: glossary.input.value || undefined, tmx: tmx.input.value ? [tmx.input.value] : undefined, instructions: instructions.input.value.trim() || undefined, do_not_translate: lines(keep).length ? lines(keep) : undefined,
      sheet_names: sheets.input.checked || undefined, masters: masters.input.checked || undefined, sentences: sentences.input.checked || undefined, strict: strict.input.checked || undefined,
    };
  }

  function fail(e, again) {
    if (e instanceof LostError) return work.lost("Translating");
    say(e.message);
    if (e.errorCode === "EGRESS_CONSENT_REQUIRED") return put(problem, consentCard(e, again, store, work, () => put(problem)));
    put(problem, h("section", { class: "card bad", role: "alert" }, h("h3", null, "This cannot begin"), h("p", { dir: "auto" }, e.message), e.hint ? h("p", { class: "sub" }, e.hint) : null,
      /^PROVIDER_/.test(e.errorCode) ? h("div", { class: "choices" }, button("Choose a model", () => ui.models())) : null));
  }

  async function begin() {
    if (!to.input.reportValidity() || start.disabled) return;
    put(problem);
    start.disabled = true;
    try {
      const r = await work.call("TranslateStart", params());
      on.started(r.job_id);
    } catch (e) {
      fail(e, begin);
    } finally {
      enable();
      work.refreshState().catch(() => {});
    }
  }

  async function countFirst() {
    if (!to.input.reportValidity()) return;
    put(problem);
    put(estimate, h("p", { class: "sub", role: "status" }, "Counting words …"));
    try {
      counting = (await work.call("TranslateStart", { ...params(), dry_run: true })).job_id;
      enable();
      for (;;) {
        const r = await work.call("TranslateStatus", { job_id: counting, limit: 500 });
        if (r.status !== "running") { drawEstimate(r); break; }
        put(estimate, h("p", { class: "sub", role: "status" }, `Counting words … ${r.files_done} of ${r.files || "?"} files `), button("Stop", () => work.call("TranslateCancel", { job_id: counting }), { class: "quiet" }));
        await new Promise((done) => setTimeout(done, 300));
      }
    } catch (e) {
      put(estimate);
      fail(e, countFirst);
    }
    counting = "";
    await work.refreshState().catch(() => {});
    enable();
  }

  function drawEstimate(r) {
    if (r.status !== "complete") return put(estimate, h("p", { class: "problem" }, r.error || `The count was ${r.status}.`));
    const f = r.figures, tokens = (f.estimated_prompt_tokens ?? 0) + (f.estimated_completion_tokens ?? 0);
    put(estimate, h("h3", null, "What it takes"), h("dl", { class: "figures" }, [["Words", f.words], ["Segments", f.segments], ["Repetitions", f.repetitions], ["Known to the memory", f.memory], ["Done before", f.resumed], ["Words to ask for", f.ask_words]].map(([k, v]) => h("div", null, h("dt", null, k), h("dd", null, number(v)))),
      engine.input.value === "model" ? [h("div", null, h("dt", null, "Tokens, about"), h("dd", null, number(tokens))), h("div", null, h("dt", null, "Price, about"), h("dd", null, f.cost ? `${f.cost.toFixed(f.cost < 1 ? 3 : 2)} ${r.currency ?? ""}` : tokens ? "not known" : "0"))] : null),
      h("div", { class: "wide" }, h("table", { class: "trtable" }, h("caption", { class: "hide" }, "Estimate for each file"), h("thead", null, h("tr", null, ["File", "Into", "Words", "Repetitions", "Memory", "To ask"].map((c) => h("th", { scope: "col" }, c)))),
        h("tbody", null, r.results.map((x) => h("tr", null, h("th", { scope: "row" }, h("bdi", null, x.input)), h("td", null, x.language), x.error ? h("td", { colspan: 4, class: "problem" }, x.error) : [x.words, x.repetitions, x.memory, x.ask_words].map((v) => h("td", { class: "num" }, number(v)))))))),
      r.has_more ? h("p", { class: "sub" }, "The sums are of all files; the list shows the first 500.") : null);
    say(`About ${number(f.ask_words)} words to ask for.`);
  }

  return { el, load, close: leave };
}

function field(label, input) {
  return { input, el: h("label", { class: "trfield" }, h("span", null, label), input) };
}
