// The changes of a file as marks in its cells and blocks, made of the answer of
// ReviewGetContentDiff.

import { visible } from "./diff.js";
import { cellOf } from "./sheetdata.js";

const WORDS = { added: "added", removed: "removed", modified: "changed", moved: "moved", formatting: "formatting changed" };

const clip = (text) => (text.length > 200 ? `${text.slice(0, 200)} …` : text);

/** What a mark says of a change. */
export function saysOf(item) {
  const old = clip(visible(item.old ?? "")), now = clip(visible(item.new ?? ""));
  const what = item.change === "modified" ? (old && now ? `changed: ${old} → ${now}` : old ? `was ${old}` : "filled") : item.change === "moved" ? `moved from ${item.from}` : item.change === "removed" && old ? `removed: ${old}` : WORDS[item.change] ?? item.change;
  return [what, ...(item.notes ?? []).map(visible)].join("; ");
}

/** {row1, row2, column1, column2} of "B3", "B3:D9", "row 5" or "column C", the missing ones open; null when it is none. */
function placeOf(text) {
  let m = /^(?:.*!)?rows? (\d+)(?:[-–:](\d+))?$/.exec(text);
  if (m) return { row1: Number(m[1]), row2: Number(m[2] ?? m[1]), column1: 0, column2: 0 };
  m = /^(?:.*!)?columns? ([A-Z]{1,3})(?:[-–:]([A-Z]{1,3}))?$/.exec(text);
  if (m) return { row1: 0, row2: 0, column1: cellOf(`${m[1]}1`)?.column, column2: cellOf(`${m[2] ?? m[1]}1`)?.column };
  const [a, b = a] = text.replace(/^.*!/, "").split(":").map(cellOf);
  return a && b ? { row1: a.row, row2: b.row, column1: a.column, column2: b.column } : null;
}

/**
 * The marks of a workbook: {sheet, row1, row2, column1, column2, change, says, side}; side is
 * "draft", "published" or "both". unplaced counts the changes that have no place in the cells.
 */
export function sheetMarks(diff) {
  const marks = [];
  let unplaced = 0;
  const add = (sheet, at, item, side) => {
    const place = at ? placeOf(at) : null;
    if (place) marks.push({ sheet, ...place, change: item.change, says: saysOf(item), side });
    else unplaced++;
  };
  for (const g of diff.groups) {
    for (const item of g.items) {
      if (item.change === "removed") add(g.name, item.at, item, "published");
      else if (item.from) {
        add(g.name, item.at, item, "draft");
        add(g.name, item.from, item, "published");
      } else add(g.name, item.at, item, item.change === "added" ? "draft" : "both");
    }
  }
  for (const f of diff.facts ?? []) {
    const cut = (f.at ?? "").lastIndexOf("!");
    const sheet = cut > 0 ? f.at.slice(0, cut).replace(/^'|'$/g, "").replaceAll("''", "'") : "";
    for (const at of cut > 0 ? f.at.slice(cut + 1).split(/,\s*/).slice(0, 50) : []) {
      if (placeOf(at)) add(sheet, at, { ...f, change: f.change === "removed" || f.kind === "calculated_value" ? "modified" : f.change === "added" || f.change === "changed" ? "formatting" : f.change, notes: [f.kind.replaceAll("_", " ")] }, "both");
    }
  }
  marks.sort((a, b) => a.row1 - b.row1 || a.column1 - b.column1);
  return { marks, unplaced: unplaced + (diff.omitted ?? 0) };
}

/** Finds the marks of one sheet: of(row, column), and of(row, 0) for the row as a whole. */
export function markFinder(marks) {
  const single = new Map(), wide = [];
  for (const m of marks) {
    if (m.row1 === m.row2 && m.column1 === m.column2) single.set(`${m.row1}:${m.column1}`, m);
    else wide.push(m);
  }
  return {
    of: (row, column) => single.get(`${row}:${column}`) ?? wide.find((m) => m.row1 <= row && m.row2 >= row && m.column1 <= column && m.column2 >= column) ?? null,
    column: (column) => marks.find((m) => !m.row1 && m.column1 <= column && m.column2 >= column) ?? null,
  };
}
