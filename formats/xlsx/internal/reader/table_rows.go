package reader

import (
	"context"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/numfmt"
	"atelier/formats/xlsx/internal/sheetml"
)

// ValueKind says what a cell of a TableRows holds.
type ValueKind uint8

// The kinds of values.
const (
	EmptyValue   ValueKind = iota
	TextValue              // Text
	NumberValue            // Number
	BoolValue              // Number is 1 or 0
	DateValue              // Text is ISO 8601: 2024-12-31, 2024-12-31T23:59:00 or, for a time of day, 23:59:00
	ErrorValue             // Text is the error as shown: #N/A
	Uncalculated           // a formula without a cached value
)

// Value is what one cell holds, for programs.
type Value struct {
	Kind   ValueKind
	Text   string
	Number float64
}

// TableRows gives the typed values of one block of a sheet, row by row, in
// memory that does not grow with the sheet but for its string table.
type TableRows struct {
	Sheet     string // the sheet's name
	Table     string // the table's name, "" when it is none
	HasHeader bool   // the first row is known to be names of columns
	NoHeader  bool   // there is known to be none

	part   string
	block  cellref.Range
	d      *book.Display
	number int // of the last row given
	texts  map[int]string

	next func() ([]Value, error, bool)
	stop func()
	err  error // that ended the rows
}

// Rows opens a sheet, a table or a range for reading its values. The range is
// as in formats.Selector, of one block; without one it is all of the sheet, and
// without a sheet the first worksheet. Close it.
func Rows(ctx context.Context, src formats.Source, sheet, rng string) (*TableRows, error) {
	wb, err := openReading(ctx, src)
	if err != nil {
		return nil, err
	}
	r, err := wb.tableRows(ctx, sheet, rng)
	return r, book.Typed(err, src.Name())
}

func (wb reading) tableRows(ctx context.Context, sheet, rng string) (*TableRows, error) {
	r, err := wb.tableAt(ctx, sheet, rng)
	if err != nil {
		return nil, err
	}
	if r.d, err = wb.Display(ctx); err != nil {
		return nil, err
	}
	r.next, r.stop = iter.Pull2(r.rows(ctx, wb))
	if _, err, _ := r.next(); err != nil { // the part is open, or cannot be read
		r.Close()
		return nil, err
	}
	return r, nil
}

// tableAt finds what Rows reads.
func (wb reading) tableAt(ctx context.Context, sheet, rng string) (*TableRows, error) {
	picks, err := wb.selected(ctx, formats.Selector{Sheet: sheet, Range: rng})
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(rng) != "" && len(picks) > 1 {
		return nil, formats.Errorf(formats.CodeInvalid, "%s names %d ranges; a table is one", cellref.QuoteArg(rng), len(picks))
	}
	at := picks[0]
	for _, p := range picks {
		if p.sheet.Worksheet() {
			at = p
			break
		}
	}
	if !at.sheet.Worksheet() {
		return nil, formats.Errorf(formats.CodeUnsupported, "the sheet %q is a %s: it has no cells", at.sheet.Name, at.sheet.Kind)
	}
	r := &TableRows{Sheet: at.sheet.Name, part: at.sheet.Part, block: at.block, texts: map[int]string{}}
	tables, err := wb.TablesOf(ctx, at.sheet.Part)
	if err != nil {
		return nil, err
	}
	for _, t := range tables {
		if t.Ref == at.block {
			// Totals are no row of the table.
			r.Table, r.block.R2 = t.Name, t.Ref.R2-t.Totals
			r.HasHeader, r.NoHeader = t.Headers > 0, t.Headers == 0
		}
	}
	return r, nil
}

// Close ends the reading.
func (r *TableRows) Close() error {
	r.stop()
	return nil
}

// Row is the number of the row that Next gave last, 1-based.
func (r *TableRows) Row() int { return r.number }

// FirstColumn is the 1-based number of the first column of the block.
func (r *TableRows) FirstColumn() int { return r.block.C1 }

// Next gives the next row that has values, from the block's first column to
// the row's last value, or io.EOF. It is valid until the next call.
func (r *TableRows) Next() ([]Value, error) {
	if r.err != nil {
		return nil, r.err
	}
	row, err, ok := r.next()
	if !ok {
		err = io.EOF
	}
	r.err = err
	return row, err
}

// rows yields nil when the part is open, and then the rows that have values. A
// row is valid until the next one.
func (r *TableRows) rows(ctx context.Context, wb reading) iter.Seq2[[]Value, error] {
	return func(yield func([]Value, error) bool) {
		var row []Value
		for s, err := range wb.Rows(ctx, r.part, book.Window{Last: r.block.R2}) {
			if err != nil {
				if err = book.IgnoreNoCells(err); err != nil {
					yield(nil, err)
				}
				return
			}
			switch s.Event {
			case sheetml.HeadEnd:
				if !yield(nil, nil) {
					return
				}
			case sheetml.WholeCell:
				row = r.cell(s, row)
			case sheetml.RowEnd:
				if len(row) > 0 && !yield(row, nil) {
					return
				}
				row = row[:0]
			}
		}
		if len(row) > 0 { // a row that has no end
			yield(row, nil)
		}
	}
}

