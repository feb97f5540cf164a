package tags

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// Kind of a token.
type Kind uint8

// The kinds of token.
const (
	Text   Kind = iota // literal text, unescaped
	Open               // <n>
	Close              // </n>
	Single             // <n/>
)

// Token is a piece of a tagged text.
type Token struct {
	Kind Kind
	N    int    // tag number; 0 for Text
	Text string // Text only
}

// Replacers build tables at their first use, so they are made once.
var (
	escaper   = strings.NewReplacer("&", "&amp;", "<", "&lt;")
	unescaper = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&amp;", "&")
)

// Escape writes document text so that it holds no tag.
func Escape(s string) string {
	return escaper.Replace(s)
}

// Unescape returns the inverse of Escape; it also accepts &gt; and &quot;, and
// leaves any other ampersand as it is, since models forget to escape.
func Unescape(s string) string {
	if strings.IndexByte(s, '&') < 0 {
		return s
	}
	return unescaper.Replace(s)
}

// String writes tokens in text form.
func String(tokens []Token) string {
	var sb strings.Builder
	for _, t := range tokens {
		switch t.Kind {
		case Text:
			sb.WriteString(Escape(t.Text))
		case Open:
			sb.WriteString("<" + strconv.Itoa(t.N) + ">")
		case Close:
			sb.WriteString("</" + strconv.Itoa(t.N) + ">")
		case Single:
			sb.WriteString("<" + strconv.Itoa(t.N) + "/>")
		}
	}
	return sb.String()
}

// Parse splits a tagged text. Anything that is not exactly a tag is text, so
// "a < b" survives; adjacent text is one token.
func Parse(s string) []Token {
	var out []Token
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			out = append(out, Token{Kind: Text, Text: Unescape(text.String())})
			text.Reset()
		}
	}
	for len(s) > 0 {
		i := strings.IndexByte(s, '<')
		if i < 0 {
			text.WriteString(s)
			break
		}
		text.WriteString(s[:i])
		s = s[i:]
		t, n := tag(s)
		if n == 0 {
			text.WriteByte('<')
			s = s[1:]
			continue
		}
		flush()
		out = append(out, t)
		s = s[n:]
	}
	flush()
	return out
}

// tag reads the tag at the beginning of s; n is its length, 0 when there is none.
func tag(s string) (t Token, n int) {
	end := strings.IndexByte(s, '>')
	if end < 2 || end > 12 {
		return t, 0
	}
	body := s[1:end]
	switch {
	case body[0] == '/':
		t.Kind, body = Close, body[1:]
	case body[len(body)-1] == '/':
		t.Kind, body = Single, strings.TrimRight(body[:len(body)-1], " ")
	default:
		t.Kind = Open
	}
	num, err := strconv.Atoi(body)
	if err != nil || num < 1 || body[0] == '+' {
		return t, 0
	}
	t.N = num
	return t, end + 1
}

// Plain returns the text without its tags.
func Plain(s string) string {
	if strings.IndexByte(s, '<') < 0 {
		return Unescape(s)
	}
	var sb strings.Builder
	for _, t := range Parse(s) {
		sb.WriteString(t.Text)
	}
	return sb.String()
}

// Check reports how the tags of target differ from those of source: each must
// be there exactly once, and pairs must nest. nil when they agree. The order of
// tags may differ, since languages order words differently.
func Check(source, target string) error {
	if strings.IndexByte(source, '<') < 0 && strings.IndexByte(target, '<') < 0 {
		return nil
	}
	want, err := tags(source)
	if err != nil {
		return fmt.Errorf("the source text is malformed: %w", err)
	}
	have, err := tags(target)
	if err != nil {
		return err
	}
	var lost, extra []string
	for k := range want {
		if !have[k] {
			lost = append(lost, k)
		}
	}
	for k := range have {
		if !want[k] {
			extra = append(extra, k)
		}
	}
	sort.Strings(lost)
	sort.Strings(extra)
	switch {
	case len(lost) > 0:
		return fmt.Errorf("the tag %s is missing", strings.Join(lost, ", "))
	case len(extra) > 0:
		return fmt.Errorf("the tag %s is not in the source", strings.Join(extra, ", "))
	}
	return nil
}

func tags(s string) (map[string]bool, error) {
	seen := map[string]bool{}
	var open []int
	for _, t := range Parse(s) {
		name := ""
		switch t.Kind {
		case Open:
			open = append(open, t.N)
			name = fmt.Sprintf("<%d>", t.N)
		case Close:
			if len(open) == 0 || open[len(open)-1] != t.N {
				return nil, fmt.Errorf("</%d> closes a tag that is not the last one open", t.N)
			}
			open = open[:len(open)-1]
			continue
		case Single:
			name = fmt.Sprintf("<%d/>", t.N)
		default:
			continue
		}
		if seen[name] {
			return nil, fmt.Errorf("the tag %s stands twice", name)
		}
		seen[name] = true
	}
	if len(open) > 0 {
		return nil, fmt.Errorf("<%d> is not closed", open[len(open)-1])
	}
	return seen, nil
}
