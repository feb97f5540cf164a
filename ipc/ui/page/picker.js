// Choosing a folder of the machine that Atelier runs on.

import { h, put, button } from "./dom.js";

/** Shows a dialog that lists folders, and calls choose with the path of one. */
export function folderPicker(wire, choose) {
  const where = h("bdi", { class: "where" });
  const up = button("Up", () => go(up.dataset.path), { "aria-label": "The folder around it" });
  const list = h("ul", { class: "folders", "aria-label": "Folders" });
  const note = h("p", { class: "sub", role: "status" });
  const open = button("Open this folder", () => { d.close(); choose(here); }, { class: "primary" });
  const d = h("dialog", { class: "dialog", "aria-label": "Choose a folder", on: { close: () => d.remove(), keydown: keys } },
    h("h2", null, "Choose a folder"), h("div", { class: "picked" }, up, where), list, note,
    h("div", { class: "choices" }, button("Cancel", () => d.close()), open));
  let here = "", asked = 0;

  async function go(path) {
    const mine = ++asked;
    note.textContent = "Reading …";
    try {
      const r = await wire.call("FoldersList", path ? { path } : {});
      if (mine !== asked) return;
      here = r.path;
      put(where, r.path);
      up.dataset.path = r.parent;
      up.disabled = !r.parent;
      put(list, r.folders.map((f) => h("li", null, button(h("bdi", null, f.name), () => go(f.path), { class: "quiet" }))));
      note.textContent = `${r.folders.length} ${r.folders.length === 1 ? "folder" : "folders"}, ${r.files} ${r.files === 1 ? "file" : "files"}${r.omitted ? "; there are more" : ""}`;
      open.disabled = false;
      (list.querySelector("button") ?? open).focus();
    } catch (e) {
      if (mine === asked) note.textContent = e.message;
    }
  }

  // keys moves in the list with the arrows.
  function keys(ev) {
    const all = [...list.querySelectorAll("button")];
    const at = all.findIndex((b) => b === document.activeElement);
    if (ev.key === "ArrowLeft" && !up.disabled) go(up.dataset.path);
    else if (ev.key === "ArrowRight" && at >= 0) all[at].click();
    else if (ev.key === "ArrowDown") all[Math.min(at + 1, all.length - 1)]?.focus();
    else if (ev.key === "ArrowUp") all[Math.max(at - 1, 0)]?.focus();
    else return;
    ev.preventDefault();
  }

  document.body.append(d);
  d.showModal();
  go("");
}
