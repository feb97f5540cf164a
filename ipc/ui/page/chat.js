// The conversation: its entries, what waits for the person, and the composer.

import { h, put, keyed, button, append } from "./dom.js";
import { blocksOf, renderBlock } from "./markdown.js";
import { attachedList, attaching } from "./attach.js";
import { cardsView } from "./cards.js";
import { UnknownError } from "./errors.js";

const PAGE = 120; // entries that are shown at first; more come on demand

/** @param {Store} store @param {Talk} talk @param {Work} work @param {UI} ui */
export function chatView(store, talk, work, ui) {
  const log = h("div", { class: "log", role: "log", "aria-label": "Conversation", "aria-live": "off", tabindex: "0" });
  const list = h("div", { class: "entries" });
  const more = button("Show earlier messages", () => { shown += 400; draw(); }, { class: "quiet wide" });
  const first = h("div", { class: "first" });
  append(log, [more, first, list]);
  let shown = PAGE, atEnd = true, top = 0;

  // The end stays in view as the text grows, and as the browser lays out what it
  // had estimated, until the person scrolls up.
  log.addEventListener("scroll", () => {
    if (log.scrollHeight - log.scrollTop - log.clientHeight < 40) atEnd = true;
    else if (log.scrollTop < top) atEnd = false;
    top = log.scrollTop;
  }, { passive: true });
  const follow = new ResizeObserver(() => { if (atEnd) log.scrollTop = log.scrollHeight; });
  follow.observe(list);
  follow.observe(log);

  const draw = () => {
    const all = talk.entries;
    more.hidden = all.length <= shown;
    more.textContent = `Show earlier messages (${all.length - shown} more)`;
    first.hidden = all.length > 0 || !store.state.loaded;
    keyed(list, all.slice(-shown), (e) => e.id, (e) => makeEntry(e, work, ui, store), (node, e) => node.update(e));
  };
  store.watch(["entries", "loaded"], draw);
  store.watch(["folder", "files", "loaded"], (s) => put(first, h("h3", null, "What should be done?"),
    h("p", { class: "sub" }, "The model works on a draft of ", h("bdi", null, s.folderName), ". Your files stay as they are until you publish."),
    h("div", { class: "ideas" }, ideas(s).map((t) => button(t, () => ui.compose(t), { class: "idea" })))));

  return h("section", { class: "chat", "aria-label": "Conversation with the model" }, h("h2", { class: "hide" }, "Conversation"), log,
    h("div", { class: "below" }, cardsView(store, talk, work, ui), progressView(store, work), composer(store, talk, work, ui)));
}

function ideas(s) {
  const kinds = new Set((s.files ?? []).map((f) => f.file_kind));
  const out = ["What is in this folder?"];
  if (kinds.has("xlsx")) out.push("Check the workbooks for errors in formulas and totals");
  if (kinds.has("docx")) out.push("Proofread the documents and correct mistakes");
  if (kinds.has("pptx")) out.push("Shorten the text on the slides");
  return out;
}

/** @param {Work} work @param {UI} ui @param {Store} store */
function makeEntry(e, work, ui, store) {
  const make = { user: userEntry, answer: answerEntry, call: callEntry, note: noteEntry }[e.kind];
  const node = make(e, work, ui, store);
  node.dataset.id = e.id;
  const update = node.update;
  let rev = e.rev;
  node.update = (now) => {
    if (now.rev !== rev) update?.(now);
    rev = now.rev;
  };
  return node;
}

/** @param {Work} work @param {UI} ui @param {Store} store */
function userEntry(e, work, ui, store) {
  const text = h("div", { class: "said", dir: "auto" }, e.text);
  const files = attachedList(e.attachments, work);
  const waits = h("p", { class: "sub" });
  const free = (act) => () => (store.state.running ? ui.toast("Stop the run first.") : act());
  const node = h("article", { class: "entry user", "aria-label": "You" }, text, files, waits,
    h("div", { class: "actions" },
      button("Edit", free(() => ui.edit(e)), { class: "quiet", title: "Take the conversation and the draft back to before this message, and change it" }),
      button("Undo from here", free(() => work.undo(e.id, true)), { class: "quiet", title: "Take the conversation and the draft back to before this message" })));
  node.update = (now) => { waits.textContent = now.waits ? `Is read ${now.waits}` : ""; waits.hidden = !now.waits; };
  node.update(e);
  return node;
}

