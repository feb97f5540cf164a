// Settings: endpoints with their keys, and which model works.

import { h, put, button } from "./dom.js";
import { acting, filled, form, result, table } from "./forms.js";

const KEYS = { environment: "The key is in the environment.", config: "The key is in the settings file.", stored: "A key is stored. It is not shown again." };
const EFFORTS = ["", "none", "minimal", "low", "medium", "high", "xhigh", "max"];
const PHASES = [["research_effort", "Research"], ["plan_effort", "Plan"], ["implement_effort", "Implement"]];

export function modelsSection(at) {
  const { store, work, wire, ui } = at;
  const present = h("div"), endpoints = h("div", { class: "endpoints" });

  const load = () => {
    filled(present, async () => {
      const [user, own, list] = await Promise.all([wire.call("UserGetDefaultModel"), work.call("WorkbenchGetDefaultModel"), wire.call("ModelsListSupported")]);
      return [worksNow(), defaults(user.model_id, own.model_id, list.models.filter((m) => m.configured).map((m) => m.model_id))];
    });
    filled(endpoints, async () => (await wire.call("ProvidersGetStatus")).providers.map(endpoint));
  };

  function worksNow() {
    return h("div", { class: "settingrow" }, h("span", null, "In this folder works ", h("strong", null, h("bdi", null, store.state.model || "no model yet")), "."), button("Choose a model", () => ui.models()));
  }

  /** The model of folders in which none was chosen. */
  function defaults(user, own, models) {
    const says = result();
    const options = h("datalist", { id: "default-models" }, models.slice(0, 300).map((m) => h("option", { value: m })));
    const everywhere = h("input", { type: "text", value: user, list: "default-models", autocomplete: "off" });
    const here = h("input", { type: "text", value: own === user ? "" : own, list: "default-models", autocomplete: "off", placeholder: user });
    return [options, form("Save", says, async () => {
      if (everywhere.value.trim() !== user) await wire.call("UserSetDefaultModel", { model_id: everywhere.value.trim() });
      await work.call("WorkbenchSetDefaultModel", { model_id: here.value.trim() });
      await work.refreshState();
      return "Saved. A model that was chosen in a folder goes before these.";
    }, ["Default model", everywhere, "of folders in which no model was chosen; empty is the built-in default"], ["Default of this folder", here, "empty is the default above"])];
  }

  function endpoint(p) {
    const says = result();
    const built = p.auth_mode === "none";
    const id = `endpoint-${p.provider_id}`;
    const on = h("input", { type: "checkbox", id, checked: p.enabled, disabled: built, on: { change: async () => {
      try {
        await wire.call("ProvidersSetEnabled", { provider_id: p.provider_id, enabled: on.checked });
        says.tell(on.checked ? "It is used again." : "Nothing asks it any more.");
      } catch (e) {
        on.checked = !on.checked;
        says.tell(e.message, true);
      }
    } } });
    return h("section", { class: "card endpoint", "aria-label": p.display_name }, h("h4", null, h("bdi", null, p.display_name), h("span", { class: "sub" }, ` ${p.provider_id}`)),
      built ? h("p", { class: "sub" }, "It needs no endpoint and no key, and only shows the way.") : [
        h("p", { class: "sub" }, p.base_url ? h("bdi", null, p.base_url) : "The usual address of its API", p.api ? ` · ${p.api}` : ""),
        h("label", { htmlFor: id }, on, " used"), keyOf(p, says), effortsOf(p, says),
        h("div", { class: "choices" },
          acting("Check", says, async () => {
            const r = await wire.call("ProvidersValidate", { provider_id: p.provider_id });
            return r.model_id ? `It works: ${r.model_id} answered.` : "It works: it named its models.";
          }, { "aria-label": `Check ${p.display_name}` }),
          p.added ? acting("Remove", says, async () => {
            if (!(await ui.confirm(`Remove ${p.display_name}?`, "Its address and its stored key are forgotten.", "Remove"))) return "";
            await wire.call("ProvidersRemove", { provider_id: p.provider_id });
            load();
          }, { class: "danger", "aria-label": `Remove ${p.display_name}` }) : null)], says);
  }

  function keyOf(p, says) {
    const key = h("input", { type: "password", autocomplete: "off", "aria-label": `Key of ${p.display_name}`, placeholder: p.key_source === "stored" ? "Another key" : "Key" });
    return h("div", null, h("p", { class: "keystate" }, KEYS[p.key_source] ?? "There is no key."),
      h("form", { class: "free", on: { submit: async (ev) => {
        ev.preventDefault();
        if (!key.value.trim()) return;
        try {
          await wire.call("ProvidersSetApiKey", { provider_id: p.provider_id, api_key: key.value });
          key.value = "";
          load();
        } catch (e) {
          says.tell(e.message, true);
        }
      } } }, key, h("button", { type: "submit" }, "Store the key"), p.key_source === "stored" ? acting("Forget the key", says, async () => {
        await wire.call("ProvidersClearApiKey", { provider_id: p.provider_id });
        load();
      }, { "aria-label": `Forget the key of ${p.display_name}` }) : null));
  }

  function effortsOf(p, says) {
    const now = { ...p.rpi_reasoning };
    const selects = PHASES.map(([name, label]) => h("label", { class: "labelled" }, h("span", null, label), h("select", { on: { change: async (ev) => {
      now[name] = ev.target.value;
      try {
        await wire.call("ProvidersSetReasoningEffort", { provider_id: p.provider_id, research_effort: "", plan_effort: "", implement_effort: "", ...now });
        says.tell("Saved; from the next run on.");
      } catch (e) {
        says.tell(e.message, true);
      }
    } } }, EFFORTS.map((v) => h("option", { value: v, selected: v === (now[name] ?? "") }, v || "the model's own")))));
    return h("details", null, h("summary", null, "Reasoning effort"), h("p", { class: "sub" }, "Of the phases of a run that researches, plans and implements; a model gets the nearest that it takes."), h("div", { class: "three" }, selects));
  }

  function adding() {
    const id = h("input", { type: "text", required: true, pattern: "[a-z0-9][a-z0-9_\\-]*", autocomplete: "off", placeholder: "house" });
    const name = h("input", { type: "text", autocomplete: "off" });
    const url = h("input", { type: "url", required: true, placeholder: "http://localhost:11434/v1" });
    const api = h("select", null, [["", "the usual one"], ["chat", "Chat Completions"], ["responses", "Responses"], ["anthropic", "Anthropic Messages"]].map(([v, t]) => h("option", { value: v }, t)));
    const says = result();
    const found = h("div");
    const find = acting("Look for servers on this machine", says, async () => {
      const r = await wire.call("ProvidersFindLocal");
      const fresh = r.found.filter((f) => !f.added);
      put(found, fresh.length ? table("Servers that were found", ["Server", "Models", ""], fresh.map((f) => [f.display_name, f.models.slice(0, 5).join(", ") || "none yet", acting(`Add ${f.display_name}`, says, async () => {
        await wire.call("ProvidersAdd", { provider_id: f.provider_id, display_name: f.display_name, base_url: f.base_url });
        put(found);
        load();
      })])) : null);
      return fresh.length ? "" : "There is none that is not added yet.";
    });
    return h("section", { "aria-label": "Add an endpoint" }, h("h4", null, "Add an endpoint"), form("Add it", says, async () => {
      await wire.call("ProvidersAdd", { provider_id: id.value, display_name: name.value.trim(), base_url: url.value, api: api.value });
      for (const f of [id, name, url]) f.value = "";
      load();
      return "It is added. Give it a key above if it needs one.";
    }, ["Short name", id, "its models are called NAME:MODEL"], ["Name to show", name, "optional"], ["Address", url], ["API", api]), h("div", { class: "choices" }, find), found);
  }
  load();
  return [present, h("h4", null, "Endpoints"), endpoints, adding()];
}
