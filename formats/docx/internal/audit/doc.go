// Package audit looks for likely mistakes in the text of a document: headings
// out of order, references that lead nowhere, gaps in numbers, terms that are
// defined and never used, and what was left behind for later.
//
//	d := &audit.Document{Paras: paras, Fields: fields}
//	out, err := audit.Run(ctx, d, formats.AuditOptions{})
//
// It knows nothing of the file: a caller makes a Document of it. Rules rather
// stay silent than raise a false alarm, since a model acts on what it is told.
package audit
