// The field of a translation: text that is typed, and chips that stand for tags.
// Chips can be moved with the keyboard, and put back when they were deleted.

import { h, put } from "./dom.js";
import { chip, readTagged, shown } from "./tagged.js";

/** Makes the field. on: change(), confirm(), step(by), insert(number), restore(). @param {any} on */
export function targetEditor(on) {
  const el = h("div", { class: "target", role: "textbox", "aria-multiline": "true", "aria-label": "Translation", "aria-describedby": "segkeys", tabindex: "0", spellcheck: "true", contenteditable: "plaintext-only",
    on: { input: () => on.change(), blur: remember, keydown: keys, click: (ev) => { if (ev.target.dataset?.tag) caretAfter(ev.target); } } });
  if (el.contentEditable !== "plaintext-only") { // an older browser: only plain text is pasted
    el.contentEditable = "true";
    el.addEventListener("paste", (ev) => { ev.preventDefault(); insertNode(document.createTextNode(ev.clipboardData?.getData("text/plain") ?? "")); });
  }

  function keys(ev) {
    const step = { ArrowUp: -1, ArrowDown: 1 }[ev.key];
    const side = { ArrowLeft: -1, ArrowRight: 1 }[ev.key];
    if (ev.isComposing) return;
    if (ev.key === "Enter" && (ev.ctrlKey || ev.metaKey)) on.confirm();
    else if (ev.altKey && step) on.step(step);
    else if (ev.altKey && side) moveChip(getComputedStyle(el).direction === "rtl" ? -side : side);
    else if (ev.altKey && /^[1-9]$/.test(ev.key)) on.insert(Number(ev.key));
    else if (ev.key === "Escape") on.restore();
    else return;
    ev.preventDefault();
  }

  // remember keeps the caret for what is put in when the field has lost it.
  /** @type {Range | null} */
  let last = null;
  function remember() {
    const s = getSelection();
    if (s?.rangeCount && el.contains(s.anchorNode)) last = s.getRangeAt(0).cloneRange();
  }

  // place is the caret as a node of el and the children before it.
  function place() {
    const s = getSelection();
    if (!s?.anchorNode || !el.contains(s.anchorNode)) return null;
    return { node: s.anchorNode, offset: s.anchorOffset };
  }

  // chipAt is the chip beside the caret, the one before it first.
  function chipAt() {
    const p = place();
    if (!p) return null;
    const isChip = (n) => (n instanceof HTMLElement && n.dataset.tag ? n : null);
    if (p.node === el) return isChip(el.childNodes[p.offset - 1]) ?? isChip(el.childNodes[p.offset]);
    const own = p.node.parentElement?.closest("[data-tag]");
    if (own) return own;
    if (p.offset === 0) return isChip(p.node.previousSibling);
    return p.offset === p.node.textContent?.length ? isChip(p.node.nextSibling) : null;
  }

  function caretAfter(node) {
    const r = document.createRange();
    r.setStartAfter(node);
    r.collapse(true);
    getSelection()?.removeAllRanges();
    getSelection()?.addRange(r);
  }

  /** Moves the chip beside the caret over a word or another chip. */
  function moveChip(step) {
    el.normalize();
    const it = chipAt();
    const over = it && (step > 0 ? it.nextSibling : it.previousSibling);
    if (!over) return;
    if (over instanceof Text) {
      const word = (step > 0 ? /^\s*\S+/u : /\S+\s*$/u).exec(over.data)?.[0].length ?? over.data.length;
      el.insertBefore(it, over.splitText(step > 0 ? word : over.data.length - word));
    } else if (step > 0) over.after(it);
    else over.before(it);
    el.normalize();
    caretAfter(it);
    on.change();
  }

  function insertNode(node) {
    const p = place();
    if (!p || p.node instanceof Element && p.node !== el) el.append(node);
    else {
      const r = /** @type {Selection} */ (getSelection()).getRangeAt(0);
      r.deleteContents();
      r.insertNode(node);
    }
    el.normalize();
    if (node.parentNode) caretAfter(node);
    on.change();
  }

  return {
    el,
    /** Shows a translation. */
    set(tagged, language, rtl) {
      put(el, shown(tagged, Infinity));
      last = null;
      el.lang = language;
      el.dir = rtl ? "rtl" : "auto";
    },
    value: () => readTagged(el),
    insertTag(tag) {
      const r = last;
      if (document.activeElement !== el) {
        el.focus();
        if (r && el.contains(r.startContainer)) { getSelection()?.removeAllRanges(); getSelection()?.addRange(r); }
      }
      insertNode(chip(tag));
    },
    /** Puts the caret at the end. */
    focus() {
      el.focus();
      const s = getSelection();
      s?.selectAllChildren(el);
      s?.collapseToEnd();
    },
  };
}
