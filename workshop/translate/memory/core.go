package memory

import (
	"strings"

	"atelier/formats/tags"
)

// normal is a text as the memory keeps and compares it: its tags numbered in
// order, no blanks at its ends.
func normal(text string, n numbering) string { return strings.TrimSpace(n.apply(text)) }

// kept is a text as an entry of an origin is kept. A machine's keeps its blanks
// and fills only the very same text, so that a job's outcome does not depend on
// which of two texts that are nearly the same was asked first.
func kept(text string, n numbering, o Origin) string {
	if o == Machine {
		return n.apply(text)
	}
	return normal(text, n)
}

// edged gives a text of the memory the blanks of the text that was asked for.
func edged(asked, text string) string {
	core := strings.TrimSpace(asked)
	i := strings.Index(asked, core)
	return asked[:i] + text + asked[i+len(core):]
}

// peel takes off the tags that stand around a whole text: pairs that enclose
// it, and single ones at its ends. ok is false when there are none or nothing
// is left.
func peel(text string) (before, core, after string, ok bool) {
	tokens := tags.Parse(text)
	start, end := 0, len(tokens)
	for start < end {
		first, last := tokens[start], tokens[end-1]
		switch {
		case first.Kind == tags.Single:
			start++
		case last.Kind == tags.Single:
			end--
		case first.Kind == tags.Open && last.Kind == tags.Close && first.N == last.N:
			start++
			end--
		case first.Kind == tags.Text && strings.TrimSpace(first.Text) == "":
			start++
		case last.Kind == tags.Text && strings.TrimSpace(last.Text) == "":
			end--
		default:
			core = tags.String(tokens[start:end])
			return tags.String(tokens[:start]), core, tags.String(tokens[end:]), start > 0 || end < len(tokens)
		}
	}
	return "", "", "", false
}
