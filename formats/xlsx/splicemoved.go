package xlsx

import (
	"bufio"

	"atelier/formats/xlsx/internal/cellref"
)

// rowMove is what comes to a row that is being written.
type rowMove struct {
	row, by int
	cells   []packedCell // not yet written
	whole   *packedRow   // a row of a form that replaces one as a whole; nil where cells do
}

// beginMove looks up what comes to a row.
func (p *splicer) beginMove(row int) {
	p.moved = nil
	m := p.e.moved
	cells, ok := m.moves(row)
	if !ok {
		return
	}
	k := row - m.block.R1
	p.move = rowMove{row: row, by: k - int(m.from[k])}
	p.moved = &p.move
	switch {
	case !p.placed.Add(row, 1): // the file has the row twice
	case cells.form > 0 && m.rows.at(k).form > 0:
		p.move.whole = cells
	default:
		p.move.cells = p.unpacked(cells)
	}
}

// unpacked returns the cells of a row in order, valid until the next call.
func (p *splicer) unpacked(r *packedRow) []packedCell {
	p.cells = inOrder(p.e.moved.unpack(p.cells[:0], r))
	return p.cells
}

// passMoved asks, at the start of a row that another replaces as a whole, for its end.
func (p *splicer) passMoved() {
	if m := p.moved; m == nil || m.whole == nil {
		return
	}
	if len(p.cur) > 0 || p.e.styles != nil || p.e.texts.hasRow(p.s.Row) {
		p.moveCells()
		return
	}
	p.s.RestOfRow()
}

// moveCells takes the row that is to replace another as a whole cell by cell.
func (p *splicer) moveCells() {
	if m := p.moved; m.whole != nil {
		m.cells, m.whole = p.unpacked(m.whole), nil
	}
}

// before writes what comes before a column.
func (p *splicer) before(col int) {
	for m := p.moved; len(m.cells) > 0 && m.cells[0].col < col; m.cells = m.cells[1:] {
		p.buf = appendMoved(p.buf[:0], p.s.Prefix, m.row, m.by, m.cells[0])
		p.w.Write(p.buf)
	}
}

// movedCell writes what comes to the place of the current cell; done is false where
// that stays.
func (p *splicer) movedCell() (done bool, err error) {
	s, c, b := p.s, &p.s.Cell, p.e.moved.block
	p.moveCells()
	p.before(c.Col)
	comes := len(p.moved.cells) > 0 && p.moved.cells[0].col == c.Col
	if c.Col < b.C1 || c.Col > b.C2 || !comes && c.Blank() && c.Style == 0 {
		return false, nil
	}
	_, err = p.w.Write(s.Raw()[:s.Start])
	switch {
	case comes:
		p.before(c.Col + 1)
	case !c.HasRef: // those behind it are where they are by their number
		p.buf = appendCell(p.buf[:0], s.Prefix, cellref.At(c.Row, c.Col), c.Style, c.HasStyle, value{})
		p.w.Write(p.buf)
	}
	return true, err
}

// endMove ends a row, and returns its end as it is to be written.
func (p *splicer) endMove(end []byte) []byte {
	m := p.moved
	if m == nil {
		return end
	}
	if m.whole != nil { // end has the cells that it replaces
		end = end[p.s.Start:]
		p.writeWhole(p.w, m)
	}
	p.before(cellref.MaxCol + 1)
	p.moved = nil
	return end
}

// writeWhole writes a row of a form in place of the cells of another.
func (p *splicer) writeWhole(w *bufio.Writer, m *rowMove) {
	w.Write(p.e.moved.appendRow(w.AvailableBuffer(), p.s.Prefix, m.row, m.by, m.whole))
}
