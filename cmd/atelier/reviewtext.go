package main

import (
	"fmt"
	"strings"

	"atelier/workshop/review/worddiff"
)

const (
	// maxShown limits the characters of one text that a terminal shows.
	maxShown = 500
	// aroundChange is how much unchanged text of a long text is shown next to
	// a change.
	aroundChange = 60
)

// pair returns the two sides of a change, each on one line. Of long texts it
// returns the places that differ, because their beginnings are often the
// same. all disables shortening.
func pair(old, now string, all bool) (before, after string) {
	old, now = oneLine(old), oneLine(now)
	if all || len([]rune(old)) <= maxShown && len([]rune(now)) <= maxShown {
		return old, now
	}
	a, b := worddiff.Compare(old, now)
	if len(a) == 1 && a[0].Class != "" && len(b) == 1 { // they have little in common, or are very long
		same := commonStart(old, now)
		return cut(old, same), cut(now, same)
	}
	return excerpt(a, old, now), excerpt(b, now, old)
}

// excerpt returns the differing parts of a text, or the place of the change
// if the other text only has an addition.
func excerpt(spans []worddiff.Span, s, other string) string {
	if len(spans) == 1 {
		return cut(s, commonStart(s, other))
	}
	return cut(worddiff.Excerpt(spans, aroundChange), 0)
}

// cut returns the text from a position on, counted in characters, with some
// text before it and the number of omitted characters.
func cut(s string, from int) string {
	r := []rune(s)
	out := ""
	if from > aroundChange {
		r, out = r[from-aroundChange:], "…"
	}
	if len(r) <= maxShown {
		return out + string(r)
	}
	return fmt.Sprintf("%s%s… (%d more characters; --all shows them)", out, string(r[:maxShown]), len(r)-maxShown)
}

// commonStart returns the number of characters that two texts have in common
// at the beginning.
func commonStart(a, b string) int {
	x, y := []rune(a), []rune(b)
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}

func oneLine(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\n", " ⏎ "), "\t", "  ")
}
