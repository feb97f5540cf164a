package book_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/formats/xlsx/internal/xlsxtest"
)

const formulaSheet = `<sheetData>
	<row r="1"><c r="A1"><f>1+1</f><v>2</v></c><c r="B1"><v>5</v></c><c r="C1"><f>B1&amp;"&lt;"</f></c></row>
	<row r="2"><c r="A2"><f t="shared" ref="A2:A4" si="3">B2*2</f><v>0</v></c><c r="B2"><f t="array" ref="B2:C3">B1:C2</f><v>5</v></c></row>
	<row r="3"><c r="A3"><f t="shared" si="3"/><v>0</v></c><c r="B3"><f t="dataTable" ref="B3:B9" r1="A1"/></c></row>
	<row r="4"><c r="A4"><f t="shared" si="4"/></c></row></sheetData>`

func TestEachFormula(t *testing.T) {
	wb := open(t, xlsxtest.Raw(t, nil, formulaSheet))
	list := func(texts bool) (out []book.FormulaCell) {
		require.NoError(t, wb.ScanFormulas(context.Background(), wb.Sheets[0], texts, func(f book.FormulaCell) error { out = append(out, f); return nil }))
		return out
	}
	want := []book.FormulaCell{
		{Row: 1, Col: 1, Text: "1+1", Cached: true},
		{Row: 1, Col: 3, Text: `B1&"<"`},
		{Row: 2, Col: 1, Text: "B2*2", Group: 4, Master: true, Cached: true},
		{Row: 2, Col: 2, Text: "B1:C2", Spill: cellref.Block(2, 2, 3, 3), Cached: true},
		{Row: 3, Col: 1, Text: "B3*2", Group: 4, Cached: true},
		{Row: 3, Col: 2, Spill: cellref.Block(3, 2, 9, 2), Table: true},
		{Row: 4, Col: 1, Group: 5},
	}
	require.Equal(t, want, list(true))
	var each []book.FormulaCell
	require.NoError(t, wb.EachFormula(context.Background(), wb.Sheets[0], func(f book.FormulaCell) error { each = append(each, f); return nil }))
	require.Equal(t, want, each)
	want[4].Text = ""
	require.Equal(t, want, list(false), "members of groups have no texts when none are wanted")
}

func TestEachFormulaStops(t *testing.T) {
	wb := open(t, xlsxtest.Raw(t, nil, formulaSheet))
	enough := errors.New("enough")
	n := 0
	err := wb.EachFormula(context.Background(), wb.Sheets[0], func(book.FormulaCell) error { n++; return enough })
	require.Equal(t, enough, err)
	require.Equal(t, 1, n)
}

func TestEachSheetCell(t *testing.T) {
	wb := open(t, xlsxtest.Raw(t, nil, `<sheetData><row r="2"><c r="B2" s="0"/><c r="C2"><v>1</v></c></row></sheetData>`))
	var at []string
	require.NoError(t, wb.EachSheetCell(context.Background(), wb.Sheets[0], func(s *sheetml.RowScanner) error {
		at = append(at, cellref.Name(s.Cell.Row, s.Cell.Col))
		return nil
	}))
	require.Equal(t, []string{"B2", "C2"}, at, "blank ones too")
}

// formulas that share a long one are not written out without end.
func TestEachFormulaOfALongGroup(t *testing.T) {
	var sb strings.Builder
	fmt.Fprintf(&sb, `<sheetData><row r="1"><c r="A1"><f t="shared" ref="A1:A9" si="0">%s1</f></c></row>`, strings.Repeat("B1+", 100))
	for r := 2; r <= 9; r++ {
		fmt.Fprintf(&sb, `<row r="%d"><c r="A%d"><f t="shared" si="0"/></c></row>`, r, r)
	}
	wb := open(t, xlsxtest.Raw(t, nil, sb.String()+"</sheetData>"))
	wb.Allowance = book.NewAllowance(4 * 301)
	last := book.FormulaCell{}
	err := wb.EachFormula(context.Background(), wb.Sheets[0], func(f book.FormulaCell) error { last = f; return nil })
	require.EqualError(t, err, "the formulas that share the one of A1 come to more than 16 MB when each is written out; make that formula shorter, or shared by fewer cells, in a spreadsheet program")
	require.Equal(t, formats.CodeTooLarge, formats.CodeOf(err))
	require.Equal(t, 5, last.Row, "four members were written out")
	require.NoError(t, wb.ScanFormulas(context.Background(), wb.Sheets[0], false, func(book.FormulaCell) error { return nil }), "their texts are not needed")
}
