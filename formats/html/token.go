package html

import "strings"

// kind of a token.
type kind uint8

const (
	textToken  kind = iota
	startToken      // <name …>
	endToken        // </name …>
	otherToken      // comment, doctype, processing instruction, cut tag at the end
	rawToken        // text of an element in which there is no markup
)

// token is the bytes [start,end) of a page.
type token struct {
	kind       kind
	start, end int
	name       string // of a tag, in lower case
	closed     bool   // <name/>
}

// tokenizer splits a page into tokens, which together are all of its bytes.
type tokenizer struct {
	s   string
	pos int
	raw string // the element whose raw text comes next
	xml bool   // <title/> is an empty element
}

// rawElements are the elements without markup in them. The standard includes
// noscript; it is not included here, because people without scripts read it.
var rawElements = set("script style xmp iframe noembed noframes plaintext textarea title")

// next reads a token; false at the end.
func (z *tokenizer) next() (token, bool) {
	s, start := z.s, z.pos
	if start >= len(s) {
		return token{}, false
	}
	if z.raw != "" {
		end := rawEnd(s, start, z.raw)
		z.raw, z.pos = "", end
		if end > start {
			return token{kind: rawToken, start: start, end: end}, true
		}
	}
	if !opensMarkup(s, start) {
		end := start + 1
		for end < len(s) && !opensMarkup(s, end) {
			n := strings.IndexByte(s[end+1:], '<')
			if n < 0 {
				n = len(s) - end - 1
			}
			end += 1 + n
		}
		z.pos = end
		return token{kind: textToken, start: start, end: end}, true
	}
	t := z.markup(start)
	z.pos = t.end
	if t.kind == startToken && rawElements[t.name] && !(t.closed && z.xml) {
		z.raw = t.name
	}
	return t, true
}

// opensMarkup reports whether the '<' at s[i] begins markup rather than text.
func opensMarkup(s string, i int) bool {
	if s[i] != '<' || i+1 >= len(s) {
		return false
	}
	switch c := s[i+1]; c {
	case '!', '?':
		return true
	case '/':
		return i+2 < len(s)
	default:
		return isLetter(c)
	}
}

func (z *tokenizer) markup(start int) token {
	s := z.s
	t := token{kind: otherToken, start: start}
	rest := s[start:]
	switch {
	case isLetter(s[start+1]):
		t.kind = startToken
	case s[start+1] == '/' && isLetter(s[start+2]):
		t.kind = endToken
	case strings.HasPrefix(rest, "<!--"):
		t.end = start + commentEnd(rest)
		return t
	case hasPrefixFold(rest, "<?php"), strings.HasPrefix(rest, "<?="):
		t.end = start + offsetBehind(rest, "?>")
		return t
	case z.xml && strings.HasPrefix(rest, "<![CDATA["):
		t.end = start + offsetBehind(rest, "]]>")
		return t
	default:
		t.end = start + offsetBehind(rest, ">")
		return t
	}
	from := start + 1
	if t.kind == endToken {
		from++
	}
	pos := from
	for pos < len(s) && !isSpace(s[pos]) && s[pos] != '/' && s[pos] != '>' {
		pos++
	}
	t.name = lowerASCII(s[from:pos])
	for {
		a, next, ok := nextAttr(s, pos)
		pos = next
		t.closed = a.slash
		if !ok {
			break
		}
	}
	if pos >= len(s) { // cut: browsers drop it
		return token{kind: otherToken, start: start, end: len(s)}
	}
	t.end = pos + 1
	return t
}

// attr is an attribute of a tag; its value is s[start:end], without quotes.
type attr struct {
	key        string // in lower case
	start, end int
	quote      byte // 0: none
	bare       bool // there is no value
	slash      bool // instead of an attribute: the tag ends in "/>"
}

