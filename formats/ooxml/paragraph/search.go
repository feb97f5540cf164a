package paragraph

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/formats/matches"
)

// Search describes a search in the text of paragraphs.
type Search struct {
	Text      string
	MatchCase bool
	WholeWord bool // no letter, digit or underscore right before or after
	Regex     bool // Text is a regular expression (RE2)
}

// Finder finds the matches of a Search.
type Finder struct {
	expr  *matches.Expr
	words bool
	regex bool
	ascii string // what is searched for in any case, in small ASCII letters; "": use expr

	literal *literal // nil: nothing is known without parsing
}

// Finder compiles a search; the error explains what is wrong with it.
func (s Search) Finder() (*Finder, error) {
	if s.Text == "" {
		return nil, fmt.Errorf("search is empty")
	}
	expr := s.Text
	if !s.Regex {
		expr = regexp.QuoteMeta(expr)
	}
	if !s.MatchCase {
		expr = "(?i)" + expr
	}
	re, err := matches.Compile(expr)
	if err != nil {
		return nil, fmt.Errorf("search cannot be used as a regular expression: %w", err)
	}
	f := &Finder{expr: re, words: s.WholeWord, regex: s.Regex, literal: newLiteral(s)}
	if !s.Regex && !s.MatchCase && len(s.Text) <= maxASCII && isASCII(s.Text) {
		f.ascii = strings.ToLower(s.Text)
	}
	return f, nil
}

// maxASCII bounds the searches that are compared by bytes, from each place in a text on.
const maxASCII = 64

// find returns where the first match in text begins and ends, -1 for none. ASCII is
// compared by bytes: outside it, letters such as ſ and the sign of Kelvin are the same as
// s and k in any case.
func (f *Finder) find(text string, ascii bool) (start, end int) {
	if f.ascii == "" || !ascii {
		if m := f.expr.FindStringIndex(text); m != nil {
			return m[0], m[1]
		}
		return -1, -1
	}
	first := f.ascii[0]
	for i := 0; i+len(f.ascii) <= len(text); i++ {
		if lower(text[i]) != first {
			continue
		}
		k := 1
		for k < len(f.ascii) && lower(text[i+k]) == f.ascii[k] {
			k++
		}
		if k == len(f.ascii) {
			return i, i + k
		}
	}
	return -1, -1
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Ranges lists where text matches, with what takes its place: replace, in which
// $1 or ${name} stand for groups when the search is a regular expression. Empty
// matches are skipped.
func (f *Finder) Ranges(ctx context.Context, text, replace string) ([]Range, error) {
	return f.AppendRanges(ctx, nil, text, replace)
}

// AppendRanges appends what Ranges lists to out.
func (f *Finder) AppendRanges(ctx context.Context, out []Range, text, replace string) ([]Range, error) {
	if f.regex {
		return f.expanded(ctx, out, text, replace)
	}
	ascii := isASCII(text)
	for at := 0; at < len(text); {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		start, end := f.find(text[at:], ascii)
		if start < 0 {
			break
		}
		start, end = at+start, at+end
		if f.words && !isWholeWord(text, start, end) {
			_, n := utf8.DecodeRuneInString(text[start:])
			at = start + n
			continue
		}
		out = append(out, Range{Start: start, End: end, New: replace})
		at = end
	}
	return out, nil
}

func (f *Finder) expanded(ctx context.Context, out []Range, text, replace string) ([]Range, error) {
	for m, err := range f.expr.All(ctx, text) {
		if err != nil {
			return nil, err
		}
		if !f.words || isWholeWord(text, m[0], m[1]) {
			out = append(out, Range{Start: m[0], End: m[1], New: string(f.expr.ExpandString(nil, replace, text, m))})
		}
	}
	return out, nil
}

// isWholeWord reports whether a match is not part of a longer word.
func isWholeWord(text string, start, end int) bool {
	word := func(r rune) bool {
		return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
	}
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	first, _ := utf8.DecodeRuneInString(text[start:])
	last, _ := utf8.DecodeLastRuneInString(text[:end])
	behind, _ := utf8.DecodeRuneInString(text[end:])
	return !(start > 0 && word(before) && word(first)) && !(end < len(text) && word(behind) && word(last))
}
