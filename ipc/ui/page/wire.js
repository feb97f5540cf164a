// The connection: JSON-RPC 2.0 over one WebSocket, made again when it is lost.
// Nothing is sent to a server that has not proven that it is ours.

import { CallError, LostError } from "./errors.js";
import { chosen, users } from "./signin.js";
import { keepSession, loadSession, newNonce, prove } from "./keys.js";

const ROLE_SERVER = "atelier server", ROLE_PAGE = "atelier page";
const REFUSED = 4401;
const SILENT = 10_000; // ms after which a server is asked whether it is there, and in which it answers
const OPENS = 60_000; // ms in which a server makes a connection: it may have to take the workspace over
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

/**
 * Makes the connection.
 * @param {{state(name: string, why?: string): void, ready(info: any): void, note(method: string, params: any): void}} on
 * @returns {Wire}
 */
export function makeWire(on) {
  let next = 1;
  /** @type {WebSocket | null} */
  let socket = null;
  let workspace = "", moves = false, heard = 0;
  const pending = new Map();

  async function call(method, params = {}) {
    if (socket?.readyState !== WebSocket.OPEN) throw new LostError(); // one that is being closed sends nothing
    const id = next++;
    socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return new Promise((done, fail) => pending.set(id, { done, fail }));
  }

  function receive(text) {
    const m = JSON.parse(text);
    if (m.method) return on.note(m.method, m.params);
    const p = pending.get(m.id);
    pending.delete(m.id);
    if (m.error) p?.fail(new CallError(m.error));
    else p?.done(m.result);
  }

  // enter uses the token of the address, once, and takes it out of the address.
  async function enter() {
    if (users) return { session: { users } }; // the cookie is the session
    const token = location.hash.slice(1);
    if (!/^[0-9a-f]{64}$/.test(token)) return { session: await loadSession() };
    history.replaceState(null, "", location.pathname);
    const r = await fetch("/session", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ token }) });
    if (r.ok) return { session: await keepSession(await r.json()) };
    return { session: await loadSession(), why: await r.text() };
  }

  // hello asks the server for its proof, without the cookie.
  async function hello(s) {
    if (s.plain || s.users) return "ours"; // over plain HTTP from another machine a browser can check nothing
    const nonce = newNonce();
    let r;
    try {
      r = await fetch("/hello", { method: "POST", credentials: "omit", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ session: s.session, nonce }) });
    } catch {
      return "away";
    }
    if (r.status === 401) return "unknown";
    try {
      if (r.ok && (await r.json()).proof === (await prove(s.key, ROLE_SERVER, nonce))) return "ours";
    } catch { /* not an answer of ours */ }
    return "stranger";
  }

  // follow ends a connection whose server answers nothing: one that is paused keeps it.
  function follow(w, over) {
    let asked = 0;
    const begun = (heard = Date.now());
    const timer = setInterval(() => {
      const now = Date.now();
      if (w.readyState > WebSocket.OPEN) return;
      if (heard > asked) asked = 0;
      if (!socket) return now - begun > OPENS && over({});
      if (asked ? now - asked < SILENT : now - heard < SILENT) return;
      if (asked) return over({});
      asked = now;
      call("EngineGetInfo").catch(() => {});
    }, SILENT / 4);
    return () => clearInterval(timer);
  }

  function open(s) {
    return new Promise((ended) => {
      workspace = users ? chosen() : "";
      const at = workspace && `?workspace=${encodeURIComponent(workspace)}`; // where several servers share the workspaces
      const w = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/session/ws${at}`);
      const mine = newNonce();
      let theirs = "", ready = false, unfollow = () => {};
      /** @param {{ code?: number }} ev */
      const over = ({ code }) => {
        unfollow();
        w.onmessage = w.onclose = null;
        w.close();
        socket = null;
        for (const p of pending.values()) p.fail(new LostError());
        pending.clear();
        ended({ ready, refused: code === REFUSED });
      };
      if (users) unfollow = follow(w, over);
      w.onmessage = async ({ data }) => {
        heard = Date.now();
        if (ready) return receive(data);
        const m = JSON.parse(data);
        if (!theirs && !s.users) {
          theirs = m.nonce;
          const proof = s.plain ? "" : await prove(s.key, ROLE_PAGE, theirs, mine);
          w.send(JSON.stringify({ session: s.session, nonce: mine, proof, key: s.plain }));
          return;
        }
        ready = true; // before the check, so that no later message is taken for this one
        if (!s.plain && !s.users && m.proof !== (await prove(s.key, ROLE_SERVER, mine, theirs))) return w.close();
        socket = w;
        on.state("open");
        on.ready(m);
      };
      w.onclose = over;
    });
  }

  async function start() {
    on.state("connecting");
    let session, why;
    for (;;) {
      try {
        ({ session, why } = await enter());
        break;
      } catch {
        on.state("lost", "The program does not answer.");
        await wait(2000);
      }
    }
    if (!session) return on.state("refused", why);
    for (let tries = 0; ; tries++) {
      const who = await hello(session);
      if (who === "unknown") return on.state("refused", why);
      if (who === "stranger") on.state("stranger");
      else if (who === "away") on.state("lost");
      else {
        const { ready, refused } = await open(session);
        if (refused) return on.state(users ? "signin" : "refused", why);
        if (ready) tries = 0;
        on.state(moves ? "connecting" : "lost");
        if (moves) {
          moves = false;
          continue;
        }
      }
      await wait(Math.min(200 * 2 ** Math.min(tries, 5), 3000));
    }
  }

  /** Connects to the workspace that was chosen; false if the connection is to it. */
  function move() {
    if (!users || workspace === chosen() || !socket) return false;
    moves = true;
    socket.close();
    return true;
  }

  return { call, start, move };
}
