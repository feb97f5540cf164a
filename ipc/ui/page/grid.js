// A sheet as a grid. Only the rows and columns in sight are elements. They lie on a
// layer that stays in place while an empty element behind it scrolls; how far it has
// scrolled says which row is the first, so that a million rows fit into the height that
// browsers allow.

import { h, put, soon } from "./dom.js";
import { markFinder } from "./marks.js";
import { columnName, sheetData } from "./sheetdata.js";
import { columnPlaces, dress, rowPixels } from "./sheetlook.js";
import { sheetBar } from "./sheetbar.js";

const HEAD = 48, TOP = 24; // pixels of the row numbers and of the column letters
const TALLEST = 14_000_000; // pixels of an element, in every browser
const LAST_ROW = 1_048_576, LAST_COLUMN = 16_384;
let ids = 0;

/**
 * A grid of a workbook. refresh() reads what changed, setMarks(marks) shows changes (see
 * marks.js), side(version) shows the draft or what is published.
 */
export function gridView(work, path, version) {
  const id = `grid-${++ids}`;
  const data = sheetData(work, path, () => { measured(); schedule(true); }, (e) => bar.trouble(e.message));
  const layer = h("div", { class: "sheetlayer", role: "presentation" });
  const spacer = h("div", { class: "sheetspace", role: "presentation" });
  const scroller = h("div", { class: "sheetscroll", role: "grid", tabindex: "0", id, "aria-readonly": "true", "aria-label": `Cells of ${path}` }, layer, spacer);
  const bar = sheetBar({ go: (to) => { select(to.row, to.column); scroller.focus(); }, sheet: (name) => show({ sheet: name }) });
  const el = /** @type {any} */ (h("div", { class: "sheet" }, bar.top, scroller, bar.bottom));
  const lines = new Map(); // elements of rows by number
  let active = { row: 1, column: 1 }, columns = columnPlaces(null, 26), count = 0, rowCount = 30, unit = 20, usual = 20, revision = 0, marks = markFinder([]), drawnInfo = null, ground = "FFFFFF", measuring = "";

  function measured() {
    const info = data.info;
    if (!info || info === drawnInfo) return;
    drawnInfo = info;
    usual = rowPixels(info.default_height);
    rowCount = Math.min(LAST_ROW, Math.max(info.total_rows, info.seen_rows, 28) + 2);
    count = Math.min(LAST_COLUMN, Math.max(info.total_columns, 24) + 2);
    columns = columnPlaces(info, count);
    unit = Math.min(usual, TALLEST / rowCount);
    spacer.style.height = `${TOP + (rowCount - info.frozen_rows - 1) * unit + Math.max(scroller.clientHeight - TOP, unit)}px`;
    spacer.style.width = `${HEAD + columns.total + 40}px`;
    scroller.setAttribute("aria-rowcount", String(rowCount + 1));
    scroller.setAttribute("aria-colcount", String(count + 1));
    scroller.dir = info.right_to_left ? "rtl" : "ltr";
    bar.info(info, data);
    if (!info.exact && measuring !== info.hash + info.sheet) {
      measuring = info.hash + info.sheet;
      data.measure().catch((e) => bar.trouble(e.message)).finally(() => bar.info(data.info, data));
    }
  }

  const height = (row) => { const r = data.row(row); return r?.height ? rowPixels(r.height) : usual; };
  const frozen = () => ({ rows: Math.min(data.info?.frozen_rows ?? 0, 20), columns: Math.min(data.info?.frozen_columns ?? 0, 8) });

  /** The rows and columns in sight, with their places in pixels. */
  function sight() {
    const f = frozen(), w = scroller.clientWidth, tall = scroller.clientHeight;
    const at = Math.max(0, scroller.scrollTop / unit), rows = [];
    let y = TOP;
    for (let r = 1; r <= f.rows && y < tall; r++) { rows.push({ row: r, y, tall: height(r), fixed: true }); y += height(r); }
    const first = Math.min(rowCount, f.rows + 1 + Math.floor(at));
    const top = y;
    y -= (at - Math.floor(at)) * height(first);
    for (let r = first; r <= rowCount && y < tall; r++) { const t = height(r); rows.push({ row: r, y, tall: t, fixed: false }); y += t; }
    const x = Math.abs(scroller.scrollLeft), inner = columns.left(f.columns + 1);
    const c1 = Math.max(f.columns + 1, columns.at(x + inner)), c2 = Math.min(count, columns.at(x + w - HEAD) + 1);
    return { rows, top, x, c1: Math.max(f.columns + 1, c1 - (c1 - 1) % 4), c2: Math.min(count, c2 + 4 - (c2 % 4)), fixed: f.columns, inner, first, last: rows.at(-1)?.row ?? first };
  }

  let stale = true;
  const draw = soon(() => {
    if (!el.isConnected) return;
    const s = sight();
    data.want(Math.min(s.first, Math.max(data.info?.total_rows ?? 1, 1)), Math.min(s.last, Math.max(data.info?.total_rows ?? 1, 1)), s.c1, Math.max(s.c1, Math.min(s.c2, data.info?.total_columns ?? 1)), frozen());
    if (stale) { revision++; ground = paper(); }
    stale = false;
    letters(s);
    const seen = new Set();
    for (const r of s.rows) {
      seen.add(r.row);
      let line = lines.get(r.row);
      const key = `${revision} ${s.c1} ${s.c2} ${r.fixed} ${r.row === s.first}`;
      if (!line) { line = h("div", { class: "line", role: "row", "aria-rowindex": r.row + 1 }); lines.set(r.row, line); layer.append(line); }
      if (line.key !== key) { fill(line, r, s); line.key = key; }
      line.style.transform = `translateY(${r.y}px)`;
      line.moving.style.transform = `translateX(${(scroller.dir === "rtl" ? 1 : -1) * s.x}px)`;
    }
    for (const [row, line] of lines) if (!seen.has(row)) { line.remove(); lines.delete(row); }
    scroller.setAttribute("aria-activedescendant", seen.has(active.row) && (active.column <= s.fixed || active.column >= s.c1 && active.column <= s.c2) ? `${id}-${active.row}-${active.column}` : "");
  });
  const schedule = (anew) => { stale ||= anew; draw(); };
  const paper = () => (getComputedStyle(scroller).getPropertyValue("--paper").trim() || "#ffffff").slice(1);

  const head = /** @type {any} */ (h("div", { class: "line letters", role: "row", "aria-rowindex": 1 }));
  layer.append(head);
  /** The letters of the columns. */
  function letters(s) {
    const key = `${revision} ${s.c1} ${s.c2}`;
    if (head.key !== key) {
      head.key = key;
      const letter = (c) => { const span = columns.span(c); return h("div", { class: `letter${span?.hidden ? " none" : ""}${c === active.column ? " on" : ""}`, role: "columnheader", "aria-colindex": c + 1, title: span?.hidden ? "hidden column" : null, "aria-label": span?.hidden ? `${columnName(c)}, hidden` : null }, columnName(c)); };
      build(head, s, letter, h("div", { class: "number", role: "columnheader", "aria-colindex": 1 }, h("span", { class: "hide" }, "Row")), TOP);
    }
    head.moving.style.transform = `translateX(${(scroller.dir === "rtl" ? 1 : -1) * s.x}px)`;
  }

  /** Makes the parts of a line: its number, the columns that stay, and those that scroll. */
  function build(line, s, make, number, tall) {
    const place = (c) => { const cell = /** @type {any} */ (make(c)); if (cell) { cell.style.insetInlineStart = `${columns.left(c) - (cell.shift ?? 0)}px`; cell.style.width = `${cell.wide ?? columns.width(c)}px`; cell.style.height = `${cell.tall ?? tall}px`; } return cell; };
    const range = (a, b) => Array.from({ length: Math.max(0, b - a + 1) }, (_, i) => place(a + i));
    line.moving = h("div", { class: "moving", role: "presentation" }, range(s.c1, s.c2));
    line.style.height = `${tall}px`;
    put(line, number, s.fixed ? h("div", { class: "staying", role: "presentation", }, range(1, s.fixed)) : null, line.moving);
    if (s.fixed) Object.assign(line.children[1].style, { width: `${s.inner}px`, height: `${tall}px` });
    line.classList.toggle("split", s.fixed > 0);
  }

  /** Fills a row with its cells. */
  function fill(line, r, s) {
    const row = data.row(r.row), mark = marks.of(r.row, 0);
    const merges = data.merges(r.row, r.row, 1, s.c2);
    const number = h("div", { class: `number${row?.hidden ? " none" : ""}${mark ? ` changed ${mark.change}` : ""}${r.row === active.row ? " on" : ""}`, role: "rowheader", "aria-colindex": 1, title: [row?.hidden && "hidden row", mark?.says].filter(Boolean).join("; ") || null }, r.row,
      row?.hidden ? h("span", { class: "hide" }, ", hidden") : null, mark ? h("span", { class: "hide" }, `, ${mark.says}`) : null);
    build(line, s, (c) => {
      const m = merges.find((g) => g.c1 <= c && g.c2 >= c);
      if (!m) return cellElement(r.row, c, row, r.tall);
      const firstColumn = c <= s.fixed ? m.c1 : Math.max(m.c1, s.c1);
      if (c !== firstColumn || r.row !== Math.max(m.r1, r.fixed ? m.r1 : s.first)) return null;
      const cell = /** @type {any} */ (cellElement(m.r1, m.c1, data.row(m.r1), r.tall));
      cell.shift = columns.left(c) - columns.left(m.c1);
      cell.wide = columns.left(m.c2 + 1) - columns.left(m.c1);
      cell.tall = 0;
      for (let k = r.row; k <= m.r2 && k < r.row + 60; k++) cell.tall += height(k);
      cell.classList.add("merged");
      if (c > s.fixed && m.c1 <= s.fixed || r.row > m.r1 && m.r1 <= frozen().rows) { // a part of it stays, and is drawn there too
        cell.removeAttribute("id");
        cell.setAttribute("aria-hidden", "true");
      }
      cell.setAttribute("aria-colspan", String(m.c2 - m.c1 + 1));
      return cell;
    }, number, r.tall);
    line.classList.toggle("fixed", r.fixed);
  }

  function cellElement(row, c, line, tall) {
    const cell = data.cell(row, c), span = columns.span(c), mark = marks.of(row, c) ?? marks.column(c) ?? (cell ? marks.of(row, 0) : null);
    const text = cell?.text || cell?.formula || "";
    const on = row === active.row && c === active.column;
    const shown = !text ? null : h("span", { dir: "auto" }, text.length > 300 ? text.slice(0, 300) : text);
    const el = /** @type {any} */ (h("div", { class: `cell${cell && !cell.text && cell.formula ? " formula" : ""}${mark ? ` changed ${mark.change}` : ""}${on ? " on" : ""}`, role: "gridcell", "aria-colindex": c + 1, "aria-selected": on ? "true" : "false", id: `${id}-${row}-${c}` }, shown, mark ? h("span", { class: "hide" }, ` ${mark.says}`) : null));
    dress(el, cell?.look ?? line?.look ?? span?.look, cell, ground);
    if (shown && !cell.type && !el.classList.contains("wrap") && !el.style.justifyContent && text.length * 7 > columns.width(c)) spill(shown, row, c, text.length * 9);
    if (line?.hidden || span?.hidden) el.classList.add("unseen");
    el.at = { row, column: c };
    return el;
  }

  /** Lets a text reach over the empty cells behind it. */
  function spill(shown, row, c, wish) {
    let wide = columns.width(c), k = c + 1;
    while (wide < wish && k <= count && k < c + 12 && !data.cell(row, k)?.text && !data.cell(row, k)?.formula && !(k === frozen().columns + 1)) wide += columns.width(k++);
    if (k > c + 1) { shown.style.minWidth = `${wide - 8}px`; shown.style.maxWidth = shown.style.minWidth; shown.classList.add("spill"); }
  }

  /** Makes a cell the active one and brings it into sight. */
  function select(row, column) {
    active = { row: Math.max(1, Math.min(row, rowCount)), column: Math.max(1, Math.min(column, count)) };
    const m = data.mergeAt(active.row, active.column);
    if (m) active = { row: m.r1, column: m.c1 };
    const f = frozen(), s = sight(), r = s.rows.find((x) => x.row === active.row && !x.fixed);
    if (active.row > f.rows && (!r || r.y < s.top || r.y + r.tall > scroller.clientHeight)) {
      let up = 0, first = active.row;
      if (active.row > s.first) while (first > f.rows + 1 && up + height(first) < scroller.clientHeight - s.top - height(active.row)) up += height(--first);
      scroller.scrollTop = Math.max(0, (first - f.rows - 1) * unit);
    }
    if (active.column > f.columns) {
      const x = Math.abs(scroller.scrollLeft), a = columns.left(active.column) - s.inner, b = columns.left(active.column + 1) - (scroller.clientWidth - HEAD);
      const to = a < x ? a : b > x ? Math.min(a, b) : x;
      if (to !== x) scroller.scrollLeft = scroller.dir === "rtl" ? -to : to;
    }
    tell();
    schedule(true);
  }

  function tell() {
    bar.cell(active, data.cell(active.row, active.column), marks.of(active.row, active.column) ?? marks.of(active.row, 0), data);
  }

  scroller.addEventListener("scroll", () => schedule(false), { passive: true });
  new ResizeObserver(() => { drawnInfo = null; measured(); schedule(true); }).observe(scroller);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => schedule(true));
  scroller.addEventListener("pointerdown", (ev) => {
    const at = /** @type {any} */ (ev.target).closest(".cell")?.at;
    if (at) select(at.row, at.column);
  });
  scroller.addEventListener("keydown", (ev) => {
    const page = Math.max(1, sight().rows.filter((r) => !r.fixed).length - 2), { row, column } = active, rtl = scroller.dir === "rtl" ? -1 : 1, info = data.info;
    const end = { row: Math.max(info?.total_rows ?? 1, 1), column: Math.max(info?.total_columns ?? 1, 1) };
    const far = ev.ctrlKey || ev.metaKey, m = data.mergeAt(row, column), right = m?.c2 ?? column;
    const to = {
      ArrowUp: () => [far ? 1 : row - 1, column], ArrowDown: () => [far ? end.row : (m?.r2 ?? row) + 1, column], ArrowLeft: () => [row, far ? 1 : rtl < 0 ? right + 1 : column - 1], ArrowRight: () => [row, far ? end.column : rtl < 0 ? column - 1 : right + 1],
      PageUp: () => [row - page, column], PageDown: () => [row + page, column], Home: () => [far ? 1 : row, 1], End: () => [far ? end.row : row, end.column],
    }[ev.key];
    if (to && !ev.altKey) { ev.preventDefault(); select(...to()); }
    else if (!far && !ev.altKey && (ev.key === "n" || ev.key === "p")) { ev.preventDefault(); bar.jump(ev.key === "n" ? 1 : -1); }
    else if (far && ev.key === "g") { ev.preventDefault(); bar.goto(); }
  });
  bar.place = () => active;

  function show(to) {
    lines.forEach((l) => l.remove());
    lines.clear();
    active = { row: 1, column: 1 };
    scroller.scrollTo(0, 0);
    data.show(to);
    tell();
  }
  let all = [], side = version;
  function applyMarks() {
    const name = bar.sheetName(), here = all.filter((m) => m.side === side || m.side === "both");
    marks = markFinder(here.filter((m) => m.sheet === name));
    bar.marks(here, name);
    tell();
    schedule(true);
  }
  el.setMarks = (list) => { all = list; applyMarks(); };
  el.refresh = () => data.show();
  el.hash = () => data.info?.hash ?? "";
  el.side = (to) => { side = to; data.show({ version: to }); applyMarks(); };
  bar.arrived = () => applyMarks();
  data.show({ version });
  return el;
}
