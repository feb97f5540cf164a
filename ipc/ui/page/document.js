// The document that is being worked on, with what the draft changes in it, read anew as
// it changes.

import { h, put, soon } from "./dom.js";
import { diffOf } from "./changes.js";
import { mark } from "./diff.js";
import { fileViewer, isDrawn } from "./viewer.js";

/** @param {Store} store @param {Work} work */
export function documentView(store, work) {
  const choose = h("select", { "aria-label": "File", on: { change: () => { chosen = choose.value; follow.checked = false; show(); } } });
  const follow = h("input", { type: "checkbox", id: "follow", checked: true, on: { change: () => { if (follow.checked) show(); } } });
  const state = h("span", { class: "sub" });
  const diff = h("div", { class: "docdiff" });
  const view = h("div", { class: "docview" });
  const empty = h("p", { class: "blank" }, "There are no files in this folder.");
  const el = h("div", { class: "document" }, h("h2", { class: "hide" }, "Document"), h("div", { class: "head" }, choose, state, h("label", { class: "later", htmlFor: "follow" }, follow, " follow the work")), empty, diff, view);
  let chosen = "", shown = "", compared = "", draft = 0;
  /** @type {any} */
  let viewer = null;

  const visible = () => store.state.tab === "document";
  const show = soon(() => {
    const s = store.state;
    const files = s.files;
    if (follow.checked && s.lately && files.some((f) => f.path === s.lately)) chosen = s.lately;
    if (!files.some((f) => f.path === chosen)) chosen = files[0]?.path ?? "";
    put(choose, files.slice(0, 2000).map((f) => h("option", { value: f.path, selected: f.path === chosen }, f.path, f.in_draft ? " ●" : "")));
    choose.hidden = !files.length;
    empty.hidden = files.length > 0;
    if (!visible() || !chosen) return;
    const change = s.changes.find((c) => c.path === chosen) ?? null;
    put(state, change ? [mark(change.change_type), ` ${change.summary}`] : "The draft does not change it.");
    const key = `${chosen}\n${change?.new_hash}`;
    if (shown !== chosen) {
      shown = chosen;
      draft = written;
      const kind = files.find((f) => f.path === chosen)?.file_kind;
      put(diff);
      el.classList.toggle("fills", isDrawn(kind));
      viewer = fileViewer(work, chosen, kind, change);
      put(view, viewer);
    } else if (draft !== written || key !== compared && !viewer.shows(change?.new_hash)) {
      draft = written;
      viewer.refresh(change);
    } else viewer.update(change);
    if (key !== compared) compare(key, change);
  });

  // A tool has written: what is shown is read again at once, before the list of changes
  // has come.
  let written = 0;
  store.watch(["draft"], () => { written++; show(); });

  async function compare(key, change) {
    compared = key;
    if (!change) return put(diff);
    try {
      await viewer.marked;
      const parts = await diffOf(work, change);
      if (compared === key) put(diff, h("details", { class: "group", open: !el.classList.contains("fills") }, h("summary", null, h("h3", null, "What changes")), parts));
    } catch {
      if (compared === key) put(diff);
    }
  }
  store.watch(["files", "changes", "lately", "tab", "loaded"], show);
  return el;
}
