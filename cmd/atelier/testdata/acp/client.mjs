// A client of the Agent Client Protocol, with the TypeScript SDK: it does the steps
// that are named on the command line and prints what came as JSON, a line each.
//
//   node client.mjs SDK FOLDER [SESSION] -- COMMAND ARGUMENTS…
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";

const [sdk, folder, known] = process.argv.slice(2, process.argv.indexOf("--"));
const command = process.argv.slice(process.argv.indexOf("--") + 1);
const acp = await import(sdk);
const child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
const print = (what) => console.log(JSON.stringify(what));

let cancelAt = "";
let killAt = "";
const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
const { agent } = acp
  .client({ name: "test" })
  .onNotification("session/update", ({ params: { sessionId, update } }) => {
    print({ update });
    const text = update.sessionUpdate === "agent_message_chunk" ? update.content.text : "";
    if (cancelAt && text.includes(cancelAt)) {
      cancelAt = "";
      agent.notify("session/cancel", { sessionId });
    }
    if (killAt && text.includes(killAt)) {
      child.kill("SIGKILL");
    }
  })
  .onRequest("session/request_permission", ({ params }) => {
    print({ permission: params });
    return { outcome: { outcome: "selected", optionId: params.options[0].optionId } };
  })
  .onRequest("fs/read_text_file", ({ params }) => ({ content: readFileSync(params.path, "utf8") }))
  .connect(stream);
const init = await agent.request("initialize", { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: { fs: { readTextFile: true, writeTextFile: false } } });
print({ init });
const prompt = async (sessionId, text) => print({ prompt: text, answer: await agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] }) });

if (known) {
  print({ list: await agent.request("session/list", { cwd: folder }) });
  print({ loaded: await agent.request("session/load", { sessionId: known, cwd: folder, mcpServers: [] }) });
  await prompt(known, "/continue");
  await prompt(known, "/publish");
  child.stdin.end();
} else {
  const { sessionId } = await agent.request("session/new", { cwd: folder, mcpServers: [] });
  print({ sessionId });
  await prompt(sessionId, "/plan Rename the party");
  cancelAt = "CANCEL";
  await prompt(sessionId, "Count");
  killAt = "HANG";
  agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "Write the summary" }] }).catch(() => {});
}
const code = await new Promise((end) => child.on("exit", (code, signal) => end(signal ?? code)));
print({ exit: code });
process.exit(0);
