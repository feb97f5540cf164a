// Settings: what the model is told in every conversation of this folder.

import { h, put } from "./dom.js";
import { acting, errorText, filled, marked, result } from "./forms.js";
import { when } from "./text.js";

const NAMES = { "company-context": "The company", "department-context": "The department", situation: "The situation", "document-style": "How documents are written" };
const MOST = 1 << 20; // characters that the engine returns of a file

export function contextSection({ work, ui }) {
  const box = h("div");
  const load = () => filled(box, async () => (await work.call("ContextList")).items.map(row));

  function row(item) {
    const body = h("div");
    return h("details", { class: "file", on: { toggle: (ev) => { if (ev.target.open && !body.childElementCount) open(item, body); } } },
      h("summary", null, h("h4", null, h("bdi", null, NAMES[item.category] ?? item.category)), h("span", { class: "sub" },
        item.status === "empty" ? " empty" : item.status === "unreadable" ? " cannot be read" : [" ", h("bdi", null, item.summary), item.updated_at ? `, ${when(item.updated_at)}` : ""])), body);
  }

  async function open(item, body) {
    put(body, h("p", { class: "sub" }, "Reading …"));
    let full = { files: [] };
    try {
      full = (await work.call("ContextGet", { category: item.category })).item;
    } catch (e) {
      return put(body, h("p", { class: "problem" }, errorText(e)));
    }
    /** @type {any[]} */
    const files = full.files.length ? full.files : [{ path: "", content: "" }];
    const says = result();
    put(body, files.map((f) => editor(item, f, files.length > 1)), item.status === "empty" ? null : h("div", { class: "choices" }, acting("Delete", says, async () => {
      const them = files.map((f) => f.path).join(", ");
      if (!(await ui.confirm(`Delete ${them}?`, "The files are removed from .atelier/context of the folder at once. They are in no draft and no history.", "Delete"))) return "";
      await work.call("ContextDelete", { category: item.category });
      load();
    }, { class: "danger", "aria-label": `Delete ${NAMES[item.category] ?? item.category}` })), says);
  }

  function editor(item, f, named) {
    const says = result();
    const long = (f.content ?? "").length >= MOST;
    const area = marked(h("textarea", { rows: "8", dir: "auto", "aria-label": `Text of ${f.path || NAMES[item.category] || item.category}`, value: f.content ?? "", readonly: long }));
    return h("div", { class: "fields" }, named ? h("p", { class: "label" }, h("bdi", null, f.path)) : null, area, long ? h("p", { class: "note" }, "Only its first 1 MB is shown, so it cannot be changed here.") : null,
      h("div", { class: "choices" }, long ? null : acting("Save", says, async () => {
        await work.call("ContextUpdateDirect", { category: item.category, files: [{ path: f.path, content: area.value }] });
        area.saved();
        if (item.status === "empty") load();
        return "Saved. The next run is told this.";
      }, { "aria-label": `Save ${f.path || NAMES[item.category] || item.category}` })), says);
  }

  const name = h("input", { type: "text", "aria-label": "Name of another file", placeholder: "such as customers", pattern: "[^\\/\\\\]+" });
  const add = h("form", { class: "free", on: { submit: (ev) => {
    ev.preventDefault();
    const category = name.value.trim().replace(/\.md$/i, "").toLowerCase();
    if (!category) return;
    name.value = "";
    const node = row({ category, status: "empty", summary: "", files: [] });
    const body = /** @type {HTMLElement} */ (node.lastChild);
    put(body, editor({ category, status: "empty" }, { path: `${category}.md`, content: "" }, false));
    box.append(node);
    node.open = true;
    body.querySelector("textarea")?.focus();
  } } }, name, h("button", { type: "submit" }, "Add a file"));
  load();
  return [h("p", { class: "sub" }, "Models are told these files in every conversation of this folder. They are in .atelier/context, and are saved at once, not into the draft."), box, add];
}
