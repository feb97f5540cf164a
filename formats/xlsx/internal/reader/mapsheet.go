package reader

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// sheetMapper maps sheets one by one; texts of the string table are filled in
// by resolve when all are known.
type sheetMapper struct {
	wb      reading
	detail  bool
	display *book.Display
	islands [][]*island // by sheet
}

func (m *sheetMapper) sheet(ctx context.Context, sh book.SheetInfo) (SheetMap, error) {
	out := SheetMap{Name: sh.Name, Hidden: sh.State}
	m.islands = append(m.islands, nil)
	if sh.Kind != "worksheet" {
		out.Kind = sh.Kind
	}
	if sh.Part == "" {
		return out, nil
	}
	if err := m.objects(ctx, sh.Part, &out); err != nil {
		return out, err
	}
	if !sh.Worksheet() {
		return out, nil
	}
	tables, err := m.wb.TablesOf(ctx, sh.Part)
	if err != nil {
		return out, err
	}
	for _, t := range tables {
		one := TableMap{Name: t.Name, Range: t.Ref.String(), TotalsRow: t.Totals > 0}
		for _, c := range t.Columns {
			one.Headers = append(one.Headers, book.Clip(book.OneLine(c.Name), headChars))
		}
		out.Tables = append(out.Tables, one)
	}
	return out, m.measure(ctx, sh.Part, &out)
}

