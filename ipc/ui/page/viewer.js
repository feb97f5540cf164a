// A file as its readers give it: a workbook as a grid, a text document in its flow,
// other kinds as pictures of pages, with what changes marked in place.

import { h, put, button } from "./dom.js";
import { flowView } from "./flow.js";
import { flowMarks } from "./flowmarks.js";
import { gridView } from "./grid.js";
import { sheetMarks } from "./marks.js";
import { pages } from "./pages.js";
import { LostError } from "./errors.js";

/** The ways to show a kind, the first is chosen at first; pages are always there. */
const WAYS = { xlsx: [["cells", "Cells", gridView, sheetMarks]], docx: [["flow", "Text", flowView, flowMarks]] };

/** Whether a kind is shown by more than pictures of pages. */
export const isDrawn = (kind) => Boolean(WAYS[kind]);

/**
 * Shows a file. refresh(change) reads again what changed: change is that of the file in the
 * draft, or null. marked settles when the marks are there.
 */
export function fileViewer(work, path, kind, change) {
  const ways = WAYS[kind] ?? [];
  let way = ways[0]?.[0] ?? "pages", side = change?.change_type === "deleted" ? "published" : "draft", asked = 0, now = change, unplaced = 0;
  /** @type {any} */
  let view = null;
  let markedFor = "", unmarked = ""; // the content that the marks are of; why there are none
  const body = h("div", { class: "viewbody" });
  const sides = h("span", { class: "sides", role: "group", "aria-label": "Version" }, ["draft", "published"].map((v) => button(v === "draft" ? "Draft" : "Published", () => choose({ side: v }), { data: { side: v } })));
  const forms = h("span", { class: "sides", role: "group", "aria-label": "Shown as" }, [...ways, ["pages", "Pages"]].map(([name, label]) => button(label, () => choose({ way: name }), { data: { way: name } })));
  const left = h("span", { class: "sub" });
  const bar = h("div", { class: "viewhead" }, sides, forms, left);
  const el = /** @type {any} */ (h("section", { class: "viewer", "aria-label": path }, bar, body));

  function head() {
    sides.hidden = now?.change_type !== "modified";
    forms.hidden = !ways.length;
    for (const b of /** @type {any} */ (sides.children)) b.setAttribute("aria-pressed", String(b.dataset.side === side));
    for (const b of /** @type {any} */ (forms.children)) b.setAttribute("aria-pressed", String(b.dataset.way === way));
    el.classList.toggle("drawn", way !== "pages");
    left.textContent = way === "pages" ? "" : unmarked ? `Changes are not marked: ${unmarked}` : unplaced ? `${unplaced} ${unplaced === 1 ? "change has" : "changes have"} no place here: see “What changes”.` : "";
    bar.hidden = sides.hidden && forms.hidden;
  }

  function choose(to) {
    const same = to.side && way !== "pages" && view?.side;
    side = to.side ?? side;
    way = to.way ?? way;
    if (same) view.side(side);
    else build();
    head();
  }

  function build() {
    const make = ways.find(([name]) => name === way)?.[2];
    view = make ? make(work, path, side) : pages(work, path, side);
    put(body, view);
    if (make) el.marked = mark();
  }

  /** Marks what changes; the newest question counts. */
  async function mark() {
    const mine = ++asked, marks = ways.find(([name]) => name === way)?.[3], hash = now?.new_hash;
    if (!marks || !view.setMarks) return;
    let found = { marks: [], unplaced: 0 }, trouble = "";
    if (now || work.changed(path)) {
      try {
        const d = await work.call("ReviewGetContentDiff", { path });
        if (d.message) trouble = d.message;
        else found = marks(d);
      } catch (e) {
        if (e instanceof LostError) return;
        trouble = e.message;
      }
    }
    if (mine !== asked) return;
    unplaced = found.unplaced;
    unmarked = trouble;
    markedFor = trouble ? "" : hash ?? (found.marks.length ? view.hash?.() : "");
    view.setMarks(found.marks);
    head();
  }

  /** Whether the side that is shown is the content with a hash. */
  el.shows = (hash) => side === "draft" && view.hash?.() === hash;
  el.refresh = (c) => {
    now = c;
    if (!now && side === "published") side = "draft";
    view.refresh();
    el.marked = way === "pages" ? Promise.resolve() : mark();
    head();
  };
  el.marked = Promise.resolve();
  el.update = (c) => {
    const other = c?.new_hash !== now?.new_hash;
    now = c;
    // The change may have come to be known only now.
    if (other && c && way !== "pages" && c.new_hash !== markedFor) el.marked = mark();
    head();
  };
  build();
  head();
  return el;
}
