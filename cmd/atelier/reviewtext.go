package main

import (
	"fmt"
	"strings"

	"atelier/workshop/review/worddiff"
)

const (
	// maxShown bounds what a terminal shows of one text, in characters.
	maxShown = 500
	// aroundChange is how much stays of what is the same beside a change in a
	// long text.
	aroundChange = 60
)

// pair is the two sides of a change, each on one line. Of long texts the places
// that differ are shown: their beginnings are often the same. all shortens
// nothing.
func pair(old, now string, all bool) (before, after string) {
	old, now = oneLine(old), oneLine(now)
	if all || len([]rune(old)) <= maxShown && len([]rune(now)) <= maxShown {
		return old, now
	}
	a, b := worddiff.Compare(old, now)
	if len(a) == 1 && a[0].Class != "" && len(b) == 1 { // little is the same, or they are very long
		same := commonStart(old, now)
		return cut(old, same), cut(now, same)
	}
	return excerpt(a, old, now), excerpt(b, now, old)
}

// excerpt is what differs of a text; where nothing of it does, since the other
// only has something added, the place.
func excerpt(spans []worddiff.Span, s, other string) string {
	if len(spans) == 1 {
		return cut(s, commonStart(s, other))
	}
	return cut(worddiff.Excerpt(spans, aroundChange), 0)
}

// cut is what stands from a place on, counted in characters, with a little before
// it; what is left out is said.
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

// commonStart is how many characters two texts have in common at the beginning.
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
