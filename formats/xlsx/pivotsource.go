package xlsx

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/calc"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/numfmt"
	"atelier/formats/xlsx/internal/pivot"
	"atelier/formats/xlsx/internal/sheetml"
)

// pivotSource is where a pivot table reads its records: a block whose first row has
// the names of the fields.
type pivotSource struct {
	sheet int
	area  cellref.Range
	name  string // of the table or the defined name, "" for cells
}

// xml is the element worksheetSource (18.10.1.95).
func (s *pivotSource) xml(wb *workbook) string {
	if s.name != "" {
		return `<worksheetSource name="` + sheetml.EscapeAttr(s.name) + `"/>`
	}
	return fmt.Sprintf(`<worksheetSource ref="%s" sheet="%s"/>`, s.area, sheetml.EscapeAttr(wb.Sheets[s.sheet].Name))
}

// said names a source for an answer.
func (s *pivotSource) said(wb *workbook) string {
	cells := formula.SheetPrefix(wb.Sheets[s.sheet].Name) + s.area.String()
	if s.name != "" {
		return s.name + " (" + cells + ")"
	}
	return cells
}

// pivotSourceOf reads a source: Sheet!A1:D99, the name of a table, or a defined name
// of a block. home is the sheet of a range that names none, -1 for none.
func (e *structure) pivotSourceOf(ctx context.Context, text string, home int) (*pivotSource, error) {
	text = strings.TrimPrefix(strings.TrimSpace(text), "=")
	if text == "" {
		return nil, formats.Errorf(formats.CodeInvalid, "source is required: a range with its sheet such as Sales!A1:F99, whose first row has the names, or the name of a table")
	}
	if src, err := e.namedSource(ctx, text); src != nil || err != nil {
		return src, err
	}
	sheet, rng, named := cellref.CutSheet(text)
	i := home
	if named {
		var err error
		if i, err = e.worksheet(sheet); err != nil {
			return nil, err
		}
	}
	r, err := cellref.ParseRange(strings.ReplaceAll(rng, "$", ""))
	if err != nil || i < 0 {
		return nil, formats.Errorf(formats.CodeInvalid, "the source %s is neither a range with its sheet such as Sales!A1:F99, nor a table or a name of the workbook", cellref.QuoteArg(text))
	}
	p := newPlan(e.wb, false)
	r, err = p.trim(ctx, p.sheets[i], r)
	return &pivotSource{sheet: i, area: r}, err
}

// namedSource finds a table or a defined name, nil for neither.
func (e *structure) namedSource(ctx context.Context, name string) (*pivotSource, error) {
	for i, s := range e.wb.Sheets {
		if !s.Worksheet() {
			continue
		}
		tabs, err := e.wb.TablesOf(ctx, s.Part)
		if err != nil {
			return nil, err
		}
		for _, t := range tabs {
			if !strings.EqualFold(t.Name, name) {
				continue
			}
			if t.Headers == 0 {
				return nil, formats.Errorf(formats.CodeInvalid, "the table %s has no header row; a pivot table needs the names of its fields", t.Name)
			}
			r := t.Ref
			r.R2 -= t.Totals
			return &pivotSource{sheet: i, area: r, name: t.Name}, nil
		}
	}
	for _, n := range e.wb.Names {
		if !strings.EqualFold(n.Name, name) {
			continue
		}
		sheet, rng, ok := cellref.CutSheet(n.Text)
		i := e.wb.Find(sheet)
		r, err := cellref.ParseRange(strings.ReplaceAll(rng, "$", ""))
		if !ok || i < 0 || err != nil || !e.wb.Sheets[i].Worksheet() {
			return nil, formats.Errorf(formats.CodeUnsupported, "the name %s is no block of cells (%s); give the range", n.Name, book.Clip(n.Text, 80))
		}
		return &pivotSource{sheet: i, area: r, name: n.Name}, nil
	}
	return nil, nil
}

// read reads the records of a source.
func (s *pivotSource) read(ctx context.Context, e *structure) (*pivot.Data, error) {
	wb := e.wb
	sheet := wb.Sheets[s.sheet]
	if s.area.R2 <= s.area.R1 {
		return nil, formats.Errorf(formats.CodeInvalid, "the source %s has no row below its header", s.said(wb))
	}
	names, err := s.header(ctx, wb)
	if err != nil {
		return nil, err
	}
	data, err := pivot.NewData(names, s.area.R2-s.area.R1, wb.Date1904)
	if err != nil {
		return nil, err
	}
	d, err := wb.Display(ctx)
	if err != nil {
		return nil, err
	}
	waiting := &placeList{}
	var calculated map[cellref.Cell]calc.Value
	for sc, err := range wb.Rows(ctx, sheet.Part, book.Window{First: s.area.R1 + 1, Last: s.area.R2, Display: d}) {
		if err != nil {
			if err = book.IgnoreNoCells(err); err != nil {
				return nil, err
			}
			break
		}
		c := &sc.Cell
		if sc.Event != sheetml.WholeCell || !s.area.Has(c.Row, c.Col) || c.Row == s.area.R1 || c.Blank() {
			continue
		}
		at := cellref.At(c.Row, c.Col)
		v := sourceValue(d, sc, wb.Date1904)
		if c.HasFormula && c.NoValue() {
			if calculated == nil {
				if calculated, err = e.calculatedCells(ctx, s.sheet); err != nil {
					return nil, err
				}
			}
			var known bool
			if v, known = calculatedValue(calculated[at], d.Styles.Format(c.Style), v); !known {
				waiting.add(sheet.Name, at)
				continue
			}
		}
		col := data.Columns[c.Col-s.area.C1]
		if col.Format == "" && (v.Kind == pivot.Date || v.Kind == pivot.Number) {
			col.Format = d.Styles.Code(c.Style)
		}
		if err := data.Set(c.Row-s.area.R1-1, c.Col-s.area.C1, v); err != nil {
			return nil, err
		}
	}
	if waiting.n > 0 {
		return nil, formats.Errorf(formats.CodeInvalid, "%s of the source without a value: %s; calculate first (op recalculate), or open the file once in a spreadsheet program", formats.Count(waiting.n, "formula", "formulas"), waiting.String())
	}
	return data, nil
}

