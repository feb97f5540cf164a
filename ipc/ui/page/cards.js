// What waits for the person: questions, plans, approvals, budgets, consent, and
// what went wrong. Each is one card above the composer, answered with buttons,
// fields, or the keys 1 to 9.

import { UnknownError } from "./errors.js";
import { h, put, button, keyed } from "./dom.js";
import { outsideCall, serverTitle } from "./cards_outside.js";

/** @param {Store} store @param {Talk} talk @param {Work} work @param {UI} ui */
export function cardsView(store, talk, work, ui) {
  const questions = h("div", { class: "cards" });
  const other = h("div", { class: "cards" });
  /** @type {{trouble: Trouble | null, key: string}} */
  let shown = { trouble: null, key: "" };
  store.watch(["questions"], (s) => {
    const before = questions.lastChild;
    keyed(questions, s.questions, (q) => q.question_id, (q) => questionCard(q, work));
    if (questions.lastChild && questions.lastChild !== before) lead(questions.lastChild);
  });
  store.watch(["trouble", "running", "unfinished", "abandoned", "undone", "entries", "loaded", "connection"], (s) => {
    const key = [s.trouble, s.running, s.unfinished?.message_id, s.undone, s.loaded, s.connection, !s.running && talk.last().answered].map(String).join();
    if (s.trouble === shown.trouble && key === shown.key) return;
    const fresh = s.trouble && shown.trouble !== s.trouble;
    shown = { trouble: s.trouble, key };
    put(other, s.trouble && troubleCard(s.trouble, store, work, ui), unfinishedCard(s, talk, work), s.undone && !s.running && undoneCard(work, store));
    if (fresh) lead(other.firstChild);
  });
  return h("div", { class: "waiting" }, questions, other);
}

// lead puts the focus on a new card, unless something is being typed. Not on a
// button: a key that was meant for the message must not answer.
function lead(card) {
  if (/** @type {HTMLTextAreaElement | null} */ (document.getElementById("composer"))?.value || document.querySelector("dialog[open]")) return;
  (card.querySelector(".field input, .field textarea, .field select") ?? card).focus({ preventScroll: true });
}

/** A card: digits press its buttons in order. */
function card(title, kind, ...children) {
  const el = h("section", { class: `card ${kind}`, "aria-label": title, tabindex: "-1", on: { keydown: (ev) => {
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(ev.target.tagName) || ev.ctrlKey || ev.metaKey || ev.altKey) return;
    const b = /^[1-9]$/.test(ev.key) && /** @type {NodeListOf<HTMLElement>} */ (el.querySelectorAll(".choices button"))[Number(ev.key) - 1];
    if (b) { ev.preventDefault(); b.click(); }
  } } }, h("h3", null, title), children);
  return el;
}

const choices = (...list) => h("div", { class: "choices" }, list);

function choice(number, label, click, variant = "") {
  return button([label, " ", h("kbd", { "aria-hidden": "true" }, number)], click, { class: variant });
}

const VARIANTS = { primary: "primary", destructive: "danger" };

/** @param {Question} q @param {Work} work */
function questionCard(q, work) {
  const asked = q.questions ?? [];
  if (q.approval) return approvalCard(q, q.approval, work);
  const fields = asked.map((one) => field(one));
  const single = asked.length === 1 && fields[0].buttons;
  const answer = (values) => work.answer(q, values);
  if (single) {
    const one = asked[0];
    return card(titleOf(one), "ask", h("p", { class: "question", dir: "auto" }, one.question),
      choices(fields[0].buttons.map(([label, value, variant], i) => choice(i + 1, label, () => answer({ [one.name]: value }), VARIANTS[variant] ?? (i ? "" : "primary")))),
      fields[0].free && freeForm(fields[0].free, (v) => answer({ [one.name]: v })));
  }
  const problem = h("p", { class: "problem", role: "alert", hidden: true });
  return card(asked.length > 1 ? `${asked.length} questions` : titleOf(asked[0]), "ask",
    h("form", { on: { submit: (ev) => {
      ev.preventDefault();
      const values = {};
      for (const [i, f] of fields.entries()) {
        try {
          const v = f.value();
          if (v !== undefined) values[asked[i].name] = v;
        } catch (e) {
          problem.hidden = false;
          problem.textContent = `${asked[i].question} ${e.message}`;
          return;
        }
      }
      answer(values);
    } } }, asked.map((one, i) => h("div", { class: "field" }, h("p", { class: "question", dir: "auto", id: `q-${q.question_id}-${i}` }, one.question), fields[i].control(`q-${q.question_id}-${i}`))),
    problem, h("div", { class: "choices" }, h("button", { type: "submit", class: "primary" }, "Answer"))));
}

