// Package reader reads workbooks for people and programs: cells as text in lines
// (Reader), the structure of a workbook (Mapper), typed values of a table row by
// row (Rows), and where a sheet's table is (PickTable).
//
// Clause numbers are those of ECMA-376 part 1, 5th edition.
package reader
