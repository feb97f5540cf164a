// One file's changes: in the terms of its format, as lines, or as pictures.

import { h, button } from "./dom.js";

const MARKS = { added: ["+", "added"], removed: ["−", "removed"], deleted: ["−", "deleted"], modified: ["±", "changed"], moved: ["↕", "moved"], renamed: ["↕", "renamed"], formatting: ["A", "formatting"] };

export function mark(change) {
  const [sign, word] = MARKS[change] ?? ["±", change];
  return h("span", { class: `mark ${change}` }, h("span", { "aria-hidden": "true" }, `${sign} `), word);
}

/** The words of two texts, each marked if the other lacks it. Long texts are compared as a whole. */
export function words(before, after) {
  const a = before.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [], b = after.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
  let from = 0, endA = a.length, endB = b.length;
  while (from < endA && from < endB && a[from] === b[from]) from++;
  while (endA > from && endB > from && a[endA - 1] === b[endB - 1]) { endA--; endB--; }
  const n = endA - from, m = endB - from;
  const keepA = new Set(), keepB = new Set();
  if (n * m <= 250_000) { // the longest common subsequence
    const rows = Array.from({ length: n + 1 }, () => new Uint16Array(m + 1));
    for (let i = n - 1; i >= 0; i--) for (let j = m - 1; j >= 0; j--) rows[i][j] = a[from + i] === b[from + j] ? rows[i + 1][j + 1] + 1 : Math.max(rows[i + 1][j], rows[i][j + 1]);
    for (let i = 0, j = 0; i < n && j < m;) {
      if (a[from + i] === b[from + j]) { keepA.add(from + i++); keepB.add(from + j++); }
      else if (rows[i + 1][j] >= rows[i][j + 1]) i++;
      else j++;
    }
  }
  const side = (list, end, keep, tag) => {
    const out = [];
    for (const [i, w] of list.entries()) {
      const same = i < from || i >= end || keep.has(i);
      const last = out.at(-1);
      if (last && last.same === same) last.text += w;
      else out.push({ same, text: w });
    }
    return out.map((p) => (p.same ? p.text : h(tag, null, p.text)));
  };
  return [side(a, endA, keepA, "del"), side(b, endB, keepB, "ins")];
}

/** Shows characters that would not be seen, or would reorder others, by their codes. */
export const visible = (text) => text.replace(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFEFF]/g, (c) => `⟦U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟧`);

const notes = (list) => (list?.length ? h("ul", { class: "notes" }, list.map((n) => h("li", null, h("bdi", null, visible(n))))) : null);

function sides(item) {
  const old = visible(item.old ?? ""), now = visible(item.new ?? "");
  switch (item.change) {
    case "added": return [null, [h("ins", null, now)]];
    case "removed": return [[h("del", null, old)], null];
    case "formatting": case "moved": return [[old || now], [now || old]];
  }
  return words(old, now);
}

/** The button that takes one change back; null where it cannot be. */
function rejecting(id, name, reject, label = "Reject") {
  return reject && id ? h("button", { type: "button", class: "reject", title: "Make this what it is in the published file", "aria-label": `Reject ${name}`, on: { click: (ev) => reject(id, ev.currentTarget) } }, label) : null;
}

function itemRow(item, reject) {
  const [old, now] = sides(item);
  return h("tr", { class: `change ${item.change}` },
    h("th", { scope: "row" }, mark(item.change), h("bdi", { class: "at" }, visible(item.at ?? ""), item.from ? ` (was ${item.from})` : ""), rejecting(item.id, visible(item.at ?? item.change), reject)),
    h("td", { dir: "auto", class: old ? "text" : "none" }, old), h("td", { dir: "auto", class: now ? "text" : "none" }, now, notes(item.notes)));
}

const CELL = /^(?:.*!)?([A-Z]{1,3})(\d+)$/;

const ROW = /^(?:.*!)?row (\d+)$/;

/** Splits items into those that a grid can show and the others. */
function gridded(items) {
  const cells = [], rows = new Map(), others = [];
  for (const item of items) {
    const cell = CELL.exec(item.at ?? ""), row = ROW.exec(item.at ?? "");
    if (cell && item.change !== "moved") cells.push([item, cell[1], Number(cell[2])]);
    else if (row && !rows.has(Number(row[1]))) rows.set(Number(row[1]), item);
    else others.push(item);
  }
  const number = (c) => [...c].reduce((n, x) => n * 26 + x.charCodeAt(0) - 64, 0);
  const columns = [...new Set(cells.map(([, c]) => c))].sort((a, b) => number(a) - number(b));
  if (!columns.length || columns.length > 26) return { others: items };
  return { columns, cells, rows, others };
}

function gridCell(item, reject, attributes = {}) {
  const [old, now] = sides(item);
  return h("td", { class: `change ${item.change}`, dir: "auto", ...attributes }, h("span", { class: "hide" }, `${item.change}: `), attributes.colspan ? [mark(item.change), " ", item.from ? h("span", { class: "sub" }, `was ${item.from} `) : null] : null,
    old && item.change !== "formatting" ? h("span", { class: "text old" }, old) : null, now ? h("span", { class: "text new" }, now) : null, notes(item.notes),
    rejecting(item.id, visible(item.at ?? ""), reject));
}

