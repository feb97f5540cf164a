package matches

import (
	"context"
	"iter"
	"regexp"
	"regexp/syntax"
	"unicode/utf8"
)

// Expr is a regular expression whose matches can be listed.
type Expr struct {
	*regexp.Regexp
	// behind finds the next match behind the first character of a text, as its
	// first group. It is nil when the expression does not look at the character
	// before a match.
	behind *regexp.Regexp
}

// New prepares the listing of an expression's matches.
func New(re *regexp.Regexp) (*Expr, error) {
	tree, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil {
		return nil, err
	}
	if !looksBack(tree) {
		return &Expr{Regexp: re}, nil
	}
	// The text of the tree, not of the expression: \Q need not be closed.
	behind, err := regexp.Compile(`\A(?s:.)(?s:.*?)(` + tree.String() + `)`)
	return &Expr{re, behind}, err
}

// Compile compiles an expression and prepares it as New does.
func Compile(expr string) (*Expr, error) {
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, err
	}
	return New(re)
}

// looksBack reports whether what precedes a match decides on it.
func looksBack(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpBeginText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	}
	for _, sub := range re.Sub {
		if looksBack(sub) {
			return true
		}
	}
	return false
}

// All lists the matches in text as [regexp.Regexp.FindAllStringSubmatchIndex]
// does, without empty matches. When the context ends, its error is the last
// element.
func (x *Expr) All(ctx context.Context, text string) iter.Seq2[[]int, error] {
	return func(yield func([]int, error) bool) {
		for at := 0; at < len(text); {
			if ctx.Err() != nil {
				yield(nil, ctx.Err())
				return
			}
			m := x.matchFrom(text, at)
			switch {
			case m == nil:
				return
			case m[0] == m[1]:
				_, n := utf8.DecodeRuneInString(text[m[1]:])
				at = m[1] + max(n, 1)
			case !yield(m, nil):
				return
			default:
				at = m[1]
			}
		}
	}
}

// matchFrom returns the first match that begins at or after at.
func (x *Expr) matchFrom(text string, at int) []int {
	var m []int
	if at > 0 && x.behind != nil {
		_, n := utf8.DecodeLastRuneInString(text[:at])
		at -= n
		if m = x.behind.FindStringSubmatchIndex(text[at:]); m != nil {
			m = m[2:]
		}
	} else {
		m = x.FindStringSubmatchIndex(text[at:])
	}
	for i := range m {
		if m[i] >= 0 {
			m[i] += at
		}
	}
	return m
}
