// Texts with tags: <1>…</1> encloses formatting, <2/> is an object. They are shown
// as chips, which cannot be typed into.

import { h } from "./dom.js";

const TAG = /<(\/?)(\d+)(\/?)>/g;

const plain = (text) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** The pieces of a text in order: {text} or {tag}. @param {string} tagged */
export function pieces(tagged) {
  const out = [];
  let at = 0;
  for (const m of tagged.matchAll(TAG)) {
    if (m[1] && m[3]) continue;
    if (m.index > at) out.push({ text: plain(tagged.slice(at, m.index)) });
    out.push({ tag: m[0] });
    at = m.index + m[0].length;
  }
  if (at < tagged.length) out.push({ text: plain(tagged.slice(at)) });
  return out;
}

/** A text without its tags. */
export const plainText = (tagged) => pieces(tagged ?? "").map((p) => p.text ?? "").join("");

/** What a tag is, for people. */
export function tagName(tag) {
  const n = tag.match(/\d+/)[0];
  if (tag.endsWith("/>")) return `object ${n}`;
  return tag.startsWith("</") ? `end of formatting ${n}` : `formatting ${n}`;
}

/** The chip of a tag. */
export function chip(tag) {
  const n = tag.match(/\d+/)[0];
  const kind = tag.endsWith("/>") ? "single" : tag.startsWith("</") ? "close" : "open";
  return h("span", { class: `chip ${kind}`, contenteditable: "false", role: "img", "aria-label": tagName(tag), title: tagName(tag), data: { tag } }, { single: `◆${n}`, open: `${n}›`, close: `‹${n}` }[kind]);
}

/** A text as nodes. At most limit characters are shown. */
export function shown(tagged, limit = 20_000) {
  const out = [];
  let left = limit;
  for (const p of pieces(tagged ?? "")) {
    if (p.tag) out.push(chip(p.tag));
    else if (p.text.length > left) {
      out.push(`${p.text.slice(0, left)} … (${p.text.length - left} more characters)`);
      break;
    } else {
      out.push(p.text);
      left -= p.text.length;
    }
  }
  return out;
}

/** The text with tags that an element holds. @param {Node} el @returns {string} */
export function readTagged(el) {
  let out = "";
  for (const node of el.childNodes) {
    if (node instanceof Text) out += escaped(node.data);
    else if (node instanceof HTMLBRElement) out += "\n";
    else if (node instanceof HTMLElement && node.dataset.tag) out += node.dataset.tag;
    else out += readTagged(node);
  }
  return out;
}

const tagsOf = (tagged) => pieces(tagged).filter((p) => p.tag).map((p) => p.tag);

/** How the tags of a translation differ from those of its source: those that are missing, too many, or crossed. */
export function compareTags(source, target) {
  const missing = tagsOf(source), extra = [], open = [];
  let crossed = false;
  for (const tag of tagsOf(target)) {
    const at = missing.indexOf(tag);
    if (at < 0) extra.push(tag);
    else missing.splice(at, 1);
    if (tag.endsWith("/>")) continue;
    if (!tag.startsWith("</")) open.push(tag);
    else if (open.pop() !== tag.replace("/", "")) crossed = true;
  }
  return { missing, extra, crossed: crossed && !missing.length && !extra.length };
}
