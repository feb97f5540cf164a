package reader

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/lazyregexp"
)

const (
	tailRows  = 12 // last rows of a block that are looked at for totals
	maxTotals = 6  // rows of totals, taxes and notes below a table
)

// tailRow is one of the last rows of a block.
type tailRow struct {
	row    int
	label  string // its first text
	texts  int    // cells with text
	filled int
	calcs  int             // cells with formulas
	totals []cellref.Range // what a sum in a cell of the row adds up in its own column
}

// TotalLabel reports whether a text is what the row of a total begins with; bare
// means that it says nothing else, so that it is no name.
func TotalLabel(text string) (is, bare bool) {
	m := totalWord.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return false, false
	}
	return true, strings.Trim(m[1], " :.0123456789") == ""
}

var totalWord = lazyregexp.New(`(?i)^(?:(?:grand|overall|running|sub|net|gross)[ -]?)?(?:totals?|sum|summe|gesamt|gesamtsumme|zwischensumme|insgesamt|summa|suma|totales|subtotales?|somme|totale|totali|subtotale|totaal|subtotaal|итого|всего|合计|总计|小计|合計|総計|小計|합계|toplam|razem|suma końcowa|összesen|celkem|spolu|ukupno|skupaj|σύνολο|yhteensä|i alt|ialt|المجموع|סה"כ)((?:[ :.,(/-].*)?)$`)

// sums reports whether the row adds up columns of the rows above it, which
// begin at data.
func (r tailRow) sums(data int) bool {
	return slices.ContainsFunc(r.totals, func(sum cellref.Range) bool { return sum.R1 <= data+1 && sum.R2 >= r.row-3 })
}

// follows reports whether a row may stand below the total sum: it calculates, or
// is a total or a note, and is no fuller than that.
func (r tailRow) follows(sum tailRow) bool {
	is, _ := TotalLabel(r.label)
	return r.texts <= 1 && r.filled <= max(sum.filled, 2) && (r.calcs > 0 || is) || r.filled == 1 && r.texts == 1
}

// total reports whether the row, below others, is a total by its label. One that
// says more may be a name: then the other texts of a row are missing.
func (r tailRow) total(above []tailRow) bool {
	is, bare := TotalLabel(r.label)
	if !is {
		return false
	}
	if bare || len(r.totals) > 0 {
		return r.texts == 1 || bare && len(r.totals) > 0
	}
	return r.texts == 1 && len(above) > 0 && above[len(above)-1].texts > 1
}

// note reports whether the row is one text below a wide table that reads like a
// note, and not like the first cell of a row whose others are empty.
func (r tailRow) note(columns int) bool {
	return r.filled == 1 && r.texts == 1 && columns >= 3 && (noteWord.MatchString(r.label) || utf8.RuneCountInString(r.label) > longLabel)
}

const longLabel = 50

var noteWord = lazyregexp.New(`(?i)^\s*(?:[*†‡¹²³(\[]|(?:source|note|notes|quelle|anmerkung|hinweis|stand|fuente|nota|notas|bron|fonte|remarque|remark|as of|legend|legende|leyenda)\b\s*[:.(\d])`)

// tail reads the rows of a block that hold something.
func (wb reading) tail(ctx context.Context, part string, block cellref.Range) ([]tailRow, error) {
	d, err := wb.Display(ctx)
	if err != nil {
		return nil, err
	}
	var out []tailRow
	for s, err := range wb.Rows(ctx, part, book.Window{First: block.R1, Last: block.R2, Display: d}) {
		if err != nil {
			return nil, err
		}
		c := &s.Cell
		if s.Event != sheetml.WholeCell || c.Blank() || !block.Has(c.Row, c.Col) {
			continue
		}
		if n := len(out); n == 0 || out[n-1].row != c.Row {
			out = append(out, tailRow{row: c.Row})
		}
		out[len(out)-1].cell(s, d)
	}
	return out, nil
}

// cell takes in the scanner's cell.
func (r *tailRow) cell(s *sheetml.RowScanner, d *book.Display) {
	c := &s.Cell
	if c.HasFormula {
		r.calcs++
		r.adds(d.ShowFormula(s), c.Col)
	}
	v := d.Show(s)
	if strings.TrimSpace(v) == "" {
		return
	}
	r.filled++
	if isText := c.Type == sheetml.TypeShared || c.Type == sheetml.TypeInline || c.Type == sheetml.TypeString; isText && !(c.HasFormula && strings.HasPrefix(v, "=")) {
		if r.texts++; r.texts == 1 {
			r.label = v
		}
	}
}

var totalFormula = lazyregexp.New(`(?i)^=\s*(SUM|SUBTOTAL|AGGREGATE)\s*\(`)

// adds takes down what a total in a column adds up.
func (r *tailRow) adds(sum string, col int) {
	if !totalFormula.MatchString(sum) {
		return
	}
	for t := range formula.Tokens(sum[1:]) {
		if t.Kind != formula.Ref || t.Sheet != "" {
			continue
		}
		if b := t.Range(); !b.Empty() && b.C1 == col && b.C2 == col && b.R2 < r.row {
			r.totals = append(r.totals, b)
		}
	}
}
