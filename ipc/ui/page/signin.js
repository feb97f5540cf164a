// Users of a server sign in with a token, which the server keeps as a cookie that
// no script can read. It is never part of an address.

import { h, button } from "./dom.js";

/** Whether users sign in with a token. */
export const users = Boolean(document.querySelector('meta[name="atelier-users"]'));

/** @param {string} path @param {object} body @returns {Promise<string>} what was wrong, "" for nothing */
async function post(path, body) {
  try {
    const r = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    return r.ok ? "" : await r.text();
  } catch {
    return "The server does not answer.";
  }
}

/** The first screen of a server. */
export function signInView() {
  const token = h("input", { type: "password", required: true, autocomplete: "off", id: "token", "aria-labelledby": "token-label", "aria-describedby": "token-help", spellcheck: "false" });
  const problem = h("p", { class: "problem", role: "alert", hidden: true });
  const enter = h("button", { type: "submit", class: "primary" }, "Sign in");
  const form = h("form", { class: "signin", on: { submit: async (ev) => {
    ev.preventDefault();
    enter.disabled = true;
    problem.hidden = true;
    enter.textContent = "Signing in …";
    const wrong = await post("/session", { token: token.value.trim() });
    token.value = "";
    enter.textContent = "Sign in";
    enter.disabled = false;
    if (!wrong) return location.reload(); // nothing of another user stays
    problem.textContent = wrong;
    problem.hidden = false;
    token.focus();
  } } }, h("label", { htmlFor: "token", id: "token-label" }, "Access token"), h("div", { class: "free" }, token, enter),
  h("p", { class: "sub", id: "token-help" }, "The person who runs this server gives it to you. You are signed in as long as it is valid."), problem);
  setTimeout(() => token.focus());
  return h("main", { class: "start" }, h("h1", null, "Sign in to Atelier"), form);
}

const CHOSEN = "workspace"; // of this tab

/** The id of the workspace that this tab shows, "" for none. */
export const chosen = () => sessionStorage.getItem(CHOSEN) ?? "";

/** The workspace that this tab shows, of those that the user may use. @param {Wire} wire */
export async function chosenWorkspace(wire) {
  const { workbenches } = await wire.call("WorkbenchList");
  return workbenches?.find((w) => w.workbench_id === sessionStorage.getItem(CHOSEN));
}

/** @param {string} id */
export const chooseWorkspace = (id) => sessionStorage.setItem(CHOSEN, id);

/** Who is signed in, with a way out, and one to the workspaces. @param {{email: string, full_name?: string}} user @param {boolean} [working] */
export function whoView(user, working) {
  const leave = () => { sessionStorage.removeItem(CHOSEN); location.reload(); };
  const problem = h("span", { class: "problem", role: "alert" });
  return h("div", { class: "who" }, problem, h("bdi", { class: "sub", title: user.email }, user.full_name || user.email),
    working && button("Workspaces", leave),
    button("Sign out", async () => {
      problem.textContent = await post("/session/end", {}); // then the cookie still counts
      if (!problem.textContent) leave();
    }));
}
