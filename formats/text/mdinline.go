package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/formats/tags"
	"atelier/internal/lazyregexp"
)

// span is a piece of Markdown inline content: text, an opaque piece (close is
// ""), or the two ends of a pair.
type span struct {
	kind tags.Kind
	n    int    // tag number
	text string // Text: with escapes resolved
	raw  string // others: the bytes that are there
}

// inliner parses inline content (CommonMark 6, simplified: a closing emphasis
// mark must be as long as its opening one).
type inliner struct {
	labels map[string]bool // folded labels of link definitions
	out    []span
	text   []byte // literal text not yet in out
	tags   int
}

const (
	// maxInline is the length up to which a block is searched for marks; a
	// longer block has no markup: all of it is text.
	maxInline = 64 << 10
	// maxLook bounds the search for the end of a construct, in bytes.
	maxLook = 2 << 10
)

// parseInline reads s, in which soft line breaks are "\n".
func parseInline(s string, labels map[string]bool) []span {
	p := &inliner{labels: labels}
	if len(s) > maxInline {
		p.literal(strings.ReplaceAll(s, "\n", " "))
	} else {
		p.parse(s, 0)
	}
	p.flush()
	return p.out
}

// taggedSpans returns the segment text of spans.
func taggedSpans(spans []span) string {
	tokens := make([]tags.Token, len(spans))
	for i, s := range spans {
		tokens[i] = tags.Token{Kind: s.kind, N: s.n, Text: s.text}
	}
	return tags.String(tokens)
}

// plainOf returns the text of spans without their tags.
func plainOf(spans []span) string {
	var sb strings.Builder
	for _, s := range spans {
		sb.WriteString(s.text)
	}
	return sb.String()
}

func (p *inliner) literal(s string) { p.text = append(p.text, s...) }

func (p *inliner) flush() {
	if len(p.text) > 0 {
		p.out = append(p.out, span{kind: tags.Text, text: string(p.text)})
		p.text = p.text[:0]
	}
}

func (p *inliner) single(raw string) {
	p.flush()
	p.tags++
	p.out = append(p.out, span{kind: tags.Single, n: p.tags, raw: raw})
}

func (p *inliner) pair(open, inner, close string, depth int) {
	p.flush()
	p.tags++
	n := p.tags
	p.out = append(p.out, span{kind: tags.Open, n: n, raw: open})
	p.parse(inner, depth+1)
	p.flush()
	p.out = append(p.out, span{kind: tags.Close, n: n, raw: close})
}

// maxInlineDepth bounds nesting; what is deeper is text.
const maxInlineDepth = 16

func (p *inliner) parse(s string, depth int) {
	if depth > maxInlineDepth {
		p.literal(s)
		return
	}
	for i := 0; i < len(s); {
		if n := p.construct(s, i, depth); n > 0 {
			i += n
			continue
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		p.literal(s[i : i+n])
		i += n
	}
}

var (
	autolink = lazyregexp.New(`^<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[^\s<>@]+@[^\s<>@]+)>`)
	htmlTag  = lazyregexp.New(`^<(?:/?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?/?|!--[\s\S]*?--|\?[^>]*\?)>`)
	bareURL  = lazyregexp.New(`^(?:https?://|www\.)[^\s<>]+`)
	noteRef  = lazyregexp.New(`^\[\^[^\]\s]+\]`)
	hardLine = lazyregexp.New(`^(?: {2,}|\\)\n`)
)

// construct reads the construct at s[i:] and returns its length, 0 for none.
func (p *inliner) construct(s string, i, depth int) int {
	rest := s[i:min(len(s), i+maxLook)]
	switch c := s[i]; c {
	case ' ', '\\':
		if m := hardLine.FindString(rest); m != "" {
			p.single(m)
			return len(m)
		}
		if c == '\\' && len(rest) > 1 && isPunct(rest[1]) {
			p.literal(rest[1:2])
			return 2
		}
	case '\n':
		p.literal(" ")
		return 1
	case '`':
		if n := codeSpan(rest); n > 0 {
			p.single(rest[:n])
			return n
		}
		n := repeatCount(rest)
		p.literal(rest[:n])
		return n
	case '<':
		for _, re := range []*lazyregexp.Regexp{autolink, htmlTag} {
			if m := re.FindString(rest); m != "" {
				p.single(m)
				return len(m)
			}
		}
	case '!':
		if strings.HasPrefix(rest, "![") {
			return p.link(rest, 1, depth)
		}
	case '[':
		if m := noteRef.FindString(rest); m != "" {
			p.single(m)
			return len(m)
		}
		return p.link(rest, 0, depth)
	case '*', '_', '~':
		return p.emphasis(s, i, depth)
	case 'h', 'w':
		if i > 0 && isWord(s[i-1]) {
			return 0
		}
		if m := strings.TrimRight(bareURL.FindString(rest), ".,;:!?)*_~'\""); len(m) > len("https://") {
			p.single(m)
			return len(m)
		}
	}
	return 0
}

func isPunct(c byte) bool { return strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", c) >= 0 }

func isWord(c byte) bool { return c >= 0x80 || unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c)) }

