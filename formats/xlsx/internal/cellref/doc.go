// Package cellref has the cells and ranges of a spreadsheet, the A1 notation of
// references to them, and what insertions and deletions of rows make of them.
//
// Clause numbers are those of ECMA-376 part 1, 5th edition.
package cellref
