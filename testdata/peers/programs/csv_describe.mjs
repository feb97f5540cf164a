// Describes the columns of a csv file, with DuckDB.
import { query } from "./duckdb.mjs";

console.log(await query(`SUMMARIZE FROM read_csv('${process.argv[2]}')`));
