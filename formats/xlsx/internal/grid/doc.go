// Package grid gives windows of the cells of a sheet, as a program draws them:
// texts, formulas, formats, widths and merged cells.
//
// A window is read by a pass over its rows, which begins near them where the sheet
// was read before (package book). What does not depend on the window is kept by the
// hash of the file, within bounds: the formats and texts of the workbook, and what
// is known of each sheet.
package grid
