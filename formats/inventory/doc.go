// Package inventory lists the contents of an office package (ECMA-376-2) other
// than the text of its cells, paragraphs and shapes, and compares two such
// lists to find the facts of a review.
//
// A format walks each of its parts once, on each side:
//
//	in := inventory.New(pkg)
//	in.Add(inventory.Item{Kind: formats.FactMerge, Key: "Sales!A1:C1", At: "Sales!A1:C1", Text: "3 cells"})
//	left, err := inventory.Leftover(doc, canon, claimed) // all that no thing tells, by element
//	in.Leftover("xl/worksheets/sheet1.xml", "sheet Sales", left)
//
// and then
//
//	facts, err := inventory.Compare(ctx, before, after)
//
// gives what was added, removed, changed and moved. A part that differs and that
// neither side walked or claimed becomes a fact of kind "part" with a warning,
// so that nothing that differs goes untold.
package inventory
