// Markdown as models write it, made into elements: the common part of CommonMark
// with tables. What is not known stays text; HTML is text.

import { h } from "./dom.js";

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/;
const RULE = /^ {0,3}([-*_])(\s*\1){2,}\s*$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const QUOTE = /^ {0,3}> ?(.*)$/;
const DIVIDER = /^ {0,3}\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

/**
 * Splits a text into blocks, each a text that can be rendered by itself. While a
 * text grows at its end, only its last block changes.
 */
export function blocksOf(text) {
  const blocks = [];
  let block = [], fence = "";
  const end = () => { if (block.length) blocks.push(block.join("\n")); block = []; };
  for (const line of text.split("\n")) {
    const m = FENCE.exec(line);
    if (fence) {
      block.push(line);
      if (m && m[1].startsWith(fence) && !m[2]) { fence = ""; end(); }
      continue;
    }
    if (m) {
      end();
      fence = m[1];
      block.push(line);
    } else if (!line.trim()) {
      // A list goes on after an empty line; nothing else does.
      if (block.length && ITEM.test(block[0])) block.push(line);
      else end();
    } else if (block.length && ITEM.test(block[0]) && !block.at(-1).trim() && !ITEM.test(line) && !/^\s/.test(line)) {
      end();
      block.push(line);
    } else if (HEADING.test(line) || RULE.test(line)) {
      end();
      block.push(line);
      end();
    } else {
      if (block.length && ITEM.test(line) && !ITEM.test(block[0])) end();
      block.push(line);
    }
  }
  end();
  return blocks;
}

/** Renders one block. */
export function renderBlock(block) {
  const lines = block.split("\n");
  let m;
  if ((m = FENCE.exec(lines[0]))) {
    const body = lines.slice(1);
    if (body.length && FENCE.test(body.at(-1))) body.pop();
    return h("pre", { class: "code", tabindex: "0", "aria-label": m[2] ? `Code, ${m[2]}` : "Code" }, h("code", null, body.join("\n")));
  }
  if (RULE.test(lines[0])) return h("hr");
  if ((m = HEADING.exec(lines[0]))) return h("p", { class: m[1].length < 3 ? "heading large" : "heading", role: "heading", "aria-level": "3", dir: "auto" }, inline(m[2]));
  if (ITEM.test(lines[0])) return list(lines);
  if (QUOTE.test(lines[0])) return h("blockquote", null, blocksOf(lines.map((l) => QUOTE.exec(l)?.[1] ?? l).join("\n")).map(renderBlock));
  if (lines.length > 1 && lines[0].includes("|") && DIVIDER.test(lines[1])) return table(lines);
  return h("p", { dir: "auto" }, lines.map((l, i) => [i ? h("br") : null, inline(l)]));
}

function list(lines) {
  const items = [];
  const [, { length: indent }, bullet] = /** @type {RegExpExecArray} */ (ITEM.exec(lines[0]));
  for (const line of lines) {
    const m = ITEM.exec(line);
    if (m && m[1].length <= indent + 1) items.push([m[3]]);
    else items.at(-1).push(line.slice(Math.min(line.length - line.trimStart().length, indent + 2)));
  }
  const ordered = /\d/.test(bullet);
  return h(ordered ? "ol" : "ul", { start: ordered ? parseInt(bullet, 10) : null }, items.map((its) => {
    const [text, ...rest] = its;
    const task = /^\[([ xX])\]\s+(.*)$/.exec(text);
    const head = task ? [task[1] === " " ? "☐ " : "☑ ", inline(task[2])] : inline(text);
    return h("li", { dir: "auto" }, head, rest.some((l) => l.trim()) ? blocksOf(rest.join("\n")).map(renderBlock) : null);
  }));
}

function cells(line) {
  const out = [""];
  const text = line.trim().replace(/^\|/, "").replace(/\|$/, "");
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "\\" && text[i + 1] === "|") { out[out.length - 1] += "|"; i++; }
    else if (text[i] === "|") out.push("");
    else out[out.length - 1] += text[i];
  }
  return out.map((c) => c.trim());
}

function table(lines) {
  const head = cells(lines[0]);
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table" }, h("table", null,
    h("thead", null, h("tr", null, head.map((c) => h("th", { scope: "col", dir: "auto" }, inline(c))))),
    h("tbody", null, lines.slice(2).map((l) => h("tr", null, cells(l).slice(0, head.length).map((c) => h("td", { dir: "auto" }, inline(c))))))));
}

/** @type {[string, "strong" | "del" | "em"][]} */
const MARKS = [["**", "strong"], ["__", "strong"], ["~~", "del"], ["*", "em"], ["_", "em"]];

/** Renders the text of a line. depth bounds how deep marks are nested. */
function inline(text, depth = 0) {
  const out = [], absent = new Set(); // marks that do not come again: each is sought once
  let plain = "", i = 0;
  const find = (s, from) => {
    if (absent.has(s)) return -1;
    const to = text.indexOf(s, from);
    if (to < 0) absent.add(s);
    return to;
  };
  const flush = () => { if (plain) out.push(plain); plain = ""; };
  while (i < text.length) {
    const c = text[i];
    if (c === "\\" && /[\\`*_{}[\]()#+.!|~>-]/.test(text[i + 1] ?? "")) {
      plain += text[i + 1];
      i += 2;
      continue;
    }
    if (c === "`") {
      let n = 1;
      while (text[i + n] === "`") n++;
      const to = find("`".repeat(n), i + n);
      if (to > 0) {
        flush();
        out.push(h("code", null, text.slice(i + n, to).replace(/^ (.*) $/, "$1")));
        i = to + n;
        continue;
      }
      plain += "`".repeat(n);
      i += n;
      continue;
    }
    if (c === "[" && depth < 4) {
      const m = /^\[([^\[\]]{1,500})\]\(([^()\s]{1,2000})(?:\s+"[^"]*")?\)/.exec(text.slice(i, i + 2600));
      if (m) {
        flush();
        out.push(link(m[1], m[2], depth));
        i += m[0].length;
        continue;
      }
    }
    const mark = depth < 4 && "*_~".includes(c) && MARKS.find(([s]) => text.startsWith(s, i));
    if (mark) {
      const [s, tag] = mark;
      const to = find(s, i + s.length);
      const inWord = s[0] === "_" && /\w/.test(text[i - 1] ?? " ");
      if (to > i + s.length && !inWord && !/\s/.test(text[i + s.length]) && !/\s/.test(text[to - 1])) {
        flush();
        out.push(h(tag, null, inline(text.slice(i + s.length, to), depth + 1)));
        i = to + s.length;
        continue;
      }
      plain += s;
      i += s.length;
      continue;
    }
    plain += c;
    i++;
  }
  flush();
  return out;
}

// link shows where it leads, so that no label hides an address. Only addresses
// of the web can be followed.
function link(label, address, depth) {
  const text = inline(label, depth + 1);
  let u;
  try { u = new URL(address); } catch { return [text, " (", address, ")"]; }
  if (!/^https?:$/.test(u.protocol)) return [text, " (", address, ")"];
  return [h("a", { href: u.href, target: "_blank", rel: "noopener noreferrer" }, text), label === address ? null : [" (", u.host, ")"]];
}
