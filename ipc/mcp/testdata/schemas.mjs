// Validates results against the output schemas of their tools, as clients made with the
// TypeScript SDK do: pairs.json is a list of {tool, schema, result}.
import { readFileSync } from "node:fs";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/cfworker";

const pairs = JSON.parse(readFileSync("pairs.json", "utf8"));
let wrong = 0;
for (const validator of [new AjvJsonSchemaValidator(), new CfWorkerJsonSchemaValidator()]) {
  for (const { tool, schema, result } of pairs) {
    const check = validator.getValidator(schema);
    const said = check(result);
    if (!said.valid) { wrong++; console.log(`${tool}: ${said.errorMessage}`); }
    if (check([1]).valid) { wrong++; console.log(`${tool}: a list passes`); }
  }
}
console.log(wrong ? `${wrong} wrong` : `all ${pairs.length} fit`);
