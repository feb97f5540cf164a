// Package formula splits formulas into tokens and rewrites the references in
// them when cells move, sheets are renamed or deleted, or tables change.
//
// Clause numbers are those of ECMA-376 part 1, 5th edition.
package formula
