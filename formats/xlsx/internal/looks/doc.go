// Package looks says in words what cell formats (18.8.45), formats of rules
// (18.8.14) and runs of text (18.4.4) show.
//
//	lb, err := looks.Read(ctx, wb)
//	lb.Cells[3].Say() // "number format 0.00, bold, fill yellow"
//	lb.DXF(0)         // "font colour red"
package looks
