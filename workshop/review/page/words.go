package page

import (
	"atelier/internal/textsafe"
	"atelier/workshop/review/worddiff"
)

// span is a piece of a text; Class is "", "ins" or "del".
type span struct{ Text, Class string }

// markWords marks the differences between two texts, word by word.
func markWords(old, now string) (before, after []span) {
	a, b := worddiff.Compare(clipText(old), clipText(now))
	return showInvisible(a), showInvisible(b)
}

// showInvisible replaces invisible characters by visible ones.
func showInvisible(spans []worddiff.Span) []span {
	var out []span
	for _, s := range spans {
		out = append(out, span{textsafe.Text(s.Text), s.Class})
	}
	return out
}
