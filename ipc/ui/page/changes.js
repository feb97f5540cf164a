// Reviewing: the files that the draft changes, what changes in each, publishing
// and discarding.

import { h, put, button, keyed } from "./dom.js";
import { contentDiff, factList, mark, textDiff } from "./diff.js";
import { pages } from "./pages.js";
import { LostError } from "./errors.js";
import { pagePair } from "./pagepair.js";
import { rejecting } from "./rejecting.js";
import { count, size } from "./text.js";
import { fileViewer, isDrawn } from "./viewer.js";

/** @param {Store} store @param {Work} work @param {UI} ui */
export function changesView(store, work, ui) {
  const says = h("p", { class: "sub" });
  const chosen = new Set(); // paths
  const picked = () => (chosen.size ? [...chosen] : undefined);
  const publish = button("Publish all", () => publishThese(picked()), { class: "primary" });
  const discard = button("Discard all", () => discardThese(picked()));
  const result = h("div", { class: "result" });
  const list = h("div", { class: "files" });
  const empty = h("p", { class: "blank" }, "The draft changes nothing. What the model changes appears here.");
  const undoing = rejecting(store, work, ui, (e, which) => put(result, failed("Rejecting", e, which)));
  const rejectThese = (path, ids, pressed) => { put(result); return undoing.reject(path, ids, pressed); };
  const el = h("div", { class: "changes" }, h("div", { class: "head" }, h("div", null, h("h2", null, "What the draft changes"), says), h("div", { class: "choices" }, publish, discard)), result, empty, list, undoing.strip);

  store.watch(["changes", "running", "queued", "activity"], (s) => {
    const n = s.changes.length, warned = s.changes.filter((c) => c.warnings?.length || c.conflict).length;
    says.textContent = n ? `${n} ${n === 1 ? "file" : "files"}${warned ? `, ${warned} with warnings` : ""}` : "";
    for (const p of chosen) if (!s.changes.some((c) => c.path === p)) chosen.delete(p);
    labels();
    list.classList.toggle("alone", n < 2);
    publish.hidden = discard.hidden = !n;
    empty.hidden = n > 0;
    publish.disabled = discard.disabled = s.running && !s.queued || Boolean(s.activity); // a run that waits changes nothing yet
    publish.title = discard.title = publish.disabled ? "When the run has ended" : "";
    keyed(list, byFolder(s.changes), (g) => g.folder, (g) => folderView(g, work, { publishThese, discardThese, rejectThese, choose }), (node, g) => node.update(g));
  });

  function labels() {
    const what = chosen.size ? count(chosen.size, "file") : "all";
    publish.textContent = `Publish ${what}`;
    discard.textContent = `Discard ${what}`;
  }

  function choose(path, on) {
    if (on) chosen.add(path);
    else chosen.delete(path);
    labels();
  }

  async function publishThese(paths, force) {
    put(result);
    try {
      const r = await work.call("DraftPublish", { paths, force });
      put(result, h("section", { class: "card good", role: "status" }, h("h3", null, "Published"), h("p", null, `${r.published?.length ?? 0} ${r.published?.length === 1 ? "file is" : "files are"} in the folder now. The earlier contents are kept: see History.`),
        (r.notes ?? []).map((n) => h("p", { class: "sub" }, n)), h("div", { class: "choices" }, button("Close", () => put(result)))));
    } catch (e) {
      if (e instanceof LostError) work.lost("Publishing");
      else put(result, e.errorCode === "CONFLICT_PUBLISHED_CHANGED" ? conflict(e, paths) : failed("Publishing", e));
    }
    work.refreshChanges();
    work.refreshHistory();
    work.refreshState().catch(() => {});
  }

  function conflict(e, paths) {
    const them = e.data.paths ?? [];
    const many = them.length > 1;
    return h("section", { class: "card bad", role: "alert" }, h("h3", null, many ? "These files were changed outside" : "This file was changed outside"), h("p", { dir: "auto" }, e.message),
      h("ul", { class: "paths" }, them.map((p) => h("li", null, h("bdi", null, p)))),
      h("div", { class: "choices" },
        button(many ? "Keep the files of the folder" : "Keep the file of the folder", () => discardThese(them), { title: "Discards the draft of these files" }),
        button("Publish the draft over it", () => publishThese(paths, them), { class: "danger", title: "What it replaces is kept in History" }),
        button("Leave it", () => put(result))));
  }

  const failed = (what, e, which = []) => h("section", { class: "card bad", role: "alert" }, h("h3", null, `${what} failed`), h("p", { dir: "auto" }, e.message), which.length ? h("ul", { class: "paths" }, which) : null, h("p", { class: "sub" }, e.hint), h("div", { class: "choices" }, button("Close", () => put(result))));

  async function discardThese(paths) {
    const what = !paths ? "the whole draft" : paths.length === 1 ? paths[0] : `${paths.length} files`;
    if (!(await ui.confirm(`Discard ${what}?`, "The files of the folder stay as they are. Undo brings the draft back.", "Discard"))) return;
    put(result);
    try {
      const r = await work.call("DraftDiscard", { paths });
      undoing.tell(`Discarded ${what}.`, r.message_id);
    } catch (e) {
      if (e instanceof LostError) work.lost("Discarding");
      else put(result, failed("Discarding", e));
    }
    work.refreshChanges();
    work.refreshState().catch(() => {});
  }

  return el;
}

