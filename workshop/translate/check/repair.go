package check

import (
	"slices"
	"strings"
	"unicode"

	"atelier/formats/tags"
)

// Repair gives target the tags and the outer white space of source. It
// removes unknown and duplicated tags, adds the missing half of a pair,
// inserts missing tags at the proportional position of the source or around
// the same words, and nests crossing pairs. It neither removes nor adds a
// letter of the text.
//
// ok is false, and target is returned unchanged, if source itself is
// malformed, or if tags and texts are so many that the repair would take long
// (maxRepair). Otherwise tags.Check(source, repaired) is nil.
func Repair(source, target string) (repaired string, ok bool) {
	if tags.Check(source, source) != nil {
		return target, false
	}
	if tags.Check(source, target) != nil {
		if (strings.Count(source, "<")+strings.Count(target, "<"))*(len(source)+len(target)) > maxRepair {
			return target, false
		}
		r := newRepairer(source, target)
		r.removeForeignTags()
		r.completePairs()
		r.insertLostTags()
		target = tags.String(nestTags(r.out, r.parents))
	}
	return sameEdges(source, target), true
}

// maxRepair limits tags × bytes of a repair, which reads the text for each
// tag.
const maxRepair = 256 << 20

// span is a tag of the source with its position in the plain text, in runes.
type span struct {
	n          int
	single     bool
	start, end int
	text       string // the enclosed text
	parent     int    // number of the enclosing pair, 0 if there is none
}

type repairer struct {
	spans   []span // of the source, sorted by start
	srcLen  int
	source  string
	out     []tags.Token
	parents map[int]int
	halfOf  map[int]tags.Kind // which half of a pair the target has
	have    map[int]bool
}

func newRepairer(source, target string) *repairer {
	r := &repairer{source: tags.Plain(source), out: tags.Parse(target), parents: map[int]int{}, halfOf: map[int]tags.Kind{}, have: map[int]bool{}}
	var open []int // indexes of spans
	at := 0
	text := []rune(r.source)
	for _, t := range tags.Parse(source) {
		switch t.Kind {
		case tags.Text:
			at += len([]rune(t.Text))
		case tags.Open, tags.Single:
			s := span{n: t.N, single: t.Kind == tags.Single, start: at, end: at}
			if len(open) > 0 {
				s.parent = r.spans[open[len(open)-1]].n
			}
			if t.Kind == tags.Open {
				r.parents[t.N] = s.parent
				open = append(open, len(r.spans))
			}
			r.spans = append(r.spans, s)
		case tags.Close:
			s := &r.spans[open[len(open)-1]]
			s.end, s.text = at, string(text[s.start:at])
			open = open[:len(open)-1]
		}
	}
	r.srcLen = at
	return r
}

func (r *repairer) span(n int, single bool) *span {
	for i := range r.spans {
		if r.spans[i].n == n && r.spans[i].single == single {
			return &r.spans[i]
		}
	}
	return nil
}

// spanKey distinguishes <n> from <n/>, which are different tags.
func spanKey(n int, single bool) int {
	if single {
		return -n
	}
	return n
}

// removeForeignTags removes tags that the source does not have and duplicates, and
// replaces <2></2> by <2/> if the source has that.
func (r *repairer) removeForeignTags() {
	opened, closed := map[int]bool{}, map[int]bool{}
	all := slices.Clone(r.out)
	r.out = slices.DeleteFunc(r.out, func(t tags.Token) bool {
		if t.Kind == tags.Text {
			return false
		}
		seen := opened
		if t.Kind == tags.Close {
			seen = closed
		}
		k := spanKey(t.N, t.Kind == tags.Single)
		if r.span(t.N, t.Kind == tags.Single) == nil || seen[k] {
			single := t.Kind == tags.Open && r.span(t.N, true) != nil && r.span(t.N, false) == nil && !opened[-t.N]
			if single {
				opened[-t.N] = true
			}
			return !single
		}
		if t.Kind == tags.Close && !opened[t.N] && slices.Contains(all, tags.Token{Kind: tags.Open, N: t.N}) {
			return true // closed before it is opened, which shows where it begins
		}
		seen[k] = true
		return false
	})
	for i, t := range r.out {
		if t.Kind == tags.Open && r.span(t.N, false) == nil {
			r.out[i].Kind = tags.Single
		}
	}
	r.recordHalves(opened, closed)
}

// recordHalves records which spans the text has, and of which only one tag.
func (r *repairer) recordHalves(opened, closed map[int]bool) {
	for k := range opened {
		r.have[k] = true
		if k > 0 && !closed[k] {
			r.halfOf[k] = tags.Open
		}
	}
	for k := range closed {
		r.have[k] = true
		if !opened[k] {
			r.halfOf[k] = tags.Close
		}
	}
}

