// Settings: programs whose tools models may call, what they may do, and sign-in.

import { h, put } from "./dom.js";
import { acting, filled, result } from "./forms.js";
import { visible } from "./diff.js";
import { addServer } from "./settings_serveradd.js";
import { count } from "./text.js";

const STATES = { off: "switched off", invalid: "cannot be used", hidden: "not used: yours of that name goes before it", needs_approval: "new: not started until you approve it", changed: "changed since you approved it: not started",
  declined: "declined", idle: "starts when it is needed", starting: "is starting …", ready: "running", needs_sign_in: "wants you to sign in", failed: "does not work" };
const BAD = new Set(["invalid", "needs_approval", "changed", "needs_sign_in", "failed"]);
const UNDECIDED = new Set(["needs_approval", "changed"]);

export function serversSection(at) {
  const { work } = at;
  const box = h("div", { class: "servers" });
  const load = () => filled(box, async () => {
    const { servers, problems } = await work.call("ToolServersList");
    return [problems.map((p) => h("p", { class: "problem" }, h("bdi", null, p.file), p.line ? ` line ${p.line}` : "", ": ", p.what)),
      servers.length ? servers.map((s) => card(s, at, load)) : h("p", { class: "note" }, "There are none. A program of the Model Context Protocol brings tools of its service, such as a calendar, a database or an issue tracker.")];
  });
  let wait = 0;
  const stop = work.listen((method) => {
    if (method !== "ToolServersChanged") return;
    if (!box.isConnected) return stop();
    if (box.querySelector(".toollist details[open]")) return; // what is being read stays
    clearTimeout(wait);
    wait = setTimeout(load, 300);
  });
  load();
  return [h("p", { class: "sub" }, "Tools of other programs, beside those for documents. What they do is not in the draft and cannot be taken back, so calls that do not only read ask you first. What a model sends a program can leave this machine."),
    box, addServer(at, load)];
}

/** One program: what it is, how it is, and what can be done about it. */
function card(s, at, load) {
  const { work, wire, ui } = at;
  const says = result(), tools = h("div");
  const own = s.source === "user";
  const named = (label) => ({ "aria-label": `${label} ${s.name}` });
  const act = (label, f, variant = "") => acting(label, says, async () => { await f(); load(); }, { class: variant, ...named(label) });
  const decide = (label, decision, variant) => act(label, () => work.call("ToolServersDecide", { name: s.name, decision, hash: decision === "forget" ? undefined : s.hash }), variant);
  const folder = s.source === "folder" && s.state !== "hidden" && s.state !== "invalid";
  const usable = !BAD.has(s.state) && !["off", "hidden", "declined"].includes(s.state) || s.state === "failed";
  return h("section", { class: "card server", "aria-label": s.name },
    h("h4", null, h("bdi", null, s.name), h("span", { class: "sub" }, own ? " yours, in every folder" : " of this folder")),
    h("p", { class: BAD.has(s.state) ? "warn-text" : "sub" }, (s.state in STATES ? STATES[s.state] : s.state), s.title ? [" · ", h("bdi", null, s.title), " ", s.version] : ""),
    s.why ? h("p", { class: "problem", dir: "auto" }, s.why) : null, what(s), s.notes.map((n) => h("p", { class: "sub", dir: "auto" }, n)),
    s.entry ? h("details", { open: UNDECIDED.has(s.state) }, h("summary", null, "The whole entry"), h("pre", { tabindex: "0", dir: "ltr", "aria-label": `Entry of ${s.name}` }, visible(indented(s.entry)))) : null,
    usable ? allowedBox(s, at, says) : null,
    h("div", { class: "choices" },
      folder && s.state !== "idle" && UNDECIDED.has(s.state) ? [decide("Approve", "approve", "primary"), decide("Decline", "decline")] : null,
      folder && !UNDECIDED.has(s.state) ? decide("Forget the decision on", "forget") : null,
      s.state === "needs_sign_in" || s.signed_in ? signing(s, at, says, load) : null,
      usable ? acting("Show the tools", says, () => showTools(s, at, tools), named("Show the tools of")) : null,
      own ? act(s.state === "off" ? "Switch on" : "Switch off", () => wire.call("ToolServersEnable", { name: s.name, enabled: s.state === "off" })) : null,
      own ? acting("Remove", says, async () => {
        if (!(await ui.confirm(`Remove ${s.name}?`, "Its entry and its sign-in are forgotten. The program itself stays on this machine.", "Remove"))) return "";
        await wire.call("ToolServersRemove", { name: s.name });
        load();
      }, { class: "danger", ...named("Remove") }) : null), says, tools);
}

