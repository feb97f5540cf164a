// The page: it connects, and shows the bar, the conversation and the document.

import { h, put, button, say } from "./dom.js";
import { makeStore } from "./store.js";
import { makeTalk } from "./talk.js";
import { LostError } from "./errors.js";
import { makeWire } from "./wire.js";
import { makeWork } from "./work.js";
import { barView } from "./bar.js";
import { chatView } from "./chat.js";
import { changesView } from "./changes.js";
import { documentView } from "./document.js";
import { historyView } from "./history.js";
import { modelsDialog } from "./models.js";
import { settingsView } from "./settings.js";
import { chosenWorkspace, chooseWorkspace, signInView } from "./signin.js";
import { closedView, startView } from "./start.js";
import { translateView } from "./translate.js";

/** @typedef {StateOf<typeof BEGINNING>} State */

const BEGINNING = {
  connection: "connecting", connectionWhy: "", instance: "", placed: false, moved: false, user: null, workbench: "", folder: "", folderName: "", loaded: false,
  entries: 0, running: false, queued: false, mine: false, activity: "", model: "", modelReady: true, mode: "", phase: "", waiting: "", questions: [], trouble: null, undone: "",
  unfinished: null, abandoned: null, hasDraft: false, changes: [], files: [], history: { entries: [], has_more: false }, fill: null, usage: null, runUsage: null, lately: "", tab: "chat", view: "work", draft: 0,
};
const store = /** @type {Store} */ (/** @type {unknown} */ (makeStore(BEGINNING)));
const talk = makeTalk();
const app = document.getElementById("app");
let screen = "";
/** @type {Work} */
let work = /** @type {any} */ (null); // until a folder is open

const wire = makeWire({
  state(name, why) {
    store.set({ connection: name, connectionWhy: why ?? "" });
    if (name === "signin") show("signin", signInView);
    if (name === "refused" || name === "stranger" && !work) show("closed", () => closedView(store.state));
  },
  async ready(info) {
    const again = store.state.instance && store.state.instance !== info.instance;
    store.set({ instance: info.instance, user: info.user ?? null, placed: Boolean(info.placed) });
    if (again && work && info.placed) {
      store.set({ moved: true });
      setTimeout(() => store.set({ moved: false }), 10_000);
    }
    try {
      const at = info.user && !work && (await chosenWorkspace(wire));
      if (at) await openFolder(at.workbench_id, at.root);
      else if (work) await (again ? reopen() : work.resume(false));
      else if (info.workbench_id) await openFolder(info.workbench_id, info.folder);
      else show("start", () => startView(store, wire, openFolder));
    } catch (e) {
      if (!(e instanceof LostError)) store.set({ trouble: { error: e, what: "Reading the state" } }); // else it is tried again
    }
  },
  note: (method, params) => work?.note(method, params),
});

// reopen goes on with the folder that the page shows, after a restart.
async function reopen() {
  await wire.call("WorkbenchOpen", { workbench_id: store.state.workbench });
  await work.resume(true);
}

async function openFolder(id, root) {
  if (store.state.user) chooseWorkspace(id);
  if (store.state.placed && wire.move()) return; // ready opens it, on the server that has it
  store.set({ workbench: id, folder: root, folderName: root.split(/[\\/]/).filter(Boolean).at(-1) ?? root, loaded: false });
  work = makeWork(store, talk, wire);
  work.busy = () => store.state.running || Boolean(store.state.activity);
  show("work", workView);
  await work.load();
  const { configured } = await wire.call("ModelsGetCapabilities", { model_id: store.state.model });
  store.set({ modelReady: configured });
  if (!configured || !talk.entries.length && store.state.model === "pseudo") ui.models();
  else document.getElementById("composer")?.focus();
}

function show(name, make) {
  if (screen === name) return;
  screen = name;
  put(app, make());
}