// byFolder groups changes by the folder of their path, "" first.
function byFolder(changes) {
  const groups = new Map();
  for (const c of changes) {
    const folder = c.path.includes("/") ? c.path.slice(0, c.path.lastIndexOf("/")) : "";
    if (!groups.has(folder)) groups.set(folder, { folder, changes: [] });
    groups.get(folder).changes.push(c);
  }
  return [...groups.values()].sort((a, b) => a.folder.localeCompare(b.folder));
}

// folderView lists the changed files of a folder, below its name and counts if it is not the top one.
function folderView(group, work, act) {
  const files = h("div");
  const title = h("summary", null);
  const node = group.folder ? h("details", { class: "folder", open: true }, title, files) : files;
  node.update = (g) => {
    const warned = g.changes.filter((c) => c.warnings?.length || c.conflict).length;
    put(title, h("h3", null, h("bdi", null, `${g.folder}/`)), h("span", { class: "sub" }, ` ${g.changes.length} ${g.changes.length === 1 ? "file" : "files"}`), warned ? h("strong", { class: "warn-text" }, ` ⚠ ${warned}`) : null);
    keyed(files, g.changes, (c) => c.path, (c) => fileView(c, work, act), (n, c) => n.update(c));
  };
  node.update(group);
  return node;
}