/** @param {Work} work @param {UI} ui @param {Store} store */
function answerEntry(e, work, ui, store) {
  const body = h("div", { class: "prose" });
  const state = h("p", { class: "sub" });
  let drawn = [], latest = e;
  const actions = h("div", { class: "actions" },
    button("Copy", () => navigator.clipboard?.writeText(latest.text).then(() => ui.toast("Copied.")), { class: "quiet" }),
    button("Answer again", () => (store.state.running ? ui.toast("Stop the run first.") : work.regenerate(e.id)), { class: "quiet", title: "Take the draft back to before this answer, and have it made again" }));
  const node = h("article", { class: "entry answer", "aria-label": "Atelier" }, body, state, actions);
  node.update = (now) => {
    latest = now;
    const blocks = blocksOf(now.text);
    let same = 0;
    while (same < blocks.length && blocks[same] === drawn[same]) same++;
    while (body.childNodes.length > same) body.lastChild?.remove();
    for (const b of blocks.slice(same)) body.append(renderBlock(b));
    drawn = blocks;
    actions.hidden = now.state === "streams";
    state.textContent = now.state === "cut" ? "This answer was cut off." : "";
    state.hidden = now.state !== "cut";
  };
  node.update(e);
  return node;
}

const CALL_STATES = { works: ["·", "works"], done: ["✓", "done"], failed: ["✕", "failed"], cut: ["–", "was cut off"] };

/** @param {Work} work */
function callEntry(e, work) {
  const sign = h("span", { class: "sign", "aria-hidden": "true" });
  const word = h("span", { class: "hide" });
  const where = h("bdi", { class: "where" });
  const took = h("span", { class: "sub" });
  const body = h("div", { class: "callbody" });
  let latest = e;
  const fill = () => {
    if (!node.open) return;
    put(body, h("p", { class: "label" }, "Arguments"), h("pre", { tabindex: "0" }, latest.args === undefined ? "…" : pretty(latest.args)),
      latest.state === "works" ? h("p", { class: "sub" }, "It has no result yet.")
        : [h("p", { class: "label" }, "Result"), h("pre", { tabindex: "0", dir: "auto" }, latest.result === undefined ? "…" : clip(latest.result))]);
  };
  const node = h("details", { class: "entry call", on: { toggle: () => {
    fill();
    if (node.open && (latest.args === undefined || latest.result === undefined && latest.state !== "works")) work.details().catch(() => {});
  } } }, h("summary", null, sign, word, h("code", null, e.name), " ", where, " ", took), body);
  node.update = (now) => {
    latest = now;
    const [mark, name] = CALL_STATES[now.state];
    sign.textContent = mark;
    word.textContent = ` ${name}: `;
    node.className = `entry call ${now.state}`;
    const paths = now.changed?.length ? now.changed : now.paths ?? [];
    where.textContent = paths.length > 2 ? `${paths.slice(0, 2).join(", ")} and ${paths.length - 2} more` : paths.join(", ");
    took.textContent = now.took > 1000 ? `${(now.took / 1000).toFixed(1)} s` : "";
    fill();
  };
  node.update(e);
  return node;
}

function pretty(args) {
  try { return clip(JSON.stringify(JSON.parse(args), null, 2)); } catch { return clip(args); }
}

const SHOWN = 20_000; // characters of an argument or a result
const clip = (text) => (text.length > SHOWN ? `${text.slice(0, SHOWN)}\n… (${text.length - SHOWN} more characters)` : text);

/** @param {Work} work @param {UI} ui @param {Store} store */
function noteEntry(e, work, ui, store) {
  const undo = e.step ? button("Undo from here", () => (store.state.running ? ui.toast("Stop the run first.") : work.undo(e.id, true)), { class: "quiet", title: "Take the conversation and the draft back to before this" }) : null;
  return h("div", { class: e.warn ? "entry note warn" : "entry note" }, h("bdi", null, e.text), undo);
}

// progressView says what the page waits for.
/** @param {Store} store @param {Work} work */
function progressView(store, work) {
  const text = h("span", null);
  const stop = button("Stop", () => work.stop(), { class: "stop", id: "stop" });
  const el = h("div", { class: "progress" }, h("span", { class: "dots", "aria-hidden": "true" }), text, stop);
  let since = 0, timer = 0;
  const says = () => {
    const s = store.state, sec = Math.round((Date.now() - since) / 1000);
    text.textContent = s.waiting || (s.questions.length ? "Waits for your answer" : `${s.phase ? `${s.phase} · ` : ""}${s.activity === "run" || s.mine ? "The model works" : `In progress: ${s.activity}`}${sec > 1 ? ` · ${sec} s` : ""}`);
  };
  let queued = false;
  store.watch(["running", "queued", "activity", "waiting", "questions", "phase", "mine"], (s) => {
    el.hidden = !s.running && !s.activity;
    if (queued && !s.queued && since) since = Date.now(); // the wait is no work of the model
    queued = s.queued;
    if (!el.hidden && !since) { since = Date.now(); timer = setInterval(says, 1000); }
    if (el.hidden && since) { since = 0; clearInterval(timer); }
    if (!el.hidden) says();
  });
  return el;
}

