// The review of the draft inside the conversation of another agent: an MCP app
// (SEP-1865). It is shown in a frame without network, and talks to the host of the
// frame, which passes calls on to Atelier.

import { h, put, say } from "./dom.js";
import { makeStore } from "./store.js";
import { CallError } from "./errors.js";
import { changesView } from "./changes.js";

const VERSION = "2026-01-26";
const KEY = document.documentElement.dataset.key;
const TOOL = document.documentElement.dataset.tool;

/** The connection to the host: JSON-RPC 2.0 over messages of windows. */
function makeHost(on) {
  let next = 1;
  const pending = new Map();
  const send = (m) => window.parent.postMessage({ jsonrpc: "2.0", ...m }, "*");
  window.addEventListener("message", (ev) => {
    const m = ev.data;
    if (ev.source !== window.parent || m?.jsonrpc !== "2.0") return;
    if (m.method) {
      if (m.id !== undefined) send(m.method === "ping" || m.method === "ui/resource-teardown" ? { id: m.id, result: {} } : { id: m.id, error: { code: -32601, message: "unknown method" } });
      else on(m.method, m.params ?? {});
      return;
    }
    const p = pending.get(m.id);
    if (!p) return;
    pending.delete(m.id);
    if (m.error) p.fail(new CallError(m.error));
    else p.done(m.result);
  });
  return {
    call: (method, params) => new Promise((done, fail) => { const id = next++; pending.set(id, { done, fail }); send({ id, method, params }); }),
    tell: (method, params = {}) => send({ method, params }),
  };
}

const store = makeStore({ changes: [], running: false, activity: "" });
let can = {};

function look(context) {
  const theme = context?.theme;
  if (theme) document.documentElement.dataset.theme = theme;
  if (context?.locale) document.documentElement.lang = context.locale;
}

const host = makeHost((method, params) => {
  if (method === "ui/notifications/tool-result" || method === "ui/notifications/tool-cancelled") work.refreshChanges();
  if (method === "ui/notifications/host-context-changed") look(params);
});

/** Calls a method of Atelier's protocol through the host. */
async function call(method, params = {}) {
  const r = await host.call("tools/call", { name: TOOL, arguments: { key: KEY, method, params } });
  const s = r.structuredContent ?? JSON.parse(r.content?.[0]?.text ?? "{}");
  if (r.isError || s.error) throw new CallError({ message: s.error?.detail ?? r.content?.[0]?.text ?? "The call failed.", data: s.error });
  tellModel(method, params);
  return s.result;
}

/** What the person did here is told to the model with its next turn. */
function tellModel(method, params) {
  const files = params.paths?.join(", ") || params.path || "the whole draft";
  const did = { DraftPublish: `The user published ${files}.`, DraftDiscard: `The user discarded ${files}.`, DraftRevertChanges: `The user rejected ${params.changes?.length === 1 ? "1 change" : `${params.changes?.length} changes`} of ${files}; do not make them again unless the user asks for it.` }[method];
  if (did && can.updateModelContext) host.call("ui/update-model-context", { content: [{ type: "text", text: did }] }).catch(() => {});
}

const problem = h("p", { class: "problem", role: "alert", hidden: true });
let looking = false, again = false;

const work = {
  call,
  dataAddresses: true, // a frame without network shows no other pictures
  busy: () => false,
  async refreshChanges() {
    if (looking) { again = true; return; }
    looking = true;
    try {
      const r = await call("ReviewGetChangeSet");
      store.set({ changes: r.changes });
      problem.hidden = true;
    } catch (e) {
      problem.textContent = e.message;
      problem.hidden = false;
    }
    looking = false;
    if (again) { again = false; work.refreshChanges(); }
  },
  refreshHistory() {},
  async refreshState() {},
};

const ui = {
  confirm: (title, text, yes) => new Promise((done) => {
    const d = h("dialog", { class: "dialog small", "aria-label": title, on: { close: () => { d.remove(); done(d.returnValue === "yes"); } } },
      h("h2", null, title), h("p", null, text),
      h("div", { class: "choices" }, h("button", { type: "button", autofocus: true, on: { click: () => d.close("no") } }, "Cancel"), h("button", { type: "button", class: "danger", on: { click: () => d.close("yes") } }, yes)));
    document.body.append(d);
    d.showModal();
  }),
};

const app = document.getElementById("app");
put(app, h("main", { class: "pane" }, h("h1", { class: "hide" }, "Review of the draft"), problem, changesView(store, work, ui)));

new ResizeObserver(() => host.tell("ui/notifications/size-changed", { height: Math.ceil(app.getBoundingClientRect().height) })).observe(app);

try {
  const r = await host.call("ui/initialize", { appInfo: { name: "atelier-review", version: "1" }, appCapabilities: {}, protocolVersion: VERSION });
  can = r.hostCapabilities ?? {};
  look(r.hostContext);
  host.tell("ui/notifications/initialized");
  await work.refreshChanges();
  say("The review is ready.");
} catch (e) {
  problem.textContent = `The host does not answer: ${e.message}`;
  problem.hidden = false;
}
