// Package book is an open workbook as all that read, compare and edit it use it:
// its sheets and names, the rows of its worksheets (Rows), shared strings,
// formats, tables, comments, and how cells are shown (Display).
//
// Clause numbers are those of ECMA-376 part 1, 5th edition.
package book
