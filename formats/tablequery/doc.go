// Package tablequery reads csv, tsv and the sheets, tables and ranges of xlsx
// as tables: columns, statistics and SQL.
//
//	st := tablequery.NewStore(0)
//	ref := tablequery.Ref{Source: src, Sheet: "Sales"}
//	info, err := st.Describe(ctx, ref)              // columns, types, number of rows
//	res, err := st.Query(ctx, tablequery.Query{Tables: []tablequery.Ref{ref}, SQL: "SELECT region, sum(amount) FROM data GROUP BY 1"})
//
// # How
//
// A first pass over the file finds the type of each column: a column is what
// all its values are, so that 007 stays text and 12,5 is a number where all
// others have a comma too. A second pass writes a SQLite database image in
// memory, on the first query only. Both are kept by content, sheet and range
// until the store's memory is used up; callers with the same content share
// them. Queries run on their own connections, which can read the tables they
// are given and reach nothing else.
//
// # Promises
//
//   - No statement changes a table, or reaches a file, the network, another
//     database or the program's settings.
//   - A query stops at its time limit, and soon after its context is done;
//     neither it nor a table takes more memory than the limits say.
//   - Values keep their types: numbers, booleans, ISO dates, text, nothing.
//     An empty field is NULL, and so is a cell that shows an error.
package tablequery