// cell appends the scanner's cell to a row when it is in the block and holds
// something.
func (r *TableRows) cell(s *sheetml.RowScanner, row []Value) []Value {
	c := &s.Cell
	if c.Blank() || !r.block.Has(c.Row, c.Col) {
		return row
	}
	v := r.value(s)
	if v.Kind == EmptyValue {
		return row
	}
	i := c.Col - r.block.C1
	for len(row) <= i {
		row = append(row, Value{})
	}
	row[i], r.number = v, c.Row
	return row
}

// value reads the scanner's cell.
func (r *TableRows) value(s *sheetml.RowScanner) Value {
	c := &s.Cell
	text := func(t string) Value {
		if t == "" {
			return Value{}
		}
		return Value{Kind: TextValue, Text: t}
	}
	if c.Type == sheetml.TypeInline && c.Inline.OK() {
		return text(sheetml.PlainText(s.Text(c.Inline)))
	}
	raw := ""
	if c.Value.OK() {
		raw = sheetml.CharData(s.Text(c.Value))
	}
	switch c.Type {
	case sheetml.TypeString, sheetml.TypeInline:
		if c.HasFormula && !c.ValueElement.OK() {
			return Value{Kind: Uncalculated}
		}
		return text(sheetml.Unescape(raw))
	case sheetml.TypeShared:
		return text(r.shared(sheetml.Atoi(sheetml.TrimSpace(s.Text(c.Value)))))
	}
	if raw = strings.TrimSpace(raw); raw == "" {
		if c.HasFormula {
			return Value{Kind: Uncalculated}
		}
		return Value{}
	}
	switch c.Type {
	case sheetml.TypeError:
		return Value{Kind: ErrorValue, Text: raw}
	case sheetml.TypeBool:
		v := Value{Kind: BoolValue}
		if sheetml.IsTrue(raw) {
			v.Number = 1
		}
		return v
	case sheetml.TypeDate:
		if v, ok := numfmt.ISOSerial(raw, r.d.Styles.Date1904); ok {
			return dateValue(v, r.d.Styles.Date1904)
		}
		return text(raw)
	}
	n, err := strconv.ParseFloat(raw, 64)
	if err != nil {
		return text(raw)
	}
	if f := r.d.Styles.Format(c.Style); f.IsDate() && !f.IsElapsed() {
		if v := dateValue(n, r.d.Styles.Date1904); v.Kind == DateValue {
			return v
		}
	}
	return Value{Kind: NumberValue, Number: n}
}

// shared is an item of the string table, decoded once.
func (r *TableRows) shared(i int) string {
	t, ok := r.texts[i]
	if !ok {
		if t = r.d.Strings.Text(i); len(r.texts) < 1<<20 {
			r.texts[i] = t
		}
	}
	return t
}

// dateValue writes a date serial in ISO 8601.
func dateValue(v float64, date1904 bool) Value {
	t, ok := numfmt.Time(v, date1904)
	if !ok {
		return Value{Kind: NumberValue, Number: v}
	}
	layout := time.DateOnly
	switch {
	case v < 1:
		layout = time.TimeOnly
	case t.Nanosecond() != 0:
		layout = "2006-01-02T15:04:05.000"
	case t.Hour() != 0 || t.Minute() != 0 || t.Second() != 0:
		layout = "2006-01-02T15:04:05"
	}
	return Value{Kind: DateValue, Text: t.Format(layout), Number: v}
}

// Date1904 reports whether the dates of a workbook count from 1904 (18.2.28).
func Date1904(ctx context.Context, src formats.Source) (bool, error) {
	wb, err := openReading(ctx, src)
	if err != nil {
		return false, err
	}
	return wb.Date1904, nil
}

// Filled calls each for the cells of a sheet that hold something, row by row.
// A sheet that is not there is CodeNotFound.
func Filled(ctx context.Context, src formats.Source, sheet string, each func(row, col int) error) error {
	wb, err := openReading(ctx, src)
	if err != nil {
		return err
	}
	r, err := wb.tableAt(ctx, sheet, "")
	if err != nil {
		return book.Typed(err, src.Name())
	}
	for s, err := range wb.Rows(ctx, r.part, book.Window{}) {
		if err != nil {
			return book.Typed(book.IgnoreNoCells(err), src.Name())
		}
		if c := &s.Cell; s.Event == sheetml.WholeCell && !c.Blank() {
			if err := each(c.Row, c.Col); err != nil {
				return err
			}
		}
	}
	return nil
}