/** @type {UI} */
const ui = {
  async translate() {
    if (store.state.view === "settings" && !(await ui.settings())) return;
    store.set({ view: store.state.view === "translate" ? "work" : "translate" });
  },
  models: () => { if (!document.querySelector("dialog[open]")) modelsDialog(store, work, wire, ui); },
  tab(name) {
    store.set({ tab: name, view: "work" });
    document.getElementById(`tab-${name}`)?.focus();
  },
  toast(text) {
    say(text);
    const t = h("div", { class: "toast" }, text);
    document.body.append(t);
    setTimeout(() => t.remove(), 4000);
  },
  confirm: (title, text, yes, list) => new Promise((done) => {
    const d = h("dialog", { class: "dialog small", "aria-label": title, on: { close: () => { d.remove(); done(d.returnValue === "yes"); } } },
      h("h2", null, title), h("p", null, text), list ? h("ul", { class: "paths listed", tabindex: "0", "aria-label": "What goes together" }, list) : null,
      h("form", { method: "dialog", class: "choices" }, h("button", { value: "no", autofocus: true }, "Cancel"), h("button", { value: "yes", class: "danger" }, yes)));
    document.body.append(d);
    d.showModal();
  }),
};

const TABS = [["chat", "Conversation"], ["document", "Document"], ["changes", "Changes"], ["history", "History"]];

function workView() {
  const views = { document: documentView(store, work), changes: changesView(store, work, ui), history: historyView(store, work, ui) };
  const tabs = TABS.map(([name, label]) => button(label, () => store.set({ tab: name }), { role: "tab", id: `tab-${name}`, "aria-controls": `pane-${name}`, class: name === "chat" ? "tab first-tab" : "tab" }));
  const bar = h("div", { class: "tabs", role: "tablist", "aria-label": "Views", on: { keydown: (ev) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[ev.key];
    const there = tabs.filter((t) => t.offsetParent);
    if (step) there[(there.findIndex((t) => t === document.activeElement) + step + there.length) % there.length]?.focus();
  } } }, tabs);
  const panes = Object.entries(views).map(([name, view]) => h("div", { id: `pane-${name}`, role: "tabpanel", "aria-labelledby": `tab-${name}`, class: "pane", tabindex: "-1" }, view));
  const chat = chatView(store, talk, work, ui);
  chat.id = "pane-chat";
  const side = h("div", { class: "side" }, panes);
  const main = h("main", { class: "work" }, h("a", { class: "skip", href: "#composer" }, "Skip to the message"), bar, chat, side);
  const wide = matchMedia("(min-width: 60rem)");
  const lay = () => {
    const s = store.state;
    const beside = s.tab === "chat" ? "document" : s.tab; // on a wide page the conversation is always there
    main.dataset.tab = s.tab;
    for (const [i, [name, label]] of TABS.entries()) {
      const on = wide.matches ? name === beside : name === s.tab;
      tabs[i].setAttribute("aria-selected", String(on));
      tabs[i].tabIndex = on ? 0 : -1;
      tabs[i].textContent = name === "changes" && s.changes.length ? `${label} ${s.changes.length}` : label;
    }
    for (const p of panes) p.hidden = p.id !== `pane-${beside}`;
    chat.hidden = !wide.matches && s.tab !== "chat";
    side.hidden = !wide.matches && s.tab === "chat";
  };
  wide.addEventListener("change", () => { if (wide.matches && store.state.tab === "chat") store.set({ tab: "document" }); lay(); });
  if (wide.matches) store.set({ tab: "document" });
  store.watch(["tab", "changes"], lay);
  store.watch(["view"], (s) => { main.hidden = s.view !== "work"; });
  return h("div", { class: "page" }, barView(store, work, ui), main, translateView(store, work, ui), store.state.user ? null : settingsView(store, work, wire, ui));
}

window.addEventListener("unhandledrejection", (ev) => { if (ev.reason?.name === "Error" && ev.reason.message === "The connection was lost.") ev.preventDefault(); });
document.addEventListener("visibilitychange", () => { if (!document.hidden && work && store.state.connection === "open") work.refreshState().catch(() => {}); });
wire.start();
