package xlsx

import (
	"bufio"
	"context"
	"io"
	"iter"
	"maps"
	"slices"
	"sort"
	"strconv"

	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// sheetEdit is all that one pass over a sheet changes.
type sheetEdit struct {
	part       string
	cells      map[cellref.Cell]value
	texts      *replacedTexts // nil for none
	moved      *movedRows     // nil for none
	heights    map[int]float64
	fits       map[int]float64       // heights of rows that programs may fit again
	hidden     hiddenRuns            // rows to hide or to show
	lines      map[int]outlineLine   // rows whose groups change
	exists     map[cellref.Cell]bool // edited cells the file has, so that none comes twice
	rowExists  map[int]bool
	stale      *cellref.Set // cells whose cached value goes
	allStale   bool         // every formula's does
	former     *formerValues
	expand     map[int]book.SharedFormula
	room       *book.Allowance             // for those of expand
	rewrite    func(string) (string, bool) // nil: formulas stay
	colStyles  map[int]int
	styles     *sheetStyles                   // formats to put on cells, nil none
	raws       map[cellref.Cell]rawCell       // edited cells that are written as given
	results    func(cellref.Cell) *blockCell  // values that formulas got; nil for none
	refs       map[cellref.Cell]cellref.Range // new blocks of array formulas
	head, tail []byte
	selfData   bool // head ends in <sheetData/>
	ordered    bool // columns rise within every row of the file
}

// splicer copies a sheet's rows with an edit.
type splicer struct {
	e      *sheetEdit
	s      *sheetml.RowScanner
	w      *bufio.Writer
	rows   []int         // edited rows in order
	cols   map[int][]int // edited columns of each, in order
	next   int           // first of rows not yet met
	cur    []int         // columns of the current row not yet met
	edited bool          // the current row is edited
	moved  *rowMove      // what comes to the current row; nil where it stays
	move   rowMove       // for moved
	placed cellref.Set   // rows to which others came, in column 1
	cells  []packedCell  // of moved, for reuse
	style  int           // of the current row, -1 none
	passed []int         // columns in which a row can change that the pass may skip through; see aim
	skips  bool          // cells of the current row that stay are not looked at
	buf    []byte
	cuts   []xmlscan.Splice // of the cell that is kept, for reuse
	kept   []byte           // the cell with them, for reuse
}

// spliceSheet returns a function that streams the part with the edit.
func spliceSheet(ctx context.Context, pkg *opc.Package, e *sheetEdit) func(io.Writer) error {
	return func(dst io.Writer) error { return splice(book.Rows(ctx, pkg, e.part, book.Window{}), e, dst) }
}

// splice copies rows with the edit.
func splice(rows iter.Seq2[*sheetml.RowScanner, error], e *sheetEdit, dst io.Writer) error {
	p := &splicer{e: e, style: -1}
	p.order()
	return copyRows(rows, p.event, dst)
}

// rowCopier returns a function that streams a worksheet part through copyRows.
func rowCopier(ctx context.Context, pkg *opc.Package, part string, event func(*bufio.Writer, *sheetml.RowScanner) error) func(io.Writer) error {
	return func(dst io.Writer) error { return copyRows(book.Rows(ctx, pkg, part, book.Window{}), event, dst) }
}

// copyRows writes to dst what event writes for each event of a pass.
func copyRows(rows iter.Seq2[*sheetml.RowScanner, error], event func(*bufio.Writer, *sheetml.RowScanner) error, dst io.Writer) error {
	w := bufio.NewWriterSize(dst, 64<<10)
	for s, err := range rows {
		if err != nil {
			return err
		}
		if err := event(w, s); err != nil {
			return err
		}
	}
	return w.Flush()
}

// order sorts the edits by row and column.
func (p *splicer) order() {
	p.cols = map[int][]int{}
	for at := range p.e.cells {
		if len(p.cols[at.Row]) == 0 {
			p.rows = append(p.rows, at.Row)
		}
		p.cols[at.Row] = append(p.cols[at.Row], at.Col)
	}
	for r := range p.e.heights {
		if len(p.cols[r]) == 0 {
			p.rows = append(p.rows, r)
		}
	}
	for r := range p.e.fits {
		p.rows = append(p.rows, r)
	}
	if p.e.styles != nil {
		p.rows = append(p.rows, p.e.styles.rows()...)
	}
	p.rows = append(p.rows, p.e.hidden.rows()...)
	p.rows = append(p.rows, p.e.moved.newRows()...)
	p.rows = slices.AppendSeq(p.rows, maps.Keys(p.e.lines))
	slices.Sort(p.rows)
	p.rows = slices.Compact(p.rows)
	for _, c := range p.cols {
		sort.Ints(c)
	}
	p.passed = p.e.stale.Columns()
	if p.e.texts != nil {
		p.passed = append(p.passed, p.e.texts.cells.Columns()...)
	}
	slices.Sort(p.passed)
	p.passed = slices.Compact(p.passed)
}

func (p *splicer) event(w *bufio.Writer, s *sheetml.RowScanner) error {
	opens := p.e.selfData && len(p.rows) > 0 // <sheetData/> gets rows
	switch s.Event {
	case sheetml.HeadEnd:
		p.w, p.s = w, s
		head := p.e.head
		if opens {
			head = append(slices.Clone(head[:len(head)-2]), '>')
		}
		_, err := w.Write(head)
		return err
	case sheetml.RowStart:
		p.newRows(s.Row)
		if err := p.row(); err != nil {
			return err
		}
		p.skips = p.skippable()
		p.aim(0)
		p.passMoved()
		return nil
	case sheetml.WholeCell:
		p.aim(s.Cell.Col)
		if p.moved != nil {
			if done, err := p.movedCell(); done || err != nil {
				return err
			}
		}
		if p.edited {
			p.newCells(s.Cell.Col)
			if len(p.cur) > 0 && p.cur[0] == s.Cell.Col {
				p.cur = p.cur[1:]
			}
			if v, ok := p.e.cells[cellref.At(s.Cell.Row, s.Cell.Col)]; ok {
				return p.replace(v)
			}
		}
		if p.e.texts.has(s.Cell.Row, s.Cell.Col) {
			xml, hit, err := p.e.texts.xml(s)
			if err != nil {
				return err
			}
			if hit {
				return p.replace(value{kind: valRich, s: xml})
			}
		}
		return p.keep()
	case sheetml.RowEnd:
		p.newCells(cellref.MaxCol + 1)
		end := p.endMove(s.Raw())
		p.edited, p.skips = false, false
		_, err := w.Write(end)
		return err
	case sheetml.DataEnd:
		p.newRows(cellref.MaxRow + 1)
		if err := p.e.moved.failed(); err != nil {
			return err
		}
		w.Write(s.Raw())
		if opens {
			w.WriteString("</" + s.Prefix + "sheetData>")
		}
		_, err := w.Write(p.e.tail)
		return err
	}
	_, err := w.Write(s.Raw())
	return err
}

// newRows writes the edited rows before the given one that the file lacks.
func (p *splicer) newRows(before int) {
	for p.next < len(p.rows) && p.rows[p.next] < before {
		r := p.rows[p.next]
		p.next++
		if p.e.rowExists[r] {
			continue // out of order in the file: it is met later
		}
		p.style = -1
		p.cur = p.wanted(r)
		p.beginMove(r)
		ht, set := p.e.heights[r]
		style, styled := p.e.styles.rowStyle(r, -1)
		hide, _ := p.e.hidden.at(r)
		line := p.e.lines[r].attrs()
		if !set && !styled && !hide && line == "" && !p.holds(r) {
			p.cur, p.moved = nil, nil
			continue
		}
		p.w.WriteString("<" + p.s.Prefix + `row r="` + strconv.Itoa(r) + `"`)
		if fit, ok := p.e.fits[r]; ok {
			p.w.WriteString(fitAttrs(fit))
		} else if set {
			p.w.WriteString(heightAttrs(ht))
		}
		if styled {
			p.w.WriteString(rowStyleAttrs(style))
		}
		p.w.WriteString(hiddenAttr(hide) + line)
		if (hide || line != "") && !p.holds(r) {
			p.cur, p.moved = nil, nil
			p.w.WriteString("/>")
			continue
		}
		p.w.WriteByte('>')
		row := p.s.Row
		p.s.Row = r
		p.newCells(cellref.MaxCol + 1)
		p.endMove(nil)
		p.s.Row = row
		p.w.WriteString("</" + p.s.Prefix + "row>")
	}
}

// wanted are the columns of a row that are edited or must be made.
func (p *splicer) wanted(row int) []int {
	if p.e.styles == nil {
		return p.cols[row]
	}
	more := p.e.styles.made(p.e.styles.at(row), p.style)
	if len(more) == 0 {
		return p.cols[row]
	}
	more = append(more, p.cols[row]...)
	slices.Sort(more)
	return slices.Compact(more)
}

func rowStyleAttrs(style int) string { return ` s="` + strconv.Itoa(style) + `" customFormat="1"` }

// holds reports whether a new row would have any cell.
func (p *splicer) holds(row int) bool {
	if p.moved != nil && len(p.moved.cells) > 0 {
		return true
	}
	if p.e.styles != nil && len(p.e.styles.made(p.e.styles.at(row), p.style)) > 0 {
		return true
	}
	for _, c := range p.cols[row] {
		if r := p.e.raws[cellref.At(row, c)]; p.e.cells[cellref.At(row, c)].kind != valClear || r.hasStyle {
			return true
		}
	}
	return false
}

func heightAttrs(ht float64) string {
	return ` ht="` + strconv.FormatFloat(ht, 'f', -1, 64) + `" customHeight="1"`
}

// row writes the start tag of a row of the file, changed where it must be.
func (p *splicer) row() error {
	s := p.s
	tag := s.Raw()[s.Start:]
	old := -1
	if p.e.styles != nil || len(p.cols[s.Row]) > 0 {
		old = rowStyle(tag)
	}
	p.style = old
	cols := p.wanted(s.Row)
	p.beginMove(s.Row)
	hasCells := len(cols) > 0 || p.moved != nil || p.e.texts.hasRow(s.Row)
	style, styled := p.e.styles.rowStyle(s.Row, old)
	ht, hasHeight := p.e.heights[s.Row]
	p.edited = hasCells
	if p.next < len(p.rows) && p.rows[p.next] == s.Row {
		p.next++
	}
	hide, hides := p.e.hidden.at(s.Row)
	line, grouped := p.e.lines[s.Row]
	fit, fits := p.e.fits[s.Row]
	if !hasCells && !hasHeight && !fits && !styled && !hides && !grouped {
		_, err := p.w.Write(s.Raw())
		return err
	}
	p.cur = cols
	p.w.Write(s.Raw()[:s.Start])
	if styled {
		tag = sheetml.EditTag(tag, rowStyleAttrs(style), "s", "customFormat")
	}
	if fits {
		tag = sheetml.EditTag(tag, fitAttrs(fit), "ht", "customHeight")
	} else if hasHeight {
		tag = sheetml.EditTag(tag, heightAttrs(ht), "ht", "customHeight")
	}
	if hides && hide != hiddenRow(tag) {
		tag = sheetml.EditTag(tag, hiddenAttr(hide), "hidden")
	}
	if grouped {
		tag = sheetml.EditTag(tag, line.attrs(), outlineAttrs...)
	}
	if hasCells {
		// spans only speeds up loading; a wrong one would mislead.
		tag = sheetml.EditTag(tag, "", "spans")
	}
	open := s.RowEmpty && hasCells && p.holds(s.Row)
	if open {
		tag = append(slices.Clone(tag[:len(tag)-2]), '>')
	}
	p.w.Write(tag)
	if s.RowEmpty {
		if open {
			p.newCells(cellref.MaxCol + 1)
			p.endMove(nil)
			p.w.WriteString("</" + s.Prefix + "row>")
		}
		p.edited, p.cur, p.moved = false, nil, nil
	}
	return nil
}

// rowStyle is the style of a row's empty cells, -1 when it sets none.
func rowStyle(tag []byte) int {
	style, custom := -1, false
	for i := sheetml.NameLen(tag); ; {
		name, a, b, next := sheetml.NextAttr(tag, i)
		if next < 0 {
			break
		}
		switch string(name) {
		case "s":
			style = sheetml.Atoi(tag[a:b])
		case "customFormat":
			custom = sheetml.IsTrue(string(tag[a:b]))
		}
		i = next
	}
	if !custom {
		return -1
	}
	return style
}

// newCells writes the edited cells before column col that the row lacks.
func (p *splicer) newCells(before int) {
	row := p.s.Row
	for len(p.cur) > 0 && p.cur[0] < before {
		at := cellref.At(row, p.cur[0])
		p.cur = p.cur[1:]
		v, edited := p.e.cells[at]
		if raw, ok := p.e.raws[at]; ok && !p.e.exists[at] {
			p.e.exists[at] = true
			p.buf = raw.append(p.buf[:0], p.s.Prefix, at)
			p.w.Write(p.buf)
			continue
		}
		if edited && v.kind == valClear && comboAt(p.e.styles.at(row), at.Col) < 0 || p.e.exists[at] || p.e.styles.has(at) {
			continue
		}
		// A row that the file has twice gets it once.
		if edited {
			p.e.exists[at] = true
		} else {
			p.e.styles.exists.Add(at.Row, at.Col)
		}
		style, ok := p.style, p.style >= 0
		if !ok {
			style, ok = p.e.colStyles[at.Col]
		}
		style, ok = p.e.styles.style(row, at.Col, style, ok)
		p.buf = appendCell(p.buf[:0], p.s.Prefix, at, style, ok, v)
		p.w.Write(p.buf)
	}
}
