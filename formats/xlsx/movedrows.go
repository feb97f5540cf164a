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
	block    cellref.Range // what is sorted, within what the sheet uses
	prefix   string
	chunks   [][]byte // nil for those in file
	spill    spilledChunks
	rows     longList[packedRow] // from block.R1 on
	from     []int32             // for each row the index in rows of what comes there; nil before it is known
	size     int
	buf      []byte
	forms    []movedForm
	lastForm int         // the one that was asked for last
	places   int         // cells that change
	set      cellref.Set // their places
	area     cellref.Range
}

// packedRow is where the cells of a row are.
type packedRow struct {
	chunk, at, size int32  // chunk: negative for a bucket; see arrange
	columns         uint64 // a bit for each column; the lowest for all from 64 on
	formulas        bool
	inFile          bool   // the sheet has the row
	form            uint16 // its form in movedRows.forms, from 1 on; 0 where it is kept cell by cell
}

const (
	packedChunk = 1 << 20
	// maxPacked bounds the bytes of the cells that are sorted at once.
	maxPacked = 1 << 30
)

// row returns the row with a number, growing the list; rows come mostly in order.
func (m *movedRows) row(number int) *packedRow {
	m.rows.grow(number-m.block.R1+1, packedRow{})
	return m.rows.at(number - m.block.R1)
}

// add keeps a cell of a row, as pack appends it in at most need bytes.
func (m *movedRows) add(row, col, need int, formula bool, pack func(b []byte) []byte) error {
	if m.row(row).form > 0 {
		if err := m.spread(row); err != nil {
			return err
		}
	}
	if col > 63 {
		col = 0
	}
	return m.addPacked(row, 1<<col, need, formula, pack)
}

// addPacked keeps cells of a row, as pack appends them in at most need bytes.
func (m *movedRows) addPacked(row int, columns uint64, need int, formula bool, pack func(b []byte) []byte) error {
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
	r.columns |= columns
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
	m.buf = m.value(m.buf[:0], style, typ, v, is)
	return m.addText(row, col, m.buf)
}

// value appends what comes behind the reference of such a cell.
func (m *movedRows) value(w []byte, style int, typ sheetml.CellType, v, is []byte) []byte {
	if style > 0 {
		w = append(strconv.AppendInt(append(w, ` s="`...), int64(style), 10), '"')
	}
	switch {
	case len(is) > 0:
		return m.element(append(w, ` t="inlineStr"`...), "is", is)
	case len(v) > 0:
		if t := typeNames[typ]; t != "" {
			w = append(append(append(w, ` t="`...), t...), '"')
		}
		return m.element(w, "v", v)
	}
	return append(w, "/>"...)
}

// addText keeps a cell as value gives it.
func (m *movedRows) addText(row, col int, w []byte) error {
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
		comes := m.placeRow(row, m.rows.at(int(f)))
		if came := m.rows.at(int(f)).columns; came != m.rows.at(k).columns || came&1 != 0 {
			m.placeRow(row, m.rows.at(k))
		}
		if !comes.Empty() {
			m.area.Add(comes.R1, comes.C1)
			m.area.Add(comes.R2, comes.C2)
		}
	}
	return moved
}

// place notes that the places of cells change in a row, and returns the block around them.
func (m *movedRows) place(row int, cells []packedCell) (r cellref.Range) {
	for _, c := range cells {
		if m.set.Add(row, c.col) {
			m.places++
		}
		r.Add(row, c.col)
	}
	return r
}

// has reports whether a cell changes.
func (m *movedRows) has(row, col int) bool { return m != nil && m.set.Has(row, col) }

// moves reports whether other cells come to a row, and which: those of a row.
func (m *movedRows) moves(row int) (cells *packedRow, ok bool) {
	if m == nil || row < m.block.R1 || row-m.block.R1 >= len(m.from) {
		return nil, false
	}
	k := row - m.block.R1
	f := m.from[k]
	if int(f) == k || m.rows.at(int(f)).size == 0 && m.rows.at(k).size == 0 {
		return nil, false
	}
	return m.rows.at(int(f)), true
}

// formulas reports whether a formula is among the cells that move.
func (m *movedRows) formulas() bool {
	for k, f := range m.from {
		if int(f) != k && m.rows.at(int(f)).formulas {
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
		if int(f) != k && !m.rows.at(k).inFile && m.rows.at(int(f)).size > 0 {
			rows = append(rows, m.block.R1+k)
		}
	}
	return rows
}

// inOrder brings cells into the order of their columns; of several in one column the last.
func inOrder(list []packedCell) []packedCell {
	rising := true
	for i := 1; i < len(list); i++ {
		rising = rising && list[i-1].col < list[i].col
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
