// Settings: what runs may take, and what they took.

import { h, put, button } from "./dom.js";
import { thousands } from "./bar.js";
import { errorText, filled, form, result, table } from "./forms.js";
import { count, when } from "./text.js";

/** @type {[string, string, number, number][]} */
const BOUNDS = [["tokens", "Tokens of a run", 1, 1], ["cost", "Money of a run", 0.01, 1], ["seconds", "Minutes of a run", 1, 60], ["workbench_tokens", "Tokens of the folder in all", 1, 1], ["workbench_cost", "Money of the folder in all", 0.01, 1]];
const money = (costs) => (costs ?? []).filter((c) => c.amount > 0).map((c) => `${c.amount.toFixed(c.amount < 1 ? 4 : 2)} ${c.currency}`).join(", ") || "–";
const took = (u) => [`${thousands(u.input_tokens + u.output_tokens)} tokens`, money(u.costs)].filter((t) => t !== "–").join(", ");
const said = (name, value) => (name === "seconds" ? `${value / 60} min` : name.endsWith("tokens") ? thousands(value) : String(value));

function budgetForm(title, hint, setting, save) {
  const says = result();
  /** @type {[string, string, HTMLInputElement, number, string][]} */
  const fields = BOUNDS.map(([name, label, step, unit]) => {
    const own = setting.budget[name], counts = setting.effective[name];
    const input = h("input", { type: "number", min: "0", step: step === 1 && unit === 1 ? "1" : "any", value: own ? String(own / unit) : "", placeholder: counts ? `${counts / unit}` : "no limit" });
    return [name, label, input, unit, !own && counts ? `${said(name, counts)} is set elsewhere` : ""];
  });
  return h("section", { "aria-label": title }, h("h4", null, title), h("p", { class: "sub" }, hint), form("Save", says, async () => {
    const budget = {};
    for (const [name, , input, unit] of fields) if (Number(input.value) > 0) budget[name] = Number(input.value) * unit;
    await save(budget);
    return "Saved; from the next run on.";
  }, ...fields.map(([, label, input, , note]) => [label, input, note])));
}

export function budgetsSection({ work, wire }) {
  const used = h("p", { class: "note" }), here = h("div"), all = h("div");
  const load = () => {
    work.call("WorkbenchGetUsage", { limit: 1 }).then((r) => { used.textContent = `This folder has used ${took(r.totals)} so far.`; }, (e) => { used.textContent = errorText(e); });
    filled(here, async () => budgetForm("This folder", "Empty is as set for every folder.", await work.call("WorkbenchGetBudget"), async (budget) => { await work.call("WorkbenchSetBudget", { budget }); }));
    filled(all, async () => budgetForm("Every folder", "Empty is as the program was set up, else no limit.", await wire.call("UserGetBudget"), async (budget) => { await wire.call("UserSetBudget", { budget }); refreshHere(); }));
  };
  const refreshHere = () => filled(here, async () => budgetForm("This folder", "Empty is as set for every folder.", await work.call("WorkbenchGetBudget"), async (budget) => { await work.call("WorkbenchSetBudget", { budget }); }));
  load();
  return [h("p", { class: "sub" }, "A run that reaches a limit stops before its next request and asks you whether it continues. Money needs a price of the model in the settings file."), used, here, all];
}

const RUN_KINDS = { run: "run", translation: "translation", compaction: "summary" };
const amounts = (u) => [thousands(u.input_tokens), thousands(u.cached_tokens), thousands(u.output_tokens), u.requests, [money(u.costs), u.unpriced_requests ? h("span", { class: "sub" }, ` ${u.unpriced_requests} without a price`) : null]];
const HEADS = ["Sent", "of it cached", "Answered", "Requests", "Money"];

export function usageSection({ work }) {
  const box = h("div"), runs = h("div");
  const more = button("Show earlier runs", () => earlier(), { class: "quiet wide", hidden: true });
  let list = [], before = 0;
  const model = (m) => h("bdi", null, m.model_id, h("span", { class: "sub" }, ` ${m.provider_id}`));
  const drawRuns = (r) => {
    list = [...list, ...r.runs];
    before = r.next_before ?? 0;
    more.hidden = !r.has_more;
    put(runs, table("Runs", ["Begun", "Kind", ...HEADS], list.map((u) => [when(u.begun_at), RUN_KINDS[u.kind] ?? u.kind, ...amounts(u)])));
  };
  async function earlier() {
    more.disabled = true;
    try {
      drawRuns(await work.call("WorkbenchGetUsage", { limit: 50, before }));
    } catch (e) {
      more.after(h("p", { class: "problem", role: "alert" }, errorText(e)));
    }
    more.disabled = false;
  }
  filled(box, async () => {
    const r = await work.call("WorkbenchGetUsage", { limit: 20 });
    if (!r.totals.requests) return h("p", { class: "note" }, "No model was asked in this folder yet.");
    drawRuns(r);
    return [h("p", null, `In all ${took(r.totals)} in ${count(r.totals.requests, "request")}.`, r.totals.estimated_requests ? ` Of ${r.totals.estimated_requests} the numbers are an estimate.` : ""),
      h("h4", null, "By model"), table("By model", ["Model", ...HEADS], r.models.map((m) => [model(m), ...amounts(m)])),
      h("h4", null, "By day"), h("p", { class: "sub" }, "Days are those of UTC."), table("By day", ["Day", "Model", ...HEADS], r.days.map((d) => [d.day, model(d), ...amounts(d)])), h("h4", null, "Runs"), runs, more];
  });
  return box;
}
