package page

import (
	"atelier/internal/textsafe"
	"atelier/workshop/review/worddiff"
)

// span is a piece of a text; Class is "", "ins" or "del".
type span struct{ Text, Class string }

// words marks the differences between two texts, word by word.
func words(old, now string) (before, after []span) {
	a, b := worddiff.Compare(clip(old), clip(now))
	return seen(a), seen(b)
}

// seen replaces invisible characters by visible ones.
func seen(spans []worddiff.Span) []span {
	var out []span
	for _, s := range spans {
		out = append(out, span{textsafe.Text(s.Text), s.Class})
	}
	return out
}
