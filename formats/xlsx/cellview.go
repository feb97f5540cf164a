package xlsx

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"atelier/formats/ooxml/opc"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/numfmt"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/formats/xlsx/internal/stylesheet"
)

// cellView is a cell that holds something, as it will be.
type cellView struct {
	kind    valueKind // valNumber, valBool, valText or valFormula without a value
	text    string    // the text, number or formula
	shown   string    // as displayed
	style   int       // of the file, or what its place implies
	code    string    // its number format where this edit wrote a date
	formula bool
	blank   bool // it only has a format
}

// each gives the cells of a block that hold something: those of the file with
// the values the plan puts over them. Rows come in order, planned cells last.
func (w *sheetWork) each(ctx context.Context, area cellref.Range, f func(cellref.Cell, cellView) error) error {
	return w.f.eachCell(ctx, w.sheet, area, f)
}

func (f *finisher) eachCell(ctx context.Context, s *planSheet, area cellref.Range, fn func(cellref.Cell, cellView) error) error {
	looks := map[cellref.Cell]int{} // of the planned cells
	if s.orig >= 0 {
		if err := f.wb.eachPlace(ctx, s.info.Part, area, func(at cellref.Cell, v cellView) error {
			if _, planned := s.cells[at]; planned {
				looks[at] = v.style
				return nil
			}
			if v.blank {
				return nil
			}
			return fn(at, v)
		}); err != nil {
			return err
		}
	}
	st, err := f.wb.Styles(ctx)
	if err != nil {
		return err
	}
	for _, at := range planned(s.cells, area) {
		if v := s.cells[at]; v.kind != valClear {
			c := v.view(st)
			c.style = looks[at]
			if d := s.dates[at]; d != nil && v.kind == valNumber {
				n, _ := strconv.ParseFloat(d.number, 64)
				c.code, c.shown = d.code, numfmt.Parse(d.code).Number(n, f.wb.Date1904)
			}
			if err := fn(at, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// planned lists the planned cells of a block in order.
func planned(cells map[cellref.Cell]value, area cellref.Range) []cellref.Cell {
	var out []cellref.Cell
	for at := range cells {
		if area.Has(at.Row, at.Col) {
			out = append(out, at)
		}
	}
	slices.SortFunc(out, func(a, b cellref.Cell) int {
		if a.Row != b.Row {
			return a.Row - b.Row
		}
		return a.Col - b.Col
	})
	return out
}

func (v value) view(st *stylesheet.Formats) cellView {
	c := cellView{kind: v.kind, text: v.s, shown: v.s, formula: v.formula()}
	switch v.kind {
	case valRich:
		c.kind, c.text = valText, sheetml.PlainText([]byte(v.s))
		c.shown = c.text
	case valError:
		c.kind = valText
	case valBool:
		c.shown = map[string]string{"1": "TRUE", "0": "FALSE"}[v.s]
	case valFormula, valArray, valDynamic:
		c.kind, c.shown = valFormula, ""
	case valNumber:
		if n, err := strconv.ParseFloat(v.s, 64); err == nil {
			c.shown = st.Format(0).Number(n, st.Date1904)
		}
	}
	return c
}

// eachCell gives the cells of a block of the file that hold something.
func (wb *workbook) eachCell(ctx context.Context, part string, area cellref.Range, fn func(cellref.Cell, cellView) error) error {
	return wb.eachPlace(ctx, part, area, func(at cellref.Cell, v cellView) error {
		if v.blank {
			return nil
		}
		return fn(at, v)
	})
}

// eachPlace is eachCell with the cells that only have a format.
func (wb *workbook) eachPlace(ctx context.Context, part string, area cellref.Range, fn func(cellref.Cell, cellView) error) error {
	d, err := wb.Display(ctx)
	if err != nil {
		return err
	}
	d.Room = wb.Allowance
	for s, err := range wb.Rows(ctx, part, book.Window{Last: area.R2, Display: d}) {
		if err != nil {
			return book.IgnoreNoCells(err)
		}
		c := &s.Cell
		if s.Event != sheetml.WholeCell || !area.Has(c.Row, c.Col) {
			continue
		}
		v := cellView{style: c.Style, blank: true}
		if !c.Blank() {
			v = cellViewOf(d, s)
		}
		if d.NoRoom {
			return book.ErrWritten(d.Shared[sheetml.ReadFormulaAttrs(s.Text(c.FormulaTag)).SharedIndex])
		}
		if err := fn(cellref.At(c.Row, c.Col), v); err != nil {
			return err
		}
	}
	return nil
}

// cellViewOf is the scanner's cell.
func cellViewOf(d *book.Display, s *sheetml.RowScanner) cellView {
	c := &s.Cell
	v := cellView{style: c.Style, formula: c.HasFormula, shown: d.Show(s), kind: valText}
	v.text = v.shown
	if c.HasFormula && strings.HasPrefix(v.shown, "=") && !c.Value.OK() {
		v.kind, v.text, v.shown = valFormula, d.Formula(s), ""
		return v
	}
	switch c.Type {
	case sheetml.TypeNumber:
		v.kind, v.text = valNumber, strings.TrimSpace(sheetml.CharData(s.Text(c.Value)))
	case sheetml.TypeBool:
		v.kind, v.text = valBool, "0"
		if v.shown == "TRUE" {
			v.text = "1"
		}
	case sheetml.TypeShared:
		v.text = d.Strings.Text(sheetml.Atoi(sheetml.TrimSpace(s.Text(c.Value))))
	case sheetml.TypeInline:
		v.text = sheetml.PlainText(s.Text(c.Inline))
	}
	return v
}

// styleOf is the style a cell will have, as far as the file or the plan says.
func (w *sheetWork) styleOf(at cellref.Cell, v cellView) int {
	if w.newFormats == nil {
		return v.style
	}
	if comboAt(w.newFormats.at(at.Row), at.Col) < 0 {
		return v.style
	}
	n, _ := w.newFormats.style(at.Row, at.Col, v.style, true)
	return n
}

// tables are the tables of the sheet as the edit stands.
func (w *sheetWork) tables(ctx context.Context) ([]*book.Table, error) {
	if !w.f.ed.Has(opc.RelsName(w.part)) {
		return nil, nil
	}
	rels, err := w.f.ed.Rels(ctx, w.part)
	if err != nil {
		return nil, err
	}
	var out []*book.Table
	for _, r := range rels {
		if r.Type != book.RelTable || r.External || !w.f.ed.Has(r.Target) {
			continue
		}
		doc, err := w.f.ed.ReadXML(ctx, r.Target)
		if err != nil {
			return nil, err
		}
		t, err := book.ParseTable(r.Target, doc)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}
