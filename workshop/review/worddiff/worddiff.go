// Package worddiff marks what differs between two short texts, word by word.
package worddiff

import (
	"hash/maphash"
	"regexp"
	"strings"

	"atelier/internal/seqdiff"
)

// Span is a piece of a text.
type Span struct {
	Text  string
	Class string // "" is in both texts, else Removed or Added
}

// Classes of spans, named as HTML's elements for them.
const (
	Removed = "del"
	Added   = "ins"
)

// token is what texts are compared by: words, numbers (8.90 is one), blanks and each
// other character.
var token = regexp.MustCompile(`\pN+(?:[.,]\pN+)+|[\pL\pM\pN_]+|\s+|.`)

// maxTokens bounds a text that is compared word by word.
const maxTokens = 4000

var seed = maphash.MakeSeed()

// Compare marks what differs between two texts, word by word. Texts that have
// little in common are marked as a whole, since islands of equal words would
// only confuse; so are texts of more than 4,000 words.
func Compare(old, now string) (before, after []Span) {
	a, b := token.FindAllString(old, maxTokens+1), token.FindAllString(now, maxTokens+1)
	if old == "" || now == "" || len(a) > maxTokens || len(b) > maxTokens {
		return whole(old, Removed), whole(now, Added)
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
			after = add(after, b[s.B], Added)
			total += weight(b[s.B])
		case s.B < 0:
			before = add(before, a[s.A], Removed)
			total += weight(a[s.A])
		default:
			before, after = add(before, a[s.A], ""), add(after, b[s.B], "")
			same, total = same+2*weight(a[s.A]), total+2*weight(a[s.A])
		}
	}
	if 4*same < total {
		return whole(old, Removed), whole(now, Added)
	}
	return before, after
}

// weight is what a token counts in how alike two texts are.
func weight(s string) int { return len(strings.TrimSpace(s)) }

func whole(s, class string) []Span {
	if s == "" {
		return nil
	}
	return []Span{{s, class}}
}

// add appends a token; a blank between two marked words is marked too, so that
// marks do not flicker.
func add(spans []Span, s, class string) []Span {
	if n := len(spans); n > 0 && spans[n-1].Class == class {
		spans[n-1].Text += s
		return spans
	} else if n > 1 && spans[n-1].Class == "" && spans[n-2].Class == class && strings.TrimSpace(spans[n-1].Text) == "" && class != "" {
		spans[n-2].Text += spans[n-1].Text + s
		return spans[:n-1]
	}
	return append(spans, Span{s, class})
}
