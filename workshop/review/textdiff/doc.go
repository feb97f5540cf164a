// Package textdiff compares two texts of any size line by line, a window at a
// time, in bounded memory (RV-02).
//
//	w, err := textdiff.Compare(ctx, before, after, textdiff.Options{})
//	for w.Next != nil && err == nil {
//		w, err = textdiff.Compare(ctx, before, after, textdiff.Options{Start: *w.Next})
//	}
//
// Equal parts are skipped as bytes, so finding a change in the middle of half a
// gigabyte takes as long as reading up to it. Where the texts differ, package
// seqdiff aligns a window of both. If two windows have nothing in common,
// Compare searches for lines of one in the rest of the other, so that even an
// insertion larger than a window is shown as an insertion. Only if that finds
// nothing is a block shown as replaced by another.
package textdiff
