// Package review shows what a draft changes, for a person who decides whether
// to publish it. It uses neither a model nor the network (RV-05).
//
//	changes, err := review.ChangeSet(ctx, wb, set)          // one row a path
//	diff, err := review.Diff(ctx, wb, set, changes[0].Path, review.TextOptions{}) // hunks of lines
//
// Content compares office files in their own terms. Diff compares office and
// PDF files by their extracted text.
package review
