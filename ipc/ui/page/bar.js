// The bar: folder, model, window, usage, and what is next.

import { h, put, button } from "./dom.js";
import { whoView } from "./signin.js";

export const thousands = (n) => (n >= 1e6 ? `${(n / 1e6).toFixed(1)}M` : n >= 1e4 ? `${Math.round(n / 1e3)}k` : n >= 1e3 ? `${(n / 1e3).toFixed(1)}k` : String(n ?? 0));

/** @param {Store} store @param {Work} work @param {UI} ui */
export function barView(store, work, ui) {
  const folder = h("span", { class: "folder" });
  const model = button("", () => ui.models(), { class: "model", title: "Choose the model" });
  const fill = h("span", { class: "fill", title: "How full the model's window is" });
  const usage = h("span", { class: "usage", title: "Tokens and money that this folder has used" });
  const lost = h("span", { class: "lost", role: "status" });
  const review = button("", () => ui.tab("changes"), { class: "review" });
  const translate = button("Translate", () => ui.translate(), { class: "totranslate" });
  const settings = button("Settings", () => ui.settings(), { class: "to-settings", hidden: Boolean(store.state.user) }); // those of a server are not its users'
  store.watch(["view"], (s) => {
    translate.setAttribute("aria-pressed", String(s.view === "translate"));
    settings.setAttribute("aria-pressed", String(s.view === "settings"));
  });
  const el = h("header", { class: "bar" }, h("h1", null, "Atelier"), folder, model, fill, usage, lost, h("span", { class: "space" }), review, translate, settings, store.state.user && whoView(store.state.user, true));
  store.watch(["folder"], (s) => put(folder, s.folder ? h("bdi", { title: s.folder }, s.folderName) : null));
  store.watch(["folder", "model", "modelReady"], (s) => {
    put(model, s.modelReady && s.model ? h("bdi", null, s.model) : "Choose a model");
    model.hidden = !s.folder;
  });
  store.watch(["fill"], ({ fill: f }) => {
    const percent = Math.round((f?.score ?? 0) * 100);
    fill.hidden = !f;
    if (f) put(fill, h("meter", { min: "0", max: "100", high: "70", value: percent, "aria-label": "Window" }), ` ${percent} %`);
  });
  store.watch(["usage", "runUsage", "running"], (s) => {
    const sum = (u) => (u ? u.input_tokens + u.output_tokens : 0);
    const money = (u) => (u?.costs ?? []).filter((c) => c.amount > 0).map((c) => ` · ${c.amount.toFixed(c.amount < 1 ? 3 : 2)} ${c.currency}`).join("");
    usage.hidden = !s.usage;
    usage.textContent = s.running && s.runUsage ? `${thousands(sum(s.runUsage))} tokens${money(s.runUsage)} in this run` : `${thousands(sum(s.usage))} tokens${money(s.usage)}`;
  });
  store.watch(["connection", "moved"], (s) => {
    const away = s.placed ? "Connecting to another server …" : "Not connected, trying again …";
    lost.textContent = { lost: away, connecting: "Connecting …", stranger: "Another program answers here" }[s.connection] ?? (s.moved ? "Another server has taken over." : "");
  });
  store.watch(["changes"], (s) => {
    review.hidden = !s.changes.length;
    review.textContent = `Review ${s.changes.length}`;
  });
  return el;
}
