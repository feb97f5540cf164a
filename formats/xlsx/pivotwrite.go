package xlsx

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/numfmt"
	"atelier/formats/xlsx/internal/pivot"
	"atelier/formats/xlsx/internal/stylesheet"
)

// pivotWrite writes a calculated pivot table into a sheet.
type pivotWrite struct {
	e     *structure
	plan  *plan
	sheet *planSheet
	t     *pivot.Table
	data  *pivot.Data
	grid  *pivot.Grid
	at    cellref.Cell // top left cell of its location
	reset bool         // cells have the looks that were made here, and get new ones
	plain bool         // cells keep their looks, but for number formats
}

// mayWrite refuses a place where something else is; own is where the table was
// before, of the part that it is.
func (w *pivotWrite) mayWrite(ctx context.Context, overwrite bool, own cellref.Range, ownPart string) error {
	area := w.grid.Whole(w.at)
	if area.R1 < 1 || area.R2 > cellref.MaxRow || area.C2 > cellref.MaxCol {
		return formats.Errorf(formats.CodeInvalid, "the pivot table needs %d rows and %d columns and would reach beyond the sheet; begin it elsewhere, or use fewer fields", area.R2-area.R1+1, area.C2-area.C1+1)
	}
	if w.sheet.orig < 0 {
		return nil
	}
	if err := w.meetsObjects(ctx, area, ownPart); err != nil {
		return err
	}
	if overwrite {
		return nil
	}
	filled := &placeList{}
	err := w.e.wb.eachCell(ctx, w.sheet.info.Part, area, func(at cellref.Cell, _ cellView) error {
		if !own.Has(at.Row, at.Col) {
			filled.add(w.sheet.name, at)
		}
		return nil
	})
	if err == nil && filled.n > 0 {
		return formats.Errorf(formats.CodeInvalid, "the pivot table needs %s of sheet %q, where %s filled: %s; give another place, clear it first, or set overwrite:true", area, w.sheet.name, formats.Count(filled.n, "cell is", "cells are"), filled.String())
	}
	return err
}

// meetsObjects refuses a place where a table, another pivot table or merged cells are.
func (w *pivotWrite) meetsObjects(ctx context.Context, area cellref.Range, ownPart string) error {
	wb, part := w.e.wb, w.sheet.info.Part
	refuse := func(what string, r cellref.Range) error {
		return formats.Errorf(formats.CodeInvalid, "the pivot table needs %s of sheet %q and would overlap %s %s; give another place", area, w.sheet.name, what, r)
	}
	tabs, err := wb.TablesOf(ctx, part)
	if err != nil {
		return err
	}
	for _, t := range tabs {
		if t.Ref.Meets(area) {
			return refuse("the table "+t.Name, t.Ref)
		}
	}
	pivots, err := wb.sheetPivots(ctx, w.sheet.orig)
	if err != nil {
		return err
	}
	for _, p := range pivots {
		if p.part != ownPart && p.whole().Meets(area) {
			return refuse("the pivot table "+p.name, p.whole())
		}
	}
	budget := 1
	fa, err := scanSheet(ctx, wb.Package, w.sheet.info, scanOptions{budget: &budget})
	if err != nil {
		return err
	}
	for _, m := range fa.skel.Merges() {
		if m.Meets(area) {
			return refuse("the merged cell", m)
		}
	}
	return nil
}

