// Package stylesheet reads the style part of a workbook and adds records to it:
// number formats, fonts, fills, borders and cell formats.
//
// Clause numbers are those of ECMA-376 part 1, 5th edition.
package stylesheet
