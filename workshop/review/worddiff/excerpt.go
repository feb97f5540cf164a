package worddiff

import "strings"

// Excerpt is the text of spans with long stretches that did not change left
// out: around characters of them stay at each side of a change, and "…" stands
// for the rest. What changed is whole.
func Excerpt(spans []Span, around int) string {
	var out strings.Builder
	for i, s := range spans {
		r := []rune(s.Text)
		head, tail := around, around
		if i == 0 {
			head = 0
		}
		if i == len(spans)-1 {
			tail = 0
		}
		if s.Class != "" || len(r) <= head+tail+1 {
			out.WriteString(s.Text)
			continue
		}
		out.WriteString(string(r[:head]) + "…" + string(r[len(r)-tail:]))
	}
	return out.String()
}
