// Package diff compares two workbooks: it pairs their sheets, aligns rows and
// columns (diff*.go), and lists as facts what else differs: formats, rules,
// objects, page setups, names (fact_*.go).
//
// Clause numbers are those of ECMA-376 part 1, 5th edition.
package diff
