// Settings: what a model has to ask for, and the skills that came with the folder.

import { h, put } from "./dom.js";
import { acting, errorText, filled, form, result, table } from "./forms.js";
import { visible } from "./diff.js";
import { size } from "./text.js";

const EFFECTS = [["", "anything"], ["read", "read"], ["write", "write"], ["delete", "delete"]];
const ACTIONS = [["ask", "ask me"], ["allow", "allow"], ["deny", "never"]];
const about = (r) => (r.of ? h("code", null, r.tool) : [h("code", null, r.tool || "every tool"), " on ", h("bdi", null, !r.path || r.path === "**" ? "every file" : r.path), r.effect ? ` (${r.effect})` : ""]);
const spoken = (r) => `${r.tool || "every tool"} on ${!r.path || r.path === "**" ? "every file" : r.path}`;

export function approvalsSection({ work }) {
  const box = h("div");
  const load = () => filled(box, async () => show(await work.call("WorkshopGetApprovals")));
  const change = async (params) => { put(box, show(await work.call("WorkshopSetApprovals", params))); };

  function show(r) {
    const says = result();
    const grants = r.granted.map((g, i) => [about(g), g.granted_at ? new Date(g.granted_at).toLocaleDateString() : "–",
      acting("Take back", says, () => change({ granted: r.granted.filter((_, n) => n !== i) }), { "aria-label": `Take back ${spoken(g)}` })]);
    const rules = [...r.rules.map((x, i) => [about(x), ACTIONS.find(([v]) => v === x.action)?.[1] ?? x.action, acting("Remove", says, () => change({ rules: r.rules.filter((_, n) => n !== i) }), { "aria-label": `Remove the rule for ${spoken(x)}` })]),
      ...r.config_rules.map((x) => [about(x), ACTIONS.find(([v]) => v === x.action)?.[1] ?? x.action, h("span", { class: "sub" }, "in the settings file")])];
    const tool = h("input", { type: "text", placeholder: "every tool", autocomplete: "off" }), path = h("input", { type: "text", placeholder: "every file, or contracts/**", autocomplete: "off" });
    const effect = h("select", null, EFFECTS.map(([v, t]) => h("option", { value: v }, t))), action = h("select", null, ACTIONS.map(([v, t]) => h("option", { value: v }, t)));
    const added = result();
    return [h("h4", null, "Allowed for good"),
      grants.length ? table("Allowed for good", ["Call", "Since", ""], grants) : h("p", { class: "note" }, "Nothing is. What you answer with “From now on” appears here, and can be taken back."),
      h("h4", null, "Rules"), h("p", { class: "sub" }, "The first rule that fits a call decides. Without a rule, calls that change the draft need no answer, since you review it."),
      rules.length ? table("Rules", ["Call", "Then", ""], rules) : h("p", { class: "note" }, "There are none."), says,
      h("details", null, h("summary", null, "Add a rule"), form("Add it", added, async () => {
        const rule = Object.fromEntries([["tool", tool.value.trim()], ["path", path.value.trim()], ["effect", effect.value], ["action", action.value]].filter(([, v]) => v));
        await change({ rules: [rule, ...r.rules] });
      }, ["Tool", tool], ["Files", path], ["What it does", effect], ["Then", action]))];
  }
  load();
  return box;
}

const SOURCES = { folder: "of this folder", user: "yours", program: "of the program" };
const STATUS = { used: "used", new: "new: not used until you approve it", changed: "changed since you approved it: not used", declined: "declined", hidden: "not used: another of its name goes before it", refused: "cannot be used" };

export function skillsSection({ work }) {
  const box = h("div");
  const load = () => filled(box, async () => {
    const { skills } = await work.call("SkillsList");
    return skills.length ? skills.map(row) : h("p", { class: "note" }, "There are none. Skills are folders with instructions for a kind of work, in .atelier/skills of a folder.");
  });

  function row(s) {
    const says = result();
    const body = h("div");
    const own = s.source === "folder" && s.status !== "refused";
    return h("details", { class: "file skill", on: { toggle: (ev) => { if (ev.target.open && !body.childElementCount) read(s, body, says, own); } } },
      h("summary", null, h("h4", null, h("bdi", null, s.name)), h("span", { class: "sub" }, ` ${SOURCES[s.source] ?? s.source}, ${size(s.size_bytes)}, `), h("strong", { class: ["new", "changed", "refused"].includes(s.status) ? "warn-text" : "" }, STATUS[s.status] ?? s.status)),
      s.description ? h("p", { dir: "auto" }, s.description) : null, s.why ? h("p", { class: "sub" }, s.why) : null, body, says);
  }

  async function read(s, body, says, own) {
    put(body, h("p", { class: "sub" }, "Reading …"));
    let got;
    try {
      got = await work.call("SkillsGet", { name: s.name, source: s.source });
    } catch (e) {
      return put(body, h("p", { class: "problem" }, errorText(e)));
    }
    const decide = (label, decision, variant) => acting(label, says, async () => {
      await work.call("SkillsDecide", { name: s.name, decision, hash: decision === "forget" ? undefined : got.skill.hash });
      load();
    }, { class: variant ?? "", "aria-label": `${label}: ${s.name}` });
    put(body, h("pre", { tabindex: "0", dir: "auto", "aria-label": `Content of ${s.name}` }, visible(got.text ?? "")),
      own ? h("div", { class: "choices" }, s.status === "used" ? null : decide("Approve it", "approve"), s.status === "declined" ? null : decide("Decline it", "decline"), ["used", "declined", "changed"].includes(s.status) ? decide("Forget the decision", "forget") : null) : null);
  }
  load();
  return [h("p", { class: "sub" }, "Instructions that models may read for a kind of work. Those that came with a folder are not used before you have read and approved them."), box];
}
