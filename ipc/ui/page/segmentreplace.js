// Find and replace in translations: what it would change is shown first.

import { h, put, button, say } from "./dom.js";
import { shown } from "./tagged.js";

/** Shows the dialog. @param {Work} work @param {string} job @param {any} filter @param {string} text @param {() => void} done */
export function replaceDialog(work, job, filter, text, done) {
  const find = h("input", { type: "text", "aria-label": "Find", placeholder: "Find", dir: "auto", value: text, required: true });
  const withText = h("input", { type: "text", "aria-label": "Replace by", placeholder: "Replace by", dir: "auto" });
  const box = (label) => { const input = h("input", { type: "checkbox", on: { change: stale } }); return { input, el: h("label", { class: "box" }, input, ` ${label}`) }; };
  const matchCase = box("capital letters count"), words = box("whole words"), regexp = box("regular expression");
  const found = h("div", { class: "found", role: "status" });
  const act = button("Replace", replace, { class: "primary", disabled: true });
  const where = [filter.path, filter.show || filter.code ? "the segments that the filter shows" : ""].filter(Boolean).join(", ");
  const dialog = h("dialog", { class: "dialog", "aria-label": "Find and replace", on: { close: () => dialog.remove() } },
    h("form", { method: "dialog", class: "close" }, h("button", { "aria-label": "Close" }, "×")),
    h("h2", null, "Find and replace in translations"), h("p", { class: "sub" }, where ? `In ${where}` : "In all files"),
    h("form", { class: "fields", on: { submit: (ev) => { ev.preventDefault(); preview(); } } }, find, withText, matchCase.el, words.el, regexp.el, h("div", { class: "choices" }, h("button", { type: "submit" }, "Show what changes"), act)), found);
  for (const i of [find, withText]) i.addEventListener("input", stale);
  const params = () => ({ job_id: job, ...filter, text: undefined, find: find.value, replace: withText.value, match_case: matchCase.input.checked, whole_words: words.input.checked, regexp: regexp.input.checked });
  let asked = 0;

  function stale() {
    asked++;
    act.disabled = true;
    act.textContent = "Replace";
    put(found);
  }

  async function preview() {
    const mine = ++asked;
    put(found, h("p", { class: "sub" }, "Looking …"));
    try {
      const r = await work.call("TranslateReplace", { ...params(), preview: true });
      if (mine !== asked) return;
      const segments = r.segments ?? [];
      act.disabled = !r.found;
      act.textContent = r.found ? `Replace in ${r.found} ${r.found === 1 ? "segment" : "segments"}` : "Replace";
      put(found, h("p", null, r.found ? `${r.matches} ${r.matches === 1 ? "place" : "places"} in ${r.found} ${r.found === 1 ? "segment" : "segments"}${r.has_more ? ", and more: they are done in parts" : ""}:` : "Nothing is found."), across(r),
        h("ul", { class: "paths" }, segments.map((s) => h("li", null, h("span", { class: "sub" }, h("bdi", null, s.place)), " ", h("span", { dir: "auto" }, shown(s.target, 300))))),
        r.found > segments.length ? h("p", { class: "sub" }, `and ${r.found - segments.length} more`) : null);
    } catch (e) {
      if (mine === asked) put(found, h("p", { class: "problem", role: "alert" }, e.message));
    }
  }

  const across = (r) => (r.across ? h("p", { class: "warning" }, `${r.across} ${r.across === 1 ? "segment has" : "segments have"} the text only with a tag in it. ${r.across === 1 ? "It stays" : "They stay"} as ${r.across === 1 ? "it is" : "they are"}.`) : null);

  async function replace() {
    act.disabled = true;
    put(found, h("p", { class: "sub" }, "Replacing, and writing the documents …"));
    try {
      const r = await work.call("TranslateReplace", params());
      const text = `${r.corrected} ${r.corrected === 1 ? "segment was" : "segments were"} changed${r.has_more ? "; there are more, replace again" : ""}.`;
      say(text);
      put(found, h("p", null, text), across(r), r.refused?.length ? h("div", { class: "warning" }, h("p", null, `${r.refused.length} were not:`), h("ul", null, r.refused.slice(0, 20).map((f) => h("li", null, h("bdi", null, f.place), ` ${f.reason}`)))) : null);
      done();
    } catch (e) {
      put(found, h("p", { class: "problem", role: "alert" }, e.message));
    }
  }

  document.body.append(dialog);
  dialog.showModal();
  find.focus();
}
