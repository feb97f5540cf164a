// Answers a question about a csv file, which is called data, with DuckDB.
import { query } from "./duckdb.mjs";

console.log(await query(process.argv[3].replace(/\bdata\b/, `read_csv('${process.argv[2]}')`)));
