package xlsx

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"slices"
	"strconv"

	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
)

// maxInherited bounds the cells that inserted rows or columns take their look
// from their neighbours with; beyond it they stay plain.
const maxInherited = 500_000

// shiftEdit is one pass over the sheet whose rows or columns move.
type shiftEdit struct {
	part       string
	former     *formerValues
	rw         *formula.Rewriter
	home       string
	expand     map[int]book.SharedFormula // shared formulas written out
	room       *book.Allowance
	stale      *cellref.Set
	allStale   bool
	inject     map[cellref.Cell]string // texts of new cells
	head, tail []byte
}

// mover copies rows to where they go.
type mover struct {
	*shiftEdit
	s      *sheetml.RowScanner
	w      *bufio.Writer
	sh     cellref.Shift
	skip   bool // the current row is deleted
	row    int  // its new number
	like   []styled
	tag    []byte        // start tag of the row above the inserted ones
	run    cellref.Run   // the rows inserted behind the current one
	runs   []cellref.Run // the inserted columns
	next   int           // the first of runs whose cells this row still lacks
	left   int           // style of the cell left of it, -1 none
	budget int
	held   []byte // cells of the row that come behind others in a move
	again  func(event func(*bufio.Writer, *sheetml.RowScanner) error) error
	placed bool     // the rows that move are written
	inner  bool     // it writes the rows that move
	whole  bool     // the cells of the current row are written
	texts  [][]byte // of the current row, for reuse
}

type styled struct{ col, style int }

// shiftRows returns a function that streams the part with its rows or columns moved.
func shiftRows(ctx context.Context, pkg *opc.Package, part string, e *shiftEdit) func(io.Writer) error {
	return func(dst io.Writer) error {
		m := &mover{shiftEdit: e, sh: *e.rw.Shift, budget: maxInherited}
		if m.sh.Cols && m.sh.Inserts() {
			m.runs = m.sh.Runs()
		}
		m.again = func(event func(*bufio.Writer, *sheetml.RowScanner) error) error {
			for s, err := range book.Rows(ctx, pkg, part, book.Window{}) {
				if err != nil {
					return err
				}
				if err := event(m.w, s); err != nil {
					return err
				}
			}
			return nil
		}
		return rowCopier(ctx, pkg, part, m.event)(dst)
	}
}

func (m *mover) event(w *bufio.Writer, s *sheetml.RowScanner) error {
	switch s.Event {
	case sheetml.HeadEnd:
		m.w, m.s = w, s
		m.w.Write(m.head)
	case sheetml.RowStart:
		if m.rowsMove() && s.Row >= m.sh.To {
			if err := m.placeRows(); err != nil {
				return err
			}
		}
		m.rowStart()
		m.wholeRow()
	case sheetml.WholeCell:
		return m.cell()
	case sheetml.RowEnd:
		m.rowEnd()
	case sheetml.DataEnd:
		if m.rowsMove() {
			if err := m.placeRows(); err != nil {
				return err
			}
		}
		m.w.Write(s.Raw())
		_, err := m.w.Write(m.tail)
		return err
	}
	return nil
}

// attrOf is the value of an attribute in a tag by offset.
func attrSpan(tag []byte, want string) (sheetml.Span, bool) {
	for i := sheetml.NameLen(tag); ; {
		name, a, b, next := sheetml.NextAttr(tag, i)
		if next < 0 {
			return sheetml.Span{}, false
		}
		if string(name) == want {
			return sheetml.Piece(a, b), true
		}
		i = next
	}
}

func (m *mover) rowStart() {
	raw := m.s.Raw()
	tag := raw[m.s.Start:]
	m.row, m.skip = m.s.Row, false
	m.next, m.left = 0, -1
	if !m.sh.Cols {
		var ok bool
		m.row, ok = m.sh.Index(m.s.Row)
		m.skip = !ok || m.sh.Moves() && m.inner != (m.s.Row >= m.sh.At && m.s.Row < m.sh.At+m.sh.Count)
		m.like, m.tag = m.like[:0], nil
		if run, ok := m.sh.Before(m.s.Row + 1); ok {
			m.run = run
			m.tag = sheetml.EditTag(tag, "", "r", "spans", "hidden", "collapsed", "outlineLevel")
		}
	}
	if m.skip {
		return
	}
	m.w.Write(raw[:m.s.Start])
	if m.sh.Cols {
		tag = sheetml.EditTag(tag, "", "spans")
	}
	if sp, ok := attrSpan(tag, "r"); ok {
		if m.row != m.s.Row {
			m.w.Write(tag[:sp.Start])
			m.w.WriteString(strconv.Itoa(m.row))
			tag = tag[sp.End:]
		}
	} else if !m.sh.Cols {
		tag = sheetml.EditTag(tag, ` r="`+strconv.Itoa(m.row)+`"`)
	}
	m.w.Write(tag)
	if m.s.RowEmpty {
		m.copies()
	}
}