// repeatCount returns how often s repeats its first byte.
func repeatCount(s string) int {
	n := 1
	for n < len(s) && s[n] == s[0] {
		n++
	}
	return n
}

// codeSpan returns the length of the code span at the start of s, 0 for none.
func codeSpan(s string) int {
	n := repeatCount(s)
	for i := n; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		m := repeatCount(s[i:])
		if m == n {
			return i + m
		}
		i += m
	}
	return 0
}

// link reads [text](target), [text][label], [label] or an image, whose '['
// stands at s[at]. 0 when it is none.
func (p *inliner) link(s string, at, depth int) int {
	end := bracketEnd(s, at)
	if end < 0 {
		return 0
	}
	open, inner, rest := s[:at+1], s[at+1:end], s[end+1:]
	n := 0 // length of what follows the text's ']'
	switch {
	case strings.HasPrefix(rest, "("):
		n = targetLen(rest)
	case strings.HasPrefix(rest, "["):
		if e := bracketEnd(rest, 0); e > 0 {
			n = e + 1
			if n == 2 { // [label][]
				p.pair(open, inner, "]["+inner+"]", depth)
				return end + 1 + n
			}
		}
	}
	switch {
	case n > 0:
		p.pair(open, inner, "]"+rest[:n], depth)
	case p.labels[foldLabel(inner)]:
		// The text is the label; once translated it needs the label beside it.
		p.pair(open, inner, "]["+inner+"]", depth)
	default:
		return 0
	}
	return end + 1 + n
}

func foldLabel(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// bracketEnd returns the offset of the ']' that closes the '[' at s[at], -1 for
// none.
func bracketEnd(s string, at int) int {
	depth := 0
	for i := at; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '`':
			if n := codeSpan(s[i:]); n > 0 {
				i += n - 1
			}
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// targetLen returns the length of a link target in parentheses, 0 for none.
func targetLen(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '\n':
			return 0
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// emphasis reads *x*, **x**, _x_, ~~x~~ … at s[i:].
func (p *inliner) emphasis(s string, i, depth int) int {
	rest := s[i:min(len(s), i+maxLook)]
	n := repeatCount(rest)
	mark := rest[:n]
	if n > 3 || mark[0] == '~' && n != 2 || n == len(rest) || isBlank(rest[n]) || mark[0] == '_' && i > 0 && isWord(s[i-1]) {
		p.literal(mark)
		return n
	}
	for j := n; j < len(rest); {
		switch rest[j] {
		case '\\':
			j += 2
			continue
		case '`':
			if k := codeSpan(rest[j:]); k > 0 {
				j += k
				continue
			}
		case '[':
			if e := bracketEnd(rest, j); e > 0 && strings.HasPrefix(rest[e+1:], "(") {
				if k := targetLen(rest[e+1:]); k > 0 {
					j = e + 1 + k
					continue
				}
			}
		case mark[0]:
			m := repeatCount(rest[j:])
			if m == n && !isBlank(rest[j-1]) && (mark[0] != '_' || j+m == len(rest) || !isWord(rest[j+m])) {
				p.pair(mark, rest[n:j], mark, depth)
				return j + m
			}
			j += m
			continue
		}
		j++
	}
	p.literal(mark)
	return n
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }
