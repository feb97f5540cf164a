package search

import (
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// A literal is a string that every match contains, in any case if fold is
// set.
type literal struct {
	runes []rune
	fold  bool
}

// required is a set of literals; every match contains one of them. It is nil
// if the tree requires none.
type required []literal

// maxAlternatives limits a required set: with more the filter is slower than
// no filter.
const maxAlternatives = 8

// maxLiteral limits a literal in characters; a prefix of a required literal
// is required too.
const maxLiteral = 64

// requiredOf returns the best set of literals of which every match of the
// tree contains one. exact reports that containing one is also sufficient for
// a match.
func requiredOf(re *syntax.Regexp) (set required, exact bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return literalOf(re.Rune, re.Flags&syntax.FoldCase != 0)
	case syntax.OpCapture:
		return requiredOf(re.Sub[0])
	case syntax.OpPlus:
		set, _ = requiredOf(re.Sub[0])
		return set, false
	case syntax.OpRepeat:
		return requiredOfRepeat(re)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if s, _ := requiredOf(sub); filtersMore(s, set) {
				set = s
			}
		}
		return set, false
	case syntax.OpAlternate:
		exact = true
		for _, sub := range re.Sub {
			s, e := requiredOf(sub)
			if s == nil || len(set)+len(s) > maxAlternatives {
				return nil, false
			}
			set, exact = append(set, s...), exact && e
		}
		return set, exact
	}
	return nil, false
}

func requiredOfRepeat(re *syntax.Regexp) (required, bool) {
	if re.Min == 0 {
		return nil, false
	}
	sub := re.Sub[0]
	if sub.Op != syntax.OpLiteral {
		set, _ := requiredOf(sub)
		return set, false
	}
	var runes []rune
	for range re.Min {
		if runes = append(runes, sub.Rune...); len(runes) > maxLiteral {
			break
		}
	}
	set, _ := literalOf(runes, sub.Flags&syntax.FoldCase != 0)
	return set, false
}

// literalOf shortens a literal to the part that can be searched for byte by
// byte. The replacement character also matches bytes that are not UTF-8, and
// line ends are not part of a line.
func literalOf(runes []rune, fold bool) (required, bool) {
	var best, run []rune
	for _, r := range append(slices.Clone(runes), utf8.RuneError) {
		if r == utf8.RuneError || r == '\n' || r == '\r' || !utf8.ValidRune(r) {
			if len(run) > len(best) {
				best = run
			}
			run = nil
			continue
		}
		run = append(run, r)
	}
	if len(best) == 0 {
		return nil, false
	}
	exact := len(best) == len(runes) && len(best) <= maxLiteral
	if fold && !slices.ContainsFunc(best, func(r rune) bool { return unicode.SimpleFold(r) != r }) {
		fold = false
	}
	return required{{best[:min(len(best), maxLiteral)], fold}}, exact
}

// filtersMore reports whether a filters more than b. The shortest literal decides;
// a set of several literals costs time for each.
func filtersMore(a, b required) bool {
	score := func(r required) int {
		if len(r) == 0 {
			return -1
		}
		return 4*r.shortest() - len(r)
	}
	return score(a) > score(b)
}

func (r required) shortest() int {
	n := maxLiteral
	for _, l := range r {
		n = min(n, len(l.runes))
	}
	return n
}

// A filter finds positions in a text at which a match is possible.
type filter interface {
	// finder starts the search of one text.
	finder(text []byte) finder
}

// A finder returns the first position from pos on that has what every match
// contains, or -1. pos never decreases.
type finder interface{ next(pos int) int }

// filterOf creates the filter of a pattern; it returns nil if any line may
// match.
func filterOf(re *syntax.Regexp) (f filter, certain bool) {
	set, exact := requiredOf(re)
	if !exact && (len(set) == 0 || set.shortest() == 1) { // a single character filters less than a class such as digits
		if cs := classOf(re); cs != nil {
			return cs, false
		}
	}
	if len(set) == 0 {
		return nil, false
	}
	var needles anyOf
	for _, l := range set {
		if l.fold {
			needles = append(needles, newFolded(l.runes))
		} else {
			needles = append(needles, newPlain(string(l.runes)))
		}
	}
	if len(needles) == 1 {
		return needles[0], exact
	}
	return needles, exact
}

// anyOf finds the first of several filters.
type anyOf []filter

func (a anyOf) finder(text []byte) finder {
	f := &firstOf{make([]finder, len(a)), make([]int, len(a)), len(text)}
	for i := range a {
		f.of[i], f.at[i] = a[i].finder(text), -1
	}
	return f
}

type firstOf struct {
	of  []finder
	at  []int // where each was found last; end: no more
	end int
}

func (f *firstOf) next(pos int) int {
	first := f.end
	for i := range f.of {
		if f.at[i] < pos {
			if f.at[i] = f.of[i].next(pos); f.at[i] < 0 {
				f.at[i] = f.end
			}
		}
		first = min(first, f.at[i])
	}
	if first == f.end {
		return -1
	}
	return first
}