/** @param {Work} work */
function fileView(change, work, act) {
  let now = change, drawn = "";
  const title = h("summary", null);
  const warnings = h("div");
  const body = h("div", { class: "filebody" });
  const free = () => !work.busy?.();
  const node = h("details", { class: "file", on: { toggle: fill } }, title, warnings, body);
  const row = h("div", { class: "filerow" }, h("input", { type: "checkbox", "aria-label": `Choose ${change.path}`, on: { change: (ev) => act.choose(now.path, ev.currentTarget.checked) } }), node);
  let shown = "";
  /** Draws the line of the file when it says something else: a click on a line that is drawn again in the middle of it is lost. */
  function head() {
    const says = JSON.stringify([now.path, now.change_type, now.conflict, now.changed_outside, now.warnings, now.from, now.summary]);
    if (says === shown) return;
    shown = says;
    put(title, h("h3", null, h("bdi", null, now.path)), " ", mark(now.change_type), " ", now.conflict ? h("strong", { class: "warn-text" }, "⚠ conflict ") : null, now.warnings?.length ? h("strong", { class: "warn-text" }, `⚠ ${now.warnings.length} `) : null,
      h("span", { class: "sub" }, now.from ? `was ${now.from} · ` : "", now.summary));
    put(warnings, now.conflict ? h("p", { class: "warning" }, now.changed_outside || "The published file has changed since the draft was based on it.") : null,
      now.warnings?.length ? h("div", { class: "warning" }, h("h4", null, "Warnings"), h("ul", null, now.warnings.map((w) => h("li", null, h("bdi", null, w))))) : null);
  }
  let place = -1; // of the button that rejected last
  const rejects = () => /** @type {HTMLElement[]} */ ([...body.querySelectorAll("button.reject")]);
  /** Keeps the focus in the list of changes when the change that had it is gone. */
  function lead(there) {
    const all = rejects(), next = all[Math.min(place, all.length - 1)];
    if (place >= 0 && (there || document.activeElement === document.body)) (next ?? title).focus();
    place = -1;
  }
  async function fill() {
    const key = `${now.new_hash}${now.old_hash}${now.change_type}${now.path}`;
    if (!node.open || drawn === key) return;
    drawn = key;
    if (!body.childElementCount) put(body, h("p", { class: "sub" }, "Comparing …"));
    try {
      const reject = now.change_type === "modified" ? (id, pressed) => { if (free()) { place = rejects().indexOf(pressed); act.rejectThese(now.path, [id], pressed); } } : null;
      const parts = await diffOf(work, now, OFFICE.includes(now.file_kind) || now.file_kind === "text" ? reject : null);
      if (drawn !== key) return; // it changed meanwhile, and is compared again
      const there = body.contains(document.activeElement);
      put(body, h("div", { class: "fileacts" }, h("span", { class: "sub" }, now.change_type === "added" ? size(now.size_bytes) : `${size(now.old_size)} → ${size(now.size_bytes)}`),
        button("Publish this file", () => free() && act.publishThese([now.path])), button("Reject this file", () => free() && act.discardThese([now.path]))),
        parts, pictures(work, now));
      lead(there);
    } catch (e) {
      drawn = "";
      put(body, h("p", { class: "problem" }, e.message));
    }
  }
  row.update = (c) => { now = c; head(); fill(); };
  head();
  return row;
}

/**
 * What changed in a file, in the most telling form there is. With reject, changes can be rejected.
 * @param {Work} work
 * @param {any} change
 * @param {((id: string, pressed: HTMLButtonElement) => void) | null} [reject]
 */
export async function diffOf(work, change, reject) {
  const content = await work.call("ReviewGetContentDiff", { path: change.path });
  if (!content.message) {
    return contentDiff(content, (pressed) => replace(pressed, ".diff", async () => contentDiff(await work.call("ReviewGetContentDiff", { path: change.path, max_items: MANY }), null, reject)), reject);
  }
  const part = async (start) => {
    const d = await work.call("ReviewGetTextDiff", { path: change.path, start });
    return textDiff(d, (pressed) => replace(pressed, ".note", () => part(d.next)), reject);
  };
  const text = await part(), beside = factList(content, null);
  return beside ? h("div", null, beside, text) : text;
}

const OFFICE = ["docx", "xlsx", "pptx"]; // kinds whose changes are rejected one by one

const MANY = 20_000; // changes of a file that are shown at most

// replace puts something else in the place of what a pressed button is in.
async function replace(pressed, what, make) {
  pressed.disabled = true;
  try {
    pressed.closest(what).replaceWith(await make());
  } catch (e) {
    pressed.disabled = false;
    pressed.after(h("span", { class: "problem" }, ` ${e.message}`));
  }
}

/** @param {Work} work */
function pictures(work, change) {
  if (["text", "binary", "folder"].includes(change.file_kind)) return null;
  const later = (title, make) => {
    const box = h("div");
    return h("details", { class: "group", on: { toggle: (ev) => { if (ev.target.open && !box.childElementCount) put(box, make()); } } }, h("summary", null, h("h4", null, title)), box);
  };
  return [
    isDrawn(change.file_kind) ? later("Whole file", () => fileViewer(work, change.path, change.file_kind, change)) : null,
    later("Pages", () => ({ added: () => pages(work, change.path, "draft"), deleted: () => pages(work, change.path, "published") }[change.change_type]?.() ?? pagePair(work, change.from ?? change.path, change.path))),
  ];
}
