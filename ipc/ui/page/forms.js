// Parts of the settings: sections, forms that tell how they went, and tables.

import { h, put, button } from "./dom.js";

/** What an error says, with what to do about it. */
export const errorText = (e) => [e.message, e.hint].filter(Boolean).join(e.message.endsWith(".") ? " " : ". ");

/** A line that tells how something went; its tell(text, bad) says it. */
export function result() {
  const el = /** @type {HTMLParagraphElement & { tell: (text: string, bad?: boolean) => void }} */ (h("p", { class: "sub result", role: "status", hidden: true }));
  el.tell = (text, bad = false) => {
    el.hidden = !text;
    el.textContent = text;
    el.className = bad ? "problem result" : "sub result";
  };
  return el;
}

/** A button that does something that may fail; says is a result(). What act returns is said. */
export function acting(label, says, act, props) {
  const b = button(label, async () => {
    b.disabled = true;
    says.tell("");
    const late = setTimeout(() => says.tell("Working …"), 800);
    try {
      const text = await act();
      clearTimeout(late);
      says.tell(text ?? "");
    } catch (e) {
      clearTimeout(late);
      says.tell(errorText(e), true);
    }
    b.disabled = false;
  }, props);
  return b;
}

/** A form of labelled fields: [label, field, hint]. */
export function form(label, says, act, ...fields) {
  let id = 0;
  const f = h("form", { class: "fields settingform", on: { submit: async (ev) => {
    ev.preventDefault();
    submit.disabled = true;
    try {
      says.tell((await act()) ?? "");
    } catch (e) {
      says.tell(errorText(e), true);
    }
    submit.disabled = false;
  } } }, fields.map(([name, field, hint]) => h("label", { class: "labelled" }, h("span", null, name), field, hint ? h("span", { class: "sub" }, hint) : null)));
  const submit = h("button", { type: "submit" }, label);
  f.append(h("div", { class: "choices" }, submit), says);
  return f;
}

/** A table that scrolls by itself where the window is narrow. */
export function table(name, heads, rows) {
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": name }, h("table", { class: "settingtable" },
    h("thead", null, h("tr", null, heads.map((t) => h("th", { scope: "col" }, t || h("span", { class: "hide" }, "Action"))))),
    h("tbody", null, rows.map((cells) => h("tr", null, cells.map((c) => h("td", null, c)))))));
}

/** Fills a box with what make answers, and says what goes wrong. */
export async function filled(box, make) {
  const late = setTimeout(() => put(box, h("p", { class: "sub" }, "Reading …")), box.childElementCount ? 1000 : 0);
  try {
    const parts = await make();
    clearTimeout(late);
    put(box, parts);
  } catch (e) {
    clearTimeout(late);
    put(box, h("p", { class: "problem", role: "alert" }, errorText(e)), button("Try again", () => filled(box, make)));
  }
}

/** A text area with words that are not saved yet is marked; leaving asks about it. */
export function marked(area) {
  area.addEventListener("input", () => { area.dataset.unsaved = "1"; });
  area.saved = () => delete area.dataset.unsaved;
  return area;
}
