package xlsx

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
	// maxWritten bounds, in bytes, the long texts that one operation writes out,
	// maxCompared those of each side of a comparison.
	maxWritten  = 16 << 20
	maxCompared = 12 << 20
	// shortText is the length up to which a text counts nothing: so much more
	// than its cell it is not.
	shortText = 128
)

// allowance is what an operation may still write out, in bytes.
type allowance struct{ left atomic.Int64 }

func newAllowance(n int64) *allowance {
	a := &allowance{}
	a.left.Store(n)
	return a
}

// take reports whether there is room for a text of n bytes, and takes it.
func (a *allowance) take(n int) bool {
	return a == nil || n <= shortText || a.left.Add(-int64(n)) >= 0
}

// written is the formula that a member of a shared one in row and column has.
func (a *allowance) written(m sharedFormula, row, col int) (string, error) {
	if !a.take(len(m.text)) {
		return "", errWritten(m)
	}
	return formula.Move(m.text, row-m.row, col-m.col), nil
}

func errWritten(m sharedFormula) error {
	return formats.Errorf(formats.CodeTooLarge, "the formulas that share the one of %s come to more than %d MB when each is written out; "+
		"make that formula shorter, or shared by fewer cells, in a spreadsheet program", cellref.Name(m.row, m.col), maxWritten>>20)
}

// memberHash says what the members of a shared formula have in common.
type memberHash struct {
	form  uint64 // the same wherever their formulas mean the same
	shape []byte // as appendShape gives it of each, as a hash
}

// longMember is the formula of the scanner's cell where it is one of many that
// share a long one, whose texts are not compared one by one.
func (d *display) longMember(s *sheetml.RowScanner) (memberHash, bool) {
	c := &s.Cell
	if c.Formula.OK() && c.Formula.End > c.Formula.Start {
		return memberHash{}, false
	}
	fa := sheetml.ReadFormulaAttrs(s.Text(c.FormulaTag))
	m, ok := d.shared[fa.SharedIndex]
	if fa.Kind != "shared" || !ok || len(m.text) <= shortText {
		return memberHash{}, false
	}
	h, ok := d.members[fa.SharedIndex]
	if !ok || h.row != m.row || h.col != m.col {
		if d.members == nil {
			d.members = map[int]placedHash{}
		}
		h = placedHash{row: m.row, col: m.col}
		h.form = maphash.String(rowSeed, relativeForm(m.text, m.row, m.col)) | 1
		h.shape = binary.LittleEndian.AppendUint64(nil, maphash.Bytes(rowSeed, appendShape(nil, m.text)))
		d.members[fa.SharedIndex] = h
	}
	return h.memberHash, true
}

// placedHash is the memberHash of the master in a cell.
type placedHash struct {
	memberHash
	row, col int
}
