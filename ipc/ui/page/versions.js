// The contents that one file had: a list, any two compared, and one restored.

import { h, put, button, keyed } from "./dom.js";
import { contentDiff, textDiff } from "./diff.js";
import { pages } from "./pages.js";
import { size, when } from "./text.js";

const MANY = 20_000; // changes that are shown at most
const PAGE = 100; // versions that are listed at first

/**
 * What changes from one content of a file to another. from and to are {id, label};
 * null is no file.
 */
export function comparison(work, path, from, to) {
  const box = h("div", { class: "filebody" }, h("p", { class: "sub" }, "Comparing …"));
  const drawn = () => pictures(work, path, from, to);
  if (!from || !to) return put(box, h("p", { class: "note" }, from ? "The file is gone after this." : "There was no file before."), drawn());
  const ask = (more) => work.call("WorkbenchCompareFileVersions", { path, version_id: from.id, with: to.id, ...more });
  const again = async (pressed, more) => {
    pressed.disabled = true;
    try {
      return await ask(more);
    } catch (e) {
      pressed.disabled = false;
      pressed.after(h("span", { class: "problem" }, ` ${e.message}`));
    }
  };
  const heads = [from.label, to.label];
  const lines = (text) => textDiff(text, async (pressed) => {
    const next = await again(pressed, { start: text.next });
    if (next) pressed.closest(".note").replaceWith(lines(next.text));
  });
  ask().then((d) => put(box,
    d.same ? h("p", { class: "note" }, "Both have the same content.") : null,
    d.content?.message ? h("p", { class: "note" }, d.content.message) : null,
    d.content ? contentDiff(d.content, async (pressed) => {
      const all = await again(pressed, { max_items: MANY });
      if (all) pressed.closest(".diff").replaceWith(contentDiff(all.content, null, null, heads));
    }, null, heads) : null,
    d.text ? lines(d.text) : null, d.same ? null : drawn()),
  (e) => put(box, h("p", { class: "problem" }, e.message)));
  return box;
}

/** The pages of both contents, side by side, drawn when they are opened. */
function pictures(work, path, from, to) {
  const box = h("div", { class: "pair" });
  return h("details", { class: "group", on: { toggle: (ev) => {
    if (ev.target.open && !box.childElementCount) put(box, [from, to].map((v) => (v ? pages(work, path, v.id, v.label) : null)));
  } } }, h("summary", null, h("h4", null, "Pages")), box);
}

/** Puts a content of a file into the draft. says(text, bad) tells how it went. */
export async function restoreVersion(work, path, id, says) {
  try {
    const r = await work.call("WorkbenchRestoreFileVersion", { path, version_id: id });
    says(r.unchanged ? "The file has this content already." : "It is in the draft now: review and publish it.");
    work.refreshState().catch(() => {});
    work.refreshChanges();
    work.refreshHistory();
    work.reload().catch(() => {});
    return true;
  } catch (e) {
    says([e.message, e.hint].filter(Boolean).join(". "), true);
  }
}

const made = (v) => (v.hash ? [v.in_draft ? `step of a draft${v.tool ? ` (${v.tool})` : ""}` : v.checkpoint_id ? "published" : "found in the folder", size(v.size)].join(", ") : "removed");

/** The list of the contents of one file. */
export function versionsView(work, path) {
  const list = h("ol", { class: "versions" });
  const more = button("Show earlier contents", () => load(), { class: "quiet wide", hidden: true });
  const result = h("div", { "aria-live": "polite" });
  const note = h("p", { class: "note" }, "Reading …");
  const el = h("div", null, note, list, more, result);
  let versions = [], before = "";
  /** @type {any} */
  let from = null;
  /** @type {any} */
  let to = null;
  const name = (v) => ({ id: v.version_id, label: `${when(v.created_at)}${v.current ? " (now)" : ""}` });

  async function load(anew) {
    if (anew) { versions = []; before = ""; }
    try {
      const r = await work.call("WorkbenchFileVersions", { path, limit: PAGE, before: before || undefined });
      versions = [...versions, ...r.versions];
      before = r.before ?? "";
      more.hidden = !before;
      more.textContent = `Show earlier contents (${r.total - versions.length} more)`;
      note.textContent = versions.length === 1 ? "This is the only content that is known of it." : "Choose two contents to compare.";
      const there = versions.filter((v) => v.hash);
      to = there.find((v) => v.current) ?? there[0] ?? null;
      from = there.find((v) => v !== to) ?? null;
      draw();
      compare();
    } catch (e) {
      note.textContent = e.message;
    }
  }

  function draw() {
    keyed(list, versions, (v) => v.version_id, row);
    for (const input of list.querySelectorAll("input")) input.checked = input.value === (input.name === "from" ? from : to)?.version_id;
  }

  const choose = (side, v) => h("label", { class: "side-choice" }, h("input", { type: "radio", name: side, value: v.version_id, on: { change: () => {
    if (side === "from") from = v;
    else to = v;
    compare();
  } } }), side === "from" ? " before" : " after");

  const row = (v) => h("li", null, v.hash ? [choose("from", v), choose("to", v)] : null,
    h("time", { datetime: v.created_at }, when(v.created_at)), " ", v.current ? h("strong", null, "now ") : null, h("span", { class: "sub" }, made(v), v.path === path ? null : [", was ", h("bdi", null, v.path)]),
    v.hash && !v.current ? button("Restore …", () => plan(v), { class: "quiet", "aria-label": `Restore the content of ${when(v.created_at)}` }) : null);

  function compare() {
    put(result, from && to ? [h("h3", null, "What is different"), comparison(work, path, name(from), name(to))] : null);
  }

  /** Shows what restoring a content changes; only the second button does it. */
  function plan(v) {
    const now = versions.find((x) => x.current);
    const says = h("p", { role: "status" });
    const go = button("Put it into the draft", async () => {
      go.disabled = true;
      const done = await restoreVersion(work, path, v.version_id, (text, bad) => { says.textContent = text; says.className = bad ? "problem" : ""; });
      go.hidden = Boolean(done);
      go.disabled = false;
      if (done) load(true).then(() => put(result, says));
    }, { class: "primary" });
    put(result, h("section", { class: "card ask" }, h("h3", null, `Restoring the content of ${when(v.created_at)} changes this`), h("p", { class: "sub" }, "It goes into the draft. The file of the folder changes when you publish."),
      h("div", { class: "choices" }, go, button("Leave it", compare)), says, comparison(work, path, now ? name(now) : null, name(v))));
    go.focus();
  }
  load();
  return el;
}
