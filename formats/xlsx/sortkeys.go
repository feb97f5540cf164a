package xlsx

import (
	"bytes"
	"cmp"
	"math"
)

// sortKeys are what rows are sorted by, without a pointer for each: of a number its bits,
// of a text where its sort key is.
type sortKeys struct {
	list  longList[sortKey]
	texts [][]byte // chunks of textChunk bytes, and longer ones of one key
}

const (
	textChunk    = 1 << 20
	maxKeyLength = 1<<24 - 1 // bytes of a sort key that count
)

// grow makes room for n keys, blank ones.
func (k *sortKeys) grow(n int) { k.list.grow(n, sortKey{rank: blankRank}) }

// set keeps v as key i.
func (k *sortKeys) set(i int, v sortKey) { *k.list.at(i) = v }

// sortKey is one of sortKeys.
type sortKey struct {
	rank uint8
	bits uint64
}

// key makes the key of a value.
func (k *sortKeys) key(v sortValue) sortKey {
	if v.rank == 1 {
		return sortKey{1, math.Float64bits(v.number)}
	}
	return sortKey{uint8(v.rank), k.text(v.text)}
}

// text keeps a text and returns where it is: its chunk, its place there and its length.
func (k *sortKeys) text(s string) uint64 {
	if s == "" {
		return 0
	}
	s = s[:min(len(s), maxKeyLength)]
	last := len(k.texts) - 1
	if last < 0 || len(k.texts[last])+len(s) > cap(k.texts[last]) {
		k.texts = append(k.texts, make([]byte, 0, max(textChunk, len(s))))
		last++
	}
	at := len(k.texts[last])
	k.texts[last] = append(k.texts[last], s...)
	return uint64(last)<<44 | uint64(at)<<24 | uint64(len(s))
}

func (k *sortKeys) textAt(bits uint64) []byte {
	n := bits & maxKeyLength
	if n == 0 {
		return nil
	}
	at := bits >> 24 & (textChunk - 1)
	return k.texts[bits>>44][at : at+n]
}

// compare orders two keys; a blank comes last in either direction.
func (k *sortKeys) compare(x, y int, descending bool) int {
	a, b := k.list.at(x), k.list.at(y)
	if a.rank == blankRank || b.rank == blankRank {
		return cmp.Compare(a.rank, b.rank)
	}
	c := cmp.Compare(a.rank, b.rank)
	switch {
	case c != 0 || a.bits == b.bits:
	case a.rank == 1:
		c = cmp.Compare(math.Float64frombits(a.bits), math.Float64frombits(b.bits))
	default:
		c = bytes.Compare(k.textAt(a.bits), k.textAt(b.bits))
	}
	if descending {
		return -c
	}
	return c
}
