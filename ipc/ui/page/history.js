// History: the states of the published files that can be restored.

import { h, put, button, keyed } from "./dom.js";
import { mark } from "./diff.js";

const REASONS = { publish: "Before a publish", restore: "Before a restore", undo: "Before an undo", add: "Before files were added", remove: "Before files were removed", manual: "Kept by you" };

/** @param {Store} store @param {Work} work @param {UI} ui */
export function historyView(store, work, ui) {
  const list = h("ol", { class: "history" });
  const what = h("input", { type: "text", "aria-label": "Description", placeholder: "What this state is", dir: "auto" });
  const keep = h("form", { class: "free", on: { submit: async (ev) => {
    ev.preventDefault();
    if (await work.attempt("Keeping the state", () => work.call("CheckpointCreate", { description: what.value.trim() }))) { what.value = ""; work.refreshHistory(); }
  } } }, what, h("button", { type: "submit" }, "Keep the present state"));
  const empty = h("p", { class: "blank" }, "Nothing was published yet. Each publish keeps what was there before.");
  store.watch(["checkpoints"], (s) => {
    empty.hidden = s.checkpoints.length > 0;
    keyed(list, s.checkpoints.slice(0, 300), (c) => c.checkpoint_id, (c) => row(c, work, ui));
  });
  return h("div", { class: "pasts" }, h("div", { class: "head" }, h("h2", null, "States of the folder")), keep, empty, list);
}

/** @param {Work} work @param {UI} ui */
function row(c, work, ui) {
  const body = h("div", { class: "filebody" });
  const when = new Date(c.created_at);
  return h("li", null, h("details", { on: { toggle: async (ev) => {
    if (!ev.target.open) return;
    put(body, h("p", { class: "sub" }, "Comparing …"));
    try {
      const full = await work.call("CheckpointGet", { checkpoint_id: c.checkpoint_id });
      const changes = full.changes ?? [];
      put(body, changes.length ? h("p", null, "Restoring it would change:") : h("p", null, "The folder is as it was then."),
        h("ul", { class: "paths" }, changes.slice(0, 200).map((x) => h("li", null, h("bdi", null, x.path), " ", mark(x.change_type)))),
        changes.length ? button("Restore this state", async () => {
          if (!(await ui.confirm("Restore this state?", `${changes.length} published ${changes.length === 1 ? "file becomes" : "files become"} what they were on ${when.toLocaleString()}. The present state is kept too.`, "Restore"))) return;
          if (await work.attempt("Restoring", () => work.call("CheckpointRestore", { checkpoint_id: c.checkpoint_id }))) ui.toast("Restored.");
          work.refreshHistory();
          work.refreshChanges();
        }) : null);
    } catch (e) {
      put(body, h("p", { class: "problem" }, e.message));
    }
  } } }, h("summary", null, h("time", { datetime: c.created_at }, when.toLocaleString()), " ", h("strong", null, REASONS[c.reason] ?? c.reason), " ", h("bdi", null, c.description ?? ""), h("span", { class: "sub" }, ` ${c.stats.files} files`)), body));
}
