// Package image writes a table as a SQLite database file, in memory and in one
// pass: rows come in order, so each page is filled once and never touched
// again. That is several times faster than inserting rows, and what comes out
// never changes, so that any number of connections can read it at once.
//
//	w := image.New([]image.Column{{Name: "id", Type: "INTEGER"}}, hint)
//	w.Begin(); w.Int(7); err := w.End()      // for each row
//	db := w.Finish()
//
// The layout is that of https://sqlite.org/fileformat2.html, sections 1 and 2.
package image