/** @param {Store} store @param {Talk} talk @param {Work} work @param {UI} ui */
function composer(store, talk, work, ui) {
  const text = h("textarea", { id: "composer", rows: "1", "aria-label": "Your message", dir: "auto" });
  const later = h("input", { type: "checkbox", id: "later" });
  const laterRow = h("label", { class: "later", htmlFor: "later" }, later, " after the answer");
  const send = h("button", { type: "submit", class: "primary" }, "Send");
  const grow = () => { text.style.height = "auto"; text.style.height = `${Math.min(text.scrollHeight + 2, 240)}px`; };
  const hint = h("span", { class: "sub keys" }, h("kbd", null, "Enter"), " sends, ", h("kbd", null, "Shift Enter"), " a new line");
  const files = attaching(store, work, ui);
  let sending = false, lost = /** @type {{ message: string, typed: string, after: any } | null} */ (null);
  const lastSaid = () => talk.entries.findLast((e) => e.kind === "user");
  const empty = () => { text.value = ""; later.checked = false; grow(); };
  /** Takes away a message that was stored although the answer was lost with the connection. */
  function wasStored() {
    const e = lastSaid();
    if (!lost || sending || !e || e.id === lost.after || e.text !== lost.message) return false;
    if (text.value.trim() === lost.typed.trim()) empty();
    files.clear();
    lost = null;
    return true;
  }
  const form = h("form", { class: "composer", on: { submit: async (ev) => {
    ev.preventDefault();
    const message = text.value.trim() || (files.some ? "See the attached files." : "");
    if (!message || sending || wasStored()) return;
    if (store.state.queued) return ui.toast("The run waits for its turn. It takes messages when it has begun.");
    if (!store.state.modelReady) return ui.models();
    if (files.some && store.state.running) return files.tell("Files can be sent when the run has ended. Remove them to tell the run something now.");
    sending = true;
    const typed = text.value;
    lost = { message, typed, after: lastSaid()?.id };
    try {
      const send = (attachments) => work.send(message, later.checked ? "after" : "now", attachments);
      if (await work.attempt("Sending", () => (files.some ? files.give(send) : send()))) {
        empty();
        lost = null;
      }
    } finally {
      sending = false;
    }
  } } }, files.tray, files.problem, text, h("div", { class: "sendrow" }, files.choose, laterRow, hint, send));
  text.addEventListener("paste", files.paste);
  text.addEventListener("input", grow);
  text.addEventListener("keydown", (ev) => {
    if (ev.key === "Enter" && !ev.shiftKey && !ev.isComposing) {
      ev.preventDefault();
      form.requestSubmit();
    } else if (ev.key === "Escape" && store.state.running) {
      document.getElementById("stop")?.focus(); // one more key stops
    } else if (ev.key === "ArrowUp" && !text.value && !store.state.running) {
      const last = talk.entries.findLast((e) => e.kind === "user");
      if (last) { ev.preventDefault(); ui.edit(last); }
    }
  });
  store.watch(["entries"], wasStored);
  store.watch(["connection"], () => setTimeout(() => { // when what was missed has come
    if (!lost || sending || store.state.connection !== "open" || wasStored()) return;
    lost = null;
    const other = store.state.trouble;
    const what = other?.error instanceof UnknownError ? `${other.what}, Sending` : "Sending";
    store.set({ trouble: { what, error: new UnknownError("Your message is still in its field: send it again. All else that you see is up to date.") } });
  }, 2000));
  ui.compose = (t) => { text.value = t; text.focus(); grow(); };
  ui.edit = async (e) => {
    const words = e.text;
    if (!(await work.undo(e.id, true))) return;
    ui.compose(words);
    if (e.attachments?.length) files.tell("The files of that message are out of the draft: attach them again.");
  };
  store.watch(["running", "queued", "connection", "model"], (s) => {
    laterRow.hidden = !s.running || s.queued;
    hint.hidden = s.running;
    text.placeholder = s.queued ? "The run takes messages when it has begun" : s.running ? "Say something to the run" : "Ask a question, or say what to change";
    send.textContent = s.running ? "Tell it" : "Send";
    send.disabled = s.connection !== "open" || s.queued;
  });
  return form;
}
