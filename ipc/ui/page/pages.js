// Pictures of the pages of a document, made by the program.

import { h, put, button } from "./dom.js";
import { LostError } from "./errors.js";

const RENDERINGS = { text: "This is a plain view of the text: the program that lays out pages is not installed.", pdf: "", libreoffice: "", image: "" };

/** A viewer of one side of a file, or of a version of it that label names. Its refresh draws the page again.
 * @param {Work} work @param {string} path @param {string} version @param {string} [label] */
export function pages(work, path, version, label) {
  let page = 0, count = 1, address = "", asked = 0;
  const img = h("img", { alt: "", hidden: true });
  const where = h("span", { class: "sub", role: "status" });
  const note = h("p", { class: "note" });
  const back = button("‹", () => go(page - 1), { "aria-label": "Page before" });
  const on = button("›", () => go(page + 1), { "aria-label": "Next page" });
  const name = label ?? (version === "published" ? "Published" : "Draft");
  const el = h("figure", { class: "pages", tabindex: "0", "aria-label": `${name}: ${path}`, on: { keydown: (ev) => {
    const step = { ArrowLeft: -1, PageUp: -1, ArrowRight: 1, PageDown: 1 }[ev.key];
    if (step) { ev.preventDefault(); go(page + step); }
  } } }, h("figcaption", null, h("strong", null, name), " ", where, h("span", { class: "turn" }, back, on)), img, note);

  async function go(to) {
    if (to < 0 || to >= count) return;
    const mine = ++asked;
    where.textContent = "Drawing …";
    try {
      const r = await work.call("ReviewGetPreview", { path, version, page: to, scale: 1.5 });
      if (mine !== asked) return;
      page = r.page_index;
      count = r.page_count;
      if (address) URL.revokeObjectURL(address);
      address = URL.createObjectURL(new Blob([Uint8Array.from(atob(r.bytes_base64), (c) => c.charCodeAt(0))], { type: "image/png" }));
      img.src = work.dataAddresses ? `data:image/png;base64,${r.bytes_base64}` : address;
      img.alt = `${name}, page ${page + 1} of ${path}`;
      img.hidden = false;
      where.textContent = `${page + 1} of ${count}`;
      note.textContent = [RENDERINGS[r.rendering], r.note].filter(Boolean)[0] ?? "";
    } catch (e) {
      if (mine !== asked) return;
      if (e instanceof LostError) return setTimeout(() => mine === asked && el.isConnected && go(to), 700); // until the program is there again
      img.hidden = true;
      where.textContent = "";
      note.textContent = `Not drawn: ${e.message}`;
    }
    note.hidden = !note.textContent;
    back.disabled = page === 0;
    on.disabled = page + 1 >= count;
  }
  el.refresh = () => go(page);
  put(note);
  go(0);
  return el;
}
