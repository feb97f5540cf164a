// Package sheetml reads and edits the XML of SpreadsheetML parts: a scanner of
// rows and cells that works on a stream, texts and their escapes, and edits of
// elements that leave all other bytes as they are.
//
// Clause numbers are those of ECMA-376 part 1, 5th edition.
package sheetml
