// What is above and below the cells: the cell that is chosen with what it holds, the
// changes to step through, the tabs of the sheets.

import { h, put, button, keyed, say } from "./dom.js";
import { visible } from "./diff.js";
import { cellOf, columnName } from "./sheetdata.js";

const NAMES = { added: "added", removed: "removed", modified: "changed", moved: "moved", formatting: "format" };

/** act: go({row, column}), sheet(name). */
export function sheetBar(act) {
  const where = h("input", { type: "text", class: "cellname", "aria-label": "Go to a cell", autocomplete: "off", spellcheck: "false", value: "A1", on: {
    keydown: (ev) => {
      if (ev.key === "Escape") return leave();
      if (ev.key !== "Enter") return;
      const to = cellOf(where.value);
      where.setAttribute("aria-invalid", String(!to));
      if (to) act.go(to);
      else say(`${where.value} is not a cell. Write a column and a row, such as B12.`);
    },
    blur: () => leave(),
  } });
  const holds = h("output", { class: "holds", "aria-label": "What the cell holds" });
  const before = button("‹", () => jump(-1), { "aria-label": "Change before", title: "Change before (p)" });
  const next = button("›", () => jump(1), { "aria-label": "Next change", title: "Next change (n)" });
  const which = h("span", { class: "sub" });
  const step = h("span", { class: "steps", hidden: true }, before, which, next);
  const tabs = h("div", { class: "sheettabs", role: "tablist", "aria-label": "Sheets", on: { keydown: (ev) => {
    const to = { ArrowLeft: -1, ArrowRight: 1 }[ev.key], list = /** @type {any[]} */ ([...tabs.children]);
    if (to) { ev.preventDefault(); list[(list.indexOf(document.activeElement) + to + list.length) % list.length]?.focus(); }
  } } });
  const state = h("span", { class: "sub", role: "status" });
  const note = h("p", { class: "note", hidden: true });
  const b = { top: h("div", { class: "sheetbar" }, where, holds, step), bottom: h("div", { class: "sheetfoot" }, tabs, state, note), place: () => ({ row: 1, column: 1 }), arrived: () => {} };
  let shown = "A1", asked = 0, list = [], sheet = "", counts = new Map(), known = [];

  function leave() { where.value = shown; where.removeAttribute("aria-invalid"); }

  /** Shows what a cell holds; a text that was cut is fetched whole. */
  b.cell = (at, cell, mark, data) => {
    const name = `${columnName(at.column)}${at.row}`, mine = ++asked;
    if (document.activeElement !== where || shown !== name) where.value = name;
    shown = name;
    const show = (c) => put(holds, c?.formula ? h("code", null, visible(c.formula)) : null, c?.formula && c.text ? " = " : null, c ? h("span", { dir: "auto" }, visible(c.text || "")) : null, c?.value ? h("span", { class: "sub" }, ` (${c.value})`) : null,
      mark ? h("span", { class: `mark ${mark.change}` }, NAMES[mark.change] ?? mark.change) : null, mark ? h("span", { class: "sub", dir: "auto" }, ` ${mark.says}`) : null);
    show(cell);
    if (cell?.cut) data.whole(at.row, at.column).then((c) => { if (mine === asked && c) show(c); }).catch(() => {});
  };

  /** Shows the sheets, and what is known of the one that is drawn. */
  b.info = (info, data) => {
    known = info.sheets;
    const other = sheet !== info.sheet;
    sheet = info.sheet;
    drawTabs();
    state.textContent = info.exact ? `${info.total_rows.toLocaleString()} rows, ${info.total_columns.toLocaleString()} columns` : "Reading to the end of the sheet …";
    note.hidden = !info.notes?.length;
    put(note, (info.notes ?? []).join(" "));
    if (other) b.arrived();
    void data;
  };
  b.trouble = (text) => { note.hidden = false; put(note, h("span", { class: "problem" }, text)); };

  function drawTabs() {
    const label = (t) => [h("bdi", null, t.name), t.hidden ? h("span", { class: "sub" }, " (hidden)") : null, counts.get(t.name) ? h("span", { class: "count" }, h("span", { class: "hide" }, ", changes: "), counts.get(t.name)) : null];
    keyed(tabs, known.slice(0, 200), (t) => t.name, (t) => button(label(t), () => { if (t.name !== sheet) act.sheet(t.name); }, { role: "tab", class: "tab" }), (node, t) => put(node, label(t)));
    for (const [i, node] of /** @type {HTMLElement[]} */ ([...tabs.children]).entries()) {
      node.setAttribute("aria-selected", String(known[i].name === sheet));
      node.tabIndex = known[i].name === sheet ? 0 : -1;
    }
    tabs.hidden = known.length < 2;
  }

  /** The changes of all sheets, in order, and how many each sheet has. */
  b.marks = (all, of) => {
    counts = new Map();
    for (const m of all) counts.set(m.sheet, (counts.get(m.sheet) ?? 0) + 1);
    list = all.filter((m) => m.sheet === of);
    step.hidden = !list.length;
    which.textContent = list.length === 1 ? "1 change" : `${list.length} changes`;
    drawTabs();
  };

  /** Goes to the next change, or the one before; from the last to the first. */
  function jump(by) {
    if (!list.length) return;
    const { row, column } = b.place();
    const after = (m) => (m.row1 || 1) - row || (m.column1 || 1) - column;
    const to = by > 0 ? list.find((m) => after(m) > 0) ?? list[0] : list.findLast((m) => after(m) < 0) ?? list.at(-1);
    act.go({ row: to.row1 || 1, column: to.column1 || 1 });
    which.textContent = `${list.indexOf(to) + 1} of ${list.length}`;
    say(`${columnName(to.column1 || 1)}${to.row1 || 1}: ${to.says}`);
  }
  b.jump = jump;
  b.goto = () => where.select();
  b.sheetName = () => sheet;
  return b;
}
