// The pages of both sides of a file, side by side, with what differs framed.

import { h, put, button } from "./dom.js";
import { differences } from "./framing.js";
import { LostError } from "./errors.js";

const COMPARED = 900; // pixels of the longer side of the pictures that are compared
const PLAIN = "This is a plain view of the text: the program that lays out pages is not installed.";

/** Shows a page of the published file beside the same page of the draft. @param {Work} work @param {string} published @param {string} draft */
export function pagePair(work, published, draft) {
  let page = 0, count = 1, asked = 0;
  const sides = [side("Published", published), side("Draft", draft)];
  const where = h("span", { class: "sub", role: "status" });
  const back = button("‹", () => go(page - 1), { "aria-label": "Page before" });
  const on = button("›", () => go(page + 1), { "aria-label": "Next page" });
  const search = button("Next page that differs", () => find());
  const note = h("p", { class: "note", hidden: true });
  const el = h("div", { class: "pagepair", role: "group", tabindex: "0", "aria-label": `Pages of ${draft}`, on: { keydown: (ev) => {
    const step = { ArrowLeft: -1, PageUp: -1, ArrowRight: 1, PageDown: 1 }[ev.key];
    if (step && ev.target === el) { ev.preventDefault(); go(page + step); }
  } } }, h("div", { class: "turn" }, where, back, on, search), note, h("div", { class: "pair" }, sides.map((s) => s.el)));

  function side(name, path) {
    const img = h("img", { alt: "" });
    const frames = h("div", { class: "frames" });
    const says = h("p", { class: "note", hidden: true });
    const box = h("div", { class: "framed" }, img, frames);
    return { name, path, img, frames, says, box, address: "", count: 1, drawn: false, el: h("figure", { class: "pages" }, h("figcaption", null, h("strong", null, name)), box, says) };
  }

  async function draw(s, to) {
    s.drawn = false;
    let r;
    try {
      r = await work.call("ReviewGetPreview", { path: s.path, version: s.name === "Draft" ? "draft" : "published", page: to, scale: 1.5 });
    } catch (e) {
      if (e instanceof LostError) throw e;
      return () => absent(s, to < s.count ? `Not drawn: ${e.message}` : "It has no such page.");
    }
    s.count = r.page_count;
    if (r.page_index !== to) return () => absent(s, "It has no such page.");
    const blob = new Blob([Uint8Array.from(atob(r.bytes_base64), (c) => c.charCodeAt(0))], { type: "image/png" });
    const picture = await createImageBitmap(blob);
    return () => {
      if (s.address) URL.revokeObjectURL(s.address);
      s.address = URL.createObjectURL(blob);
      Object.assign(s, { drawn: true, picture });
      s.img.src = s.address;
      s.img.alt = `${s.name}, page ${to + 1} of ${s.path}`;
      s.box.hidden = false;
      s.says.textContent = r.note || (r.rendering === "text" ? PLAIN : "");
      s.says.hidden = !s.says.textContent;
    };
  }

  function absent(s, text) {
    s.box.hidden = true;
    s.says.textContent = text;
    s.says.hidden = false;
  }

  /** Draws a page of both; true if something differs, null if it was not drawn. */
  async function go(to) {
    if (to < 0 || to >= count && to > 0) return null;
    const mine = ++asked;
    where.textContent = `Drawing page ${to + 1} …`;
    let shows;
    try {
      shows = await Promise.all(sides.map((s) => draw(s, to)));
    } catch (e) {
      if (mine === asked) where.textContent = e instanceof LostError ? "Waiting for the connection …" : e.message;
      if (e instanceof LostError) setTimeout(() => mine === asked && el.isConnected && go(to), 700);
      return null;
    }
    if (mine !== asked) return null;
    for (const show of shows) show();
    page = to;
    count = Math.max(...sides.map((s) => s.count));
    const n = frame();
    where.textContent = `${page + 1} of ${count} · ${n === null ? "only one side has this page" : n === 0 ? "no difference to see" : `${n} ${n === 1 ? "place differs" : "places differ"}`}`;
    back.disabled = page === 0;
    on.disabled = search.disabled = page + 1 >= count;
    note.hidden = new Set(sides.map((s) => s.count)).size === 1;
    note.textContent = `The published file has ${sides[0].count} pages, the draft ${sides[1].count}: pages of the same number are compared.`;
    return n !== 0;
  }

  // frame compares the two pictures that are shown; null if there is only one.
  function frame() {
    for (const s of sides) put(s.frames);
    if (!sides.every((s) => s.drawn)) return null;
    const [a, b] = sides.map((s) => s.picture);
    let found = [{ x: 0, y: 0, width: 1, height: 1 }];
    if (a.width === b.width && a.height === b.height) {
      const share = Math.min(1, COMPARED / Math.max(a.width, a.height));
      const at = (p) => pixels(p, Math.round(p.width * share), Math.round(p.height * share));
      found = differences(at(a), at(b));
    }
    for (const s of sides) {
      put(s.frames, found.map((f) => {
        const el = h("span", { class: "frame" });
        for (const [name, value] of Object.entries({ left: f.x, top: f.y, width: f.width, height: f.height })) el.style.setProperty(name, `${value * 100}%`);
        return el;
      }));
    }
    return found.length;
  }

  async function find() {
    search.disabled = true;
    for (let to = page + 1; to < count; to++) {
      const differs = await go(to);
      if (differs === null || differs) return;
      if (!el.isConnected) return;
      search.disabled = true;
    }
    where.textContent += " · no later page differs";
  }

  go(0);
  return el;
}

function pixels(picture, width, height) {
  const c = /** @type {OffscreenCanvasRenderingContext2D} */ (new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true }));
  c.fillStyle = "#fff";
  c.fillRect(0, 0, width, height);
  c.drawImage(picture, 0, 0, width, height);
  return c.getImageData(0, 0, width, height);
}
