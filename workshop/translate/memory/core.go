package memory

import (
	"strings"

	"atelier/formats/tags"
)

// normalText returns a text in the form that the memory stores and compares: tags
// numbered in order, no white space at the ends.
func normalText(text string, n numbering) string { return strings.TrimSpace(n.apply(text)) }

// storedText returns the stored form of a text for an origin. A machine entry keeps
// its white space and applies only to exactly the same text, so that a job's
// result does not depend on which of two nearly identical texts was requested
// first.
func storedText(text string, n numbering, o Origin) string {
	if o == Machine {
		return n.apply(text)
	}
	return normalText(text, n)
}

// withEdgesOf gives a text of the memory the white space around the requested text.
func withEdgesOf(asked, text string) string {
	core := strings.TrimSpace(asked)
	i := strings.Index(asked, core)
	return asked[:i] + text + asked[i+len(core):]
}

// peelTags removes the tags around a whole text: pairs that enclose it, and
// single ones at its ends. ok is false if there are none or nothing remains.
func peelTags(text string) (before, core, after string, ok bool) {
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
