package search

import (
	"bytes"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// folded is a literal in any case. A pair of its bytes, or its rarest character, the
// anchor, is searched for; the anchor in each of its spellings with the vector
// instructions of bytes.Index. Then the characters around each hit are compared.
type folded struct {
	before, after []rune   // canonical, in text order
	anchors       [][]byte // spellings of the anchor
	pair          *pair    // instead of anchors, where the anchor is frequent; before and after are those of its first byte
}

func newFolded(runes []rune) *folded {
	best, at := 1<<30, 0
	for i, r := range runes {
		if c := anchorCost(r); c < best {
			best, at = c, i
		}
	}
	if p := foldedPair(runes); p != nil && best > 10+rareCost {
		return &folded{before: canonicalRunes(runes[:p.at]), after: canonicalRunes(runes[p.at+1:]), pair: p}
	}
	f := &folded{before: canonicalRunes(runes[:at]), after: canonicalRunes(runes[at+1:])}
	for _, r := range spellings(runes[at]) {
		f.anchors = append(f.anchors, []byte(string(r)))
	}
	return f
}

// foldedPair returns the rarest pair of characters whose spellings all have one byte, nil
// if there is none.
func foldedPair(runes []rune) *pair {
	lit, usable := make([]pairByte, len(runes)), make([]bool, len(runes))
	for i, r := range runes {
		all := spellings(r)
		usable[i] = !slices.ContainsFunc(all, func(o rune) bool { return o >= utf8.RuneSelf })
		if !usable[i] {
			continue
		}
		lit[i] = pairByte{value: byte(r)}
		if len(all) > 1 {
			lit[i] = pairByte{value: byte(r) | 0x20, fold: 0x20}
		}
	}
	p, ok := bestPair(lit, usable)
	if !ok {
		return nil
	}
	return &p
}

// spellings lists the characters that equal r in any case.
func spellings(r rune) []rune {
	all := []rune{r}
	for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
		all = append(all, o)
	}
	return all
}

// letterCost is about how often the letters a…z occur per 1,000 in English
// text. Digits and punctuation are rarer; spaces are too frequent to search
// for.
var letterCost = [26]int{82, 15, 28, 43, 127, 22, 20, 61, 70, 2, 8, 40, 24, 67, 75, 19, 1, 60, 63, 91, 28, 10, 24, 2, 20, 1}

func anchorCost(r rune) int {
	c := 10
	for _, o := range spellings(r) {
		switch {
		case o >= 'a' && o <= 'z':
			c += letterCost[o-'a']
		case o == ' ':
			c += 170
		case o >= utf8.RuneSelf:
			c += 5 // the lead byte of a script is in every character of that script
		}
	}
	return c
}

// canonicalRune returns the smallest spelling of a character.
func canonicalRune(r rune) rune {
	if r < utf8.RuneSelf {
		return rune(canonASCII[r])
	}
	least := r
	for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
		least = min(least, o)
	}
	return least
}

var canonASCII = func() (t [utf8.RuneSelf]byte) {
	for i := range t {
		t[i] = byte(i)
		if 'a' <= i && i <= 'z' {
			t[i] = byte(i - 'a' + 'A')
		}
	}
	return t
}()

func canonicalRunes(runes []rune) []rune {
	out := make([]rune, len(runes))
	for i, r := range runes {
		out[i] = canonicalRune(r)
	}
	return out
}

func (f *folded) finder(text []byte) finder {
	ff := &foldedFinder{folded: f, text: text}
	ff.at = ff.few[:0]
	for range f.anchors {
		ff.at = append(ff.at, -1)
	}
	return ff
}

type foldedFinder struct {
	*folded
	text []byte
	at   []int // the next position of each spelling of the anchor
	few  [4]int
}

func (f *foldedFinder) next(pos int) int {
	if f.pair != nil {
		return f.nextPair(pos)
	}
	for {
		first, size := len(f.text), 0
		for i, a := range f.anchors {
			if f.at[i] < pos {
				f.at[i] = indexFrom(f.text, a, pos)
			}
			if f.at[i] < first {
				first, size = f.at[i], len(a)
			}
		}
		if first == len(f.text) {
			return -1
		}
		if f.matchesAround(first, size) {
			return first
		}
		pos = first + 1
	}
}

func (f *foldedFinder) nextPair(pos int) int {
	for ; pos < len(f.text); pos++ {
		if pos = f.pair.next(f.text, pos); pos < 0 {
			return -1
		}
		if f.matchesAround(pos, 1) {
			return pos
		}
	}
	return -1
}

// indexFrom returns the first position of lit from pos on, or len(text).
func indexFrom(text, lit []byte, pos int) int {
	var i int
	if len(lit) == 1 {
		i = bytes.IndexByte(text[pos:], lit[0])
	} else {
		i = bytes.Index(text[pos:], lit)
	}
	if i < 0 {
		return len(text)
	}
	return pos + i
}

// matchesAround compares the characters around the anchor found at `at`.
func (f *foldedFinder) matchesAround(at, size int) bool {
	rest := f.text[at+size:]
	for _, want := range f.after {
		r, n := utf8.DecodeRune(rest)
		if n == 0 || canonicalRune(r) != want {
			return false
		}
		rest = rest[n:]
	}
	rest = f.text[:at]
	for i := len(f.before) - 1; i >= 0; i-- {
		r, n := utf8.DecodeLastRune(rest)
		if n == 0 || canonicalRune(r) != f.before[i] {
			return false
		}
		rest = rest[:len(rest)-n]
	}
	return true
}

// byteClass filters for patterns without a literal that require one of some
// ASCII characters, such as a digit or a capital.
type byteClass struct {
	has  [256]bool
	cost int // about how often one of them occurs per 1,000 characters
}

// maxClassCost limits a byte class: a class that is in every line filters
// nothing.
const maxClassCost = 120

// classOf returns the rarest class of which every match contains a character;
// nil if no class is rare enough.
func classOf(re *syntax.Regexp) *byteClass {
	switch re.Op {
	case syntax.OpCharClass:
		return classFrom(re.Rune)
	case syntax.OpCapture, syntax.OpPlus:
		return classOf(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return classOf(re.Sub[0])
		}
	case syntax.OpConcat:
		var best *byteClass
		for _, sub := range re.Sub {
			if c := classOf(sub); c != nil && (best == nil || c.cost < best.cost) {
				best = c
			}
		}
		return best
	}
	return nil
}

func classFrom(ranges []rune) *byteClass {
	var c byteClass
	for i := 0; i < len(ranges); i += 2 {
		if ranges[i+1] >= utf8.RuneSelf {
			return nil
		}
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			c.has[r] = true
			switch {
			case r >= 'a' && r <= 'z':
				c.cost += letterCost[r-'a']
			case r == ' ' || r == '\t':
				c.cost += maxClassCost
			default:
				c.cost += 3
			}
		}
	}
	if c.cost > maxClassCost {
		return nil
	}
	return &c
}

func (c *byteClass) finder(text []byte) finder { return &classFinder{c, text} }

type classFinder struct {
	*byteClass
	text []byte
}

func (f *classFinder) next(pos int) int {
	for i, b := range f.text[pos:] {
		if f.has[b] {
			return pos + i
		}
	}
	return -1
}