const titleOf = (one) => serverTitle(one.name) || (one.name === "budget" ? "The budget is used up" : /accept/i.test((one.buttons ?? []).map((b) => b.label).join()) ? "A plan waits for you" : "A question");

function freeForm(label, answer) {
  const input = h("input", { type: "text", "aria-label": label, placeholder: label, dir: "auto" });
  return h("form", { class: "free", on: { submit: (ev) => { ev.preventDefault(); if (input.value.trim()) answer(input.value.trim()); } } }, input, h("button", { type: "submit" }, "Answer"));
}

/** How a question is answered: buttons [label, value, variant], or a control with value(). */
function field(one) {
  let schema = one.schema ?? {};
  if (typeof schema === "string") try { schema = JSON.parse(schema); } catch { schema = {}; }
  const types = [schema.type ?? (schema.anyOf ?? schema.oneOf ?? []).map((s) => s.type)].flat();
  if (one.buttons?.length) {
    const open = types.includes("string") && !schema.enum || schema.anyOf?.some((s) => s.type === "string" && !s.enum) || !types.filter(Boolean).length;
    return withSelect(one.buttons.map((b) => [b.label, b.value, b.variant]), open ? "Something else" : "");
  }
  if (schema.enum && schema.enum.length <= 9) return withSelect(schema.enum.map((v) => [String(v), v]), "");
  if (types[0] === "boolean") return withSelect([["Yes", true], ["No", false]], "");
  if (schema.enum) return withSelect(schema.enum.map((v) => [String(v), v]), "", true);
  const list = types[0] === "array" && schema.items?.enum;
  if (list) {
    const boxes = list.map((v) => [v, h("input", { type: "checkbox" })]);
    return { control: (id) => h("div", { role: "group", "aria-labelledby": id }, boxes.map(([v, b]) => h("label", { class: "box" }, b, " ", String(v)))), value: () => boxes.filter(([, b]) => b.checked).map(([v]) => v) };
  }
  const number = types[0] === "integer" || types[0] === "number";
  const json = types[0] === "object" || types[0] === "array";
  const input = number ? h("input", { type: "number", step: types[0] === "integer" ? "1" : "any", min: schema.minimum, max: schema.maximum })
    : !json && (schema.maxLength ?? 1000) <= 200 ? h("input", { dir: "auto" })
    : h("textarea", { rows: "2", dir: "auto", on: { keydown: (ev) => {
      if (ev.key === "Enter" && !ev.shiftKey && !ev.isComposing) { ev.preventDefault(); ev.target.form.requestSubmit(); }
    } } });
  return {
    control: (id) => { input.setAttribute("aria-labelledby", id); return input; },
    value() {
      const text = input.value;
      if (number) {
        if (text === "") throw new Error("needs a number.");
        return Number(text);
      }
      if (!json) return text;
      try { return JSON.parse(text); } catch { throw new Error(`needs JSON (${types[0]}).`); }
    },
  };
}

function withSelect(options, free, many = false) {
  const select = h("select", null, options.map(([label], i) => h("option", { value: String(i) }, label)));
  return { buttons: many ? null : options, free, control: (id) => { select.setAttribute("aria-labelledby", id); return select; }, value: () => options[Number(select.value)][1] };
}

/** @param {Question} q @param {NonNullable<Question["approval"]>} a @param {Work} work */
function approvalCard(q, a, work) {
  const name = q.questions?.[0].name ?? "";
  const reason = h("input", { type: "text", "aria-label": "Reason for the model, if you do not allow it", placeholder: "Reason, if not (optional)", dir: "auto" });
  const answer = (v) => work.answer(q, { [name]: v });
  const always = (a.always ?? []).map((g) => a.outside ? g.tool ?? a.tool : `${g.tool ?? a.tool} on ${!g.path || g.path === "**" ? "every file" : g.path}${g.effect ? ` (${g.effect})` : ""}`).join(", ");
  return card(`Allow ${a.tool}?`, "ask", a.outside ? outsideCall(a.outside) : null,
    a.uses?.length ? h("ul", { class: "paths" }, a.uses.map((u) => h("li", null, h("bdi", null, u.path), h("span", { class: "sub" }, ` ${u.effect ?? ""}`)))) : null,
    choices(choice(1, "Allow once", () => answer("once"), "primary"), choice(2, "For this run", () => answer("run")), choice(3, "From now on", () => answer("always")),
      choice(4, "Do not allow", () => answer(reason.value.trim() ? `no: ${reason.value.trim()}` : "no"), "danger")),
    always ? h("p", { class: "sub" }, "For this run and from now on mean: ", h("bdi", null, always)) : null, reason);
}

