// A host of MCP apps, made with the SDK of MCP Apps: it shows the review in a frame
// without network and passes its calls on.
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

const frame = document.getElementById("frame");
const post = async (body) => {
  const r = await fetch("/call", { method: "POST", body: JSON.stringify(body) });
  if (!r.ok) throw new Error(await r.text());
  return r.json();
};
const theme = new URLSearchParams(location.search).get("theme") ?? "light";
const bridge = new AppBridge(null, { name: "test-host", version: "1" }, { serverTools: {}, updateModelContext: { text: {} } }, { hostContext: { theme, displayMode: "inline" } });
window.told = [];
bridge.oncalltool = (params) => post(params);
bridge.onupdatemodelcontext = async (p) => { window.told.push(p.content[0].text); return {}; };
bridge.onsizechange = ({ height }) => { if (height) frame.style.height = `${height}px`; };
bridge.oninitialized = () => { window.ready = true; };
await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));

// What the test asks of the frame: its text, and where something is.
const waiting = new Map();
let next = 1;
window.addEventListener("message", (ev) => { if (ev.data?.tested) waiting.get(ev.data.tested)?.(ev.data.value); });
window.ask = (what, name) => new Promise((done) => { const id = next++; waiting.set(id, done); frame.contentWindow.postMessage({ test: id, what, name }, "*"); });
const axe = await (await fetch("/axe.js")).text(); // empty where the test does not look with it
const probe = `<script>${axe}</script><script>addEventListener("message", (ev) => {
  const m = ev.data;
  if (!m?.test) return;
  const named = (e) => (e.getAttribute("aria-label") ?? e.innerText).trim().replace(/\\s+/g, " ");
  const find = (name) => [...document.querySelectorAll("button, summary")].find((e) => e.offsetParent && !e.disabled && (e.tagName === "SUMMARY" ? named(e).includes(name) : named(e).startsWith(name)));
  const at = (e) => { if (!e) return null; const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; };
  if (m.what === "axe") {
    axe.run().then((r) => ev.source.postMessage({ tested: m.test, value: r.violations.flatMap((v) => v.nodes.slice(0, 5).map((n) => v.id + ": " + n.html.slice(0, 150) + " " + n.failureSummary.replaceAll("\\n", " "))) }, "*"));
    return;
  }
  const value = m.what === "text" ? document.body.innerText : m.what === "at" ? at(find(m.name)) : getComputedStyle(document.documentElement).getPropertyValue(m.name);
  ev.source.postMessage({ tested: m.test, value }, "*");
});</script>`;
const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'none'">`;
const html = await (await fetch("/app")).text();
frame.srcdoc = html.replace("<head>", () => `<head>${policy}${probe}`); // a function, since axe has $ in it
