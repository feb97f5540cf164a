package xlsx

import (
	"encoding/binary"
	"iter"
	"strings"

	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
)

// formulaList holds formulas in little more memory than their texts take. The zero value
// is empty.
type formulaList struct {
	n      int
	chunks []*strings.Builder // none grows beyond its capacity
	row    int                // of the formula added last
	buf    []byte
}

const formulaChunk = 256 << 10

// The bits that say what a packed formula is and has.
const (
	packedSpill = 1 << iota
	packedDynamic
	packedBlocked
	packedTable
	packedGroup
	packedMaster
	packedCached
)

// add appends a formula.
func (l *formulaList) add(fc book.FormulaCell) {
	bits := byte(0)
	for _, b := range []struct {
		set bool
		bit byte
	}{{fc.Spill != cellref.Range{}, packedSpill}, {fc.Dynamic, packedDynamic}, {fc.Blocked, packedBlocked}, {fc.Table, packedTable}, {fc.Group != 0, packedGroup}, {fc.Master, packedMaster}, {fc.Cached, packedCached}} {
		if b.set {
			bits |= b.bit
		}
	}
	b := binary.AppendVarint(append(l.buf[:0], bits), int64(fc.Row-l.row))
	b = binary.AppendUvarint(b, uint64(fc.Col))
	if bits&packedGroup != 0 {
		b = binary.AppendVarint(b, int64(fc.Group))
	}
	if bits&packedSpill != 0 {
		for _, n := range []int{fc.Spill.R1, fc.Spill.C1, fc.Spill.R2, fc.Spill.C2} {
			b = binary.AppendVarint(b, int64(n))
		}
	}
	b = binary.AppendUvarint(b, uint64(len(fc.Text)))
	l.buf, l.row = b, fc.Row
	l.n++
	need := len(b) + len(fc.Text)
	k := len(l.chunks) - 1
	if k < 0 || l.chunks[k].Len()+need > l.chunks[k].Cap() {
		c := &strings.Builder{}
		size := formulaChunk
		if k < 0 {
			size = 4 << 10 // most sheets have few formulas
		}
		c.Grow(max(size, need))
		l.chunks = append(l.chunks, c)
		k++
	}
	l.chunks[k].Write(b)
	l.chunks[k].WriteString(fc.Text)
}

// all yields the formulas in the order in which they were added. Their texts share the
// memory of the list.
func (l *formulaList) all() iter.Seq[book.FormulaCell] {
	return func(yield func(book.FormulaCell) bool) {
		row := 0
		for _, c := range l.chunks {
			for s := c.String(); s != ""; {
				var fc book.FormulaCell
				if fc, s = nextFormula(s, row); !yield(fc) {
					return
				}
				row = fc.Row
			}
		}
	}
}

// nextFormula takes the first of packed formulas; row is that of the one before it.
func nextFormula(s string, row int) (fc book.FormulaCell, rest string) {
	bits := s[0]
	s = s[1:]
	var n int64
	n, s = packedVarint(s)
	fc.Row = row + int(n)
	var u uint64
	u, s = packedUvarint(s)
	fc.Col = int(u)
	if bits&packedGroup != 0 {
		n, s = packedVarint(s)
		fc.Group = int(n)
	}
	if bits&packedSpill != 0 {
		for _, to := range []*int{&fc.Spill.R1, &fc.Spill.C1, &fc.Spill.R2, &fc.Spill.C2} {
			n, s = packedVarint(s)
			*to = int(n)
		}
	}
	fc.Dynamic, fc.Blocked, fc.Table = bits&packedDynamic != 0, bits&packedBlocked != 0, bits&packedTable != 0
	fc.Master, fc.Cached = bits&packedMaster != 0, bits&packedCached != 0
	u, s = packedUvarint(s)
	fc.Text = s[:u]
	return fc, s[u:]
}

func packedUvarint(s string) (n uint64, rest string) {
	for i, shift := 0, 0; ; i, shift = i+1, shift+7 {
		b := s[i]
		if n |= uint64(b&0x7f) << shift; b < 0x80 {
			return n, s[i+1:]
		}
	}
}

func packedVarint(s string) (int64, string) {
	u, rest := packedUvarint(s)
	return int64(u>>1) ^ -int64(u&1), rest
}
