// A text document in its flow: its paragraphs, lists and tables with what changes marked
// in place. Its blocks are fetched as they come into sight.

import { h, put, button, say } from "./dom.js";
import { mark, visible } from "./diff.js";
import { steps } from "./flowmarks.js";
import { readable } from "./sheetlook.js";
import { LostError } from "./errors.js";

const PIECE = 200, MOST = 20_000; // blocks of an answer, and in all
const HIGHLIGHTS = { black: "000000", blue: "0000FF", cyan: "00FFFF", green: "00FF00", magenta: "FF00FF", red: "FF0000", yellow: "FFFF00", white: "FFFFFF", darkBlue: "000080", darkCyan: "008080", darkGreen: "008000", darkMagenta: "800080", darkRed: "800000", darkYellow: "808000", darkGray: "808080", lightGray: "C0C0C0" };
const OBJECTS = { footnote: "note", endnote: "note", comment: "comment", break: "", equation: "equation", picture: "picture", object: "object" };

/**
 * A document in its flow. refresh() reads what changed, setMarks(marks) shows changes (see
 * flowmarks.js), side(version) shows the draft or what is published.
 */
export function flowView(work, path, version) {
  const list = h("div", { class: "blocks" });
  const more = h("p", { class: "sub" }, "Reading …");
  const note = h("p", { class: "note", hidden: true });
  const which = h("span", { class: "sub" });
  const step = h("span", { class: "steps", hidden: true }, button("‹", () => jump(-1), { "aria-label": "Change before", title: "Change before (p)" }), which, button("›", () => jump(1), { "aria-label": "Next change", title: "Next change (n)" }));
  const scroll = h("div", { class: "flowscroll", tabindex: "0", role: "region", "aria-label": `Text of ${path}`, on: { keydown: (ev) => {
    if (!ev.ctrlKey && !ev.metaKey && !ev.altKey && (ev.key === "n" || ev.key === "p")) { ev.preventDefault(); jump(ev.key === "n" ? 1 : -1); }
  } } }, list, more);
  const el = /** @type {any} */ (h("div", { class: "flow" }, h("div", { class: "flowbar" }, step), scroll, note));
  let marks = /** @type {any} */ (null);
  let shown = /** @type {any[]} */ ([]), total = 0, hash = "", generation = 0, busy = false, current = -1, ground = "FFFFFF";

  async function fetchFrom(first, count) {
    const mine = generation;
    const w = await work.call("ReviewGetBlocks", { path, version, first, count });
    if (mine !== generation) return null;
    total = w.total;
    hash = w.hash;
    put(note, (w.notes ?? []).filter((n) => !n.startsWith("The window")).join(" "));
    note.hidden = !note.textContent;
    return w.blocks;
  }

  async function grow() {
    if (busy || shown.length && shown.length >= Math.min(total, MOST)) return;
    busy = true;
    const mine = generation;
    try {
      const blocks = await fetchFrom(shown.length, PIECE);
      if (blocks) {
        shown.push(...blocks);
        draw();
      }
    } catch (e) {
      if (!(e instanceof LostError)) more.textContent = `Not shown: ${e.message}`;
    } finally {
      if (mine === generation) busy = false;
    }
  }

  /** Reads all that is shown again. */
  async function again() {
    const mine = ++generation;
    busy = true; // nothing is added meanwhile
    const want = Math.max(shown.length, PIECE), fresh = [];
    try {
      while (fresh.length < want) {
        const blocks = await fetchFrom(fresh.length, Math.min(want - fresh.length, 2000));
        if (!blocks) return;
        fresh.push(...blocks);
        if (!blocks.length || fresh.length >= total) break;
      }
      shown = fresh;
      draw();
    } catch (e) {
      if (!(e instanceof LostError)) more.textContent = `Not shown: ${e.message}`;
    } finally {
      if (mine === generation) busy = false;
    }
  }

  /** Makes the blocks that differ from those that are there. */
  function draw() {
    ground = (getComputedStyle(el).getPropertyValue("--paper").trim() || "#ffffff").slice(1);
    const gone = Map.groupBy(version === "draft" ? marks?.gone ?? [] : [], (g) => g.before);
    const entries = shown.flatMap((b) => [...(gone.get(b.at) ?? []).map((g) => ({ key: `- ${JSON.stringify(g)}`, make: () => removed(g) })), { key: keyOf(b), make: () => block(b) }]);
    const known = new Set(shown.map((b) => b.at));
    if (shown.length >= total) for (const [at, all] of gone) if (!known.has(at)) entries.push(...all.map((g) => ({ key: `- ${JSON.stringify(g)}`, make: () => removed(g) })));
    const old = Map.groupBy(/** @type {any[]} */ ([...list.children]), (n) => n.key);
    let at = list.firstChild;
    for (const e of entries) {
      let node = old.get(e.key)?.shift();
      if (!node) { node = e.make(); node.key = e.key; }
      if (node === at) at = node.nextSibling;
      else list.insertBefore(node, at);
    }
    for (const rest of old.values()) for (const n of rest) n.remove();
    more.hidden = shown.length >= total;
    if (shown.length >= MOST && total > MOST) { more.hidden = false; more.textContent = `${(total - MOST).toLocaleString()} more blocks are not shown here; see the pages.`; }
    const n = list.querySelectorAll(".fchanged").length;
    step.hidden = !n;
    which.textContent = n === 1 ? "1 change" : `${n} changes`;
  }

  const of = (at) => (version === "draft" ? marks?.at.get(at) : null) ?? null;
  function keyOf(b) {
    const found = b.kind === "table" && marks ? [...marks.at].filter(([at]) => at.startsWith(`${b.at}.`)) : [];
    return JSON.stringify([b, of(b.at), found, version, ground]);
  }
  const badge = (m) => h("span", { class: "fbadge" }, mark(m.change), m.change === "moved" || m.change === "formatting" || m.notes?.length ? h("span", { class: "sub" }, ` ${m.says}`) : null);
  const removed = (g) => h("div", { class: "fblock fchanged removed", tabindex: "-1" }, badge({ change: g.change }), h("del", { dir: "auto" }, visible(g.old ?? "")));

  function block(b) {
    return b.kind === "table" ? table(b) : paragraph(b, "fblock");
  }

  function paragraph(b, name) {
    const m = of(b.at), heading = b.level || b.title;
    const p = h("div", { class: `${name}${b.title ? " ftitle" : b.level ? ` fh fh${Math.min(b.level, 6)}` : ""}${m ? ` fchanged ${m.change}` : ""}`, dir: "auto", title: b.style ?? null, tabindex: m ? "-1" : null, role: heading && name === "fblock" ? "heading" : null, "aria-level": heading && name === "fblock" ? Math.min((b.level || 1) + 2, 6) : null },
      m ? badge(m) : null, b.label ? h("span", { class: "flabel" }, `${b.label} `) : null, texts(b.spans ?? [], m));
    if (b.align) p.style.textAlign = b.align === "right" ? "end" : b.align;
    if (b.indent || b.label) p.style.paddingInlineStart = `${Math.min(b.indent || 18, 200)}pt`;
    if (!b.spans && !m) p.append(h("br"));
    return p;
  }

  function table(b) {
    const rows = (b.rows ?? []).map((r) => {
      const m = of(r.at);
      return h("tr", { class: m ? `fchanged ${m.change}` : "", tabindex: m ? "-1" : null }, r.cells.map((c, i) => {
        const at = c.paragraphs[0]?.at.replace(/\.p\d+$/, "") ?? "", cm = of(at);
        const td = h(r.head ? "th" : "td", { colspan: c.columns ?? null, rowspan: c.rows ?? null, scope: r.head ? "col" : null, class: cm ? `fchanged ${cm.change}` : "", tabindex: cm ? "-1" : null }, i === 0 && m ? badge(m) : null,
          cm ? [badge(cm), cm.change === "modified" && c.paragraphs.length === 1 ? paragraphOf(c.paragraphs[0], cm) : c.paragraphs.map((p) => paragraph(p, "fcell"))] : c.paragraphs.map((p) => paragraph(p, "fcell")));
        if (c.fill) { td.style.backgroundColor = `#${c.fill}`; td.style.color = `#${readable("", c.fill)}`; }
        return td;
      }));
    });
    return h("div", { class: "fblock scroll", tabindex: "0", role: "region", "aria-label": `Table ${Number(b.at.slice(1)) + 1}` }, h("table", { class: "ftable" }, h("tbody", null, rows)),
      b.omitted ? h("p", { class: "sub" }, `${b.omitted.toLocaleString()} more rows are not shown here; see the pages.`) : null);
  }
  const paragraphOf = (p, m) => h("div", { class: "fcell", dir: "auto" }, texts(p.spans ?? [], m));

  /** The text of a paragraph; of a changed one with what came and went, where it is known. */
  function texts(spans, m) {
    const whole = spans.filter((s) => !s.object && s.change !== "deleted").map((s) => s.text).join("");
    if (m?.change === "added") return h("ins", null, spans.map((s) => span(s, s.text)));
    if (m?.change !== "modified") return spans.map((s) => span(s, s.text));
    if (whole !== m.new) return steps(visible(m.old ?? ""), visible(m.new ?? "")).map((k) => (k.kind === "same" ? k.text : h(k.kind, null, k.text)));
    const out = [], parts = spans.map((s) => ({ ...s }));
    for (const k of steps(m.old ?? "", m.new)) {
      if (k.kind === "del") { out.push(h("del", null, visible(k.text))); continue; }
      for (let left = k.text.length; left > 0;) {
        const s = parts[0];
        if (s.object || s.change === "deleted") { out.push(span(s, s.text)); parts.shift(); continue; }
        const text = s.text.slice(0, left), node = span(s, text);
        out.push(k.kind === "ins" ? h("ins", null, node) : node);
        left -= text.length;
        s.text = s.text.slice(text.length);
        if (!s.text) parts.shift();
      }
    }
    return [...out, ...parts.map((s) => span(s, s.text))];
  }

  function span(s, text) {
    if (s.object) return h("span", { class: "fobject" }, s.object === "break" ? text : [OBJECTS[s.object] ?? s.object, text ? `: ${visible(text)}` : ""]);
    const look = s.bold || s.italic || s.underline || s.strike || s.raised || s.color || s.highlight || s.link || s.change;
    if (!look) return visible(text);
    const tag = s.change === "inserted" ? "ins" : s.change === "deleted" ? "del" : s.raised === "superscript" ? "sup" : s.raised === "subscript" ? "sub" : "span";
    const node = h(tag, { class: s.change ? "tracked" : s.link ? "flink" : "", title: [s.change && `tracked change: ${s.change}`, s.link && `leads to ${s.link}`].filter(Boolean).join("; ") || null }, visible(text));
    const st = node.style, back = HIGHLIGHTS[s.highlight];
    if (s.bold) st.fontWeight = "700";
    if (s.italic) st.fontStyle = "italic";
    if (!s.change && (s.underline || s.strike)) st.textDecoration = [s.underline && "underline", s.strike && "line-through"].filter(Boolean).join(" ");
    if (back) st.backgroundColor = `#${back}`;
    if (back || s.color && !s.change) st.color = `#${readable(s.color, back ?? ground)}`;
    return node;
  }

  /** Goes to the next change, or the one before. */
  function jump(by) {
    const all = /** @type {any[]} */ ([...list.querySelectorAll(".fchanged")]);
    if (!all.length) return;
    current = (all.indexOf(document.activeElement) >= 0 ? all.indexOf(document.activeElement) : Math.min(current, all.length)) + by;
    current = (current + all.length) % all.length;
    all[current].scrollIntoView({ block: "center" });
    all[current].focus({ preventScroll: true });
    which.textContent = `${current + 1} of ${all.length}`;
    say(all[current].innerText.slice(0, 200));
  }

  new IntersectionObserver((seen) => { if (seen.some((s) => s.isIntersecting)) grow().then(() => { if (!more.hidden && more.getBoundingClientRect().top < innerHeight) grow(); }); }, { root: scroll, rootMargin: "600px" }).observe(more);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  el.setMarks = (m) => { marks = m.at ? m : null; draw(); };
  el.refresh = again;
  el.hash = () => hash;
  el.side = (to) => { version = to; shown = []; put(list); again(); };
  return el;
}
