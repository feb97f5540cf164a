// Package column answers the plainest and most asked kind of question about a
// table that is in memory, grouping and summing up, without SQLite:
//
//	SELECT region, sum(amount) AS total FROM data WHERE year >= 2024 AND status = 'paid'
//	GROUP BY region ORDER BY total DESC LIMIT 10
//
// Columns are read from the database image the first time they are asked for
// and kept as arrays. Whatever is not understood here exactly as SQLite
// understands it is not answered ([Parse], [Table.Run]), and SQLite does it:
// answers are those of SQLite to the last bit, which a test with random tables
// and questions holds them to.
package column
