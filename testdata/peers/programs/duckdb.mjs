// Answers one query with the DuckDB that install.sh installs.
import { createRequire } from "node:module";

const require = createRequire(new URL("../.peers/", import.meta.url));
const { DuckDBInstance } = require("@duckdb/node-api");

/** @param {string} sql @returns {Promise<string>} the rows, one a line, as JSON */
export async function query(sql) {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const rows = await (await connection.runAndReadAll(sql)).getRowsJson();
  return rows.map((row) => JSON.stringify(row)).join("\n");
}
