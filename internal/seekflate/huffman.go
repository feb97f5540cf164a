package seekflate

import (
	"fmt"
	"math/bits"
)

// A table entry packs what decoding one symbol needs: the bits to consume, the
// number of extra bits or of a subtable's bits, what it is, and its value.
//
//	bits 0–4   length of the code, for a subtable the primary bits
//	bits 5–8   extra bits; for a subtable its index bits
//	bits 9–12  kind
//	bits 16–31 literal, base of a length or distance, offset of a subtable
type entry uint32

const (
	kindBase    entry = 0 << 9 // length or distance: value plus extra bits
	kindLiteral entry = 1 << 9
	kindEnd     entry = 2 << 9
	kindSub     entry = 3 << 9
	kindInvalid entry = 4 << 9
	kindMask    entry = 15 << 9
)

func (e entry) len() uint   { return uint(e & 31) }
func (e entry) extra() uint { return uint(e >> 5 & 15) }
func (e entry) value() int  { return int(e >> 16) }

const (
	primaryBits = 11
	maxCode     = 15
)

// table decodes one Huffman code: a primary part indexed by the next 11 bits,
// then subtables for longer codes.
type table []entry

// build builds the table of a canonical code (RFC 1951, 3.2.2) from the
// length of each symbol's code; sym returns the entry of a symbol.
func (t table) build(lengths []uint8, sym func(int) entry) (table, error) {
	var count, next [maxCode + 2]int
	longest := 0
	for _, n := range lengths {
		count[n]++
		longest = max(longest, int(n))
	}
	count[0] = 0
	code, left := 0, 1
	for n := 1; n <= maxCode; n++ {
		code = (code + count[n-1]) << 1
		next[n] = code
		if left = left<<1 - count[n]; left < 0 {
			return t, fmt.Errorf("an oversubscribed Huffman code")
		}
	}
	// Only a code with a single one-bit symbol may be incomplete.
	if left > 0 && longest > 1 {
		return t, fmt.Errorf("an incomplete Huffman code")
	}
	t = t[:0]
	for range 1 << primaryBits {
		t = append(t, kindInvalid)
	}
	subBits := max(longest-primaryBits, 0)
	for s, n := range lengths {
		if n == 0 {
			continue
		}
		rev := int(bits.Reverse16(uint16(next[n])) >> (16 - n))
		next[n]++
		if n <= primaryBits {
			e := sym(s) | entry(n)
			for i := rev; i < 1<<primaryBits; i += 1 << n {
				t[i] = e
			}
			continue
		}
		low := rev & (1<<primaryBits - 1)
		if t[low]&kindMask != kindSub {
			t[low] = kindSub | entry(primaryBits) | entry(subBits)<<5 | entry(len(t))<<16
			for range 1 << subBits {
				t = append(t, kindInvalid)
			}
		}
		e := sym(s) | entry(n-primaryBits)
		sub := t[t[low].value():]
		for i := rev >> primaryBits; i < 1<<subBits; i += 1 << (n - primaryBits) {
			sub[i] = e
		}
	}
	return t, nil
}

var lengthBase = [...]uint16{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258}
var lengthExtra = [...]uint8{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}

// literalSym returns the entry of a symbol of the literal and length alphabet
// (3.2.5).
func literalSym(s int) entry {
	switch {
	case s < 256:
		return kindLiteral | entry(s)<<16
	case s == 256:
		return kindEnd
	case s-257 < len(lengthBase):
		return kindBase | entry(lengthExtra[s-257])<<5 | entry(lengthBase[s-257])<<16
	}
	return kindInvalid
}

// distanceSym returns the entry of a symbol of the distance alphabet.
func distanceSym(s int) entry {
	if s >= 30 {
		return kindInvalid
	}
	if s < 4 {
		return kindBase | entry(s+1)<<16
	}
	extra := uint(s/2 - 1)
	return kindBase | entry(extra)<<5 | entry(1+(2+s&1)<<extra)<<16
}

func plainSym(s int) entry { return kindLiteral | entry(s)<<16 }

// fixed are the tables of blocks with fixed codes (3.2.6).
var fixedLiteral, fixedDistance = func() (table, table) {
	var l [288]uint8
	for i := range l {
		switch {
		case i < 144:
			l[i] = 8
		case i < 256:
			l[i] = 9
		case i < 280:
			l[i] = 7
		default:
			l[i] = 8
		}
	}
	var d [32]uint8
	for i := range d {
		d[i] = 5
	}
	lt, err1 := table(nil).build(l[:], literalSym)
	dt, err2 := table(nil).build(d[:], distanceSym)
	if err1 != nil || err2 != nil {
		panic("seekflate: the fixed codes are wrong")
	}
	return lt, dt
}()
