// node parse.mjs MODULES FILE…: parses PowerShell with the grammar of tree-sitter in the
// folder of modules, and fails where a file does not fit it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, ...files] = process.argv.slice(2);
const { Parser, Language } = await import(pathToFileURL(join(modules, "web-tree-sitter", "tree-sitter.js")));
await Parser.init();
const parser = new Parser();
parser.setLanguage(await Language.load(join(modules, "tree-sitter-powershell", "tree-sitter-powershell.wasm")));
for (const file of files) {
  const root = parser.parse(readFileSync(file, "utf8")).rootNode;
  if (root.hasError) {
    console.error(`${file} does not fit the grammar of PowerShell`);
    process.exitCode = 1;
  }
}
