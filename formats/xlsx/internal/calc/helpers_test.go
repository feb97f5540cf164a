package calc

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/formats/xlsx/internal/cellref"
)

// english are the options of most tests.
var english = Options{Language: "en-US"}

// sheetOf returns a book with the sheet S1 whose cells, row by row and separated by
// "|", are given as typed: 5, text, TRUE, #N/A, =A1+1, 'text; nothing is empty.
func sheetOf(rows ...string) *Book {
	b := NewBook("S1", "S2", "Net sales")
	putRows(b, 0, rows...)
	return b
}

// putRows fills a sheet from A1 as sheetOf does.
func putRows(b *Book, sheet int, rows ...string) {
	for r, row := range rows {
		if row == "" {
			continue
		}
		for c, text := range strings.Split(row, "|") {
			at := At(sheet, r+1, c+1)
			switch {
			case text == "":
			case strings.HasPrefix(text, "="):
				b.SetFormula(at, text[1:])
			default:
				b.SetValue(at, typedValue(text))
			}
		}
	}
}

func typedValue(text string) Value {
	if rest, ok := strings.CutPrefix(text, "'"); ok {
		return Str(rest)
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		return Num(x)
	}
	if text == "TRUE" || text == "FALSE" {
		return Boolean(text == "TRUE")
	}
	if e := errorOf(text); e != 0 {
		return Fail(e)
	}
	return Str(text)
}

// checkFormulas calculates formulas, each a pair "formula", "value", in the cell
// Z50 of S1. A value is written as shown does. A formula in braces is an array
// formula whose result fills as many cells as the expected value has.
func checkFormulas(t *testing.T, b *Book, pairs ...string) {
	t.Helper()
	for i := 0; i+1 < len(pairs); i += 2 {
		assert.Equal(t, pairs[i+1], shown(t, b, english, pairs[i]), pairs[i])
	}
}

// shown returns the value of a formula: 1.5, "text", TRUE, #N/A, {1,2;3,4}, or
// ?code of the reason of an unknown one. Numbers have 12 digits.
func shown(t *testing.T, b *Book, opts Options, text string) string {
	t.Helper()
	e := NewEvaluator(t.Context(), b, opts)
	f := &form{row: 50, col: 26, text: text}
	if inner, ok := strings.CutPrefix(text, "{="); ok {
		f.text, f.array = strings.TrimSuffix(inner, "}"), true
	}
	b.parseForm(f)
	v, err := e.calculateForm(At(0, 50, 26), f)
	require.NoError(t, err)
	return shownValue(v)
}

func shownValue(v Value) string {
	switch v.kind {
	case Number:
		return strconv.FormatFloat(v.num, 'g', 12, 64)
	case Text:
		return strconv.Quote(v.str)
	case Bool:
		return map[bool]string{true: "TRUE", false: "FALSE"}[v.Bool()]
	case Err:
		return v.Error().String()
	case Unknown:
		return "?" + string(v.Reason().Code)
	case ArrayKind:
		var sb strings.Builder
		a := v.Array()
		for i := range a.Len() {
			if i > 0 {
				sb.WriteString(map[bool]string{true: ";", false: ","}[i%a.cols == 0])
			}
			sb.WriteString(shownValue(a.Index(i)))
		}
		return "{" + sb.String() + "}"
	}
	return "empty"
}

// valueAt calculates a cell of S1.
func valueAt(t *testing.T, b *Book, cell string) string {
	t.Helper()
	at, err := cellref.ParseCell(cell)
	require.NoError(t, err)
	v, err := NewEvaluator(t.Context(), b, english).Value(Place{0, at})
	require.NoError(t, err)
	return shownValue(v)
}
