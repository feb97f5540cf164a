// Package worddiff marks the differences between two short texts, word by
// word.
package worddiff

import (
	"hash/maphash"
	"strings"

	"atelier/internal/lazyregexp"
	"atelier/internal/seqdiff"
)

// Span is a piece of a text.
type Span struct {
	Text  string
	Class string // "" is in both texts, else Removed or Added
}

// Classes of spans, named after the HTML elements for them.
const (
	Removed = "del"
	Added   = "ins"
)

// token matches what texts are compared by: words, numbers (8.90 is one),
// runs of white space, and each other character.
var token = lazyregexp.New(`\pN+(?:[.,]\pN+)+|[\pL\pM\pN_]+|\s+|.`)

// maxTokens limits the texts that are compared word by word.
const maxTokens = 4000

var seed = maphash.MakeSeed()

// Compare marks the differences between two texts, word by word. If the texts
// have little in common, or more than 4,000 words, it marks them as a whole,
// because isolated equal words would only confuse.
func Compare(old, now string) (before, after []Span) {
	a, b := token.FindAllString(old, maxTokens+1), token.FindAllString(now, maxTokens+1)
	if old == "" || now == "" || len(a) > maxTokens || len(b) > maxTokens {
		return wholeSpan(old, Removed), wholeSpan(now, Added)
	}
	steps := seqdiff.Lists(len(a), len(b), seqdiff.Options{
		KeyA:       func(i int) uint64 { return maphash.String(seed, a[i]) },
		KeyB:       func(j int) uint64 { return maphash.String(seed, b[j]) },
		Weightless: func(int) bool { return true },
	})
	same, total := 0, 0
	for _, s := range steps {
		switch {
		case s.A < 0:
			after = appendToken(after, b[s.B], Added)
			total += tokenWeight(b[s.B])
		case s.B < 0:
			before = appendToken(before, a[s.A], Removed)
			total += tokenWeight(a[s.A])
		default:
			before, after = appendToken(before, a[s.A], ""), appendToken(after, b[s.B], "")
			same, total = same+2*tokenWeight(a[s.A]), total+2*tokenWeight(a[s.A])
		}
	}
	if 4*same < total {
		return wholeSpan(old, Removed), wholeSpan(now, Added)
	}
	return before, after
}

// tokenWeight returns how much a token counts when deciding how similar two texts
// are.
func tokenWeight(s string) int { return len(strings.TrimSpace(s)) }

func wholeSpan(s, class string) []Span {
	if s == "" {
		return nil
	}
	return []Span{{s, class}}
}

// appendToken appends a token. White space between two marked words is marked too, so
// that the marks are continuous.
func appendToken(spans []Span, s, class string) []Span {
	if n := len(spans); n > 0 && spans[n-1].Class == class {
		spans[n-1].Text += s
		return spans
	} else if n > 1 && spans[n-1].Class == "" && spans[n-2].Class == class && strings.TrimSpace(spans[n-1].Text) == "" && class != "" {
		spans[n-2].Text += spans[n-1].Text + s
		return spans[:n-1]
	}
	return append(spans, Span{s, class})
}
