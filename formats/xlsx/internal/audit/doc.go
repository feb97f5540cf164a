// Package audit looks for likely mistakes in a workbook: formulas that differ
// from the formulas around them, totals that miss rows, errors and where they
// come from. It also maps what the sheets read from each other and traces the
// precedents and dependents of a cell.
//
// It holds the cells of a workbook in 32 bytes each, up to a limit, and each
// distinct formula once in relative form, so that a formula filled down a
// column counts once.
package audit