// nextAttr reads the attribute at or after s[pos]. When there is none, ok is
// false, and next is at the tag's '>' or at the end of s.
func nextAttr(s string, pos int) (a attr, next int, ok bool) {
	for pos < len(s) && (isSpace(s[pos]) || s[pos] == '/') {
		a.slash = s[pos] == '/'
		pos++
	}
	if pos >= len(s) || s[pos] == '>' {
		return a, pos, false
	}
	a.slash = false
	from := pos
	for pos++; pos < len(s) && !isSpace(s[pos]) && strings.IndexByte("/>=", s[pos]) < 0; pos++ {
	}
	a.key = lowerASCII(s[from:pos])
	value := skipSpace(s, pos)
	if value >= len(s) || s[value] != '=' {
		a.bare = true
		return a, pos, true
	}
	pos = skipSpace(s, value+1)
	switch {
	case pos >= len(s):
		return a, pos, true
	case s[pos] == '"' || s[pos] == '\'':
		a.quote = s[pos]
		a.start = pos + 1
		n := strings.IndexByte(s[a.start:], a.quote)
		if n < 0 {
			return a, len(s), true
		}
		a.end = a.start + n
		return a, a.end + 1, true
	}
	a.start = pos
	for pos < len(s) && !isSpace(s[pos]) && s[pos] != '>' {
		pos++
	}
	a.end = pos
	return a, pos, true
}

// maxAttrs is how many attributes of a tag are looked at.
const maxAttrs = 1000

// attrs returns the attributes of a start tag.
func attrs(s string, t token) (out []attr) {
	pos := t.start + 1 + len(t.name)
	for pos < t.end && len(out) < maxAttrs {
		a, next, ok := nextAttr(s[:t.end], pos)
		if !ok {
			break
		}
		pos = next
		if !a.bare {
			out = append(out, a)
		}
	}
	return out
}

// rawEnd returns where the text of a raw element that begins at s[pos] ends.
func rawEnd(s string, pos int, name string) int {
	if name == "plaintext" {
		return len(s)
	}
	escaped, double := false, false // of scripts: in <!-- -->, and in a script in that
	for i := pos; i < len(s); i++ {
		n := strings.IndexAny(s[i:], "<-")
		if n < 0 {
			break
		}
		i += n
		switch {
		case name == "script" && !escaped && strings.HasPrefix(s[i:], "<!--"):
			escaped = true
			i++ // the dashes may be those of an arrow
		case escaped && strings.HasPrefix(s[i:], "-->"):
			escaped, double = false, false
		case closesRaw(s[i:], "</"+name):
			if !double {
				return i
			}
			double = false
		case escaped && closesRaw(s[i:], "<"+name):
			double = true
		}
	}
	return len(s)
}

func closesRaw(s, tag string) bool {
	return hasPrefixFold(s, tag) && len(s) > len(tag) && (isSpace(s[len(tag)]) || s[len(tag)] == '/' || s[len(tag)] == '>')
}

// commentEnd returns the length of the comment that s begins with.
func commentEnd(s string) int {
	for _, short := range []string{"<!-->", "<!--->"} {
		if strings.HasPrefix(s, short) {
			return len(short)
		}
	}
	for i := 4; ; {
		n := strings.Index(s[i:], "--")
		if n < 0 {
			return len(s)
		}
		i += n
		for _, end := range []string{"-->", "--!>"} {
			if strings.HasPrefix(s[i:], end) {
				return i + len(end)
			}
		}
		i++
	}
}

// offsetBehind returns the offset in s after the first end, len(s) when there
// is none.
func offsetBehind(s, end string) int {
	if n := strings.Index(s, end); n >= 0 {
		return n + len(end)
	}
	return len(s)
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// lowerASCII makes ASCII letters small, as names are compared, and nothing else.
func lowerASCII(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r >= 'A' && r <= 'Z' }) < 0 {
		return s
	}
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}

func skipSpace(s string, pos int) int {
	for pos < len(s) && isSpace(s[pos]) {
		pos++
	}
	return pos
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
