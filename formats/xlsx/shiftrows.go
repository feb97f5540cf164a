package xlsx

import (
	"bufio"
	"context"
	"io"
	"slices"
	"strconv"

	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
)

// maxInherited bounds the cells that inserted rows or columns take their look
// from their neighbours with; beyond it they stay plain.
const maxInherited = 500_000

// shiftEdit is one pass over the sheet whose rows or columns move.
type shiftEdit struct {
	fo         *formula.Follower
	home       string
	expand     map[int]sharedFormula // shared formulas written out
	room       *allowance
	stale      *cellref.Set
	allStale   bool
	inject     map[cellref.Cell]string // texts of new cells
	head, tail []byte
}

// mover copies rows to where they go.
type mover struct {
	*shiftEdit
	s      *rowScanner
	w      *bufio.Writer
	sh     cellref.Shift
	skip   bool // the current row is deleted
	row    int  // its new number
	like   []styled
	tag    []byte // start tag of the row above the inserted ones
	left   int    // style of the cell left of the inserted columns, -1 none
	filled bool   // the inserted cells of this row are written
	budget int
}

type styled struct{ col, style int }

// moveRows streams the part with its rows or columns moved to dst.
func moveRows(ctx context.Context, pkg *opc.Package, part string, e *shiftEdit, dst io.Writer) error {
	s, rc, err := openRows(ctx, pkg, part)
	if err != nil {
		return err
	}
	defer rc.Close()
	if _, err := s.head(); err != nil {
		return err
	}
	m := &mover{shiftEdit: e, s: s, w: bufio.NewWriterSize(dst, 64<<10), sh: *e.fo.Shift, budget: maxInherited}
	m.w.Write(e.head)
	for {
		ev, err := s.next()
		if err != nil {
			return err
		}
		switch ev {
		case evRow:
			m.rowStart()
		case evCell:
			if err := m.cell(); err != nil {
				return err
			}
		case evRowEnd:
			m.rowEnd()
		case evEnd:
			m.w.Write(s.raw())
			m.w.Write(e.tail)
			return m.w.Flush()
		}
	}
}

// attrOf is the value of an attribute in a tag by offset.
func attrSpan(tag []byte, want string) (span, bool) {
	for i := nameLen(tag); ; {
		name, a, b, next := nextAttr(tag, i)
		if next < 0 {
			return span{}, false
		}
		if string(name) == want {
			return span{a, b}, true
		}
		i = next
	}
}

func (m *mover) rowStart() {
	raw := m.s.raw()
	tag := raw[m.s.start:]
	m.row, m.skip, m.filled = m.s.row, false, false
	m.left = -1
	if !m.sh.Cols {
		var ok bool
		m.row, ok = m.sh.Index(m.s.row)
		m.skip = !ok
		m.like, m.tag = m.like[:0], nil
		if m.sh.Count > 0 && m.s.row == m.sh.At-1 {
			m.tag = editTag(tag, "", "r", "spans", "hidden", "collapsed", "outlineLevel")
		}
	}
	if m.skip {
		return
	}
	m.w.Write(raw[:m.s.start])
	if m.sh.Cols {
		tag = editTag(tag, "", "spans")
	}
	if sp, ok := attrSpan(tag, "r"); ok {
		if m.row != m.s.row {
			m.w.Write(tag[:sp.start])
			m.w.WriteString(strconv.Itoa(m.row))
			tag = tag[sp.end:]
		}
	} else if !m.sh.Cols {
		tag = editTag(tag, ` r="`+strconv.Itoa(m.row)+`"`)
	}
	m.w.Write(tag)
	if m.s.rowEmpty {
		m.copies()
	}
}

func (m *mover) rowEnd() {
	if m.skip {
		return
	}
	m.newCells()
	m.w.Write(m.s.raw())
	m.copies()
}

// copies writes the inserted rows behind the one above them, whose look they
// take, as Excel does.
func (m *mover) copies() {
	if m.tag == nil || len(m.like) == 0 && len(m.tag) <= len("<row/>")+len(m.s.prefix)+1 {
		return
	}
	if m.budget -= m.sh.Count * (len(m.like) + 1); m.budget < 0 {
		return
	}
	open := m.tag
	if !m.s.rowEmpty {
		open = append(slices.Clone(m.tag[:len(m.tag)-1]), '/', '>')
	}
	for i := range m.sh.Count {
		r := m.sh.At + i
		tag := editTag(open, ` r="`+strconv.Itoa(r)+`"`)
		if len(m.like) == 0 {
			m.w.Write(tag)
			continue
		}
		m.w.Write(tag[:len(tag)-2])
		m.w.WriteByte('>')
		for _, c := range m.like {
			m.w.Write(appendCell(nil, m.s.prefix, cellref.At(r, c.col), c.style, true, value{}))
		}
		m.w.WriteString("</" + m.s.prefix + "row>")
	}
	m.tag = nil
}

