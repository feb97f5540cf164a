// Package review says what a draft changes, for a person who decides whether
// to publish it. It calls no model and no network (RV-05).
//
//	changes, err := review.ChangeSet(ctx, wb, set)          // one row a path
//	diff, err := review.Diff(ctx, wb, set, changes[0].Path, review.TextOptions{}) // hunks of lines
//
// Office and pdf files are compared by the text a model would read of them.
package review
