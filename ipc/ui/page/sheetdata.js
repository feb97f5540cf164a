// The cells of a sheet as the page has them: pieces of rows and columns, fetched when
// they are to be seen, and dropped when there are too many.

import { LostError } from "./errors.js";

const ROWS = 100, COLUMNS = 30; // of a piece
const KEPT = 60; // pieces

/** "B" for 2. */
export function columnName(n) {
  let s = "";
  for (; n > 0; n = Math.floor((n - 1) / 26)) s = String.fromCharCode(65 + ((n - 1) % 26)) + s;
  return s;
}

/** {row, column} of "B3" or "Sheet!$B$3"; null when it is not a cell. */
export function cellOf(text) {
  const m = /^(?:.*!)?\$?([A-Za-z]{1,3})\$?(\d{1,7})$/.exec(text.trim());
  if (!m) return null;
  const column = [...m[1].toUpperCase()].reduce((n, c) => n * 26 + c.charCodeAt(0) - 64, 0), row = Number(m[2]);
  return row >= 1 && row <= 1048576 && column <= 16384 ? { row, column } : null;
}

/**
 * The data of one side of a workbook. changed() is called when something came, failed(error)
 * when it could not.
 */
export function sheetData(work, path, changed, failed) {
  let version = "draft", sheet = "", generation = 0, busy = 0, wanted = [];
  let pieces = new Map(), merged = new Map();
  const flying = new Set();
  const d = /** @type {any} */ ({ info: null, waits: 0 });

  const fits = (p) => p && p.generation === generation;

  /** Takes what a window says of the whole sheet. */
  function take(w) {
    const total = d.info?.exact && !w.exact && d.info.hash === w.hash ? d.info : w;
    d.info = { frozen_rows: 0, frozen_columns: 0, ...w, total_rows: total.total_rows, total_columns: total.total_columns, exact: total.exact || w.exact, rows: null, seen_rows: Math.max(d.info?.hash === w.hash ? d.info.seen_rows : 0, w.rows.at(-1)?.row ?? 0) };
    for (const span of d.info.column_spans) span.look = w.styles[span.style - 1];
    for (const m of w.merged ?? []) {
      const [a, b] = m.split(":").map(cellOf);
      if (a && b && merged.size < 5000) merged.set(m, { r1: a.row, c1: a.column, r2: b.row, c2: b.column });
    }
  }

  async function fetchPiece(key, row, column) {
    const mine = generation, piece = { generation: mine, rows: new Map(), at: performance.now() };
    for (let from = row; from < row + ROWS;) { // an answer that is too large comes in parts
      const w = await work.call("ReviewGetSheetWindow", { path, version, sheet, row: from, column, rows: row + ROWS - from, columns: COLUMNS });
      if (mine !== generation) return;
      if (from === row) take(w);
      for (const r of w.rows) {
        const cells = new Map();
        for (const c of r.cells ?? []) cells.set(c.column, { ...c, look: w.styles[c.style - 1] });
        piece.rows.set(r.row, { height: r.height, hidden: r.hidden, look: w.styles[r.style - 1], cells });
      }
      if (w.row_count === 0 || from + w.row_count >= Math.min(row + ROWS, d.info.exact ? d.info.total_rows + 1 : Infinity)) break;
      from += w.row_count;
    }
    pieces.delete(key);
    pieces.set(key, piece);
    for (const k of pieces.keys()) {
      if (pieces.size <= KEPT) break;
      pieces.delete(k);
    }
  }

  async function pump() {
    if (busy >= 2) return;
    wanted = wanted.filter(([key]) => !flying.has(`${generation} ${key}`));
    const next = wanted.shift();
    if (!next) return;
    const flight = `${generation} ${next[0]}`;
    flying.add(flight);
    busy++;
    const mine = generation;
    d.waits = d.waits || performance.now();
    try {
      await fetchPiece(...next);
      changed();
    } catch (e) {
      if (mine === generation) { // else the file is asked for again already
        if (!(e instanceof LostError)) failed(e);
        wanted = [];
      }
    } finally {
      busy--;
      flying.delete(flight);
      if (!busy && !wanted.length) d.waits = 0;
    }
    pump();
  }

  /** Says which rows and columns are seen, and how many stay; what is missing is fetched, what left is not. */
  let seen = [1, 1, 1, 1];
  d.want = (r1, r2, c1, c2, stay) => {
    seen = [r1, r2, c1, c2, stay];
    const need = [], asked = new Set();
    const range = (a, b, size) => Array.from({ length: Math.floor((b - 1) / size) - Math.floor((a - 1) / size) + 1 }, (_, i) => Math.floor((a - 1) / size) + i);
    const take = (rows, cols) => {
      for (const r of rows) {
        for (const c of cols) {
          const key = `${r}:${c}`, p = pieces.get(key);
          if (asked.has(key)) continue;
          asked.add(key);
          if (fits(p)) {
            pieces.delete(key); // the last used are at the end
            pieces.set(key, p);
          } else need.push([key, r * ROWS + 1, c * COLUMNS + 1]);
        }
      }
    };
    const rows = range(r1, r2, ROWS), cols = range(c1, c2, COLUMNS);
    take(rows, cols);
    if (stay?.columns) take(rows, [0]);
    if (stay?.rows) take([0], cols);
    if (stay?.rows && stay?.columns) take([0], [0]);
    wanted = need;
    pump();
  };

  d.row = (row) => {
    for (const p of pieces.values()) {
      const r = p.rows.get(row);
      if (r) return r;
    }
    return null;
  };
  d.cell = (row, column) => pieces.get(`${Math.floor((row - 1) / ROWS)}:${Math.floor((column - 1) / COLUMNS)}`)?.rows.get(row)?.cells.get(column) ?? null;
  d.merges = (r1, r2, c1, c2) => [...merged.values()].filter((m) => m.r1 <= r2 && m.r2 >= r1 && m.c1 <= c2 && m.c2 >= c1);
  d.mergeAt = (row, column) => [...merged.values()].find((m) => m.r1 <= row && m.r2 >= row && m.c1 <= column && m.c2 >= column) ?? null;

  /** Shows another sheet or side; the same again reads what changed and keeps what is shown until it comes. */
  d.show = (to = {}) => {
    const other = (to.sheet ?? sheet) !== sheet || (to.version ?? version) !== version;
    sheet = to.sheet ?? sheet;
    version = to.version ?? version;
    generation++;
    merged = new Map();
    if (other) {
      pieces = new Map();
      d.info = d.info && { ...d.info, exact: false, total_rows: 0, seen_rows: 0, hash: "" };
    }
    d.want(...(other ? [1, 1, 1, 1] : seen));
  };

  /** Reads a large sheet to its end, so that its size is known. */
  d.measure = async () => {
    const mine = generation;
    const w = await work.call("ReviewGetSheetWindow", { path, version, sheet, rows: 1, columns: 1, measure: true });
    if (mine === generation) take(w);
    changed();
  };
  d.whole = (row, column) => work.call("ReviewGetSheetWindow", { path, version, sheet, row, column, rows: 1, columns: 1 }).then((w) => w.rows[0]?.cells?.[0] ?? null);
  return d;
}
