// Settings: whether documents may leave this machine, who may have them, and what left.

import { h, put, button } from "./dom.js";
import { acting, errorText, filled, result, table } from "./forms.js";
import { count, size, when } from "./text.js";

const MODES = [["ask", "Ask before documents of a folder go to a model on another machine"], ["allow_all", "Never ask: all documents may go to every model and program that I choose"]];
const KINDS = { run: "request of a run", summary: "summary", translate: "translation", models: "list of models", validate: "check of an endpoint", probe: "trial of a model", fetch: "page from the web", tool_server: "call of another program", tool_server_request: "request to another program", tool_sign_in: "sign-in to another program", release: "question for the newest release",
  allowed: "allowed without asking", consent_granted: "consent given", consent_revoked: "consent taken back" };
const PAGE = 100;

export function privacySection(at) {
  const mode = h("div"), consents = h("div");
  modeOf(at, mode);
  consentsOf(at, consents);
  return [mode, h("h4", null, "Consents of this folder"), consents, h("h4", null, "What left this machine"), log(at)];
}

function modeOf({ wire, ui }, box) {
  filled(box, async () => {
    const { mode } = await wire.call("UserGetConsentMode");
    if (mode === "local_only") return h("p", { class: "note" }, "Only models on this machine are used: the program was started so, and nothing leaves it.");
    const says = result();
    const radios = MODES.map(([value, label]) => [value, h("input", { type: "radio", name: "consent-mode", value, checked: mode === value, on: { change: () => set(value) } }), label]);
    async function set(value) {
      try {
        if (value === "allow_all" && !(await ui.confirm("Never ask again?", "Documents of every folder may then go to each model that you choose, wherever it runs.", "Never ask"))) throw null;
        await wire.call("UserSetConsentMode", { mode: value, approved: value === "allow_all" });
        says.tell("Saved.");
      } catch (e) {
        if (e) says.tell(errorText(e), true);
        modeOf({ wire, ui }, box);
      }
    }
    return h("fieldset", null, h("legend", null, "Before documents leave this machine"), radios.map(([, input, label]) => h("label", { class: "box" }, input, ` ${label}`)), says);
  });
}

function consentsOf({ work, ui }, box) {
  filled(box, async () => {
    const { consents } = await work.call("EgressListConsents");
    if (!consents.length) return h("p", { class: "note" }, "None was given: no document of this folder may leave this machine.");
    const says = result();
    return [table("Consents", ["Model", "Where", "Files", "Until", ""], consents.map((c) => [h("bdi", null, c.model_id || "every model"), `${c.provider_id}${c.host ? ` at ${c.host}` : ""}`, c.files, c.persisted ? "taken back" : "the program ends",
      acting("Take back", says, async () => {
        const { revoked } = await work.call("EgressRevokeWorkshopConsent", { provider_id: c.provider_id, model_id: c.model_id });
        consentsOf({ work, ui }, box);
        ui.toast(`${count(revoked, "consent")} taken back.`);
      }, { "aria-label": `Take back the consent for ${c.model_id || c.provider_id}` })])), says];
  });
}

function log({ work, wire }) {
  const find = h("input", { type: "text", "aria-label": "Find in the log", placeholder: "A host, a model, a file …", dir: "auto" });
  const left = h("input", { type: "checkbox", id: "only-left", checked: true });
  const other = h("input", { type: "checkbox", id: "other-requests" });
  const rows = h("div");
  const more = button("Show earlier requests", () => load(false), { class: "quiet wide", hidden: true });
  const note = h("p", { class: "sub", role: "status" });
  let events = [], asked = 0;

  async function load(anew) {
    const mine = ++asked;
    if (anew) events = [];
    note.textContent = "Reading …";
    const params = { newest_first: true, limit: PAGE, before: events.at(-1)?.id ?? 0, find: find.value.trim(), left: left.checked };
    try {
      const r = other.checked ? await wire.call("EgressListEvents", params) : await work.call("EgressListEvents", params);
      if (mine !== asked) return;
      events = [...events, ...r.events];
      more.hidden = !r.has_more;
      note.textContent = [events.length ? `${count(events.length, "entry", "entries")}${r.has_more ? " so far" : ""}.` : find.value.trim() || left.checked ? "Nothing of this kind is in the log." : "The log is empty.",
        r.dropped ? `${r.dropped} older ones are not kept any more.` : ""].filter(Boolean).join(" ");
      put(rows, events.length ? table("What left this machine", ["When", "What", "To", "Files", "Sent", "Received", "Result"], events.map(row)) : null);
    } catch (e) {
      if (mine === asked) note.textContent = errorText(e);
    }
  }

  const row = (e) => [when(e.timestamp), KINDS[e.kind] ?? e.kind, [h("bdi", null, e.host || "–"), e.local ? " (this machine)" : "", e.model_id ? h("span", { class: "sub" }, " ", h("bdi", null, e.model_id)) : null],
    e.file_count ? h("details", null, h("summary", null, count(e.file_count, "file")), h("ul", { class: "paths" }, e.files.map((f) => h("li", null, h("bdi", null, f))), e.file_count > e.files.length ? h("li", { class: "sub" }, `and ${e.file_count - e.files.length} more`) : null)) : "–",
    size(e.bytes_out), size(e.bytes_in), e.error || (e.ended ? e.status || "done" : "has not ended")];
  let wait = 0;
  find.addEventListener("input", () => { clearTimeout(wait); wait = setTimeout(() => load(true), 250); });
  for (const box of [left, other]) box.addEventListener("change", () => load(true));
  load(true);
  return [h("div", { class: "filter" }, find, h("label", { htmlFor: "only-left" }, left, " only what left this machine"), h("label", { htmlFor: "other-requests" }, other, " requests for no folder")), note, rows, more];
}
