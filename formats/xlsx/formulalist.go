package xlsx

import (
	"encoding/binary"
	"iter"
	"strconv"
	"strings"

	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
)

// formulaList holds formulas in little more memory than their texts take; of one that is
// filled down only the first text. The zero value is empty.
type formulaList struct {
	n      int
	chunks []*strings.Builder // none grows beyond its capacity
	row    int                // of the formula added last
	buf    []byte
	last   lastFormulas
}

// lastFormulas are the formulas met last in each column.
type lastFormulas struct {
	columns map[int]*lastFormula
	col     int // of cur
	cur     *lastFormula
}

type lastFormula struct {
	row  int
	text string
	ends []int // behind the numbers of text that rise in filledDown
	new  bool  // ends are not those of text
}

// is makes a text the last one.
func (l *lastFormula) is(row int, text string, filled bool) {
	if l.new = l.new || !filled || len(text) != len(l.text); l.new {
		l.ends = l.ends[:0]
	}
	l.row, l.text = row, text
}

// down appends the text filled down by rows.
func (l *lastFormula) down(b []byte, rows int) []byte {
	if rows < 0 || rows > 1<<20 {
		return filledDown(b, l.text, rows, nil)
	}
	from := len(b)
	if l.new {
		l.ends, l.new = l.ends[:0], false
		return filledDown(b, l.text, rows, &l.ends)
	}
	b = append(b, l.text...)
	for _, end := range l.ends {
		add := rows
		for i := from + end - 1; add > 0; i-- {
			if i < from || !digit(b[i]) { // it gets longer
				return filledDown(b[:from], l.text, rows, nil)
			}
			add += int(b[i] - '0')
			b[i] = byte('0' + add%10)
			add /= 10
		}
	}
	return b
}

// at returns the last formula of a column, with the row 0 when there is none.
func (l *lastFormulas) at(col int) *lastFormula {
	if l.cur != nil && l.col == col {
		return l.cur
	}
	f := l.columns[col]
	if f == nil {
		if f = (&lastFormula{}); l.columns == nil {
			l.columns = map[int]*lastFormula{}
		}
		l.columns[col] = f
	}
	l.col, l.cur = col, f
	return f
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
	packedFilled // its text is filledDown of that above it
)

// filledDown appends what a formula is likely to be so many rows further down: numbers
// behind one to three capital letters rise. Whether it is so is for the caller to compare.
// ends, unless nil, gets where those numbers end in f.
func filledDown(b []byte, f string, rows int, ends *[]int) []byte {
	pos := 0
	for i := 0; i < len(f); {
		if !upper(f[i]) {
			if i++; f[i-1] >= '0' && f[i-1] <= '9' || f[i-1] == '.' || f[i-1] == '_' {
				for i < len(f) && (upper(f[i]) || digit(f[i])) { // no reference begins there
					i++
				}
			}
			continue
		}
		from := i
		for i < len(f) && upper(f[i]) {
			i++
		}
		digits := i
		n := 0
		for i < len(f) && digit(f[i]) && i-digits < 7 {
			n = n*10 + int(f[i]-'0')
			i++
		}
		if digits-from > 3 || i == digits || i < len(f) && (digit(f[i]) || f[i] == '(') {
			continue
		}
		b = strconv.AppendInt(append(b, f[pos:digits]...), int64(n+rows), 10)
		if pos = i; ends != nil {
			*ends = append(*ends, i)
		}
	}
	return append(b, f[pos:]...)
}

func upper(c byte) bool { return c >= 'A' && c <= 'Z' }

func digit(c byte) bool { return c >= '0' && c <= '9' }

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
	above := l.last.at(fc.Col)
	if above.row > 0 && fc.Text != "" {
		if l.buf = above.down(l.buf[:0], fc.Row-above.row); string(l.buf) == fc.Text {
			bits |= packedFilled
		}
	}
	above.is(fc.Row, fc.Text, bits&packedFilled != 0)
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
	text := fc.Text
	if bits&packedFilled != 0 {
		text = ""
	} else {
		b = binary.AppendUvarint(b, uint64(len(text)))
	}
	l.buf, l.row = b, fc.Row
	l.n++
	need := len(b) + len(text)
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
	l.chunks[k].WriteString(text)
}

// all yields the formulas in the order in which they were added. Their texts share memory
// with the list or each other.
func (l *formulaList) all() iter.Seq[book.FormulaCell] { return l.each(true) }

// places is all for what asks for places only: texts may lack.
func (l *formulaList) places() iter.Seq[book.FormulaCell] { return l.each(false) }

func (l *formulaList) each(withTexts bool) iter.Seq[book.FormulaCell] {
	return func(yield func(book.FormulaCell) bool) {
		row := 0
		var last lastFormulas
		var texts textArena
		for _, c := range l.chunks {
			for s := c.String(); s != ""; {
				var fc book.FormulaCell
				var filled bool
				if fc, filled, s = nextFormula(s, row); !withTexts {
					if !yield(fc) {
						return
					}
					row = fc.Row
					continue
				}
				above := last.at(fc.Col)
				if filled {
					fc.Text = texts.down(above, fc.Row-above.row)
				}
				if above.is(fc.Row, fc.Text, filled); !yield(fc) {
					return
				}
				row = fc.Row
			}
		}
	}
}

// textArena makes texts that share blocks of memory.
type textArena struct{ block strings.Builder }

func (a *textArena) down(f *lastFormula, rows int) string {
	var room [256]byte
	b := f.down(room[:0], rows)
	if a.block.Len()+len(b) > a.block.Cap() {
		a.block = strings.Builder{}
		a.block.Grow(max(len(b), 4<<10))
	}
	from := a.block.Len()
	a.block.Write(b)
	return a.block.String()[from:]
}

// nextFormula takes the first of packed formulas; row is that of the one before it. The
// text of one that is filled down is not in it.
func nextFormula(s string, row int) (fc book.FormulaCell, filled bool, rest string) {
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
	if bits&packedFilled != 0 {
		return fc, true, s
	}
	u, s = packedUvarint(s)
	fc.Text = s[:u]
	return fc, false, s[u:]
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
