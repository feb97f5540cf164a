// The first screens: no folder yet, and no way in.

import { h, put, button } from "./dom.js";
import { folderPicker } from "./picker.js";
import { whoView } from "./signin.js";

/** Offers the folders that were worked on, and takes another path. @param {Store} store @param {Wire} wire */
export function startView(store, wire, open) {
  const user = store.state.user;
  const list = h("ul", { class: "recent" });
  const path = h("input", { type: "text", required: true, "aria-label": "Path of a folder", placeholder: "/home/you/documents" });
  const problem = h("p", { class: "problem", role: "alert", hidden: true });
  const attempt = async (act) => {
    try { await act(); } catch (e) { problem.hidden = false; problem.textContent = e.hint ? `${e.message}. ${e.hint}` : e.message; }
  };
  const take = (root) => attempt(async () => {
    const r = await wire.call("WorkbenchCreate", { name: root.split(/[\\/]/).filter(Boolean).at(-1) ?? root, root });
    open(r.workbench_id, r.root);
  });
  wire.call("WorkbenchList").then((r) => {
    const own = (r.workbenches ?? []).filter((w) => !w.managed || user).sort((a, b) => b.updated_at.localeCompare(a.updated_at));
    put(list, own.slice(0, 30).map((w) => h("li", null, button([h("strong", null, h("bdi", null, w.name)), w.root === w.name ? null : h("span", { class: "sub" }, h("bdi", null, w.root))], () => attempt(async () => {
      if (store.state.placed) return open(w.workbench_id, w.root); // the server that has it opens it
      const r = await wire.call("WorkbenchOpen", { workbench_id: w.workbench_id });
      if (r.in_use) throw new Error(`This folder is in use by another process (${r.in_use.process}).`);
      open(w.workbench_id, w.root);
    })))));
  });
  return h("main", { class: "start" }, user && whoView(user), h("h1", null, user ? "Which workspace?" : "Which folder?"), h("p", { class: "sub" }, "The model works on a draft of it. Your files stay as they are until you publish."), list,
    user ? null : h("form", { class: "free", on: { submit: (ev) => {
      ev.preventDefault();
      take(path.value.trim());
    } } }, path, h("button", { type: "submit", class: "primary" }, "Open"), button("Choose …", () => folderPicker(wire, take))), problem);
}

/** Says why nothing can be shown. */
export function closedView(s) {
  if (s.connection === "stranger") {
    return h("main", { class: "start" }, h("h1", null, "Another program answers at this address"),
      h("p", null, "Atelier is not running, and its port is used by something else. Nothing was sent to it. Start ", h("code", null, "atelier ui"), " again: it prints a new address."));
  }
  return h("main", { class: "start" }, h("h1", null, "This browser is not let in"),
    h("p", null, s.connectionWhy || "Each browser is let in once, with the address that atelier ui prints."), h("p", null, "Start ", h("code", null, "atelier ui"), " in a terminal, and open the address that it prints."));
}