/** The changed cells in their rows and columns; rows that changed as a whole are one cell. */
function grid({ columns, cells, rows }, name, reject) {
  const byRow = new Map();
  for (const [item, column, row] of cells) {
    if (!byRow.has(row)) byRow.set(row, new Map());
    byRow.get(row).set(column, item);
  }
  const numbers = [...new Set([...byRow.keys(), ...rows.keys()])].sort((a, b) => a - b);
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Changed cells of ${name}` }, h("table", { class: "grid" },
    h("thead", null, h("tr", null, h("th", { class: "row" }, h("span", { class: "hide" }, "Row")), columns.map((c) => h("th", { scope: "col" }, c)))),
    h("tbody", null, numbers.map((n) => {
      const row = (...parts) => h("tr", null, h("th", { scope: "row", class: "row" }, n), parts);
      return [rows.has(n) ? row(gridCell(rows.get(n), reject, { colspan: columns.length })) : null,
        byRow.has(n) ? row(columns.map((c) => (byRow.get(n).has(c) ? gridCell(byRow.get(n).get(c), reject) : h("td", { class: "same" })))) : null];
    }))));
}

function itemsTable(items, name, reject, sides) {
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Changes of ${name}` }, h("table", { class: "items" },
    h("thead", null, h("tr", null, ["Where", ...sides].map((t) => h("th", { scope: "col" }, t)))),
    h("tbody", null, items.map((i) => itemRow(i, reject)))));
}

function group(g, path, reject, sides) {
  const parts = gridded(g.items), name = path ? `${g.name} in ${path}` : g.name; // of a region, unlike all others
  const body = g.items.length ? [parts.others.length ? itemsTable(parts.others, name, reject, sides) : null, parts.columns ? grid(parts, name, reject) : null] : null;
  const title = [h("h4", null, h("bdi", null, visible(g.name))), g.change === "modified" ? null : [" ", mark(g.change)], g.from ? h("span", { class: "sub" }, ` was ${g.from}`) : null];
  return body ? h("details", { class: "group", open: true }, h("summary", null, title), body) : h("p", { class: "group" }, title);
}

/** What changed beside the text; null if nothing did. Without reject nothing is rejected alone. */
export function factList(d, reject) {
  const facts = (d.facts ?? []).map((f) => h("li", { class: "change" }, mark(f.change), ` ${f.kind.replaceAll("_", " ")} `, h("bdi", { class: "at" }, visible(f.at ?? "")),
    f.old ? [" ", h("del", null, visible(f.old))] : null, f.new ? [" ", h("ins", null, visible(f.new))] : null, f.warning ? h("span", { class: "warn-text" }, ` ⚠ ${visible(f.warning)}`) : null,
    f.kind === "calculated_value" || (f.kind === "property" && f.at === "calculation") ? null : rejecting(f.id, `${f.kind.replaceAll("_", " ")} ${visible(f.at ?? "")}`, reject)));
  return facts.length ? h("div", null, h("h4", null, "Beside the text"), h("ul", { class: "facts" }, facts)) : null;
}

/**
 * The answer of ReviewGetContentDiff. all(button) shows what it left out, reject(id,
 * button) takes a change back; sides are the names of the two contents.
 */
export function contentDiff(d, all, reject, sides = ["Published", "Draft"]) {
  return h("div", { class: "diff" },
    d.copied_from ? h("p", { class: "note" }, "Compared with ", h("bdi", null, d.copied_from), ", of which it is a copy.") : null,
    d.groups.map((g) => group(g, d.path, reject, sides)),
    factList(d, reject),
    d.omitted || d.facts_omitted ? h("p", { class: "note" }, `${(d.omitted ?? 0) + (d.facts_omitted ?? 0)} more changes are not shown. `, d.omitted && all ? button("Show more", (ev) => all(ev.currentTarget)) : null) : null);
}

function line(l) {
  const sign = { added: "+", removed: "−" }[l.type] ?? " ";
  const cut = (n, where) => (n ? h("span", { class: "sub" }, `… ${n} bytes ${where} …`) : null);
  return h("tr", { class: l.type }, h("td", { class: "ln" }, l.old_line || ""), h("td", { class: "ln" }, l.new_line || ""),
    h("td", { class: "code", dir: "auto" }, h("span", { class: "sign", "aria-hidden": "true" }, sign), h("span", { class: "hide" }, l.type === "context" ? "" : `${l.type}: `), cut(l.from, "before"), visible(l.text), cut(l.cut, "after")));
}

/**
 * The answer of ReviewGetTextDiff. more(button) shows its next part, reject(id, button)
 * takes a hunk back.
 */
export function textDiff(d, more, reject) {
  return h("div", { class: "diff" }, d.message ? h("p", { class: "note" }, d.message) : null, d.note ? h("p", { class: "note" }, d.note) : null,
    d.hunks.map((hunk) => {
      const first = hunk.lines[0], at = first?.new_line || first?.old_line || 1, name = `Changed lines of ${d.path} from line ${at}`;
      return [rejecting(hunk.id, `these lines, from line ${at}`, reject, "Reject these lines"), h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": name }, h("table", { class: "lines" }, h("tbody", null, hunk.lines.map(line))))];
    }),
    d.next ? h("p", { class: "note" }, d.window ? `This is the first ${d.window.percent} % of the file. ` : "There is more. ", button("Show more", (ev) => more(ev.currentTarget))) : null);
}