// rewrite plans the cells of a table that was at before, and returns how many change.
func (w *pivotWrite) rewrite(ctx context.Context, before cellref.Range) (changed int, err error) {
	now := map[cellref.Cell]value{}
	for _, c := range w.grid.Cells {
		now[cellref.At(w.at.Row+c.Row, w.at.Col+c.Col)] = pivotCellValue(c.V)
	}
	area := w.grid.Whole(w.at)
	was := map[cellref.Cell]string{}
	w.plain = false
	err = w.e.wb.eachPlace(ctx, w.sheet.info.Part, before, func(at cellref.Cell, v cellView) error {
		if !v.blank {
			was[at] = v.text
			w.plain = !w.reset
		}
		if _, stays := now[at]; stays {
			return nil
		}
		if !v.blank {
			w.sheet.set(at, value{})
			changed++
		}
		if !area.Has(at.Row, at.Col) {
			w.sheet.set(at, value{})
			if w.sheet.raws == nil {
				w.sheet.raws = map[cellref.Cell]rawCell{}
			}
			w.sheet.raws[at] = rawCell{}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	for at, v := range now {
		if s, had := was[at]; had && sameText(s, v) {
			continue
		}
		w.sheet.set(at, v)
		changed++
	}
	if changed > 0 {
		w.styles()
	}
	return changed, nil
}

// sameText reports whether a cell holds a value already. Numbers are equal when they
// are in the 15 digits that spreadsheet programs keep.
func sameText(s string, v value) bool {
	if s == v.s {
		return true
	}
	a, err1 := strconv.ParseFloat(s, 64)
	b, err2 := strconv.ParseFloat(v.s, 64)
	return v.kind == valNumber && err1 == nil && err2 == nil && strconv.FormatFloat(a, 'g', 15, 64) == strconv.FormatFloat(b, 'g', 15, 64)
}

// cells plans the cells of a new table.
func (w *pivotWrite) cells() {
	for _, c := range w.grid.Cells {
		w.sheet.set(cellref.At(w.at.Row+c.Row, w.at.Col+c.Col), pivotCellValue(c.V))
	}
}

// pivotCellValue is a value as a cell holds it.
func pivotCellValue(v pivot.Value) value {
	switch v.Kind {
	case pivot.Number, pivot.Date:
		n, _ := strconv.ParseFloat(strconv.FormatFloat(v.Num, 'g', 15, 64), 64) // what programs show
		return value{kind: valNumber, s: pivot.Digits(n)}
	case pivot.Error:
		return value{kind: valError, s: v.Text}
	case pivot.Bool:
		return value{kind: valBool, s: map[bool]string{true: "1", false: "0"}[v.Num != 0]}
	}
	return value{kind: valText, s: v.Text}
}

// look is how a cell of a pivot table is formatted. Programs draw the style of the
// table over it; others show this.
type pivotLook struct {
	bold, header, grand, button bool
	reset                       bool // what it does not have is taken away
	indent                      int
	format                      string
}

func (l pivotLook) spec() *stylesheet.Spec {
	spec := &stylesheet.Spec{}
	yes, left, solid := true, "left", "solid"
	if l.bold {
		spec.Bold = &yes
	}
	if l.header {
		fill := "FFDCE6F1"
		spec.Fill, spec.Pattern = &fill, &solid
	}
	if l.grand {
		thin := "thin"
		spec.Sides[2].Style = &thin
	}
	if l.button {
		spec.Button = &yes
	}
	if l.indent > 0 {
		spec.HAlign, spec.Indent = &left, &l.indent
	}
	if l.format != "" {
		spec.Format = &l.format
	}
	if l.reset {
		no, none, clear, zero, general, left := false, "none", "", 0, "General", "general"
		rest := &stylesheet.Spec{Bold: &no, Fill: &clear, Button: &no, Indent: &zero, Format: &general, HAlign: &left}
		rest.Sides[2].Style = &none
		return spec.Over(rest)
	}
	return spec
}

// styles plans the formats of the cells, in runs of cells that look alike.
func (w *pivotWrite) styles() {
	rows := map[int]map[int]pivotLook{}
	set := func(row, col int, l pivotLook) {
		if rows[row] == nil {
			rows[row] = map[int]pivotLook{}
		}
		rows[row][col] = l
	}
	for row := range w.grid.Rows {
		for col := range w.grid.Cols {
			head := row < w.grid.FirstDataRow && !w.plain
			if head || w.reset {
				set(row, col, pivotLook{header: head, bold: head, reset: w.reset})
			}
		}
	}
	for _, c := range w.grid.Cells {
		l := pivotLook{bold: c.Bold, header: c.Role == pivot.HeaderCell, grand: c.Grand, button: c.Button, indent: min(c.Indent, 15), format: c.Format, reset: w.reset}
		if w.plain {
			l = pivotLook{format: c.Format}
		}
		if l != (pivotLook{}) {
			set(c.Row, c.Col, l)
		}
	}
	for _, row := range slices.Sorted(mapKeys(rows)) {
		var run styleArea
		var look pivotLook
		for _, col := range slices.Sorted(mapKeys(rows[row])) {
			at := cellref.At(w.at.Row+row, w.at.Col+col)
			if l := rows[row][col]; run.spec == nil || l != look || at.Col != run.C2+1 {
				if run.spec != nil {
					w.sheet.areas = append(w.sheet.areas, run)
				}
				look = l
				run = styleArea{cellref.Block(at.Row, at.Col, at.Row, at.Col), l.spec()}
				continue
			}
			run.C2 = at.Col
		}
		if run.spec != nil {
			w.sheet.areas = append(w.sheet.areas, run)
		}
	}
}

func mapKeys[V any](m map[int]V) func(func(int) bool) {
	return func(yield func(int) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// formats gives the number formats of fields and values their ids.
func (w *pivotWrite) formats(ctx context.Context, f *finisher) error {
	b, err := f.styleBook(ctx)
	if err != nil {
		return err
	}
	for i := range w.t.Values {
		if m := &w.t.Values[i]; m.Format != "" {
			m.NumFmt = b.NumberFormatID(m.Format)
		}
	}
	for _, fd := range w.t.Fields {
		if c := fd.Column; c >= 0 && w.data.Columns[c].Format != "" && fd.ShowDate(pivot.Value{Kind: pivot.Date}) != "" {
			fd.NumFmt = b.NumberFormatID(w.data.Columns[c].Format)
		}
	}
	return nil
}

// finish writes the planned cells, with what follows from them.
func (w *pivotWrite) finish(ctx context.Context) error {
	w.cells()
	w.styles()
	w.widths()
	return w.e.finishPlan(ctx, w.plan, w.sheet)
}

// finishPlan carries out a plan within an operation that has a pass to itself.
func (e *structure) finishPlan(ctx context.Context, p *plan, s *planSheet) error {
	f := &finisher{plan: p, wb: e.wb, ed: e.ed, rw: &formula.Rewriter{}}
	if err := f.finish(ctx); err != nil {
		return err
	}
	for _, warning := range p.report.Warnings {
		if warning != signatureWarning {
			e.warn("%s", warning)
		}
	}
	e.rep.Cells += len(s.cells)
	return nil
}

// widths makes the columns wide enough for what the cells show, as programs do; columns
// of a sheet that was there keep the widths that they have.
func (w *pivotWrite) widths() {
	widths := map[int]float64{}
	codes := map[string]*numfmt.Format{"": numfmt.Parse("General")}
	for _, c := range w.grid.Cells {
		label := c.V.Label(w.data.Date1904)
		if c.V.Kind == pivot.Number || c.V.Kind == pivot.Date {
			f := codes[c.Format]
			if f == nil {
				f = numfmt.Parse(c.Format)
				codes[c.Format] = f
			}
			label = f.Number(c.V.Num, w.data.Date1904)
		}
		n := float64(utf8.RuneCountInString(label))
		if c.Bold {
			n *= 1.1
		}
		n += float64(2*c.Indent) + 2
		if c.Button {
			n += 2
		}
		col := w.at.Col + c.Col
		widths[col] = min(max(widths[col], n, 9), 40)
	}
	if w.sheet.orig < 0 {
		w.sheet.widths = widths
		return
	}
	maps.DeleteFunc(widths, func(_ int, n float64) bool { return n <= usualWidth })
	w.sheet.unsized = widths
}

// usualWidth is the width of columns that have none of their own, in characters.
const usualWidth = 9