// newCells writes the cells that inserted columns have in this row: the look of
// the one on the left, and headers of a table.
func (m *mover) newCells() {
	if !m.sh.Cols || m.sh.Count < 0 || m.filled {
		return
	}
	m.filled = true
	for i := range m.sh.Count {
		at := cellref.At(m.s.row, m.sh.At+i)
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
		m.w.Write(appendCell(nil, m.s.prefix, at, max(m.left, 0), m.left > 0, v))
	}
}

func (m *mover) cell() error {
	c := &m.s.cell
	if m.skip {
		return nil
	}
	if m.tag != nil && c.style > 0 {
		m.like = append(m.like, styled{c.col, c.style})
	}
	if m.sh.Cols {
		if m.sh.Count > 0 && c.col == m.sh.At-1 {
			m.left = c.style
		}
		if c.col >= m.sh.At {
			m.newCells()
		}
	}
	at, ok := m.sh.Cell(cellref.At(c.row, c.col))
	if !ok {
		return nil
	}
	raw := m.s.raw()
	var cuts []xmlscan.Splice
	tag := raw[m.s.start:c.tagEnd]
	switch sp, has := attrSpan(tag, "r"); {
	case has && c.hasRef && (at.Row != c.row || at.Col != c.col):
		cuts = append(cuts, xmlscan.Splice{Start: m.s.start + sp.start, End: m.s.start + sp.end, New: []byte(cellref.Name(at.Row, at.Col))})
	case !has && m.sh.Cols:
		i := m.s.start + nameLen(tag)
		cuts = append(cuts, xmlscan.Splice{Start: i, End: i, New: []byte(` r="` + cellref.Name(at.Row, at.Col) + `"`)})
	}
	if c.hasF {
		var err error
		if cuts, err = m.formula(cuts); err != nil {
			return err
		}
	}
	if (m.allStale && c.hasF || m.stale.Has(c.row, c.col)) && c.vElem.ok() {
		cuts = append(cuts, xmlscan.Splice{Start: c.vElem.start, End: c.vElem.end})
		if c.typAttr.ok() {
			cuts = append(cuts, xmlscan.Splice{Start: c.typAttr.start, End: c.typAttr.end})
		}
	}
	if len(cuts) > 0 {
		raw = xmlscan.Apply(raw, cuts)
	}
	m.w.Write(raw)
	return nil
}

// formula adds what changes in the formula of the current cell.
func (m *mover) formula(cuts []xmlscan.Splice) ([]xmlscan.Splice, error) {
	s, c := m.s, &m.s.cell
	p := formula.Place{Sheet: m.home}
	text := ""
	if c.f.ok() {
		text = charData(s.text(c.f))
	}
	tag := s.text(c.fTag)
	fa := readFormulaAttrs(tag)
	if g, ok := m.expand[fa.si]; ok && fa.kind == "shared" {
		if text == "" {
			var err error
			if text, err = m.room.written(g, c.row, c.col); err != nil {
				return nil, err
			}
		}
		text, _ = m.fo.Text(text, p)
		return append(cuts, xmlscan.Splice{Start: c.fElem.start, End: c.fElem.end, New: []byte("<" + s.prefix + "f>" + xmlscan.Escape(text) + "</" + s.prefix + "f>")}), nil
	}
	for _, name := range []string{"ref", "r1", "r2"} {
		sp, ok := attrSpan(tag, name)
		if !ok {
			continue
		}
		old := string(tag[sp.start:sp.end])
		if to := m.sh.Range(cellref.ParseAttr(old)); !to.Empty() && to != cellref.ParseAttr(old) {
			cuts = append(cuts, xmlscan.Splice{Start: c.fTag.start + sp.start, End: c.fTag.start + sp.end, New: []byte(to.String())})
		}
	}
	if text != "" {
		if now, changed := m.fo.Text(text, p); changed {
			cuts = append(cuts, xmlscan.Splice{Start: c.f.start, End: c.f.end, New: []byte(xmlscan.Escape(now))})
		}
	}
	return cuts, nil
}
