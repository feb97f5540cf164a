// Package textdiff compares two texts of any size line by line, a window at a
// time, in bounded memory (RV-02).
//
//	w, err := textdiff.Compare(ctx, before, after, textdiff.Options{})
//	for w.Next != nil && err == nil {
//		w, err = textdiff.Compare(ctx, before, after, textdiff.Options{Start: *w.Next})
//	}
//
// Equal stretches are passed over as bytes, so a change in the middle of half a
// gigabyte is found in the time it takes to read to it. Where the texts differ,
// a window of both is aligned (package align); where two windows have nothing
// in common, lines of one are looked for in the rest of the other, so that an
// insertion larger than any window is an insertion too. Only what cannot be
// found again at all is shown as a block replaced by another.
package textdiff