// header reads the names of the fields.
func (s *pivotSource) header(ctx context.Context, wb *workbook) ([]string, error) {
	names := make([]string, s.area.C2-s.area.C1+1)
	row := cellref.Block(s.area.R1, s.area.C1, s.area.R1, s.area.C2)
	err := wb.eachCell(ctx, wb.Sheets[s.sheet].Part, row, func(at cellref.Cell, v cellView) error {
		names[at.Col-s.area.C1] = book.OneLine(v.shown)
		return nil
	})
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i, name := range names {
		if strings.TrimSpace(name) == "" {
			return nil, formats.Errorf(formats.CodeInvalid, "the first row of the source %s must have the names of the fields, and %s is empty; write a name there, or give another range", s.said(wb), cellref.Name(s.area.R1, s.area.C1+i))
		}
		for n := 2; seen[strings.ToLower(names[i])]; n++ {
			names[i] = name + strconv.Itoa(n)
		}
		seen[strings.ToLower(names[i])] = true
	}
	return names, nil
}

// sourceValue is the value of a cell as a record has it.
func sourceValue(d *book.Display, s *sheetml.RowScanner, date1904 bool) pivot.Value {
	c := &s.Cell
	switch c.Type {
	case sheetml.TypeNumber:
		n, err := strconv.ParseFloat(strings.TrimSpace(sheetml.CharData(s.Text(c.Value))), 64)
		if err != nil {
			return pivot.Value{Kind: pivot.Blank}
		}
		return numberOrDate(n, d.Styles.Format(c.Style))
	case sheetml.TypeDate:
		if n, ok := numfmt.ISOSerial(strings.TrimSpace(sheetml.CharData(s.Text(c.Value))), date1904); ok {
			return pivot.Value{Kind: pivot.Date, Num: n}
		}
	case sheetml.TypeBool:
		v := pivot.Value{Kind: pivot.Bool}
		if sheetml.IsTrue(string(sheetml.TrimSpace(s.Text(c.Value)))) {
			v.Num = 1
		}
		return v
	case sheetml.TypeError:
		return pivot.Value{Kind: pivot.Error, Text: sheetml.CharData(s.Text(c.Value))}
	case sheetml.TypeShared:
		return textOrBlank(d.Strings.Text(sheetml.Atoi(sheetml.TrimSpace(s.Text(c.Value)))))
	case sheetml.TypeInline:
		if c.Inline.OK() {
			return textOrBlank(sheetml.PlainText(s.Text(c.Inline)))
		}
	}
	return textOrBlank(sheetml.Unescape(sheetml.CharData(s.Text(c.Value))))
}

func textOrBlank(s string) pivot.Value {
	if s == "" {
		return pivot.Value{Kind: pivot.Text}
	}
	return pivot.Value{Kind: pivot.Text, Text: s}
}

// numberOrDate tells a date by the number format of its cell.
func numberOrDate(n float64, f *numfmt.Format) pivot.Value {
	if f.IsDate() && f.ShowsDay() {
		return pivot.Value{Kind: pivot.Date, Num: n}
	}
	return pivot.Value{Kind: pivot.Number, Num: n}
}

// calculatedCells calculates the formulas of a sheet that have no value.
func (e *structure) calculatedCells(ctx context.Context, sheet int) (map[cellref.Cell]calc.Value, error) {
	now := e.opt.Now
	if now.IsZero() {
		now = time.Now()
	}
	out := map[cellref.Cell]calc.Value{}
	got, err := calc.Recalculate(ctx, e.wb.Workbook, calc.Request{Options: calc.Options{Now: now}})
	if fe := (*formats.Error)(nil); errors.As(err, &fe) && fe.Code == formats.CodeTooLarge {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	for _, r := range got.Cells {
		if r.At.Sheet == sheet {
			out[r.At.Cell] = r.New
		}
	}
	return out, nil
}

// calculatedValue is what a formula without a stored value gave; known is false
// where it could not be calculated.
func calculatedValue(v calc.Value, f *numfmt.Format, blank pivot.Value) (_ pivot.Value, known bool) {
	typ, content, ok := v.Cell()
	if !ok {
		return blank, false
	}
	s := sheetml.Unescape(sheetml.CharData([]byte(content)))
	switch typ {
	case sheetml.TypeNumber:
		n, err := strconv.ParseFloat(s, 64)
		return numberOrDate(n, f), err == nil
	case sheetml.TypeBool:
		b := pivot.Value{Kind: pivot.Bool}
		if sheetml.IsTrue(s) {
			b.Num = 1
		}
		return b, true
	case sheetml.TypeError:
		return pivot.Value{Kind: pivot.Error, Text: s}, true
	}
	return textOrBlank(s), true
}
