// The cards about tools of other programs: whether a call is made, and whether a program
// may be sent anything.

import { h } from "./dom.js";

/** The arguments of a call, indented where they are whole. */
function shown(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 1);
  } catch {
    return text;
  }
}

/** What a person decides about: the program, its tool and the arguments. @param {NonNullable<NonNullable<Question["approval"]>["outside"]>} o */
export function outsideCall(o) {
  return h("div", { class: "outside" },
    h("p", null, h("strong", null, h("bdi", null, o.title || o.tool)), " of ", h("strong", null, h("bdi", null, o.server)), ". What it does is not in the draft and cannot be taken back."),
    o.changed ? h("p", { class: "warn-text" }, "The program says something else of this tool than when you allowed it.") : null,
    o.destructive ? h("p", { class: "warn-text" }, "It may delete or replace something.") : null,
    o.description ? h("details", null, h("summary", null, "What the program says of it"), h("p", { dir: "auto" }, o.description)) : null,
    h("pre", { tabindex: "0", dir: "auto", "aria-label": "Arguments" }, shown(o.arguments)), o.cut ? h("p", { class: "sub" }, "The arguments are longer than what is shown.") : null);
}

/** The heading of the question about a program, "" for other questions. */
export const serverTitle = (name) => (name === "server" ? "May the model use this program?" : "");
