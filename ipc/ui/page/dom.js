// Elements are made here and nowhere else. Text becomes text nodes; no string is
// ever parsed as HTML.

const PROPERTIES = new Set(["value", "checked", "open", "disabled", "hidden", "indeterminate", "htmlFor", "tabIndex", "selected"]);

/**
 * Makes an element. Props: class, on (listeners by event), data (data attributes),
 * the properties above, and attributes; null and false leave an attribute out.
 * Children are nodes, strings, numbers, arrays of them; null and false are left out.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any> | null} [props]
 * @param {...any} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props, ...children) {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null) continue;
    if (name === "class") el.className = value;
    else if (name === "on") for (const [event, f] of Object.entries(value)) el.addEventListener(event, f);
    else if (name === "data") Object.assign(el.dataset, value);
    else if (PROPERTIES.has(name)) el[name] = value;
    else if (value !== false) el.setAttribute(name, value === true ? "" : String(value));
  }
  append(el, children);
  return el;
}

/** Appends children as h takes them. */
export function append(el, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    el.append(child instanceof Node ? child : String(child));
  }
}

/** Replaces the children of an element. */
export function put(el, ...children) {
  el.replaceChildren();
  append(el, children);
  return el;
}

/**
 * Makes the children of parent those of items, in order. The node of an item is
 * kept as long as an item has its key; make(item) makes it, update(node, item)
 * is called for nodes that were there.
 */
export function keyed(parent, items, key, make, update) {
  const old = parent.keyedNodes ?? new Map();
  const now = new Map();
  let at = parent.firstChild;
  for (const item of items) {
    const k = key(item);
    let node = old.get(k);
    if (node) {
      old.delete(k);
      update?.(node, item);
    } else node = make(item);
    now.set(k, node);
    if (node === at) at = at.nextSibling;
    else parent.insertBefore(node, at);
  }
  for (const node of old.values()) node.remove();
  parent.keyedNodes = now;
}

/** A button with a name. */
export function button(label, click, props = {}) {
  return h("button", { type: "button", ...props, on: { click } }, label);
}

/** Says something to screen readers. */
export function say(text) {
  const status = document.getElementById("status");
  if (status) status.textContent = text;
}

/**
 * Calls f once in the next frame, however often it was asked for, and not again
 * before pause milliseconds.
 */
export function soon(f, pause = 0) {
  let waits = false, last = -Infinity;
  return () => {
    if (waits) return;
    waits = true;
    let asked = 0, late = 0;
    const run = () => {
      cancelAnimationFrame(asked);
      clearTimeout(late);
      waits = false;
      last = performance.now();
      f();
    };
    const frame = () => {
      asked = requestAnimationFrame(run);
      late = setTimeout(run, 250); // pages that are not visible have no frames
    };
    const rest = last + pause - performance.now();
    if (rest > 0) setTimeout(frame, rest);
    else frame();
  };
}
