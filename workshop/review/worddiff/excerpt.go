package worddiff

import "strings"

// Excerpt returns the text of spans and shortens long unchanged parts: it
// keeps `around` characters on each side of a change and replaces the rest by
// "…". Changed text is never shortened.
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
