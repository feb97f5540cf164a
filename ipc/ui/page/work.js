// What the page does: it calls methods, follows notifications and keeps the state.

import { soon, say } from "./dom.js";
import { CallError, LostError, UnknownError } from "./errors.js";
import { STEPS } from "./talk.js";

/** @param {number} ahead */
const turnText = (ahead) => `Waits, since the server is busy: ${ahead ? `${ahead === 1 ? "1 run is" : `${ahead} runs are`} ahead.` : "it is the next."}`;

/** Makes the controller of the page's one folder. @param {Store} store @param {Talk} talk @param {Wire} wire */
export function makeWork(store, talk, wire) {
  const s = store.state;
  let sending = false, stale = false, position = /** @type {number | null | undefined} */ (null);
  let buffer = /** @type {[string, any][] | null} */ (null); // notifications that came while everything is read
  const unanswered = new Set(); // what a person asked for, and whose answer was lost
  const listeners = new Set(); // of all notifications: views that keep nothing in the store

  const call = /** @type {WorkCall} */ ((method, params) => wire.call(method, /** @type {any} */ ({ workbench_id: s.workbench, ...params })));
  const entriesChanged = soon(() => store.touch("entries"), 80); // a text that streams is drawn 12 times a second
  /** Runs something that a person asked for; an error becomes the card above the composer. */
  async function attempt(what, act) {
    try {
      return await act();
    } catch (e) {
      if (e instanceof LostError) return lost(what);
      store.set({ trouble: { error: e, what } });
      say(`${what} failed: ${e.message}`);
    }
  }

  /** Notes that the answer to what a person asked for was lost, to be told when the page is connected again. @param {string} what */
  function lost(what) {
    if (what !== "Sending") unanswered.add(what); // the composer keeps the message until it is stored
  }

  function tellLost() {
    if (!unanswered.size) return;
    const what = [...unanswered].join(", ");
    unanswered.clear();
    const error = new UnknownError();
    store.set({ trouble: { error, what } });
    say(`${what}: ${error.message}`);
  }

  // ---- following the program

  async function refreshState() {
    const st = await call("WorkshopGetState");
    const was = s.running, waited = s.queued;
    const { ahead } = st;
    const queued = typeof ahead === "number"; // its run waits, and nothing is in progress
    store.set({ running: st.running, queued, activity: queued ? "" : st.activity ?? "", model: st.active_model_id, mode: st.mode, unfinished: st.unfinished ?? null, abandoned: st.abandoned ?? null, hasDraft: st.has_draft });
    if (queued || waited) store.set({ waiting: queued ? turnText(ahead) : "" });
    if (was && !st.running && !s.mine) await reload(); // it was begun by another page, or over a connection that was lost
    return st;
  }

  async function reload() {
    stale = false;
    const { messages } = await call("WorkshopGetConversation");
    talk.load(messages);
    store.set({ questions: s.running ? s.questions : [], waiting: s.queued ? s.waiting : "" });
    entriesChanged();
    refreshMore();
  }

  /** Reads everything of the folder. */
  async function load() {
    buffer = [];
    const st = await refreshState();
    const r = await call("EventsResume", st.running && !s.queued ? { position: st.run_position ?? 0 } : {}); // a run that waits has told nothing
    const { messages } = await call("WorkshopGetConversation");
    talk.load(messages);
    position = r.position;
    store.set({ questions: [], waiting: s.queued ? s.waiting : "", trouble: null, loaded: true });
    const missed = buffer;
    buffer = null;
    for (const [method, params] of missed) apply(method, params);
    if (s.queued) await refreshState(); // it may have begun before its notifications came here
    entriesChanged();
    refreshMore();
    refreshFiles();
    refreshHistory();
  }

  /** Goes on after a lost connection; again says that another process answers. */
  async function resume(again) {
    await follow(again);
    tellLost();
  }

  async function follow(again) {
    if (position === null) return load();
    const before = s.running;
    const r = await call("EventsResume", { position });
    if (!r.resumed) position = r.position;
    const mine = s.mine;
    store.set({ mine: false });
    await refreshState();
    if (again || !r.resumed) {
      await load();
      if (before && !s.running) {
        talk.note(again ? (s.placed ? "The server ended while it worked. What was finished is kept." : "The program ended while it worked, and was started again. What was finished is kept.") : "The run has ended while this page was not connected.", true);
        entriesChanged();
      }
      return;
    }
    if (mine && before && !s.running) await reload();
  }

  const refreshChanges = soon(async () => {
    try {
      const r = await call("ReviewGetChangeSet");
      store.set({ changes: r.changes ?? [] });
    } catch (e) {
      if (!(e instanceof LostError)) store.set({ changesError: e.message });
    }
  });
  const refreshFiles = soon(() => call("WorkbenchFilesList").then((r) => store.set({ files: r.files ?? [] })).catch(() => {}));
  const refreshHistory = soon(() => call("HistoryList").then((r) => store.set({ history: r })).catch(() => {}));
  const refreshMore = soon(() => {
    refreshChanges();
    call("WorkbenchGetUsage", { limit: 1 }).then((r) => store.set({ usage: r.totals })).catch(() => {});
    call("WorkbenchGetClutter").then((fill) => store.set({ fill })).catch(() => {});
  });

  const notes = /** @satisfies {NoteHandlers} */ ({
    WorkshopAssistantStreamDelta: (p) => talk.delta(p),
    WorkshopAssistantMessageComplete: (p) => {
      talk.settle();
      if (p.finish_reason) talk.note(`The answer ended early (${p.finish_reason}).`, true);
      say("The answer is complete.");
    },
    WorkshopToolExecuting: (p) => talk.callBegins(p),
    WorkshopToolComplete: (p) => {
      talk.callEnds(p);
      const path = p.changed?.[0]?.path ?? p.path;
      if (path && p.success) store.set({ lately: path });
      if (!p.unchanged) { refreshChanges(); refreshFiles(); store.touch("draft"); }
    },
    WorkshopQuestionPending: (p) => {
      store.set({ questions: [...s.questions.filter((q) => q.question_id !== p.question_id), p] });
      say("A question waits for you.");
    },
    WorkshopQuestionAnswered: (p) => store.set({ questions: s.questions.filter((q) => q.question_id !== p.question_id) }),
    WorkshopSteerQueued: (p) => talk.user(p.message_id, p.text, { waits: p.when === "after" ? "after the answer" : "at the next step" }),
    WorkshopSteerTaken: (p) => talk.taken(p.message_id),
    WorkshopUsage: (p) => store.set({ runUsage: p.run }),
    WorkbenchClutterChanged: (p) => store.set({ fill: p }),
    WorkshopRateLimitWarning: (p) => store.set({ waiting: `The endpoint asks to wait ${Math.ceil(p.wait_ms / 1000)} s (attempt ${p.retry_attempt} of ${p.retry_max}).` }),
    WorkshopRunQueued: (p) => {
      if (p.over === undefined) return store.set({ running: true, queued: true, waiting: turnText(p.ahead) });
      store.set({ queued: false });
      if (!s.mine) ended().then(() => { talk.note(p.over, true); entriesChanged(); });
    },
    WorkshopRunCancelRequested: () => store.set({ waiting: "Stopping …" }),
    WorkshopPhaseStarted: (p) => store.set({ phase: p.phase }),
    WorkshopImplementProgress: (p) => store.set({ phase: `${p.current_item} of ${p.total_items}: ${p.item_label}` }),
    WorkshopAgentLoopWarning: (p) => talk.note(`The model repeats ${p.tool_name} without progress.`, true),
    WorkshopContextCompacted: (p) => talk.note(`Older parts of the conversation were shortened for the model (${p.tokens_were} → ${p.tokens_are} tokens). The record keeps them.`),
    WorkshopContextCut: (p) => talk.note(`The endpoint left out a part of the request. ${p.hint ?? ""}`, true),
    WorkshopToolsReduced: () => talk.note("The model's window is small: it gets its tools in short descriptions."),
    WorkshopToolServers: (p) => {
      store.set({ waiting: p.waiting ? "Waits for programs with tools to start …" : "" });
      if (!p.waiting) for (const sv of p.servers ?? []) talk.note(`The tools of ${sv.server} cannot be used: ${sv.reason}`, true);
    },
    WorkshopModeChanged: (p) => store.set({ mode: p.mode }),
    WorkshopRegenerateStarted: (p) => talk.cutAfter(p.target_message_id),
    DraftStateChanged: (p) => { store.set({ hasDraft: p.has_draft }); refreshChanges(); refreshFiles(); store.touch("draft"); },
    WorkbenchFilesChanged: () => { refreshFiles(); refreshChanges(); refreshHistory(); store.touch("draft"); },
    WorkbenchActivityBegan: (p) => { if (p.running) store.set({ running: true, queued: false, activity: p.activity, waiting: "" }); },
    WorkbenchActivityEnded: (p) => { if (p.running) ended(p.error); },
    WorkshopConversationChanged: (p) => {
      if (p.change === "message" && (sending || talk.get(p.message_id))) return;
      if (s.running) stale = true; // read when the run has ended
      else rereads();
    },
    CheckpointCreated: () => refreshHistory(),
    CheckpointRestored: () => { refreshHistory(); refreshChanges(); },
  });
  const rereads = soon(() => { if (s.connection === "open") reload().catch(() => {}); });

  // ended follows the end of what this page does not wait for: its own runs answer run.
  async function ended(error) {
    store.set({ activity: "" });
    if (s.mine) return;
    store.set({ running: false, waiting: "", phase: "", questions: [] });
    talk.settle(error ? "cut" : "stored");
    if (error && error.error_code !== "USER_CANCELED") store.set({ trouble: { error: new CallError({ code: 0, message: error.error_code, data: error }), what: "The run" } });
    if (error) say("The run ended: " + (error.detail ?? error.error_code));
    await refreshState().catch(() => {});
    await reload().catch(() => {});
  }

  const ofRuns = new Set(["WorkshopAssistantStreamDelta", "WorkshopToolExecuting", "WorkshopQuestionPending"]);

  function apply(method, params) {
    if (params.position) position = params.position;
    for (const f of listeners) f(method, params);
    if (!notes[method]) return;
    if (s.waiting && ofRuns.has(method)) store.set({ waiting: "" });
    notes[method](params);
    entriesChanged();
  }

  function note(method, params) {
    if (!params.workbench_id) { for (const f of listeners) f(method, params); return; } // of no folder
    if (params.workbench_id !== s.workbench) return;
    if (buffer) buffer.push([method, params]);
    else apply(method, params);
  }

  // ---- what a person asks for

  async function run(method, params) {
    store.set({ running: true, mine: true, trouble: null, phase: "", runUsage: null });
    let failed = /** @type {any} */ (null);
    try {
      const done = /** @type {any} */ (await call(method, params));
      for (const n of done.notes ?? []) talk.note(n, true);
    } catch (e) {
      failed = e;
    }
    if (failed instanceof LostError) return; // resume sees what was done
    talk.settle(failed ? "cut" : "stored");
    store.set({ running: false, queued: false, mine: false, waiting: "", phase: "", questions: [] });
    if (failed && failed.errorCode !== "USER_CANCELED") {
      store.set({ trouble: { error: failed, what: "The run", messageID: params.message_id } });
      say("The run ended: " + failed.message);
    }
    entriesChanged();
    await refreshState().catch(() => {});
    if (failed || stale) await reload().catch(() => {});
    else refreshMore();
    if (failed?.errorCode === "USER_CANCELED") {
      talk.note("Stopped. What was finished is kept.");
      say("Stopped.");
      entriesChanged();
    }
  }

  async function send(text, when, attachments) {
    if (s.running) {
      try {
        await call("WorkshopSteerRun", { text, when: when ?? "now" });
        return true;
      } catch (e) {
        if (!(e instanceof CallError) || !/no run is in progress/.test(e.message)) throw e;
      }
    }
    let message_id, files;
    sending = true;
    try {
      ({ message_id, attachments: files } = await call("WorkshopSendUserMessage", { text, attachments }));
      talk.user(message_id, text, { at: new Date().toISOString(), attachments: files ?? [] });
    } finally {
      sending = false;
    }
    if (files) { refreshChanges(); refreshFiles(); }
    store.set({ undone: "" });
    entriesChanged();
    run("WorkshopRunAgent", { message_id });
    return true;
  }

  const undoable = (m) => m.type === "user_message" || m.type === "assistant_message" || m.type === "system_event" && STEPS.includes(m.event_kind ?? "");

  /** Undoes to a message, or to before it; with last only if nothing came after it. */
  async function undo(id, before, last = false) {
    const r = await attempt("Undo", async () => {
      const { messages } = await call("WorkshopGetConversation");
      const back = (messages ?? []).findLast(undoable)?.message_id;
      if (last && back !== id) throw new Error("More happened since then. Undo it in the conversation, where it is listed.");
      const done = await call("WorkshopUndoToMessage", { message_id: id, before });
      return { ...done, back };
    });
    if (!r) return false;
    store.set({ undone: r.back, trouble: null });
    await reload();
    for (const n of r.notes ?? []) talk.note(n);
    if (r.published_files.length) talk.note(`Published files were taken back too: ${r.published_files.join(", ")}`, true);
    entriesChanged();
    refreshState().catch(() => {});
    refreshHistory();
    return true;
  }

  /** Brings back what the last undo took. */
  async function redo() {
    const to = s.undone;
    store.set({ undone: "" });
    await attempt("Bringing it back", () => call("WorkshopUndoToMessage", { message_id: to }));
    await reload();
    refreshState().catch(() => {});
  }

  return {
    /** Calls f with each notification of the folder, until what it returns is called. */
    listen(f) { listeners.add(f); return () => listeners.delete(f); },
    call, attempt, lost, note, load, resume, send, undo, redo, refreshState, refreshChanges, refreshFiles, refreshHistory, refreshMore, reload,
    run: (messageID, more = {}) => run("WorkshopRunAgent", { message_id: messageID, ...more }),
    regenerate: (messageID) => run("WorkshopRegenerate", { message_id: messageID }),
    stop: () => attempt("Stopping", () => call("WorkshopCancelRun")),
    async answer(question, answers) {
      const r = await attempt("Your answer", () => call("WorkshopAnswerQuestion", { question_id: question.question_id, answers }));
      if (r || s.trouble?.error.errorCode === "NOT_FOUND") store.set({ questions: s.questions.filter((q) => q !== question) });
    },
    /** Whether the draft is known to change a file, or may since the list of changes was read. */
    changed: (path) => s.hasDraft || s.changes.some((c) => c.path === path),
    /** Fetches arguments and result of calls that only notifications told of. */
    async details() {
      const { messages } = await call("WorkshopGetConversation");
      talk.fill(messages);
      entriesChanged();
    },
  };
}
