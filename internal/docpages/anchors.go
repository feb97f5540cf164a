package docpages

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
)

// anchors makes the anchors that GitHub makes: lower case, letters, digits,
// hyphens and underscores only, blanks as hyphens, repeated ones numbered.
type anchors struct{ used map[string]int }

// Generate implements parser.IDs.
func (a *anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	// value is the source of the heading: a link counts by its text only.
	s := Anchor(plain(string(value)))
	n := a.used[s]
	a.used[s]++
	if n > 0 {
		s += "-" + strconv.Itoa(n)
	}
	return []byte(s)
}

// Put implements parser.IDs.
func (a *anchors) Put(value []byte) { a.used[string(value)]++ }

// Anchor returns the anchor of a heading with this text.
func Anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(heading))
}

// plain removes the addresses of links from the source of a heading.
func plain(s string) string {
	for {
		i := strings.Index(s, "](")
		if i < 0 {
			return s
		}
		end := strings.IndexByte(s[i:], ')')
		if end < 0 {
			return s
		}
		s = s[:i] + s[i+end+1:]
	}
}