func (m *mover) rowEnd() {
	if m.skip {
		return
	}
	end := m.s.Raw()
	if m.whole {
		end, m.whole = end[m.s.Start:], false
	}
	m.newCells(cellref.MaxCol + 1)
	m.flush()
	m.w.Write(end)
	m.copies()
}

// copies writes the inserted rows behind the one above them, whose look they
// take, as Excel does.
func (m *mover) copies() {
	if m.tag == nil || len(m.like) == 0 && len(m.tag) <= len("<row/>")+len(m.s.Prefix)+1 {
		return
	}
	if m.budget -= m.run.Count * (len(m.like) + 1); m.budget < 0 {
		return
	}
	open := m.tag
	if !m.s.RowEmpty {
		open = append(slices.Clone(m.tag[:len(m.tag)-1]), '/', '>')
	}
	for i := range m.run.Count {
		r := m.run.First() + i
		tag := sheetml.EditTag(open, ` r="`+strconv.Itoa(r)+`"`)
		if len(m.like) == 0 {
			m.w.Write(tag)
			continue
		}
		m.w.Write(tag[:len(tag)-2])
		m.w.WriteByte('>')
		for _, c := range m.like {
			m.w.Write(appendCell(nil, m.s.Prefix, cellref.At(r, c.col), c.style, true, value{}))
		}
		m.w.WriteString("</" + m.s.Prefix + "row>")
	}
	m.tag = nil
}

// newCells writes the cells that columns inserted at or before col have in this
// row: the look of the one on the left, and headers of a table.
func (m *mover) newCells(col int) {
	for m.next < len(m.runs) && m.runs[m.next].At <= col {
		m.newCellsOf(m.runs[m.next])
		m.next, m.left = m.next+1, -1
	}
}

func (m *mover) newCellsOf(run cellref.Run) {
	for i := range run.Count {
		at := cellref.At(m.s.Row, run.First()+i)
		text, has := m.inject[at]
		if !has && m.left <= 0 {
			continue
		}
		if m.budget--; m.budget < 0 && !has {
			return
		}
		v := value{}
		if has {
			v = value{kind: valText, s: text}
		}
		m.w.Write(appendCell(nil, m.s.Prefix, at, max(m.left, 0), m.left > 0, v))
	}
}

func (m *mover) cell() error {
	c := &m.s.Cell
	if m.skip {
		return nil
	}
	if m.tag != nil && c.Style > 0 {
		m.like = append(m.like, styled{c.Col, c.Style})
	}
	m.newCells(c.Col)
	if m.next < len(m.runs) && c.Col == m.runs[m.next].At-1 {
		m.left = c.Style
	}
	at := cellref.At(m.row, c.Col)
	if m.sh.Cols {
		var ok bool
		if at, ok = m.sh.Cell(cellref.At(c.Row, c.Col)); !ok {
			return nil
		}
	}
	raw := m.s.Raw()
	if done, err := m.plainFormula(at, raw); done {
		return err
	}
	if !c.HasFormula && !m.stale.Has(c.Row, c.Col) && !(m.sh.Cols && m.sh.Moves()) {
		return m.plainCell(at, raw)
	}
	var cuts []xmlscan.Splice
	if sp, before := m.readdress(at); sp.OK() {
		name := before + cellref.Name(at.Row, at.Col)
		if before != "" {
			name += `"`
		}
		cuts = append(cuts, xmlscan.Splice{Start: sp.Start, End: sp.End, New: []byte(name)})
	}
	if c.HasFormula {
		var err error
		if cuts, err = m.formula(cuts); err != nil {
			return err
		}
	}
	if m.allStale && c.HasFormula || m.stale.Has(c.Row, c.Col) {
		m.former.note(m.part, at, m.s)
		cuts = appendValueCuts(cuts, c)
	}
	if len(cuts) > 0 {
		raw = xmlscan.Apply(raw, cuts)
	}
	if m.sh.Cols && m.sh.Moves() {
		return m.placeCell(raw)
	}
	m.w.Write(raw)
	return nil
}

