// Package search finds files by what they contain (Grep), by patterns for their
// path (Glob) and by their attributes (Find), in any view of a workbench; Walk gives
// all of them one after the other.
//
//	res, err := search.Grep(ctx, view, search.GrepOptions{Pattern: `invoice \d+`, Limit: 50})
//	for _, m := range res.Matches { … m.Path, m.Line, m.Text … }
//
// A walk visits folders in the order of paths and never hashes. Grep reads files
// in parallel, searches for a literal that every match must contain before it
// looks at lines, and stops as soon as the first Limit matches in path order are
// known. It searches office and PDF files by the text that GrepOptions.Extract
// returns.
//
// # Promises
//
//   - Results do not depend on timing: path order, then line.
//   - A file that cannot be read is reported in Result.Skipped, never fatal.
//   - Memory is bounded by blocks of a file and MaxMatchBytes of results.
//   - Wrong patterns are Invalid faults naming the argument.
package search
