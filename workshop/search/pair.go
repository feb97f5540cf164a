package search

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// pair is two bytes that every occurrence of a literal has at a fixed distance. Both are
// looked for in eight places at once; a single frequent byte would stop the search too
// often.
type pair struct {
	first, second pairByte
	at            int // of the first byte in the literal
	gap           int // from the first byte to the second
}

// pairByte is one byte, or both cases of an ASCII letter.
type pairByte struct {
	value byte // the lower case where fold is 0x20
	fold  byte // 0x20 for a letter in any case, else 0
}

func (b pairByte) is(c byte) bool { return c|b.fold == b.value }

// rareCost is the cost of a byte that is so rare that it is looked for alone: bytes.IndexByte
// is faster for it than a pair.
const rareCost = 4

// byteCost is about how often a byte occurs per 1,000 in English text.
func byteCost(c byte) int {
	switch {
	case c >= 'a' && c <= 'z':
		return letterCost[c-'a']
	case c >= 'A' && c <= 'Z':
		return 1 + letterCost[c-'A']/16
	case c == ' ':
		return 170
	case c == '\t':
		return 10
	case c >= utf8.RuneSelf:
		return 40 // the lead byte of a script is in every character of that script
	}
	return 4
}

// bestPair chooses the two rarest bytes; usable says which of them come at a fixed distance
// from each other, those in one run. ok is false when there are no two.
func bestPair(lit []pairByte, usable []bool) (p pair, ok bool) {
	best := 0
	for i := range lit {
		for j := i + 1; j < len(lit) && usable[i] && usable[j]; j++ {
			if c := lit[i].cost() * lit[j].cost(); !ok || c < best {
				p, best, ok = pair{lit[i], lit[j], i, j - i}, c, true
			}
		}
	}
	return p, ok
}

func (b pairByte) cost() int {
	c := byteCost(b.value)
	if b.fold != 0 {
		c += byteCost(b.value &^ 0x20)
	}
	return c
}

const (
	eachByte = 0x0101010101010101
	highBits = 0x8080808080808080
)

// next returns the first place from pos on where the first byte is, with the second at its
// distance, or -1.
func (p *pair) next(text []byte, pos int) int {
	a, fa := uint64(p.first.value)*eachByte, uint64(p.first.fold)*eachByte
	b, fb := uint64(p.second.value)*eachByte, uint64(p.second.fold)*eachByte
	if gap := p.gap; pos+gap+8 <= len(text) {
		one := text[pos:]
		two := text[pos+gap:]
		one = one[:len(two)]
		for len(two) >= 32 {
			o, w := (*[32]byte)(one), (*[32]byte)(two)
			t0 := ((binary.LittleEndian.Uint64(o[0:]) | fa) ^ a) | ((binary.LittleEndian.Uint64(w[0:]) | fb) ^ b)
			t1 := ((binary.LittleEndian.Uint64(o[8:]) | fa) ^ a) | ((binary.LittleEndian.Uint64(w[8:]) | fb) ^ b)
			t2 := ((binary.LittleEndian.Uint64(o[16:]) | fa) ^ a) | ((binary.LittleEndian.Uint64(w[16:]) | fb) ^ b)
			t3 := ((binary.LittleEndian.Uint64(o[24:]) | fa) ^ a) | ((binary.LittleEndian.Uint64(w[24:]) | fb) ^ b)
			if ((t0-eachByte)&^t0|(t1-eachByte)&^t1|(t2-eachByte)&^t2|(t3-eachByte)&^t3)&highBits != 0 {
				break // in one of the next four words
			}
			one, two, pos = one[32:], two[32:], pos+32
		}
		for len(two) >= 8 {
			t := ((binary.LittleEndian.Uint64(one) | fa) ^ a) | ((binary.LittleEndian.Uint64(two) | fb) ^ b)
			if zero := (t - eachByte) &^ t & highBits; zero != 0 {
				return pos + bits.TrailingZeros64(zero)/8
			}
			one, two, pos = one[8:], two[8:], pos+8
		}
	}
	for ; pos+p.gap < len(text); pos++ {
		if p.first.is(text[pos]) && p.second.is(text[pos+p.gap]) {
			return pos
		}
	}
	return -1
}

// plain is a literal in one spelling.
type plain struct {
	lit    []byte
	rare   int // the place of a byte that is rare, or -1
	pair   pair
	paired bool
}

func newPlain(s string) plain {
	p := plain{lit: []byte(s), rare: -1}
	bytesOf, usable := make([]pairByte, len(s)), make([]bool, len(s))
	for i := range len(s) {
		bytesOf[i], usable[i] = pairByte{value: s[i]}, true
		if c := byteCost(s[i]); c < rareCost && (p.rare < 0 || c < byteCost(s[p.rare])) {
			p.rare = i
		}
	}
	p.pair, p.paired = bestPair(bytesOf, usable)
	return p
}

func (p plain) finder(text []byte) finder { return &plainFinder{p, text} }

type plainFinder struct {
	plain
	text []byte
}

func (f *plainFinder) next(pos int) int {
	switch {
	case f.rare >= 0:
		return f.nextRare(pos)
	case !f.paired:
		if i := bytes.Index(f.text[pos:], f.lit); i >= 0 {
			return pos + i
		}
		return -1
	}
	for at := pos + f.pair.at; at < len(f.text); at++ {
		if at = f.pair.next(f.text, at); at < 0 {
			return -1
		}
		if start := at - f.pair.at; bytes.HasPrefix(f.text[start:], f.lit) {
			return start
		}
	}
	return -1
}

// nextRare looks for the rare byte alone.
func (f *plainFinder) nextRare(pos int) int {
	for at := pos + f.rare; at < len(f.text); at++ {
		i := bytes.IndexByte(f.text[at:], f.lit[f.rare])
		if i < 0 {
			return -1
		}
		at += i
		if start := at - f.rare; bytes.HasPrefix(f.text[start:], f.lit) {
			return start
		}
	}
	return -1
}