// completePairs adds the other half of a lone <1> or </1>, at the same distance as
// in the source.
func (r *repairer) completePairs() {
	for _, s := range r.spans {
		kind, ok := r.halfOf[s.n]
		if !ok || s.single {
			continue
		}
		at := offsetOf(r.out, slices.Index(r.out, tags.Token{Kind: kind, N: s.n}))
		n := r.scaledOffset(s.end - s.start)
		if kind == tags.Open {
			end := r.snapToEdge(at+n, wordEnds)
			if s.end == r.srcLen {
				end = textLen(r.out)
			}
			r.insertTag(max(at, end), tags.Token{Kind: tags.Close, N: s.n})
		} else {
			start := r.snapToEdge(at-n, wordBegins)
			if s.start == 0 {
				start = 0
			}
			r.insertTag(min(at, start), tags.Token{Kind: tags.Open, N: s.n})
		}
	}
}

// insertLostTags inserts the missing tags.
func (r *repairer) insertLostTags() {
	for _, s := range r.spans {
		if r.have[spanKey(s.n, s.single)] {
			continue
		}
		if s.single {
			r.insertTag(r.targetOffset(s.start, wordBegins), tags.Token{Kind: tags.Single, N: s.n})
			continue
		}
		start, end := r.targetOffset(s.start, wordBegins), r.targetOffset(s.end, wordEnds)
		if i := r.sameWords(s.text); i >= 0 {
			start, end = i, i+len([]rune(s.text))
		}
		if start >= end && s.start < s.end { // at least the adjacent word
			end = r.wordEnd(start)
		}
		r.insertTag(end, tags.Token{Kind: tags.Close, N: s.n})
		r.insertTag(start, tags.Token{Kind: tags.Open, N: s.n})
	}
}

// sameWords returns the position of a pair's text in the target if it occurs
// there once and unchanged: a name, a number, an address. Otherwise it
// returns -1.
func (r *repairer) sameWords(text string) int {
	plain := plainOf(r.out)
	if strings.TrimSpace(text) == "" || strings.Count(plain, text) != 1 {
		return -1
	}
	return len([]rune(plain[:strings.Index(plain, text)]))
}

// targetOffset returns the offset in the target that corresponds to one in the
// source: proportional, at the next edge of a word.
func (r *repairer) targetOffset(at int, edge edge) int {
	switch at {
	case 0:
		return 0
	case r.srcLen:
		return textLen(r.out)
	}
	return r.snapToEdge(r.scaledOffset(at), edge)
}

func (r *repairer) scaledOffset(n int) int {
	if r.srcLen == 0 {
		return 0
	}
	return (n*textLen(r.out) + r.srcLen/2) / r.srcLen
}

// edge reports whether there is an edge of some kind between two letters.
type edge func(before, after rune) bool

func wordBegins(before, after rune) bool { return !inWord(before) && inWord(after) }
func wordEnds(before, after rune) bool   { return inWord(before) && !inWord(after) }

// snapToEdge moves an offset to the nearest edge.
func (r *repairer) snapToEdge(at int, edge edge) int {
	text := []rune(plainOf(r.out))
	at = min(max(at, 0), len(text))
	for d := 0; d <= 12; d++ {
		for _, i := range []int{at - d, at + d} {
			if i == 0 || i == len(text) || i > 0 && i < len(text) && edge(text[i-1], text[i]) {
				return i
			}
		}
	}
	return at // a long word, or a script without spaces
}

func (r *repairer) wordEnd(at int) int {
	text := []rune(plainOf(r.out))
	for at < len(text) && !inWord(text[at]) {
		at++
	}
	for at < len(text) && inWord(text[at]) {
		at++
	}
	return at
}

func inWord(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c) }

// insertTag puts a tag at an offset of the text. Among other tags there, a
// closing tag comes first, any other last.
func (r *repairer) insertTag(at int, tag tags.Token) {
	for i, t := range r.out {
		n := len([]rune(t.Text))
		if at > n || at == n && tag.Kind != tags.Close && i+1 < len(r.out) {
			at -= n
			continue
		}
		if t.Kind != tags.Text {
			if at == 0 && tag.Kind == tags.Close {
				r.out = slices.Insert(r.out, i, tag)
				return
			}
			continue
		}
		rs := []rune(t.Text)
		parts := []tags.Token{{Text: string(rs[:at])}, tag, {Text: string(rs[at:])}}
		parts = slices.DeleteFunc(parts, func(p tags.Token) bool { return p.Kind == tags.Text && p.Text == "" })
		r.out = slices.Replace(r.out, i, i+1, parts...)
		return
	}
	r.out = append(r.out, tag)
}
