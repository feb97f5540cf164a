// Choosing a model: what is set up, what a server on this machine offers, a key,
// an address; then a trial.

import { h, put, button } from "./dom.js";
import { LostError } from "./errors.js";

/** Shows the dialog. @param {Store} store @param {Work} work @param {Wire} wire @param {UI} ui */
export function modelsDialog(store, work, wire, ui) {
  const models = h("div", { class: "models", role: "radiogroup", "aria-label": "Models" });
  const local = h("div", { class: "local" });
  const trial = h("div", { class: "trial", role: "status" });
  const name = h("input", { type: "text", "aria-label": "Name of a model", placeholder: "or the name of another model", value: "" });
  const use = button("Use this model", choose, { class: "primary" });
  const dialog = h("dialog", { class: "dialog", "aria-label": "Choose a model", on: { close: () => dialog.remove() } },
    h("form", { method: "dialog", class: "close" }, h("button", { "aria-label": "Close" }, "×")),
    h("h2", null, "Which model should work?"),
    models, name, trial,
    h("div", { class: "choices" }, use, store.state.user ? null : button("Try it", () => tryIt(chosen()))),
    local, // users of a server use the models that it has
    store.state.user ? null : [details("A key", keyForm()), details("Another endpoint", endpointForm())]);
  document.body.append(dialog);
  dialog.showModal();
  load();

  const chosen = () => name.value.trim() || /** @type {HTMLInputElement | null} */ (models.querySelector("input:checked"))?.value || "";

  async function load() {
    put(models, h("p", { class: "sub" }, "Asking the endpoints for their models …"));
    put(local, h("p", { class: "sub" }, "Looking for local servers …"));
    if (store.state.user) put(local);
    else wire.call("ProvidersFindLocal").then((r) => showLocal(r.found), () => put(local));
    try {
      showModels(await wire.call("ModelsListSupported"));
      showModels(await wire.call("ModelsList"));
    } catch (e) {
      if (e instanceof LostError) setTimeout(() => dialog.isConnected && load(), 700); // until the program is there again
      else models.append(h("p", { class: "problem" }, e.message));
    }
  }

  function showModels(r) {
    const before = chosen() || store.state.model;
    const list = r.models.filter((m) => m.configured);
    put(models, list.slice(0, 200).map((m) => h("label", { class: "modelrow" },
      h("input", { type: "radio", name: "model", value: m.model_id, checked: m.model_id === before || list.length === 1 }),
      h("span", null, h("bdi", null, m.model_id), m.model_id === "pseudo" ? h("span", { class: "sub" }, " built in, offline: marks texts instead of translating them, for looking around") : null,
        m.context_tokens ? h("span", { class: "sub" }, ` window ${Math.round(m.context_tokens / 1000)}k`) : null))),
      (r.failed ?? []).map((f) => h("p", { class: "problem" }, `${f.provider_id}: ${f.error.detail ?? f.error.error_code}`)));
  }

  function showLocal(found) {
    const fresh = found.filter((f) => !f.added);
    put(local, fresh.map((f) => h("section", { class: "card ask" }, h("h3", null, `${f.display_name} runs on this machine`),
      h("p", { class: "sub" }, f.models.length ? `It offers ${f.models.slice(0, 5).join(", ")}${f.models.length > 5 ? " …" : ""}.` : "It has no model yet."),
      h("div", { class: "choices" }, button(`Use ${f.display_name}`, () => addProvider({ provider_id: f.provider_id, display_name: f.display_name, base_url: f.base_url }, f.models[0]))))));
  }

  async function addProvider(p, model) {
    try {
      await wire.call("ProvidersAdd", p);
      await load();
      if (model) { name.value = `${p.provider_id}:${model}`; tryIt(name.value); }
    } catch (e) {
      put(trial, h("p", { class: "problem" }, e.message));
    }
  }

  async function tryIt(model) {
    if (!model) return put(trial, h("p", { class: "problem" }, "Choose a model first."));
    put(trial, h("p", { class: "sub" }, `Trying ${model}: a few short requests …`));
    try {
      const { checks } = await wire.call("ModelsProbe", { model_id: model });
      put(trial, h("ul", { class: "checks" }, (checks ?? []).map((c) => h("li", { class: c.status }, h("strong", null, { ok: "✓", failed: "✕" }[c.status] ?? "·"), ` ${c.name}`, c.detail ? h("span", { class: "sub" }, ` ${c.detail}`) : null))));
    } catch (e) {
      put(trial, h("p", { class: "problem", role: "alert" }, e.message), e.hint ? h("p", { class: "sub" }, e.hint) : null);
    }
  }

  async function choose() {
    const model = chosen();
    if (!model) return put(trial, h("p", { class: "problem" }, "Choose a model first."));
    use.disabled = true;
    try {
      await work.call("WorkshopSetActiveModel", { model_id: model });
      store.set({ model, modelReady: true, trouble: null });
      work.refreshMore();
      dialog.close();
      document.getElementById("composer")?.focus();
      ui.toast(`${model} works from now on.`);
    } catch (e) {
      put(trial, h("p", { class: "problem", role: "alert" }, e.message));
    } finally {
      use.disabled = false;
    }
  }

  function keyForm() {
    const who = h("select", { "aria-label": "Provider" });
    const key = h("input", { type: "password", autocomplete: "off", "aria-label": "Key", placeholder: "Key" });
    wire.call("ProvidersGetStatus").then((r) => put(who, (r.providers ?? []).filter((p) => p.auth_mode === "api_key").map((p) => h("option", { value: p.provider_id }, p.display_name, p.key_source ? ` (has a key: ${p.key_source})` : ""))));
    return form("Store the key", async () => {
      await wire.call("ProvidersSetApiKey", { provider_id: who.value, api_key: key.value });
      key.value = "";
      await load();
      return "The key is stored where your system keeps keys, and is not shown again.";
    }, who, key);
  }

  function endpointForm() {
    const id = h("input", { type: "text", "aria-label": "Short name", placeholder: "Short name, such as house", pattern: "[a-z0-9][a-z0-9_\\-]*", required: true });
    const url = h("input", { type: "url", "aria-label": "Address", placeholder: "http://localhost:11434/v1", required: true });
    const api = h("select", { "aria-label": "API" }, h("option", { value: "" }, "usual API"), h("option", { value: "chat" }, "Chat Completions"), h("option", { value: "responses" }, "Responses"), h("option", { value: "anthropic" }, "Anthropic Messages"));
    return form("Add it", async () => {
      await wire.call("ProvidersAdd", { provider_id: id.value, base_url: url.value, api: /** @type {any} */ (api.value) });
      await load();
      return "It is added.";
    }, id, url, api);
  }

  function form(label, act, ...fields) {
    const says = h("p", { class: "sub", role: "status" });
    return h("form", { class: "fields", on: { submit: async (ev) => {
      ev.preventDefault();
      try { says.textContent = await act(); says.className = "sub"; } catch (e) { says.textContent = e.message; says.className = "problem"; }
    } } }, fields, h("button", { type: "submit" }, label), says);
  }
}

const details = (title, body) => h("details", null, h("summary", null, title), body);
