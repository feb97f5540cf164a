// The settings: a page of sections over the work, at #settings/NAME.

import { h, put, button } from "./dom.js";
import { contextSection } from "./settings_context.js";
import { modelsSection } from "./settings_models.js";
import { budgetsSection, usageSection } from "./settings_money.js";
import { privacySection } from "./settings_privacy.js";
import { approvalsSection, skillsSection } from "./settings_rules.js";
import { serversSection } from "./settings_servers.js";

const SECTIONS = [["models", "Models", modelsSection], ["privacy", "Privacy", privacySection], ["approvals", "Approvals", approvalsSection], ["tools", "Other tools", serversSection], ["context", "Context", contextSection],
  ["skills", "Skills", skillsSection], ["budgets", "Budgets", budgetsSection], ["usage", "Usage", usageSection]];

const ADDRESS = /^#settings(?:\/([a-z]+))?$/;

/** Shows the settings instead of another view while the address says so; adds ui.settings. */
export function settingsView(store, work, wire, ui) {
  const box = h("div", { class: "settingbox" });
  const links = SECTIONS.map(([name, label]) => h("a", { href: `#settings/${name}`, on: { click: (ev) => { ev.preventDefault(); go(name); } } }, label));
  const waits = button("", () => close(), { class: "waits", hidden: true });
  const el = h("main", { class: "settings", hidden: true, "aria-label": "Settings", on: { keydown: (ev) => {
    if (ev.key === "Escape" && !ev.defaultPrevented && !document.querySelector("dialog[open]")) { ev.preventDefault(); close(); }
  } } }, h("div", { class: "settinghead" }, h("h2", null, "Settings"), waits, button("Back to the work", () => close())), h("nav", { "aria-label": "Sections of the settings" }, links), box);
  let shown = "", before = "work";
  /** @type {HTMLElement | null | undefined} */
  let from = null;
  /** @type {HTMLElement | null} */
  let focus = null;

  const unsaved = () => el.querySelector("[data-unsaved]");
  const mayLeave = async () => !unsaved() || ui.confirm("Leave without saving?", "What you typed is not saved yet.", "Leave it");

  async function go(name) {
    if (name === shown || !(await mayLeave())) return;
    history.pushState(null, "", `#settings/${name}`);
    render();
  }

  async function close() {
    if (!(await mayLeave())) return false;
    history.pushState(null, "", location.pathname);
    render();
    return true;
  }

  function render() {
    const m = ADDRESS.exec(location.hash);
    const name = m ? (SECTIONS.some(([n]) => n === m[1]) ? m[1] : "models") : "";
    if (name === shown) return;
    const opens = !shown;
    shown = name;
    el.hidden = !name;
    if (opens) before = store.state.view;
    store.set({ view: name ? "settings" : before });
    if (!name) {
      put(box);
      work.refreshState().catch(() => {});
      work.refreshMore();
      focus = from?.isConnected ? from : document.getElementById("composer");
      return;
    }
    if (opens) from = document.activeElement?.closest("button");
    for (const a of links) a.toggleAttribute("aria-current", false);
    links[SECTIONS.findIndex(([n]) => n === name)].setAttribute("aria-current", "page");
    draw();
  }

  function draw() {
    const [, label, make] = /** @type {[string, string, (at: any) => any]} */ (SECTIONS.find(([n]) => n === shown));
    const title = h("h3", { tabindex: "-1" }, label);
    const section = h("section", { "aria-label": label }, title, make({ store, work, wire, ui, again: draw }));
    put(box, section);
    box.scrollTop = 0;
    title.focus({ preventScroll: true });
  }

  window.addEventListener("popstate", async () => {
    if (!shown || !unsaved()) return render();
    const to = location.hash;
    history.pushState(null, "", `#settings/${shown}`);
    if (await mayLeave()) { history.replaceState(null, "", to || location.pathname); render(); }
  });
  // Typed into the address, and followed within the page.
  window.addEventListener("hashchange", render);
  store.watch(["view"], () => { // after the other views have seen it, since what is hidden takes no focus
    focus?.focus();
    focus = null;
  });
  let model = store.state.model;
  store.watch(["model"], (s) => {
    if (s.model === model) return;
    model = s.model;
    if (shown === "models" && !unsaved()) draw();
  });
  store.watch(["connection"], (s) => { if (s.connection === "open" && shown && box.querySelector("[role=alert]") && !unsaved()) draw(); });
  store.watch(["questions", "trouble"], (s) => { // cards are in the conversation, which is hidden now
    waits.hidden = !s.questions.length && !s.trouble;
    waits.textContent = s.questions.length ? "The model waits for your answer" : "The run has stopped";
  });
  ui.settings = () => {
    if (shown) return close();
    history.pushState(null, "", "#settings/models");
    render();
  };
  const tab = ui.tab;
  ui.tab = async (name) => {
    if (shown) await close();
    if (!shown) tab(name);
  };
  queueMicrotask(render);
  return el;
}
