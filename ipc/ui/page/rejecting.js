// Rejecting single changes of a file: what has to go with them is named first, and the
// last rejection can be taken back where it was made.

import { h, put, button, say } from "./dom.js";
import { mark, visible } from "./diff.js";
import { LostError } from "./errors.js";
import { count } from "./text.js";

const NAMED = 20_000; // changes of a file that are read for their names
const LISTED = 200; // changes that are listed
const LONG = 80; // characters of a text that are shown

/** The beginning of a text, or what is there from shortly before a place on. */
function short(text, at = 0) {
  const from = at > LONG / 2 ? at - LONG / 4 : 0;
  return visible(`${from ? "…" : ""}${text.slice(from, from + LONG)}${text.length > from + LONG ? "…" : ""}`);
}

/** Where two texts begin to differ. */
function differs(a, b) {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  return i;
}

/** What changes are called, by id. */
function namesOf(diff) {
  const names = new Map();
  const add = (it, where) => {
    const at = it.old && it.new && it.old !== it.new ? differs(it.old, it.new) : 0;
    names.set(it.id, [mark(it.change), " ", h("bdi", null, visible(where)), it.old || it.new ? ": " : null,
    it.old ? h("del", { dir: "auto" }, short(it.old, at)) : null, it.old && it.new ? " " : null, it.new && it.new !== it.old ? h("ins", { dir: "auto" }, short(it.new, at)) : null]);
  };
  for (const g of diff.groups ?? []) for (const it of g.items ?? []) add(it, g.name === "body" ? it.at ?? "" : `${g.name} ${it.at ?? ""}`);
  for (const f of diff.facts ?? []) add(f, `${f.kind.replaceAll("_", " ")} ${f.at ?? ""}`);
  return names;
}

/**
 * Makes the strip that tells of the last rejection, and reject(path, ids, pressed). failed
 * is called with what went wrong.
 * @param {Store} store @param {Work} work @param {UI} ui @param {(e: any, list: HTMLElement[]) => void} failed
 */
export function rejecting(store, work, ui, failed) {
  const strip = h("div", { class: "strip", role: "status", hidden: true });
  const close = () => { strip.hidden = true; put(strip); };

  /** Tells what was done as the step with an id, which can be undone here. */
  function tell(text, id) {
    put(strip, h("span", null, h("bdi", null, text)), id ? button("Undo", async () => { if (await work.undo(id, true, true)) close(); }) : null, button("×", close, { class: "quiet", "aria-label": "Close" }));
    strip.hidden = false;
  }

  /** The changes with these ids as a list; ids without a name are counted. */
  async function listed(path, ids) {
    const names = await work.call("ReviewGetContentDiff", { path, max_items: NAMED }).then(namesOf, () => new Map());
    const known = ids.filter((id) => names.has(id)), more = ids.length - Math.min(known.length, LISTED);
    return [...known.slice(0, LISTED).map((id) => h("li", null, names.get(id))), ...(more ? [h("li", { class: "sub" }, known.length ? `and ${more} more` : count(more, "change"))] : [])];
  }

  /** Takes changes of a file back; those that have to go with them are named first. */
  async function reject(path, ids, pressed) {
    pressed.disabled = true;
    close();
    try {
      const r = await work.call("DraftRevertChanges", { path, changes: ids });
      tell(`Rejected ${count(r.reverted, "change")} of ${path}.`, r.message_id);
      if (r.dropped) /** @type {HTMLElement} */ (strip.querySelector("button")).focus(); // the file leaves the list
    } catch (e) {
      pressed.disabled = false;
      if (e instanceof LostError) return work.lost("Rejecting");
      const told = e.data?.changes ?? [], more = told.filter((id) => !ids.includes(id));
      const list = told.length ? await listed(path, more.length ? more : told) : [];
      if (!more.length) failed(e, list);
      else if (await ui.confirm("Reject these together?", more.length === 1 ? "One more change goes back with this one: it needs it, or is of the same place." : `${more.length} more changes go back with this one: they need it, or are of the same place.`, "Reject all", list)) return reject(path, [...ids, ...more], pressed);
      else say("Nothing was rejected.");
    }
    work.refreshChanges();
    work.refreshState().catch(() => {});
  }

  store.watch(["running"], (s) => { if (s.running) close(); });
  return { strip, tell, close, reject };
}
