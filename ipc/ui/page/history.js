// History: a time line of what happened to the files, and the contents that each
// file had.

import { h, put, button, keyed, say } from "./dom.js";
import { mark } from "./diff.js";
import { count, day, size } from "./text.js";
import { comparison, restoreVersion, versionsView } from "./versions.js";

const KINDS = {
  publish: "Published", restore: "Restored", undo: "Undone", add: "Files added", remove: "Files removed", manual: "State kept",
  version: "A content restored in the draft", reject: "Changes rejected in the draft", discard: "Discarded from the draft", guest: "Changed in the draft by another program",
};
const SHOWN = 200; // files of an entry that are listed

/** @param {Store} store @param {Work} work @param {UI} ui */
export function historyView(store, work, ui) {
  const list = h("ol", { class: "history" });
  const what = h("input", { type: "text", "aria-label": "Description", placeholder: "What this state is", dir: "auto" });
  const problem = h("p", { class: "problem", role: "alert", hidden: true });
  const keep = h("form", { class: "free", on: { submit: async (ev) => {
    ev.preventDefault();
    problem.hidden = true;
    try {
      await work.call("CheckpointCreate", { description: what.value.trim() });
      what.value = "";
      say("The state is kept.");
    } catch (e) {
      problem.hidden = false;
      problem.textContent = e.message;
    }
    work.refreshHistory();
  } } }, what, h("button", { type: "submit" }, "Keep the present state"));
  const empty = h("p", { class: "blank" }, "Nothing was published yet. Each publish keeps what was there before.");
  const more = button("Show what was earlier", () => earlier(), { class: "quiet wide", hidden: true });
  const line = h("div", null, keep, problem, empty, list, more);
  const one = h("div", { hidden: true });
  const choose = h("select", { "aria-label": "Whose history", on: { change: () => open(choose.value) } });
  const el = h("div", { class: "pasts" }, h("div", { class: "head" }, h("h2", null, "History"), choose), line, one);
  let older = [], chosen = "";
  /** @type {boolean | null} */
  let olderMore = null; // whether there is more before older

  const all = () => {
    const now = store.state.history.entries ?? [], ids = new Set(now.map((e) => e.entry_id));
    return [...now, ...older.filter((e) => !ids.has(e.entry_id))];
  };

  function draw() {
    const entries = all();
    empty.hidden = entries.length > 0;
    more.hidden = !(olderMore ?? store.state.history.has_more);
    const rows = entries.flatMap((e, i) => (i && day(e.created_at) === day(entries[i - 1].created_at) ? [e] : [{ day: day(e.created_at) }, e]));
    keyed(list, rows, (r) => r.entry_id ?? r.day, (r) => (r.day ? h("li", { class: "day" }, h("h3", null, r.day)) : entryRow(r, work, ui, open)));
    choices(entries);
  }

  /** Lists the files, with those that are only in the history. */
  function choices(entries) {
    const there = store.state.files.map((f) => f.path);
    const gone = [...new Set(entries.flatMap((e) => e.files.map((f) => f.path)))].filter((p) => !there.includes(p));
    const key = [...there, "", ...gone, chosen].join("\n");
    if (choose.dataset.key === key) return;
    choose.dataset.key = key;
    const option = (p, label = p) => h("option", { value: p, selected: p === chosen }, label);
    put(choose, option("", "All files"), there.slice(0, 2000).map((p) => option(p)), gone.length ? h("optgroup", { label: "Not in the folder" }, gone.slice(0, 500).map((p) => option(p))) : null);
    if (chosen && ![...there.slice(0, 2000), ...gone.slice(0, 500)].includes(chosen)) choose.append(option(chosen));
  }

  function open(path) {
    chosen = path;
    choose.value = path;
    line.hidden = Boolean(path);
    one.hidden = !path;
    put(one, path ? [button("‹ All files", () => open(""), { class: "quiet" }), h("h3", null, h("bdi", null, path)), versionsView(work, path)] : null);
    choices(all());
    if (path) one.querySelector("button")?.focus();
    else choose.focus();
  }

  async function earlier() {
    more.disabled = true;
    try {
      const r = await work.call("HistoryList", { before: all().at(-1).entry_id });
      older = [...older, ...r.entries ?? []];
      olderMore = r.has_more;
      draw();
    } catch (e) {
      problem.hidden = false;
      problem.textContent = e.message;
    }
    more.disabled = false;
  }
  store.watch(["history", "files"], draw);
  return el;
}

const time = (iso) => h("time", { datetime: iso }, new Date(iso).toLocaleTimeString(undefined, { timeStyle: "short" }));

