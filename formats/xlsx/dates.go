package xlsx

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/numfmt"
	"atelier/formats/xlsx/internal/stylesheet"
	"atelier/internal/lazyregexp"
)

// dateCell is a text that a set_cells or set_range wrote and that becomes a
// date, unless the cell turns out to have a text format.
type dateCell struct {
	op     formats.OpReport // the operation that wrote it
	number string           // the serial number
	code   string           // its number format where the cell has none for dates; later the one it has
	asked  bool             // type:"date": also where the cell has a text format
	kept   bool             // it stayed a text
}

// dated is the date that a value written by the op being taken in becomes, nil
// for none. Only what is asked for and cannot be is an error.
func (p *plan) dated(at cellref.Cell, raw any, asked bool) (*dateCell, error) {
	s, ok := raw.(string)
	if !ok {
		if asked && raw != nil {
			return nil, formats.Errorf(formats.CodeInvalid, `a date is a string such as "2026-11-22" or "2026-11-22T10:30"`)
		}
		return nil, nil
	}
	number, code, ok := numfmt.ParseDate(s, p.wb.Date1904)
	switch {
	case ok:
		return &dateCell{op: p.at, number: number, code: code, asked: asked}, nil
	case asked:
		first := "1900-03-01"
		if p.wb.Date1904 {
			first = "1904-01-01"
		}
		return nil, formats.Errorf(formats.CodeInvalid, `%s is not a date from %s to 9999-12-31, written as 2026-11-22, 2026-11-22T10:30 or 2026-11-22 10:30:05`, cellref.QuoteArg(s), first)
	case numfmt.IsDateText(s):
		p.noDates = append(p.noDates, fmt.Sprintf("%s in %s", cellref.QuoteArg(s), cellref.Name(at.Row, at.Col)))
	}
	return nil, nil
}

// saidOfValues notes the texts of the op being taken in that look like dates and
// are none, and those that became errors.
func (p *plan) saidOfValues() {
	if n := len(p.noDates); n > 0 {
		p.warnOp("%s stayed text: no such date in a spreadsheet", listed(p.noDates, n))
	}
	if n := len(p.errors); n > 0 {
		p.warnOp("%s became an error value; type:\"text\" keeps the text", listed(p.errors, n))
	}
	p.noDates, p.errors = nil, nil
}

// numeral is a JSON number.
var numeral = lazyregexp.New(`^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$`)

// maxListed is how many examples an answer names.
const maxListed = 3

// listed joins the first of n examples.
func listed(examples []string, n int) string {
	s := strings.Join(examples[:min(len(examples), maxListed)], ", ")
	if n > maxListed {
		s += fmt.Sprintf(" and %d more", n-maxListed)
	}
	return s
}

// setDate writes a text that becomes a date where its cell's format lets it.
func (s *planSheet) setDate(at cellref.Cell, v value, d *dateCell) {
	s.set(at, v)
	if d == nil {
		return
	}
	if s.dates == nil {
		s.dates = map[cellref.Cell]*dateCell{}
	}
	s.dates[at] = d
}

// dateAreas asks for the formats that the dates of a sheet need. Cells below
// one another make one area. A header of a table is a text whatever is written.
func (s *planSheet) dateAreas(tabs []*book.Table) {
	type run struct {
		col   int
		code  string
		asked bool
	}
	runs := map[run][]int{}
	for at, d := range s.dates {
		header := slices.ContainsFunc(tabs, func(t *book.Table) bool { return t.HeaderAt(at) >= 0 })
		if header || slices.ContainsFunc(s.heads, func(r cellref.Range) bool { return r.Has(at.Row, at.Col) }) {
			delete(s.dates, at)
			continue
		}
		k := run{at.Col, d.code, d.asked}
		runs[k] = append(runs[k], at.Row)
	}
	var areas []styleArea
	for k, rows := range runs {
		spec := &stylesheet.Spec{Date: &k.code}
		if k.asked {
			spec.DateOver = &k.asked
		}
		slices.Sort(rows)
		for from := 0; from < len(rows); {
			to := from
			for to+1 < len(rows) && rows[to+1] == rows[to]+1 {
				to++
			}
			areas = append(areas, styleArea{cellref.Block(rows[from], k.col, rows[to], k.col), spec})
			from = to + 1
		}
	}
	slices.SortFunc(areas, func(a, b styleArea) int { return cmp.Or(a.R1-b.R1, a.C1-b.C1) })
	s.areas = append(s.areas, areas...)
}

// resolveDates turns the texts into dates whose cells have a format for them
// once all formats are known.
func (f *finisher) resolveDates(ctx context.Context, s *planSheet, y *sheetStyles) error {
	if len(s.dates) == 0 {
		return nil
	}
	b, err := f.styleBook(ctx)
	if err != nil {
		return err
	}
	for at, d := range s.dates {
		base, exists := y.found[at]
		if !exists {
			base = y.implied(at.Row, at.Col)
		}
		style, _ := y.style(at.Row, at.Col, base, true)
		d.code = b.FormatOf(style)
		if d.kept = numfmt.Parse(d.code).IsText(); !d.kept {
			s.cells[at] = value{kind: valNumber, s: d.number}
		}
	}
	f.saidDates(s)
	return nil
}

// saidDates reports for each operation what its texts became.
func (f *finisher) saidDates(s *planSheet) {
	counts := map[int]map[string]int{} // by operation and format; "" for those that stayed text
	ops := map[int]formats.OpReport{}
	for _, d := range s.dates {
		n := counts[d.op.Index]
		if n == nil {
			n = map[string]int{}
			counts[d.op.Index], ops[d.op.Index] = n, d.op
		}
		if d.kept {
			n[""]++
		} else {
			n[d.code]++
		}
	}
	for i, n := range counts {
		rep := f.reportOf(ops[i])
		rep.Warnings = append(rep.Warnings, saidOfDates(n)...)
	}
}

// saidOfDates says what texts became: n counts them by number format, "" for
// those that stayed text.
func saidOfDates(n map[string]int) (said []string) {
	var became, plain []string
	total, numbers := 0, 0
	for _, code := range sortedKeys(n) {
		switch {
		case code == "":
		case numfmt.Parse(code).ShowsDay():
			became = append(became, fmt.Sprintf("%d as %s", n[code], code))
			total += n[code]
		default:
			plain = append(plain, code)
			numbers += n[code]
		}
	}
	if len(became) == 1 {
		_, became[0], _ = strings.Cut(became[0], " as ")
	}
	if total > 0 {
		said = append(said, fmt.Sprintf("%s (%s)", formats.Count(total, "text became a date", "texts became dates"), strings.Join(became, ", ")))
	}
	if numbers > 0 {
		said = append(said, fmt.Sprintf("%s, shown as a number: the number format given for it is no date format (%s)", formats.Count(numbers, "text became a date", "texts became dates"), strings.Join(plain, ", ")))
	}
	if kept := n[""]; kept > 0 {
		said = append(said, formats.Count(kept, "date", "dates")+` stayed text: the cells have a text format (@); type:"date" makes dates of them`)
	}
	return said
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
