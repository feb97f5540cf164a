package xlsx

import (
	"encoding/binary"
	"slices"
	"strconv"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
)

// movedRows are the cells of a block of a sheet, row by row as they are written, and
// where each row of them goes. They take little more room than their XML, of which what is
// over maxHeldChunks is in a temporary file. A nil one moves nothing.
type movedRows struct {
	block  cellref.Range // what is sorted, within what the sheet uses
	prefix string
	chunks [][]byte // nil for those in file
	spill  spilledChunks
	rows   []packedRow // from block.R1 on
	from   []int32     // for each row the index in rows of what comes there; nil before it is known
	size   int
	buf    []byte
	longs  bool        // there are numbers of more than 15 characters
	places int         // cells that change
	set    cellref.Set // their places
	area   cellref.Range
}

// packedRow is where the cells of a row are.
type packedRow struct {
	chunk, at, size int32  // chunk: negative for a bucket; see arrange
	columns         uint64 // a bit for each column; the lowest for all from 64 on
	formulas        bool
	inFile          bool // the sheet has the row
}

const (
	packedChunk = 1 << 20
	// maxPacked bounds the bytes of the cells that are sorted at once.
	maxPacked = 1 << 30
)

// row returns the row with a number, growing the list; rows come mostly in order.
func (m *movedRows) row(number int) *packedRow {
	for len(m.rows) <= number-m.block.R1 {
		m.rows = append(m.rows, packedRow{})
	}
	return &m.rows[number-m.block.R1]
}

// add keeps a cell of a row, as append packs it into at most need bytes.
func (m *movedRows) add(row, col, need int, formula bool, pack func(b []byte) []byte) error {
	r := m.row(row)
	k := len(m.chunks) - 1
	last := k >= 0 && int(r.chunk) == k && int(r.at+r.size) == len(m.chunks[k])
	if k < 0 || len(m.chunks[k])+need > cap(m.chunks[k]) || r.size > 0 && !last {
		before := m.cells(r) // a row lies in one piece
		if k < 0 || len(m.chunks[k])+len(before)+need > cap(m.chunks[k]) {
			before = slices.Clone(before) // not in what is given up
			m.makeRoom()
			m.chunks = append(m.chunks, make([]byte, 0, max(packedChunk, len(before)+need)))
			k++
		}
		r.chunk, r.at = int32(k), int32(len(m.chunks[k]))
		m.chunks[k] = append(m.chunks[k], before...)
		m.size += len(before) // it stays where it was, too
	}
	was := len(m.chunks[k])
	if r.size == 0 {
		r.chunk, r.at = int32(k), int32(was)
	}
	if m.spill.err != nil {
		return m.spill.err
	}
	m.chunks[k] = pack(m.chunks[k])
	if col > 63 {
		col = 0
	}
	r.columns |= 1 << col
	r.size += int32(len(m.chunks[k]) - was)
	r.formulas = r.formulas || formula
	if m.size += len(m.chunks[k]) - was; m.size > maxPacked {
		return formats.Errorf(formats.CodeTooLarge, "the range holds more than %d MB of cells; sort a smaller one", maxPacked>>20)
	}
	return nil
}

// cells returns the packed cells of a row.
func (m *movedRows) cells(r *packedRow) []byte {
	if r.size == 0 {
		return nil
	}
	if r.chunk < 0 {
		return m.spill.arranged(r)
	}
	if m.chunks[r.chunk] == nil {
		return m.spill.read(int(r.chunk), int(r.at), int(r.size))
	}
	return m.chunks[r.chunk][r.at : r.at+r.size]
}

// A packed cell is its column, whether it is a formula, and what comes behind its
// reference as it is written; of a formula its format and its text.

// addFormula keeps a formula.
func (m *movedRows) addFormula(row, col, style int, f string) error {
	return m.add(row, col, 4*binary.MaxVarintLen32+len(f), true, func(b []byte) []byte {
		b = append(binary.AppendUvarint(b, uint64(col)), 1)
		b = binary.AppendUvarint(b, uint64(style))
		return append(binary.AppendUvarint(b, uint64(len(f))), f...)
	})
}

