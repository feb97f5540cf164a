// A client of atelier mcp made with the TypeScript SDK, which validates results against
// the output schemas.
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
const [program, home, dir] = process.argv.slice(2);
const client = new Client({ name: "typescript-sdk", version: "1" }, { capabilities: { elicitation: {}, roots: {} } });
let asked = "";
client.setRequestHandler(ElicitRequestSchema, (r) => { asked = r.params.message; return { action: "accept", content: { publish: true } }; });
await client.connect(new StdioClientTransport({ command: program, args: ["mcp", "--home", home, "--in", dir], env: { ...process.env, ATELIER_MODEL: "pseudo" } }));
const call = async (name, args = {}) => await client.callTool({ name, arguments: args });
const tools = (await client.listTools()).tools;
assert.ok(tools.every((t) => t.title && t.annotations), "titles and annotations");
// Read, edit, review, undo, edit again, publish with the person's yes.
assert.match((await call("read_file", { path: "notas.md" })).content[0].text, /Notas/);
assert.ok((await call("audit", { path: "sales.xlsx" })).structuredContent.findings_total >= 0);
const first = await call("write_text_file", { path: "mistake.txt", content: "no" });
assert.ok(!first.isError, first.content[0].text);
assert.deepEqual((await call("review")).structuredContent.changes.map((c) => c.path), ["mistake.txt"]);
assert.equal((await call("undo")).structuredContent.done, true);
assert.equal((await call("review")).structuredContent.has_draft, false);
const edit = await call("xlsx_operations", { path: "sales.xlsx", operations: [{ op: "set_cells", sheet: "Sales", cells: [{ cell: "A1", value: "Totals" }] }] });
assert.ok(!edit.isError, edit.content[0].text);
assert.equal((await call("review")).structuredContent.changes[0].summary, "1 cell in 1 sheet");
assert.equal((await call("review", { path: "sales.xlsx" })).structuredContent.content.groups[0].items[0].new, "Totals");
assert.deepEqual((await call("publish")).structuredContent.published, ["sales.xlsx"]);
assert.match(asked, /modified: sales.xlsx/);
assert.equal((await call("translate", { to: "en", paths: ["notas.md"] })).structuredContent.status, "complete");
assert.ok((await call("undo")).isError, "a published change is the person's");
assert.ok((await client.listResources()).resources.length > 5);
assert.match((await client.readResource({ uri: "atelier://draft/notas.md" })).contents[0].text, /#/);
assert.equal((await client.getPrompt({ name: "clean_workbook", arguments: { workbook: "sales.xlsx" } })).messages.length, 1);
assert.deepEqual((await client.complete({ ref: { type: "ref/prompt", name: "clean_workbook" }, argument: { name: "workbook", value: "s" } })).completion.values, ["sales.xlsx"]);
await client.close();
console.log("all is well");
