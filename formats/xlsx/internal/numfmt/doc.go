// Package numfmt formats numbers and dates by the number format codes of
// spreadsheets, and converts dates to serial numbers and back.
//
// Clause numbers are those of ECMA-376 part 1, 5th edition.
package numfmt