// addValue keeps a cell with the content of its v or is element, or with a format only.
func (m *movedRows) addValue(row, col, style int, typ sheetml.CellType, v, is []byte) error {
	w := m.buf[:0]
	if style > 0 {
		w = append(strconv.AppendInt(append(w, ` s="`...), int64(style), 10), '"')
	}
	switch {
	case len(is) > 0:
		w = m.element(append(w, ` t="inlineStr"`...), "is", is)
	case len(v) > 0:
		m.longs = m.longs || len(v) > 15 && typ == sheetml.TypeNumber
		if t := typeNames[typ]; t != "" {
			w = append(append(append(w, ` t="`...), t...), '"')
		}
		w = m.element(w, "v", v)
	default:
		w = append(w, "/>"...)
	}
	m.buf = w
	return m.add(row, col, 2*binary.MaxVarintLen32+1+len(w), false, func(b []byte) []byte {
		b = append(binary.AppendUvarint(b, uint64(col)), 0)
		return append(binary.AppendUvarint(b, uint64(len(w))), w...)
	})
}

// element ends a start tag, and with an element of that content the cell.
func (m *movedRows) element(w []byte, name string, content []byte) []byte {
	w = append(append(append(append(append(w, "><"...), m.prefix...), name...), '>'), content...)
	w = append(append(append(append(append(w, "</"...), m.prefix...), name...), "></"...), m.prefix...)
	return append(w, "c>"...)
}

// packedCell is a packed cell taken apart.
type packedCell struct {
	col     int
	formula bool
	style   int
	text    []byte // of a formula, else what comes behind the reference
}

// nextPacked takes the first of packed cells.
func nextPacked(b []byte) (c packedCell, rest []byte) {
	c.col, b = packedInt(b)
	c.formula = b[0] == 1
	b = b[1:]
	if c.formula {
		c.style, b = packedInt(b)
	}
	n, b := packedInt(b)
	c.text = b[:n]
	return c, b[n:]
}

func packedInt(b []byte) (int, []byte) {
	if b[0] < 0x80 {
		return int(b[0]), b[1:]
	}
	n, k := binary.Uvarint(b)
	return int(n), b[k:]
}

// order moves the rows: the one that comes to the kth place is at index from[k] now.
// It returns how many move.
func (m *movedRows) order(from []int32) (moved int) {
	m.from = from
	for k, f := range from {
		if int(f) == k {
			continue
		}
		moved++
		row := m.block.R1 + k
		comes := m.placeRow(row, &m.rows[f])
		if came := m.rows[f].columns; came != m.rows[k].columns || came&1 != 0 {
			m.placeRow(row, &m.rows[k])
		}
		if !comes.Empty() {
			m.area.Add(comes.R1, comes.C1)
			m.area.Add(comes.R2, comes.C2)
		}
	}
	return moved
}

// place notes that the places of packed cells change in a row, and returns the block
// around them.
func (m *movedRows) place(row int, cells []byte) (r cellref.Range) {
	for len(cells) > 0 {
		var c packedCell
		c, cells = nextPacked(cells)
		if m.set.Add(row, c.col) {
			m.places++
		}
		r.Add(row, c.col)
	}
	return r
}

// has reports whether a cell changes.
func (m *movedRows) has(row, col int) bool { return m != nil && m.set.Has(row, col) }

// moves reports whether other cells come to a row, and which: their packed form.
func (m *movedRows) moves(row int) (cells []byte, ok bool) {
	if m == nil || row < m.block.R1 || row-m.block.R1 >= len(m.from) {
		return nil, false
	}
	k := row - m.block.R1
	f := m.from[k]
	if int(f) == k || m.rows[f].size == 0 && m.rows[k].size == 0 {
		return nil, false
	}
	return m.cells(&m.rows[f]), true
}

