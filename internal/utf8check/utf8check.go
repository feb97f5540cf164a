// Package utf8check checks whether a text that comes in pieces is valid UTF-8.
package utf8check

import "unicode/utf8"

// Checker checks a text piece by piece. The zero value has seen none.
type Checker struct {
	rest    [utf8.UTFMax]byte // of a character that two pieces share
	kept    int
	invalid bool
}

// Valid reports whether all of the text, which ends here, is valid UTF-8.
func (u *Checker) Valid() bool { return !u.invalid && u.kept == 0 }

// Add checks the next piece and reports whether the text is valid so far.
func (u *Checker) Add(b []byte) bool {
	for u.kept > 0 && len(b) > 0 && !utf8.FullRune(u.rest[:u.kept]) {
		u.rest[u.kept] = b[0]
		u.kept++
		b = b[1:]
	}
	if u.kept > 0 && utf8.FullRune(u.rest[:u.kept]) {
		u.invalid = u.invalid || !utf8.Valid(u.rest[:u.kept])
		u.kept = 0
	}
	end := len(b) - unfinishedRune(b)
	u.invalid = u.invalid || !utf8.Valid(b[:end])
	if end < len(b) {
		u.kept = copy(u.rest[:], b[end:])
	}
	return !u.invalid
}

// unfinishedRune returns the length of the beginning of a character that b ends
// with.
func unfinishedRune(b []byte) int {
	for back := 1; back < utf8.UTFMax && back <= len(b); back++ {
		if !utf8.RuneStart(b[len(b)-back]) {
			continue
		}
		if utf8.FullRune(b[len(b)-back:]) {
			return 0
		}
		return back
	}
	return 0
}