/** What would be started or asked: all that a person decides about. */
function what(s) {
  const names = (label, list) => (list.length ? h("p", { class: "sub" }, label, ": ", list.map((n, i) => [i ? ", " : "", h("code", null, n)])) : null);
  return [s.kind === "http" ? h("p", null, "At ", h("code", { dir: "ltr" }, s.url)) : h("p", null, "Starts ", h("code", { dir: "ltr" }, (s.command ?? []).join(" "))),
    s.cwd ? h("p", { class: "sub" }, "In ", h("bdi", null, s.cwd)) : null, names("Variables", s.env), names("Headers", s.headers), s.roots ? h("p", { class: "sub" }, "It is told where this folder is.") : null];
}

/** Whether what models send from this folder goes there without asking. */
function allowedBox(s, { work }, says) {
  const on = h("input", { type: "checkbox", checked: s.allowed, on: { change: async () => {
    try {
      await work.call("ToolServersAllow", { name: s.name, allowed: on.checked });
      says.tell(on.checked ? "Saved: models may send it what they need from this folder." : "Saved: you are asked before something is sent to it.");
    } catch (e) {
      on.checked = !on.checked;
      says.tell(e.message, true);
    }
  } } });
  return h("label", { class: "box" }, on, " models may send it what they need, from this folder, without asking");
}

function signing(s, { work }, says, load) {
  if (s.signed_in && s.state !== "needs_sign_in") return acting("Sign out", says, async () => { await work.call("ToolServersSignOut", { name: s.name }); load(); }, { "aria-label": `Sign out of ${s.name}` });
  const where = h("p", { role: "status" });
  return [acting("Sign in", says, async () => {
    const stop = work.listen((method, p) => {
      if (method === "ToolServersSignInAddress" && p.name === s.name) put(where, h("a", { href: safeAddress(p.address), target: "_blank", rel: "noopener noreferrer" }, "Open the sign-in page"), " and come back here; this waits for it.");
    });
    try {
      await work.call("ToolServersSignIn", { name: s.name });
    } finally {
      stop();
      put(where);
    }
    load();
  }, { class: "primary", "aria-label": `Sign in to ${s.name}` }), where];
}

function indented(json) {
  try {
    return JSON.stringify(JSON.parse(json), null, 1);
  } catch {
    return json;
  }
}

// A server names the address: only pages of the web are opened.
const safeAddress = (a) => (/^https?:\/\//.test(a) ? a : "about:blank");

async function showTools(s, { work }, box) {
  put(box);
  const { tools, server } = await work.call("ToolServersTest", { name: s.name });
  put(box, server.notes.map((n) => h("p", { class: "sub", dir: "auto" }, n)), h("ul", { class: "toollist", "aria-label": `Tools of ${s.name}` }, tools.map((t) => h("li", null, h("details", null,
    h("summary", null, h("code", null, t.tool), " ", h("span", { class: `kind ${t.read_only ? "" : t.destructive ? "bad" : "warn"}` }, t.read_only ? "only reads" : t.destructive ? "asks first; may delete or replace" : "asks first")),
    h("p", { dir: "auto" }, t.description || "It says nothing of itself."), t.notes.map((n) => h("p", { class: "sub" }, n)),
    h("pre", { tabindex: "0", "aria-label": `Arguments of ${t.tool}` }, JSON.stringify(t.input_schema, null, 1)))))));
  return `It works: ${count(tools.length, "tool")}.`;
}