// measure scans a sheet for the extent of its content.
func (m *sheetMapper) measure(ctx context.Context, part string, out *SheetMap) error {
	head, err := m.wb.SheetHead(ctx, part)
	if errors.Is(err, sheetml.ErrNoCells) {
		return nil
	}
	if err != nil {
		return err
	}
	x := &extent{m: m, out: out, found: &Islands{}, hidden: &lines{}, groups: &groups{}}
	for s, err := range m.wb.Rows(ctx, part, book.Window{First: 1, Display: m.display}) {
		if err != nil {
			return err
		}
		switch s.Event {
		case sheetml.RowStart:
			if rowHidden(s.Raw()[s.Start:]) {
				x.hidden.add(s.Row, s.Row)
			}
			x.groups.add(s.Row, s.Row, outlineLevel(s.Raw()[s.Start:]))
			if f := s.Alike(); f != nil && x.alike(f, s.Row) {
				s.RestOfRow()
			}
		case sheetml.WholeCell:
			x.cell(s)
		case sheetml.DataEnd:
			x.finish()
			err = m.surroundings(head, s, out)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// extent gathers where a sheet has content while it is measured.
type extent struct {
	m      *sheetMapper
	out    *SheetMap
	used   cellref.Range
	found  *Islands
	hidden *lines
	groups *groups

	form               *sheetml.RowForm // of the last row that was taken in as a whole
	runs               []colRun
	formulas, uncached int
}

// alike takes in a row of a form; false where its cells have to be looked at.
func (x *extent) alike(f *sheetml.RowForm, row int) bool {
	if f != x.form {
		x.form, x.runs, x.formulas, x.uncached = f, x.runs[:0], 0, 0
		for _, c := range f.Cells {
			if c.Blank {
				continue
			}
			if c.Formula {
				x.formulas++
				if c.NoValue {
					x.uncached++
				}
			}
			if n := len(x.runs) - 1; n >= 0 && x.runs[n].c2 == c.Col-1 {
				x.runs[n].c2 = c.Col
				x.runs[n].cells++
			} else {
				x.runs = append(x.runs, colRun{c.Col, c.Col, 1})
			}
		}
	}
	if len(x.runs) == 0 {
		return true
	}
	if !x.found.addRuns(row, x.runs) {
		return false
	}
	x.used.Add(row, x.runs[0].c1)
	x.used.Add(row, x.runs[len(x.runs)-1].c2)
	x.out.Formulas += x.formulas
	x.out.Uncached += x.uncached
	return true
}

// cell takes in the scanner's cell.
func (x *extent) cell(s *sheetml.RowScanner) {
	c := &s.Cell
	if c.Blank() {
		return
	}
	x.used.Add(c.Row, c.Col)
	x.found.move(c.Row)
	var h *HeadCell
	if x.found.wants(c.Col) {
		h = x.m.head(s)
	}
	x.found.Add(c.Row, c.Col, h)
	if c.HasFormula {
		x.out.Formulas++
		if c.Value.End == c.Value.Start {
			x.out.Uncached++
		}
	}
}

// finish writes the extent into the map.
func (x *extent) finish() {
	out := x.out
	out.RowCount, out.ColCount, out.UsedRange = x.used.R2, x.used.C2, x.used.String()
	out.ChunkCount = (x.used.R2 + chunkRows - 1) / chunkRows
	out.HiddenRows, out.HiddenAt = x.hidden.count, x.hidden.shown(strconv.Itoa)
	out.GroupCount, out.Groups = x.groups.count, x.groups.shown(strconv.Itoa)
	x.m.islands[len(x.m.islands)-1], out.RegionsOmitted = x.found.Finish()
}

// surroundings takes down what the parts of a sheet before and behind its rows
// say.
func (m *sheetMapper) surroundings(head []byte, s *sheetml.RowScanner, out *SheetMap) error {
	columns, grouped := &lines{}, &groups{}
	sheetml.EachStartTag(head, func(t xmlscan.Token) bool {
		grouped.column(t)
		m.around(t, t.Depth, columns, out)
		return true
	})
	out.HiddenCols = columns.count
	out.HiddenAt = append(out.HiddenAt, columns.shown(cellref.ColumnName)...)
	out.GroupCount += grouped.count
	out.Groups = append(out.Groups, grouped.shown(cellref.ColumnName)...)
	return s.EachTailTag(func(tag []byte, depth int) {
		if m.count(string(sheetml.LocalName(tag[1:])), out) {
			return
		}
		sheetml.EachStartTag(tag, func(t xmlscan.Token) bool {
			m.around(t, depth, columns, out)
			return false
		})
	})
}

// head keeps what the scanner's cell shows, in case it is a label or header.
func (m *sheetMapper) head(s *sheetml.RowScanner) *HeadCell {
	c := &s.Cell
	h := &HeadCell{Col: c.Col, Label: c.Type == sheetml.TypeShared || c.Type == sheetml.TypeInline || c.Type == sheetml.TypeString}
	if c.Type == sheetml.TypeShared {
		h.shared = 1 + sheetml.Atoi(sheetml.TrimSpace(s.Text(c.Value)))
		return h
	}
	if c.HasFormula && c.Value.End == c.Value.Start {
		return h // a formula is no header, and its text may be long
	}
	h.Text = book.Clip(m.display.Show(s), headChars)
	if n, err := strconv.Atoi(h.Text); err == nil && c.Type == sheetml.TypeNumber && n >= 1900 && n < 2200 {
		h.Label = true // years head columns too
	}
	return h
}

// sharedHeads are the cells in first rows of regions that hold shared strings.
func (m *sheetMapper) sharedHeads() (out []*HeadCell) {
	for _, list := range m.islands {
		for _, a := range list {
			for i := range a.heads {
				out = append(out, sharedCells(a.heads[i].cells)...)
			}
		}
	}
	return out
}

func sharedCells(cells []HeadCell) (out []*HeadCell) {
	for j := range cells {
		if cells[j].shared > 0 {
			out = append(out, &cells[j])
		}
	}
	return out
}

// resolve looks up the texts the regions need and writes the regions.
func (m *sheetMapper) resolve(ctx context.Context, out *Map) error {
	need := map[int]string{}
	heads := m.sharedHeads()
	for _, c := range heads {
		need[c.shared-1] = ""
	}
	if err := m.wb.LookUp(ctx, need, headChars+1); err != nil {
		return err
	}
	for _, c := range heads {
		c.Text = book.Clip(need[c.shared-1], headChars)
	}
	for i, list := range m.islands {
		for _, a := range list {
			out.Sheets[i].Regions = append(out.Sheets[i].Regions, a.region())
		}
	}
	return nil
}

// count counts an element of which no more is wanted; false for others.
func (m *sheetMapper) count(local string, out *SheetMap) bool {
	switch local {
	case "conditionalFormatting":
		out.Conditional++
	case "dataValidation":
		out.Validations++
	case "hyperlink":
		out.Hyperlinks++
	case "sparklineGroup":
		out.Sparklines++
	case "mergeCell":
		out.MergedCount++
		return !m.detail || len(out.Merged) == 100
	case "sheetProtection", "autoFilter", "pane":
		return false
	}
	return true
}

// around takes down what an element before or behind the rows says.
func (m *sheetMapper) around(t xmlscan.Token, depth int, columns *lines, out *SheetMap) {
	switch t.Local {
	case "col":
		columns.column(t)
	case "mergeCell":
		out.Merged = append(out.Merged, book.Clip(t.AttrLocal("ref"), headChars))
	case "sheetProtection":
		out.Protected = t.AttrLocal("sheet") == "" || sheetml.IsTrue(t.AttrLocal("sheet"))
	case "pane":
		if st := t.AttrLocal("state"); out.Frozen == "" && (st == "frozen" || st == "frozenSplit") {
			out.Frozen = frozenAt(t)
		}
	case "autoFilter":
		if depth == 2 {
			out.AutoFilter = book.Clip(strings.ReplaceAll(t.AttrLocal("ref"), "$", ""), headChars)
		}
	}
}

// frozenAt is the first cell that scrolls: xSplit and ySplit count the frozen
// columns and rows (18.3.1.66).
func frozenAt(t xmlscan.Token) string {
	n := func(name string) int {
		v, _ := strconv.ParseFloat(t.AttrLocal(name), 64)
		return int(min(max(v, 0), cellref.MaxCol-1))
	}
	return cellref.Name(n("ySplit")+1, n("xSplit")+1)
}

// rowHidden reads the start tag of a row.
func rowHidden(tag []byte) bool {
	if e := bytes.IndexByte(tag, '>'); e >= 0 {
		tag = tag[:e]
	}
	if !bytes.Contains(tag, []byte("hidden")) {
		return false
	}
	for i := sheetml.NameLen(tag); ; {
		name, a, b, next := sheetml.NextAttr(tag, i)
		if next < 0 {
			return false
		}
		if string(name) == "hidden" {
			return sheetml.IsTrue(string(tag[a:b]))
		}
		i = next
	}
}

// lines counts rows or columns and keeps the first spans of them.
type lines struct {
	count int
	spans [][2]int
}

func (l *lines) add(from, to int) {
	l.count += to - from + 1
	if n := len(l.spans) - 1; n >= 0 && l.spans[n][1] == from-1 {
		l.spans[n][1] = to
	} else if len(l.spans) < 20 {
		l.spans = append(l.spans, [2]int{from, to})
	}
}

// column adds the columns of a col element (18.3.1.13) that hides them.
func (l *lines) column(t xmlscan.Token) {
	if t.Local != "col" || t.Depth != 3 || !sheetml.IsTrue(t.AttrLocal("hidden")) {
		return
	}
	from, _ := strconv.Atoi(t.AttrLocal("min"))
	to, _ := strconv.Atoi(t.AttrLocal("max"))
	if from >= 1 && to >= from && to <= cellref.MaxCol {
		l.add(from, to)
	}
}

func (l *lines) shown(name func(int) string) []string {
	var out []string
	for _, s := range l.spans {
		out = append(out, name(s[0])+":"+name(s[1]))
	}
	return out
}

// objects counts what hangs on the sheet by relationships.
func (m *sheetMapper) objects(ctx context.Context, part string, out *SheetMap) error {
	rels, err := m.wb.Package.Rels(ctx, part)
	if err != nil {
		return err
	}
	for _, r := range rels {
		if r.External || !m.wb.Package.Has(r.Target) {
			continue
		}
		switch r.Type {
		case book.RelDrawing:
			if m.wb.Package.Size(r.Target) > book.MaxObjects {
				out.DetailsCut = true
				continue
			}
			err = m.drawing(ctx, r.Target, out)
		case book.RelPivot:
			out.PivotCount++
			if m.detail && out.PivotCount <= 50 {
				var p PivotMap
				if p, err = m.pivot(ctx, r.Target); err == nil {
					out.Pivots = append(out.Pivots, p)
				}
			}
		}
		if err != nil {
			return err
		}
	}
	out.HasCharts = out.ChartCount > 0
	comments, err := m.wb.Comments(ctx, part)
	if formats.CodeOf(err) == formats.CodeTooLarge {
		out.DetailsCut, err = true, nil
	}
	out.Comments = len(comments)
	return err
}

// AnchorRange is where an object of a drawing stands: "B2:F9".
func AnchorRange(from, to cellref.Cell) string {
	switch {
	case from.Row == 0:
		return ""
	case to.Row == 0:
		return cellref.Name(from.Row, from.Col)
	}
	return fmt.Sprintf("%s:%s", cellref.Name(from.Row, from.Col), cellref.Name(to.Row, to.Col))
}
