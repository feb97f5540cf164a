// The segment that is worked on: source, translation, checks, matches of the memory
// and terms.

import { h, put, button } from "./dom.js";
import { chip, compareTags, plainText, shown, tagName } from "./tagged.js";
import { targetEditor } from "./targetedit.js";
import { segmentKey } from "./segmentsave.js";

/** @param {Store} store @param {Work} work @param {any} job @param {any} on */
export function segmentPane(store, work, job, on) {
  /** @type {any} */
  let s = null;
  let before = "", asked = 0;
  /** @type {any[]} */
  let matches = [];
  const title = h("h2", null), facts = h("p", { class: "sub" });
  const source = h("div", { class: "source", dir: "auto", role: "group", "aria-label": "Source" });
  const tags = h("div", { class: "tagrow" });
  const length = h("span", { class: "sub" });
  const checks = h("div", { class: "segchecks", role: "status" });
  const help = h("aside", { class: "seghelp", "aria-label": "Memory and terms" });
  const equal = h("input", { type: "checkbox" });
  const confirm = button(["Confirm ", h("kbd", { "aria-hidden": "true" }, "Ctrl ⏎")], accept, { class: "primary", "aria-keyshortcuts": "Control+Enter" });
  const edit = targetEditor({ change: look, confirm: accept, step: on.step, restore: () => { if (s) set(before); }, insert: (n) => { if (matches[n - 1]) use(matches[n - 1]); } });
  const el = h("section", { class: "segpane", hidden: true, "aria-label": "The segment" },
    h("div", { class: "segmain" }, h("div", { class: "seghead" }, title, facts), h("div", { class: "segpair" }, source, h("div", { class: "segtarget" }, edit.el, tags)), checks,
      h("div", { class: "choices" }, confirm, h("label", { class: "box" }, equal, " also equal texts that nobody has confirmed"), length),
      h("p", { class: "sub segkeys", id: "segkeys" }, "Ctrl Enter confirms and opens the next; Alt ↑ ↓ goes to the segment before or after; Alt ← → moves the tag at the cursor; Alt 1 to 9 takes a match; Escape brings the stored text back.")),
    help);

  function set(text) {
    edit.set(text, s.language, on.rtl(s.language));
    look();
  }

  /** Shows what is wrong with the text as it is typed. */
  function look() {
    if (!s) return;
    const text = edit.value();
    const { missing, extra, crossed } = compareTags(s.source, text);
    put(tags, missing.length ? [h("span", { class: "problem" }, "Missing:"), missing.map((t) => h("button", { type: "button", class: "quiet", "aria-label": `Put in ${tagName(t)}`, on: { mousedown: (ev) => ev.preventDefault(), click: () => edit.insertTag(t) } }, chip(t)))] : null,
      extra.length ? h("span", { class: "problem" }, ` ${extra.length === 1 ? "One tag is" : `${extra.length} tags are`} too many; delete ${extra.length === 1 ? "it" : "them"}.`) : null,
      crossed ? h("span", { class: "problem" }, " The tags cross each other: each end must follow its beginning.") : null);
    const n = plainText(text).length;
    length.textContent = s.max_length ? `${n} of at most ${s.max_length} characters` : "";
    length.className = s.max_length && n > s.max_length ? "problem" : "sub";
    const empty = !plainText(text).trim() && plainText(s.source).trim();
    confirm.disabled = Boolean(missing.length || extra.length || crossed || empty || s.max_length && n > s.max_length);
    confirm.title = confirm.disabled ? "Put the tags right first, and keep to the length" : "";
    drawChecks(text !== before);
  }

  function drawChecks(changed) {
    const list = changed ? [] : s.remarks ?? [];
    put(checks, s.problem ? h("p", { class: "warning", role: "alert" }, `Not saved: ${s.problem}`) : null,
      list.length ? h("ul", { class: "warning" }, list.map((r) => h("li", { dir: "auto" }, r.message))) : null);
  }

  function accept() {
    if (!s || confirm.disabled) return look();
    const now = s, text = edit.value();
    before = text;
    on.confirm(now, text, equal.checked);
  }

  function use(m) {
    edit.set(m.target, s.language, on.rtl(s.language));
    edit.focus();
    look();
  }

  async function lookUp() {
    const mine = ++asked, of = s;
    matches = [];
    put(help, h("p", { class: "sub" }, "Asking the memory …"));
    try {
      const r = await work.call("TranslateMatches", { job_id: job.job_id, language: of.language, text: of.source });
      if (mine !== asked) return;
      matches = (r.matches ?? []).filter((m) => !(m.percent === 100 && m.target === of.target));
      put(help, matches.length ? h("h3", null, "Memory") : h("p", { class: "sub" }, "The memory has nothing like it."),
        matches.map((m, i) => h("article", { class: "match" }, h("p", null, h("strong", null, `${m.percent} %`), h("span", { class: "sub" }, { person: " by a person", imported: " imported" }[m.origin] ?? ""), m.input ? h("span", { class: "sub" }, " ", h("bdi", null, m.input)) : null,
          button(["Use ", i < 9 ? h("kbd", { "aria-hidden": "true" }, `Alt ${i + 1}`) : null], () => use(m), { class: "quiet" })),
          h("p", { class: "sub", dir: "auto" }, shown(m.source, 600)), h("p", { dir: on.rtl(of.language) ? "rtl" : "auto", lang: of.language }, shown(m.target, 600)))),
        r.terms?.length ? [h("h3", null, "Terms"), h("ul", { class: "terms" }, r.terms.map((t) => h("li", null, h("bdi", null, t.source), t.forbidden ? " – not: " : " → ", h("bdi", { lang: of.language }, t.target), t.note ? h("span", { class: "sub" }, ` ${t.note}`) : null)))] : null,
        r.keep?.length ? [h("h3", null, "Stays as it is"), h("p", null, h("bdi", null, r.keep.join(", ")))] : null);
    } catch (e) {
      if (mine === asked) put(help, h("p", { class: "sub" }, e.message));
    }
  }
  let timer = 0;

  return {
    el, accept,
    segment: () => s,
    /** Shows a segment. */
    open(segment, index) {
      if (s && segmentKey(s) === segmentKey(segment)) { s = segment; return drawChecks(edit.value() !== before); }
      s = segment;
      el.hidden = false;
      put(title, `${index + 1}. `, h("bdi", null, s.place));
      put(facts, h("bdi", null, s.path), ` · ${s.language}`, s.part ? ` · ${s.part}` : "", (s.notes ?? []).map((n) => ` · ${n}`));
      put(source, shown(s.source, 20_000));
      before = s.target ?? "";
      set(on.saver.waiting(s) ?? (s.problem ? s.wanted : undefined) ?? (s.target || ""));
      clearTimeout(timer);
      timer = setTimeout(lookUp, 120); // not for segments that are only passed
    },
    /** Takes over what is stored now; what is being typed stays. */
    stored(now) {
      if (!s || segmentKey(now) !== segmentKey(s)) return;
      const typed = edit.value() !== before, other = now.target !== s.target;
      s = { ...s, remarks: undefined, ...now, problem: "" };
      before = now.target ?? "";
      if (typed || edit.value() === before) look();
      else set(before);
      if (other) lookUp();
    },
    problem(c, reason) {
      if (!s || segmentKey(c) !== segmentKey(s)) return;
      s.problem = reason;
      before = s.target ?? "";
      look();
    },
    focus: () => { if (s) edit.focus(); },
    close() { s = null; asked++; clearTimeout(timer); el.hidden = true; },
  };
}