// readdress tells where in the current cell the name of its new place goes, the zero
// span for nowhere; before is what comes before it, of a new attribute.
func (m *mover) readdress(at cellref.Cell) (sp sheetml.Span, before string) {
	c := &m.s.Cell
	tag := m.s.Raw()[m.s.Start:c.TagEnd]
	if c.HasRef && !m.sh.Cols && string(tag[:min(6, len(tag))]) == `<c r="` && at.Row != c.Row {
		if n := bytes.IndexByte(tag[6:], '"'); n > 0 {
			return sheetml.Piece(m.s.Start+6, m.s.Start+6+n), ""
		}
	}
	switch sp, has := attrSpan(tag, "r"); {
	case has && c.HasRef && (at.Row != c.Row || at.Col != c.Col):
		return sheetml.Piece(m.s.Start+sp.Start, m.s.Start+sp.End), ""
	case !has && m.sh.Cols:
		i := m.s.Start + sheetml.NameLen(tag)
		return sheetml.Piece(i, i), ` r="`
	}
	return sheetml.Span{}, ""
}

// formula adds what changes in the formula of the current cell.
func (m *mover) formula(cuts []xmlscan.Splice) ([]xmlscan.Splice, error) {
	s, c := m.s, &m.s.Cell
	p := formula.Place{Sheet: m.home}
	text := ""
	if c.Formula.OK() {
		text = sheetml.CharData(s.Text(c.Formula))
	}
	tag := s.Text(c.FormulaTag)
	fa := sheetml.ReadFormulaAttrs(tag)
	if g, ok := m.expand[fa.SharedIndex]; ok && fa.Kind == "shared" {
		if text == "" {
			var err error
			if text, err = m.room.Written(g, c.Row, c.Col); err != nil {
				return nil, err
			}
		}
		text, _ = m.rw.Text(text, p)
		return append(cuts, xmlscan.Splice{Start: c.FormulaElement.Start, End: c.FormulaElement.End, New: []byte("<" + s.Prefix + "f>" + xmlscan.Escape(text) + "</" + s.Prefix + "f>")}), nil
	}
	for _, name := range []string{"ref", "r1", "r2"} {
		sp, ok := attrSpan(tag, name)
		if !ok {
			continue
		}
		old := string(tag[sp.Start:sp.End])
		if fa.Kind == "shared" && m.sh.Moves() {
			if to := m.beside(cellref.ParseAttr(old)); to != cellref.ParseAttr(old) {
				cuts = append(cuts, xmlscan.Splice{Start: c.FormulaTag.Start + sp.Start, End: c.FormulaTag.Start + sp.End, New: []byte(to.String())})
			}
			continue
		}
		if block := cellref.ParseAttr(old); name == "ref" && fa.Kind == "array" && m.sh.Splits(block) && s.HasCellMetadata() {
			at, _ := m.sh.Cell(cellref.At(c.Row, c.Col)) // the cells of a dynamic array are found anew
			cuts = append(cuts, xmlscan.Splice{Start: c.FormulaTag.Start + sp.Start, End: c.FormulaTag.Start + sp.End, New: []byte(cellref.Name(at.Row, at.Col))})
			continue
		}
		if to := m.sh.Range(cellref.ParseAttr(old)); !to.Empty() && to != cellref.ParseAttr(old) {
			cuts = append(cuts, xmlscan.Splice{Start: c.FormulaTag.Start + sp.Start, End: c.FormulaTag.Start + sp.End, New: []byte(to.String())})
		}
	}
	if text != "" {
		if now, changed := m.rw.Text(text, p); changed {
			cuts = append(cuts, xmlscan.Splice{Start: c.Formula.Start, End: c.Formula.End, New: []byte(xmlscan.Escape(now))})
		}
	}
	return cuts, nil
}
