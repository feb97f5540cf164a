package book

import (
	"encoding/binary"
	"hash/maphash"
	"sync/atomic"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
)

// The cells of a shared formula each have all of its text, and cells that show
// one shared string each have all of that: what an operation writes out of them
// may be thousands of times what the file holds.
const (
	// MaxWritten bounds, in bytes, the long texts that one operation writes out,
	// maxCompared those of each side of a comparison.
	MaxWritten  = 16 << 20
	MaxCompared = 12 << 20
	// shortText is the length up to which a text counts nothing: so much more
	// than its cell it is not.
	shortText = 128
)

// Allowance is what an operation may still write out, in bytes.
type Allowance struct{ left atomic.Int64 }

// NewAllowance returns an allowance of n bytes.
func NewAllowance(n int64) *Allowance {
	a := &Allowance{}
	a.left.Store(n)
	return a
}

// take reports whether there is room for a text of n bytes, and takes it.
func (a *Allowance) take(n int) bool {
	return a == nil || n <= shortText || a.left.Add(-int64(n)) >= 0
}

// Written is the formula that a member of a shared one in row and column has.
func (a *Allowance) Written(m SharedFormula, row, col int) (string, error) {
	if !a.take(len(m.Text)) {
		return "", ErrWritten(m)
	}
	return formula.Move(m.Text, row-m.Row, col-m.Col), nil
}

// ErrWritten is the error for a shared formula that is too long to write out for
// all its cells.
func ErrWritten(m SharedFormula) error {
	return formats.Errorf(formats.CodeTooLarge, "the formulas that share the one of %s come to more than %d MB when each is written out; "+
		"make that formula shorter, or shared by fewer cells, in a spreadsheet program", cellref.Name(m.Row, m.Col), MaxWritten>>20)
}

// MemberHash says what the members of a shared formula have in common.
type MemberHash struct {
	Form  uint64 // the same wherever their formulas mean the same
	Shape []byte // as appendShape gives it of each, as a hash
}

// LongMember is the formula of the scanner's cell where it is one of many that
// share a long one, whose texts are not compared one by one.
func (d *Display) LongMember(s *sheetml.RowScanner) (MemberHash, bool) {
	c := &s.Cell
	if c.Formula.OK() && c.Formula.End > c.Formula.Start {
		return MemberHash{}, false
	}
	fa := sheetml.ReadFormulaAttrs(s.Text(c.FormulaTag))
	m, ok := d.Shared[fa.SharedIndex]
	if fa.Kind != "shared" || !ok || len(m.Text) <= shortText {
		return MemberHash{}, false
	}
	h, ok := d.members[fa.SharedIndex]
	if !ok || h.row != m.Row || h.col != m.Col {
		if d.members == nil {
			d.members = map[int]placedHash{}
		}
		h = placedHash{row: m.Row, col: m.Col}
		h.Form = maphash.String(HashSeed, RelativeForm(m.Text, m.Row, m.Col)) | 1
		h.Shape = binary.LittleEndian.AppendUint64(nil, maphash.Bytes(HashSeed, AppendShape(nil, m.Text)))
		d.members[fa.SharedIndex] = h
	}
	return h.MemberHash, true
}

// placedHash is the memberHash of the master in a cell.
type placedHash struct {
	MemberHash
	row, col int
}
