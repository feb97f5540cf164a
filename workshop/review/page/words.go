package page

import (
	"atelier/workshop/review/worddiff"
	"atelier/workshop/visible"
)

// span is a piece of a text; Class is "", "ins" or "del".
type span = worddiff.Span

// words marks what differs between two texts, word by word.
func words(old, now string) (before, after []span) {
	before, after = worddiff.Compare(clip(old), clip(now))
	return seen(before), seen(after)
}

// seen makes what has no picture visible.
func seen(spans []span) []span {
	for i := range spans {
		spans[i].Text = visible.Text(spans[i].Text)
	}
	return spans
}
