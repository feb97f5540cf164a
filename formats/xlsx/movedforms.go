package xlsx

import (
	"encoding/binary"
	"strconv"

	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
)

// Most rows that are sorted are like one before (see sheetml.RowForm). Of these only the
// texts are kept, and they are written from what is common to them.

// maxMovedForms is how many forms are kept; rows of further ones are kept cell by cell.
const maxMovedForms = 64

// movedForm is what rows of a form are written from.
type movedForm struct {
	of       *sheetml.RowForm
	cells    []movedCell
	columns  uint64 // as packedRow has them
	formulas bool
}

// movedCell is a cell of a movedForm.
type movedCell struct {
	col, style int
	formula    bool
	text       int    // its number among the texts of a row in the file; -1 where it has a format only
	ref        []byte // its start tag before the number of the row
	head, tail []byte // what is before and behind the text; nil for a formula
}

// formOf returns the number of a form from 1 on, 0 where its rows are kept cell by cell.
func (m *movedRows) formOf(f *sheetml.RowForm) int {
	if m.lastForm > 0 && m.forms[m.lastForm-1].of == f {
		return m.lastForm
	}
	for i := range m.forms {
		if m.forms[i].of == f {
			m.lastForm = i + 1
			return m.lastForm
		}
	}
	if len(m.forms) == maxMovedForms {
		return 0
	}
	m.forms = append(m.forms, m.newForm(f))
	m.lastForm = len(m.forms)
	return m.lastForm
}

// newForm returns what rows of f are written from; without columns where they are kept
// cell by cell, which is so where a cell is outside of the block, has nothing, or another
// text than the usual one.
func (m *movedRows) newForm(f *sheetml.RowForm) movedForm {
	out := movedForm{of: f}
	columns := uint64(0)
	for _, c := range f.Cells {
		n := movedCell{col: c.Col, style: c.Style, formula: c.Formula}
		switch {
		case c.Col < m.block.C1 || c.Col > m.block.C2:
			return out
		case c.Formula && f.Plain && c.RunTag == "":
			n.text = c.FormulaText
		case c.Formula || c.RunTag != "" && (c.Run < 0 || !c.NoValue):
			return out
		case c.Run >= 0:
			n.text = c.Run
			n.head, n.tail = m.around(c, c.RunTag, "</t>")
		case c.ValueText >= 0:
			n.text = c.ValueText
			n.head, n.tail = m.around(c, "", "")
		case c.Style > 0:
			n.text, n.head = -1, m.value(nil, c.Style, c.Type, nil, nil)
		default:
			return out
		}
		n.ref = cellref.AppendColumn(append(append(n.ref, '<'), m.prefix+`c r="`...), c.Col)
		n.head = append([]byte{'"'}, n.head...)
		col := c.Col
		if col > 63 {
			col = 0
		}
		columns |= 1 << col
		out.cells = append(out.cells, n)
		out.formulas = out.formulas || c.Formula
	}
	out.columns = columns
	return out
}

// around returns what addValue puts around the text of a cell.
func (m *movedRows) around(c sheetml.FormCell, open, shut string) (head, tail []byte) {
	const mark = "\x00"
	var v, is []byte
	if open != "" {
		is = []byte(open + mark + shut)
	} else {
		v = []byte(mark)
	}
	w := m.value(nil, c.Style, c.Type, v, is)
	for i := range w {
		if w[i] == 0 {
			return w[:i:i], w[i+1:]
		}
	}
	return nil, nil
}

// addRow keeps a row of a form, whose texts are pieces of what the scanner has in memory.
func (m *movedRows) addRow(s *sheetml.RowScanner, form int, texts []sheetml.Span) error {
	f := &m.forms[form-1]
	need, end := 8, 0
	for i := range f.cells {
		if n := f.cells[i].text; n >= 0 {
			need += binary.MaxVarintLen32 + texts[n].End - texts[n].Start
			end = max(end, texts[n].End)
		}
	}
	const word = 8 // bytes that are copied at once; as many come behind each text
	all := s.Text(sheetml.Piece(0, end+word))
	return m.addPacked(s.Row, f.columns, need, f.formulas, func(b []byte) []byte {
		for i := range f.cells {
			c := &f.cells[i]
			if c.text < 0 {
				continue
			}
			t := texts[c.text]
			n := t.End - t.Start
			if n > word {
				b = append(binary.AppendUvarint(b, uint64(n)), all[t.Start:t.End]...)
				continue
			}
			at := len(b) + 1
			b = append(b, byte(n))[:at+word]
			*(*[word]byte)(b[at:]) = [word]byte(all[t.Start:])
			b = b[:at+n]
		}
		m.row(s.Row).form = uint16(form)
		return b
	})
}

// unpack appends the cells of a row to a list.
func (m *movedRows) unpack(list []packedCell, r *packedRow) []packedCell {
	b := m.cells(r)
	if r.form == 0 {
		for len(b) > 0 {
			var c packedCell
			c, b = nextPacked(b)
			list = append(list, c)
		}
		return list
	}
	if len(b) < int(r.size) {
		return list // the file failed
	}
	f := &m.forms[r.form-1]
	var room []byte
	for i := range f.cells {
		c := &f.cells[i]
		var text []byte
		if c.text >= 0 {
			text, b = packedText(b)
		}
		if c.formula {
			text = []byte(sheetml.CharData(text))
		} else {
			from := len(room)
			room = append(append(append(room, c.head[1:]...), text...), c.tail...)
			text = room[from:len(room):len(room)]
		}
		list = append(list, packedCell{c.col, c.formula, c.style, text})
	}
	return list
}

func packedText(b []byte) (text, rest []byte) {
	n, b := packedInt(b)
	return b[:n], b[n:]
}

// spread keeps a row of a form cell by cell, for other cells to be added to it.
func (m *movedRows) spread(row int) error {
	r := m.row(row)
	cells := m.unpack(nil, r)
	r.form, r.size, r.columns = 0, 0, 0
	for _, c := range cells {
		err := m.spill.err
		if c.formula {
			err = m.addFormula(row, c.col, c.style, string(c.text))
		} else if err == nil {
			err = m.addText(row, c.col, c.text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// appendRow appends the cells of a row of a form as they are written in row, by rows from
// where it was. prefix is that of the elements.
func (m *movedRows) appendRow(b []byte, prefix string, row, by int, r *packedRow) []byte {
	var digits [8]byte
	number := strconv.AppendInt(digits[:0], int64(row), 10)
	cells := m.cells(r)
	if len(cells) < int(r.size) {
		return b // the file failed
	}
	f := &m.forms[r.form-1]
	for i := range f.cells {
		c := &f.cells[i]
		var text []byte
		if c.text >= 0 {
			text, cells = packedText(cells)
		}
		if !c.formula {
			b = append(append(append(b, c.ref...), number...), c.head...)
			b = append(append(b, text...), c.tail...)
			continue
		}
		b = appendCell(b, prefix, cellref.At(row, c.col), c.style, c.style > 0, value{kind: valFormula, s: formula.Move(sheetml.CharData(text), by, 0)})
	}
	return b
}
