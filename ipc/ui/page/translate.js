// Translating: a new translation, the jobs of the folder, and one of them.

import { h, put, button } from "./dom.js";
import { translateForm } from "./translateform.js";
import { jobView, STATUS } from "./translatejob.js";
import { LostError } from "./errors.js";

/** @param {Store} store @param {Work} work @param {UI} ui */
export function translateView(store, work, ui) {
  const body = h("div", { class: "trbody" }), back = button([h("span", { "aria-hidden": "true" }, "‹ "), "All translations"], () => go(""), { class: "quiet", hidden: true, "aria-label": "All translations" });
  const el = h("main", { class: "translate", hidden: true }, h("div", { class: "trhead" }, h("h1", { tabindex: "-1" }, "Translate"), back, h("span", { class: "space" }), button("Back to the conversation", () => store.set({ view: "work" }), { class: "quiet" })), body);
  /** @type {any} */
  let shown = null;
  let opened = false;

  function go(id) {
    shown?.close();
    back.hidden = !id;
    shown = id ? jobView(store, work, ui, id) : home();
    el.classList.toggle("withjob", Boolean(id));
    put(body, shown.el);
    (id ? back : /** @type {any} */ (el.querySelector("h1"))).focus?.();
  }

  function home() {
    const list = h("ul", { class: "trjobs" }), jobs = h("section", { hidden: true }, h("h2", null, "Translations of this folder"), list), problem = h("p", { class: "problem", role: "alert" });
    const form = translateForm(store, work, ui, { started: go });
    const failed = (e) => { if (!(e instanceof LostError)) problem.textContent = e.message; };
    const read = () => Promise.all([form.load(), work.call("TranslateList").then((r) => {
      const real = (r.jobs ?? []).filter((j) => !j.dry_run);
      jobs.hidden = !real.length;
      put(list, real.slice(0, 100).map((j) => h("li", null, button([h("strong", null, h("bdi", null, j.in_place ? "in place" : `${j.folder}/`), ` → ${(j.to ?? []).join(", ")}`), h("span", { class: "sub" }, ` ${STATUS[j.status]} · ${j.files} ${j.files === 1 ? "file" : "files"} · ${new Date(j.started_at).toLocaleString()}`)], () => go(j.job_id)))),
        real.length > 100 ? h("li", { class: "sub" }, `${real.length - 100} older ones are not shown.`) : null);
    })]).then(() => { problem.textContent = ""; }, failed);
    read();
    const stop = work.listen((method) => { if (method === "TranslateComplete" || method === "WorkbenchFilesChanged" || method === "DraftStateChanged") read(); });
    let instance = store.state.instance;
    const leave = /** @type {any} */ (store.watch(["connection"], (s) => { if (s.connection === "open" && s.instance !== instance) { instance = s.instance; read(); } }));
    return { el: h("div", null, problem, jobs, form.el), close() { stop(); leave(); form.close(); } };
  }

  store.watch(["view"], (s) => {
    el.hidden = s.view !== "translate";
    if (!el.hidden && !opened) { opened = true; go(""); }
  });
  return el;
}
