// The conversation as the page shows it: a list of entries, made from the stored
// records and from the notifications of a run. Both name messages and calls by
// id, so what comes twice is shown once.
//
// Entries: {kind: "user", id, text, attachments, waits}
//          {kind: "answer", id, text, state: "streams" | "stored" | "cut"}
//          {kind: "call", id, name, paths, args, result, state: "works" | "done" | "failed" | "cut", changed, at}
//          {kind: "note", id, text, warn, step}: a step can be undone by its id
// Each has rev, which is another one after each change.

import { count } from "./text.js";

/** The events that are undone like a message. */
export const STEPS = ["restore", "reject", "discard", "guest"];

/** Makes an empty conversation. */
export function makeTalk() {
  let entries = [], byID = new Map(), stored = new Set(), notes = 0, revisions = 0;

  function add(e) {
    e.rev = ++revisions; // never one that an entry of this id had before the records were read again
    entries.push(e);
    byID.set(e.id, e);
    return e;
  }

  function change(e, what) {
    Object.assign(e, what);
    e.rev = ++revisions;
  }

  /** Replaces everything by the stored records. Text that only this page has is kept as cut off. @param {Records | null} records */
  function load(records) {
    const old = entries;
    entries = [];
    byID = new Map();
    stored = new Set();
    for (const r of records ?? []) record(r);
    keep(old);
    for (const e of entries) if (e.kind === "call" && e.state === "works") change(e, { state: "cut" });
  }

  // keep puts text that was cut off, which only this page has, back to where it was, if
  // the message that it answered is still there.
  function keep(old) {
    let before = null, message = null;
    for (const e of old) {
      if (e.kind === "user") message = byID.get(e.id) ?? null;
      if (byID.has(e.id)) before = e.id;
      else if (e.kind === "answer" && e.state !== "stored" && e.text && message) {
        const kept = add({ ...e, state: "cut" });
        entries.pop();
        entries.splice(entries.findIndex((x) => x.id === before) + 1, 0, kept);
        before = kept.id;
      }
    }
  }

  /** @param {Records[number]} r */
  function record(r) {
    stored.add(r.message_id);
    if (r.type === "user_message") {
      add({ kind: "user", id: r.message_id, text: r.text ?? "", attachments: r.metadata?.attachments ?? [], at: r.created_at });
    } else if (r.type === "assistant_message") {
      if (r.text) add({ kind: "answer", id: r.message_id, text: r.text, state: r.metadata?.interrupted ? "cut" : "stored", at: r.created_at });
      for (const c of r.tool_calls ?? []) {
        add({ kind: "call", id: c.id, name: c.function.name, args: c.function.arguments, paths: pathsIn(c.function.arguments), state: "works", at: r.created_at });
      }
    } else if (r.type === "tool_result") {
      const call = byID.get(r.tool_call_id);
      if (call) change(call, { result: r.content, state: r.success === false ? "failed" : "done" });
    } else if (r.type === "system_event") {
      const text = eventText(r);
      if (text) add({ kind: "note", id: r.message_id, text, step: STEPS.includes(r.event_kind ?? "") });
    }
  }

  /** A message of the person, as it is sent. */
  function user(id, text, what = {}) {
    const e = byID.get(id);
    if (!e) return add({ kind: "user", id, text, attachments: [], ...what });
    change(e, what);
    return e;
  }

  /** @param {NoteOf<"WorkshopAssistantStreamDelta">} p */
  function delta({ message_id: id, token_delta: text }) {
    if (stored.has(id)) return;
    const e = byID.get(id) ?? add({ kind: "answer", id, text: "", state: "streams" });
    change(e, { text: e.text + text, state: "streams" });
  }

  /** The texts that stream are whole. */
  function settle(state = "stored") {
    for (const e of entries.slice(-50)) {
      if (e.kind === "answer" && e.state === "streams") change(e, { state });
      if (e.kind === "call" && e.state === "works" && state === "cut") change(e, { state });
    }
  }

  /** @param {NoteOf<"WorkshopToolExecuting">} p */
  function callBegins(p) {
    settle();
    const e = byID.get(p.tool_call_id);
    if (e) {
      if (e.state === "cut" && e.result === undefined) change(e, { state: "works" }); // its record was read before this
      return;
    }
    add({ kind: "call", id: p.tool_call_id, name: p.tool_name, paths: p.paths ?? (p.path ? [p.path] : []), state: "works", begun: Date.now() });
  }

  /** @param {NoteOf<"WorkshopToolComplete">} p */
  function callEnds(p) {
    const e = byID.get(p.tool_call_id);
    if (!e) return;
    change(e, { state: p.success ? "done" : "failed", changed: (p.changed ?? []).map((c) => c.path), took: e.begun ? Date.now() - e.begun : 0 });
  }

  function note(text, warn = false) {
    if (entries.at(-1)?.text === text) return;
    add({ kind: "note", id: `note-${++notes}`, text, warn });
  }

  /** Takes back what came after a message. */
  function cutAfter(id) {
    const n = entries.findIndex((e) => e.id === id);
    if (n >= 0) {
      for (const e of entries.slice(n + 1)) byID.delete(e.id);
      entries = entries.slice(0, n + 1);
    }
  }

  /** Puts a message that waited where it was taken. */
  function taken(id) {
    const e = byID.get(id);
    if (!e) return;
    entries = [...entries.filter((x) => x !== e), e];
    change(e, { waits: "" });
  }

  function remove(id) {
    entries = entries.filter((e) => e.id !== id);
    byID.delete(id);
  }

  return {
    load, user, delta, settle, callBegins, callEnds, note, cutAfter, taken, remove,
    get entries() { return entries; },
    get: (id) => byID.get(id),
    /** The last message of the person that the model saw, and whether it was answered. */
    last() {
      const end = entries.findLast((e) => e.kind !== "note" && !e.waits);
      const user = entries.findLast((e) => e.kind === "user" && !e.waits) ?? null;
      return { answered: !user || end.kind === "answer" && end.state === "stored", user };
    },
    /** Fills in what the records know of a call. @param {Records | null} records */
    fill(records) {
      for (const r of records ?? []) {
        for (const c of r.tool_calls ?? []) {
          const e = byID.get(c.id);
          if (e && e.args === undefined) change(e, { args: c.function.arguments });
        }
        const e = r.type === "tool_result" && byID.get(r.tool_call_id);
        if (e && e.result === undefined) change(e, { result: r.content, state: r.success === false ? "failed" : "done" });
      }
    },
  };
}

