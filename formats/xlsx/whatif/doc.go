// Package whatif calculates what cells of a workbook would be if others were
// changed, without writing: other values, a table of scenarios, and the value of one
// cell with which another becomes a goal.
//
//	a, err := whatif.Ask(ctx, src, whatif.Question{
//		Set:  map[string]any{"Inputs!B2": 1.08},
//		Read: []string{"Summary!B2", "Summary!B5:B9"},
//	})
//
// Values come from the engine that calculates edits (package calc): a value that it
// cannot calculate is unknown, with the reason.
package whatif
