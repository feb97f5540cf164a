// Adding a program whose tools models may call: a command on this machine, or an address.

import { h } from "./dom.js";
import { form, result } from "./forms.js";

/** Splits a command line into words; quotation marks keep blanks in a word. */
export function wordsOf(line) {
  const words = [];
  for (const m of line.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g)) words.push(m[1]?.replace(/\\(.)/g, "$1") ?? m[2] ?? m[3]);
  return words;
}

/** Reads lines such as NAME=value; other lines are errors. */
export function pairsOf(text, mark, what) {
  /** @type {Record<string, string>} */
  const out = {};
  for (const line of text.split("\n").map((l) => l.trim()).filter(Boolean)) {
    const at = line.indexOf(mark);
    if (at < 1) throw new Error(`Each ${what} is a line such as ${mark === "=" ? "NAME=value" : "Name: value"}.`);
    out[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  return out;
}

/** The forms below the list: one for a command, one for an address. */
export function addServer({ wire }, done) {
  const name = () => h("input", { type: "text", required: true, autocomplete: "off", pattern: "[A-Za-z0-9][A-Za-z0-9_.\\-]*", placeholder: "notes" });
  const lines = (placeholder) => h("textarea", { rows: "2", autocomplete: "off", spellcheck: "false", placeholder });
  const add = async (field, entry, ...fields) => {
    const called = field.value.trim();
    await wire.call("ToolServersSet", { name: called, entry });
    for (const f of [field, ...fields]) f.value = "";
    done();
    return `${called} is added. “Show the tools” starts it.`;
  };

  const programName = name(), command = h("input", { type: "text", required: true, autocomplete: "off", spellcheck: "false", placeholder: "npx -y @modelcontextprotocol/server-filesystem /home/me/notes" });
  const env = lines("TOKEN=${NOTES_TOKEN}"), programSays = result();
  const webName = name(), url = h("input", { type: "url", required: true, placeholder: "http://localhost:8000/mcp" }), headers = lines("Authorization: Bearer ${TOKEN}"), webSays = result();
  return h("div", { class: "adding" },
    h("details", null, h("summary", null, "Add a program on this machine"), form("Add the program", programSays, () => {
      const [first, ...args] = wordsOf(command.value);
      return add(programName, { type: "stdio", command: first, args, env: pairsOf(env.value, "=", "variable") }, command, env);
    }, ["Short name", programName, "its tools are called NAME__TOOL"], ["Command", command, "with its arguments, as in a terminal"], ["Variables", env, "optional, one a line; ${NAME} is taken from the environment, so that no secret is in the file"])),
    h("details", null, h("summary", null, "Add an address"), form("Add the address", webSays, () => add(webName, { type: "http", url: url.value, headers: pairsOf(headers.value, ":", "header") }, url, headers),
      ["Short name", webName, "its tools are called NAME__TOOL"], ["Address", url, "of its MCP endpoint; where it wants a sign-in, you are asked"], ["Headers", headers, "optional, one a line"])));
}