function entryRow(e, work, ui, open) {
  const body = h("div", { class: "filebody" });
  const names = e.files.slice(0, 3).map((f) => f.path).join(", ");
  const files = e.files.length + (e.files_omitted ?? 0);
  return h("li", null, h("details", { on: { toggle: (ev) => { if (ev.target.open && !body.childElementCount) fill(); } } },
    h("summary", null, time(e.created_at), " ", h("strong", null, KINDS[e.kind] ?? e.kind), " ", h("bdi", null, e.description ?? ""),
      h("span", { class: "sub" }, " ", e.files_kept ? count(e.files_kept, "file") : files ? [`${count(files, "file")}: `, h("bdi", null, names), files > 3 ? " …" : ""] : "")), body));

  function fill() {
    const plan = h("div");
    const back = e.checkpoint_id ? button(e.kind === "manual" ? "Go back to this state …" : "Go back to before this …", () => planRestore(e, plan, work, ui)) : null;
    put(body, h("div", { class: "choices" }, back), plan,
      files || e.files_kept ? null : h("p", { class: "note" }, "It changed no published file, only the conversation or the draft."),
      e.files.map((f) => fileRow(f, e, work, open)),
      e.files_omitted ? h("p", { class: "note" }, `${count(e.files_omitted, "more file")} not shown.`) : null);
  }
}

/** What an entry did to one file, and what was there before. */
function fileRow(f, e, work, open) {
  const body = h("div");
  const says = h("p", { role: "status", hidden: true });
  const version = (hash, label) => (hash ? { id: hash, label } : null);
  const restore = button("Restore what was before", async (ev) => {
    ev.currentTarget.disabled = true;
    await restoreVersion(work, f.path, f.old_hash, (text, bad) => { says.hidden = false; says.textContent = text; says.className = bad ? "problem" : "note"; });
    restore.disabled = false;
  }, { title: "Puts the earlier content of this file into the draft" });
  return h("details", { class: "file", on: { toggle: (ev) => {
    if (!ev.target.open || body.childElementCount) return;
    put(body, h("div", { class: "fileacts" }, h("span", { class: "sub" }, e.checkpoint_id ? `${size(f.old_size)} → ${size(f.new_size)}` : ""),
      button("All contents of this file", () => open(f.path)), f.old_hash ? restore : null), says,
    f.old_hash || f.new_hash ? comparison(work, f.path, version(f.old_hash, "Before"), version(f.new_hash, "After")) : null);
  } } }, h("summary", null, h("h4", null, h("bdi", null, f.path)), " ", mark(f.change_type)), body);
}

/** Shows what going back changes; only the second button does it. */
async function planRestore(e, plan, work, ui) {
  const says = (text) => put(plan, h("p", { class: "problem", role: "alert" }, text));
  put(plan, h("p", { class: "sub" }, "Comparing with the folder …"));
  let changes;
  try {
    ({ changes } = await work.call("CheckpointGet", { checkpoint_id: e.checkpoint_id }));
  } catch (err) {
    return says(err.message);
  }
  if (!changes.length) return put(plan, h("p", { class: "note" }, "The folder is as it was then."));
  const outside = changes.filter((c) => c.changed_outside).length;
  const go = button(`Restore ${count(changes.length, "file")}`, async () => {
    const it = changes.length === 1 ? "1 published file becomes what it was" : `${changes.length} published files become what they were`;
    if (!(await ui.confirm("Restore this state?", `${it} on ${new Date(e.created_at).toLocaleString()}. The present state is kept too.`, "Restore"))) return;
    go.disabled = true;
    try {
      await work.call("CheckpointRestore", { checkpoint_id: e.checkpoint_id });
      put(plan);
      ui.toast("Restored.");
    } catch (err) {
      says([err.message, err.hint].filter(Boolean).join(". "));
    }
    work.refreshHistory();
    work.refreshChanges();
    work.refreshFiles();
  }, { class: "danger" });
  put(plan, h("section", { class: "card ask", tabindex: "-1" }, h("h4", null, "Restoring it would change:"),
    outside ? h("p", { class: "warning" }, `${count(outside, "file was", "files were")} changed by another program since; what is there now is kept.`) : null,
    changes.slice(0, SHOWN).map((c) => planned(c, work)), changes.length > SHOWN ? h("p", { class: "note" }, `${changes.length - SHOWN} more files not shown.`) : null,
    h("div", { class: "choices" }, go, button("Leave it", () => put(plan)))));
  plan.firstChild.focus({ preventScroll: true });
}

function planned(c, work) {
  const body = h("div");
  const version = (hash, label) => (hash ? { id: hash, label } : null);
  return h("details", { class: "file", on: { toggle: (ev) => {
    if (ev.target.open && !body.childElementCount) put(body, comparison(work, c.path, version(c.old_hash, "Now"), version(c.new_hash, "Restored")));
  } } }, h("summary", null, h("h5", null, h("bdi", null, c.path)), " ", mark(c.change_type)), body);
}