// formulas reports whether a formula is among the cells that move.
func (m *movedRows) formulas() bool {
	for k, f := range m.from {
		if int(f) != k && m.rows[f].formulas {
			return true
		}
	}
	return false
}

// newRows lists the rows that cells come to and the sheet does not have.
func (m *movedRows) newRows() (rows []int) {
	if m == nil {
		return nil
	}
	for k, f := range m.from {
		if int(f) != k && !m.rows[k].inFile && m.rows[f].size > 0 {
			rows = append(rows, m.block.R1+k)
		}
	}
	return rows
}

// inOrder appends packed cells with rising columns to an empty list; of several in one
// column the last.
func inOrder(list []packedCell, cells []byte) []packedCell {
	rising := true
	for len(cells) > 0 {
		var c packedCell
		c, cells = nextPacked(cells)
		rising = rising && (len(list) == 0 || list[len(list)-1].col < c.col)
		list = append(list, c)
	}
	if rising {
		return list
	}
	slices.SortStableFunc(list, func(a, b packedCell) int { return a.col - b.col })
	out := list[:0]
	for i, c := range list {
		if i+1 == len(list) || list[i+1].col != c.col {
			out = append(out, c)
		}
	}
	return out
}

// appendMoved appends a packed cell as it is written in row, by rows from where it was.
func appendMoved(b []byte, prefix string, row, by int, c packedCell) []byte {
	if c.formula {
		if len(c.text) == 0 && c.style == 0 {
			return b
		}
		v := value{kind: valFormula, s: formula.Move(string(c.text), by, 0)}
		if len(c.text) == 0 {
			v = value{}
		}
		return appendCell(b, prefix, cellref.At(row, c.col), c.style, c.style > 0, v)
	}
	b = append(append(append(b, '<'), prefix...), `c r="`...)
	b = append(cellref.AppendName(b, row, c.col), '"')
	return append(b, c.text...)
}

// long are the numbers among the cells that move with more digits than a spreadsheet
// keeps, as many as warnings are of use, in order.
func (m *movedRows) long() []string {
	if !m.longs {
		return nil
	}
	var list []string
	for k, f := range m.from {
		if int(f) == k {
			continue
		}
		for b := m.cells(&m.rows[f]); len(b) > 0; {
			var c packedCell
			if c, b = nextPacked(b); c.formula || len(c.text) < 24 {
				continue
			}
			if n, ok := packedNumber(c.text, m.prefix); ok && len(n) > 15 && significant(n) > 15 {
				list = append(list, n)
			}
		}
		if len(list) > 100*maxWarnings || k == len(m.from)-1 {
			slices.Sort(list)
			list = slices.Compact(list)
			list = list[:min(len(list), maxWarnings)]
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// packedNumber is the number of a packed cell, if it has one.
func packedNumber(text []byte, prefix string) (string, bool) {
	i := slices.Index(text, '>')
	if i < 0 || slices.Contains(text[:i], 't') {
		return "", false
	}
	s := string(text[i+1:])
	open, shut := "<"+prefix+"v>", "</"+prefix+"v></"+prefix+"c>"
	if len(s) < len(open)+len(shut) || s[:len(open)] != open {
		return "", false
	}
	return sheetml.CharData([]byte(s[len(open) : len(s)-len(shut)])), true
}

// rowMove is what comes to a row that is being written.
type rowMove struct {
	row, by int
	cells   []packedCell // not yet written
}

// beginMove looks up what comes to a row.
func (p *splicer) beginMove(row int) {
	p.moved = nil
	m := p.e.moved
	if cells, ok := m.moves(row); ok {
		if !p.placed.Add(row, 1) {
			cells = nil // the file has the row twice
		}
		k := row - m.block.R1
		p.cells = inOrder(p.cells[:0], cells)
		p.moved = &rowMove{row, k - int(m.from[k]), p.cells}
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

// endMove ends a row.
func (p *splicer) endMove() {
	if p.moved != nil {
		p.before(cellref.MaxCol + 1)
		p.moved = nil
	}
}