/** @param {Trouble} trouble @param {Store} store @param {Work} work @param {UI} ui */
function troubleCard({ error, what, messageID }, store, work, ui) {
  const close = () => store.set({ trouble: null });
  const again = messageID ? (label = "Try again") => choice(1, label, () => { close(); work.run(messageID); }, "primary") : null;
  const more = h("p", { class: "sub" }, error.hint);
  switch (error.errorCode) {
    case "EGRESS_CONSENT_REQUIRED": return consentCard(error, messageID && (() => work.run(messageID)), store, work, close);
    case "BUDGET_EXCEEDED":
      return card("The budget is used up", "ask", h("p", null, error.message), more, choices(again?.("Go on with the same again"), choice(2, "Leave it", close)));
    case "PROVIDER_NOT_CONFIGURED": case "PROVIDER_AUTH_FAILED":
      return card("The model cannot be used", "bad", h("p", null, error.message), more, choices(choice(1, "Choose a model", () => { close(); ui.models(); }, "primary"), choice(2, "Close", close)));
  }
  return card(error instanceof UnknownError ? `${what}: no answer came` : `${what} failed`, "bad", h("p", { dir: "auto" }, error.message), more,
    error.data?.paths?.length ? h("ul", { class: "paths" }, error.data.paths.slice(0, 10).map((p) => h("li", null, h("bdi", null, p)))) : null,
    choices(again ? again() : null, choice(again ? 2 : 1, "Close", close)));
}

/** Asks for consent; again, if there is one, is done after it. @param {Store} store @param {Work} work */
export function consentCard(error, again, store, work, close) {
  const files = h("ul", { class: "paths" }), facts = h("p", null, "…");
  /** @type {Result<"EgressGetConsentStatus"> | null} */
  let status = null;
  work.call("EgressGetConsentStatus").then((st) => {
    status = st;
    put(facts, h("strong", null, st.model_id), " runs at ", h("strong", null, st.host || st.provider_id), `, not on this machine. It may read the ${st.files} files of this folder`, st.new_count < st.files ? `; ${st.new_count} of them are new:` : ":");
    put(files, (st.new_files ?? []).slice(0, 8).map((f) => h("li", null, h("bdi", null, f))), st.new_count > 8 ? h("li", { class: "sub" }, `and ${st.new_count - 8} more`) : null);
  }, (e) => put(facts, e.message));
  const allow = (persist) => async () => {
    const st = status;
    if (!st) return;
    const ok = await work.attempt("Allowing", () => work.call("EgressGrantWorkshopConsent", { provider_id: st.provider_id, model_id: st.model_id, scope_hash: st.scope_hash, persist }));
    if (!ok) return;
    close();
    again?.();
  };
  return card("May your documents leave this machine?", "ask", facts, files,
    choices(choice(1, "Allow", allow(true), "primary"), choice(2, "Only until the program ends", allow(false)), choice(3, "Do not send", close)));
}

/** @param {Talk} talk @param {Work} work */
function unfinishedCard(s, talk, work) {
  if (s.running || s.trouble || !s.loaded || s.connection !== "open") return null;
  const { answered, user } = talk.last();
  const id = s.unfinished?.message_id ?? (answered ? null : user?.id);
  if (!id || user?.waits) return null;
  return card("This was not finished", "ask", h("p", { class: "sub" }, s.unfinished ? "A run in phases was broken off." : "Your last message has no answer yet."),
    choices(choice(1, "Go on", () => work.run(id), "primary")));
}

const undoneCard = (work, store) => card("Taken back", "ask", choices(choice(1, "Bring it back", () => work.redo()), choice(2, "Close", () => store.set({ undone: "" }))));