/** The paths that arguments name, for the line of a call. */
function pathsIn(args) {
  try {
    const a = JSON.parse(args);
    return [a.path, a.target_path, a.to_path].filter((p) => typeof p === "string" && p);
  } catch {
    return [];
  }
}

/** @param {Records[number]} r */
function eventText(r) {
  const m = r.metadata ?? {};
  switch (r.event_kind) {
    case "approval": return `${m.tool ?? "A call"}: ${{ once: "allowed once", run: "allowed for this run", always: "allowed from now on", no: "not allowed" }[m.answer] ?? m.answer ?? "asked"}`;
    case "budget": return "Budget: " + (m.answer ?? r.text ?? "asked");
    case "restore": return `${r.text} was taken back to an earlier version`;
    case "reject": return `You rejected ${count((m.changes ?? []).length, "change")} of ${m.path}${m.places?.length ? `: ${m.places.join(", ")}${m.changes?.length > m.places.length ? " …" : ""}` : ""}`;
    case "discard": return `You discarded ${m.all ? "the draft" : "from the draft"}: ${(m.paths ?? []).join(", ")}${m.files > m.paths?.length ? ` and ${m.files - m.paths.length} more` : ""}`;
    case "guest": return `${m.client || "Another program"} changed ${(m.paths ?? [m.path]).join(", ")} in the draft (${m.tool})`;
    case "mode_change": return m.mode === "plan" ? "Plan mode: only plans are written" : "Build mode: the plan is carried out";
    case "plan_abandoned": return "The plan before was given up";
    default: return "";
  }
}
