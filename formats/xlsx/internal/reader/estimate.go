package reader

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/calc"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/formats/xlsx/internal/stylesheet"
)

// maxEstimateXML bounds the worksheets of a workbook with estimates, in bytes of XML: all
// of its cells are held.
const maxEstimateXML = 64 << 20

// estimator calculates formulas that have no value in the file.
type estimator struct {
	unavailable string // why there are no estimates
	styles      *stylesheet.Formats
	sheets      map[string]int // index by name in lower case
	calc        *calc.Evaluator
}

// estimator reads the workbook for calculation. The estimator of a workbook that is too
// large only says so.
func (wb reading) estimator(ctx context.Context, d *book.Display) (*estimator, error) {
	xml := int64(0)
	for _, sh := range wb.Sheets {
		if sh.Worksheet() {
			xml += wb.Package.Size(sh.Part)
		}
	}
	tooLarge := &estimator{unavailable: "the workbook is too large for estimates"}
	if xml > maxEstimateXML || d.Strings.Wanted != nil {
		return tooLarge, nil
	}
	held, err := calc.Load(ctx, wb.Workbook)
	if formats.CodeOf(err) == formats.CodeTooLarge {
		return tooLarge, nil
	}
	if err != nil {
		return nil, err
	}
	e := &estimator{styles: d.Styles, sheets: map[string]int{}, calc: calc.NewEvaluator(ctx, held, calc.Options{})}
	for i, sh := range wb.Sheets {
		e.sheets[strings.ToLower(sh.Name)] = i
	}
	return e, nil
}

// value returns the value of a formula as the cell would show it. ok is false where it is
// not known, such as that of NOW, and when the context ended, which the read of the cells
// notices. A nil estimator has no values.
func (e *estimator) value(sheet string, c *sheetml.Cell) (shown string, ok bool) {
	if e == nil || e.unavailable != "" {
		return "", false
	}
	at, known := e.sheets[strings.ToLower(sheet)]
	if !known {
		return "", false
	}
	v, err := e.calc.Value(calc.At(at, c.Row, c.Col))
	if err != nil {
		return "", false
	}
	f := e.styles.Format(c.Style)
	switch v.Kind() {
	case calc.Number:
		return f.Number(v.Num(), e.styles.Date1904), true
	case calc.Text:
		return f.Text(v.Text()), true
	case calc.Bool:
		return f.Text(strings.ToUpper(strconv.FormatBool(v.Bool()))), true
	case calc.Err:
		return v.Error().String(), true
	}
	return "", false
}

// note says why there are no estimates, "" when there can be.
func (e *estimator) note() string {
	if e == nil || e.unavailable == "" {
		return ""
	}
	return fmt.Sprintf("(no estimates: %s)", e.unavailable)
}
