// The files of the folder as a tree of boxes; those that cannot be translated say
// why.

import { h, put, button } from "./dom.js";

const MOST = 3000; // lines

/** Makes the tree. change() is called when other files are chosen. @param {() => void} change */
export function filesTree(change) {
  const el = h("div", { class: "filetree", role: "group", "aria-label": "Files" });
  const count = h("p", { class: "sub", role: "status" });
  /** @type {any[]} */
  let boxes = [];

  function folderOf(path) {
    const at = path.lastIndexOf("/");
    return at < 0 ? "" : path.slice(0, at);
  }

  function tell(byPerson = true) {
    const n = boxes.filter((b) => b.input.checked).length;
    count.textContent = `${n} of ${boxes.length} files are chosen.`;
    for (const d of el.querySelectorAll(".trfolder")) {
      const own = boxes.filter((b) => d.contains(b.input)), on = own.filter((b) => b.input.checked).length;
      const all = /** @type {HTMLInputElement | null} */ (d.firstChild);
      if (all) { all.checked = on > 0 && on === own.length; all.indeterminate = on > 0 && on < own.length; all.disabled = !own.length; }
    }
    if (byPerson) change();
  }

  function line(f, checked) {
    const name = f.path.slice(f.path.lastIndexOf("/") + 1);
    if (!f.can) return h("li", { class: "cannot" }, h("bdi", null, name), h("span", { class: "sub" }, ` – ${f.why}`));
    const input = h("input", { type: "checkbox", checked, on: { change: () => tell() } });
    boxes.push({ input, path: f.path });
    return h("li", null, h("label", null, input, " ", h("bdi", null, name), h("span", { class: "sub" }, ` ${f.file_kind}${f.only_named ? ", code or data" : ""}${f.in_draft ? ", draft" : ""}`)));
  }

  /** A folder with its files and folders. */
  function folder(name, tree, chosen) {
    const list = h("ul", null, [...tree.folders].map(([n, t]) => h("li", null, folder(n, t, chosen))), tree.files.map((f) => line(f, chosen(f))));
    if (!name) return list;
    const all = h("input", { type: "checkbox", "aria-label": `All of ${name}`, on: { change: () => {
      for (const b of boxes) if (list.contains(b.input)) b.input.checked = all.checked;
      tell();
    } } });
    return h("div", { class: "trfolder" }, all, h("details", { open: tree.size < 200 }, h("summary", null, h("bdi", null, `${name}/`)), list));
  }

  return {
    el: h("div", null, el, h("div", { class: "choices" }, button("All", () => { for (const b of boxes) b.input.checked = true; tell(); }, { class: "quiet" }), button("None", () => { for (const b of boxes) b.input.checked = false; tell(); }, { class: "quiet" }), count)),
    /** Shows files; those chosen before stay so. leave(path) says which are no documents of their own, such as earlier translations. */
    show(files, leave) {
      const before = boxes.length ? new Map(boxes.map((b) => [b.path, b.input.checked])) : null;
      boxes = [];
      /** @type {any} */
    const root = { folders: new Map(), files: [], size: 0 };
      for (const f of files.slice(0, MOST)) {
        let at = root;
        for (const part of folderOf(f.path).split("/").filter(Boolean)) {
          if (!at.folders.has(part)) at.folders.set(part, { folders: new Map(), files: [], size: 0 });
          at = at.folders.get(part);
          at.size++;
        }
        at.files.push(f);
      }
      put(el, files.length ? folder("", root, (f) => before?.get(f.path) ?? (!f.only_named && !leave(f.path))) : h("p", { class: "blank" }, "The folder has no files."),
        files.length > MOST ? h("p", { class: "problem" }, `${files.length - MOST} more files are not shown here; atelier translate takes whole folders.`) : null);
      tell(false);
    },
    /** The files that are chosen. */
    chosen: () => boxes.filter((b) => b.input.checked).map((b) => b.path),
    known: () => boxes.length,
  };
}
