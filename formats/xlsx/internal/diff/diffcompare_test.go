package diff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/xlsx"
	"atelier/formats/xlsx/internal/xlsxtest"
)

// Formulas that say the same in a block of cells are one item.
func TestAlikeFormulas(t *testing.T) {
	rows := func(f func(r int) string) []byte {
		var out []string
		for r := 1; r <= 4; r++ {
			out = append(out, fmt.Sprintf("key %d|%d%s", r, r, f(r)))
		}
		return grid(t, out...)
	}
	none := rows(func(int) string { return "" })
	double := rows(func(r int) string { return fmt.Sprintf("|=B%d*2", r) })
	runPlanted(t, []planted{
		{"a column", none, double, []string{"S1!C1:C4 added:  → =B1*2…"}},
		{"a block", none, rows(func(r int) string { return fmt.Sprintf("|=B%d*2|=C%d*2", r, r) }), []string{"S1!C1:D4 added:  → =B1*2…"}},
		{"two columns", none, rows(func(r int) string { return fmt.Sprintf("|=B%d*2|=B%d*3", r, r) }), []string{"S1!C1:C4 added:  → =B1*2…", "S1!D1:D4 added:  → =B1*3…"}},
		{"one of them is another", none, rows(func(r int) string { return fmt.Sprintf("|=B%d*%d", r, 2+r/3*(4-r)) }), []string{"S1!C1:C2 added:  → =B1*2…", "S1!C3 added:  → =B3*3", "S1!C4 added:  → =B4*2"}},
		{"changed", double, rows(func(r int) string { return fmt.Sprintf("|=B%d*3", r) }), []string{"S1!C1:C4 modified: =B1*2… → =B1*3…"}},
		{"values are each for itself", none, rows(func(int) string { return "|5" }), []string{"S1!C1 added:  → 5", "S1!C2 added:  → 5", "S1!C3 added:  → 5", "S1!C4 added:  → 5"}},
	})
}

// Many results that changed are one fact.
func TestManyResults(t *testing.T) {
	book := func(add int) []byte {
		var rows []string
		for r := 1; r <= 20; r++ {
			rows = append(rows, fmt.Sprintf("=NOW()+%d→%d", r, r+add))
		}
		return grid(t, rows...)
	}
	failing := []byte(nil)
	{
		var rows []string
		for r := 1; r <= 20; r++ {
			rows = append(rows, fmt.Sprintf("=NOW()+%d→#N/A", r))
		}
		failing = grid(t, rows...)
	}
	runPlanted(t, []planted{
		{"changed", book(0), book(100), []string{"calculated_value changed S1!A1:A20: 20 dependants: 1; 2; 3; 4; 5… → 101; 102; 103; 104; 105…"}},
		{"failed", book(0), failing, []string{"calculated_value changed S1!A1:A20: 20 dependants: 1; 2; 3; 4; 5… → #N/A; #N/A; #N/A; #N/A; #N/A… ⚠ S1!A1:A20: 20 dependants now give an error"}},
	})
}

// The summary counts formulas whose values follow other cells apart from edits, with an
// example, and a workbook has at most maxValues facts of single ones.
func TestDependantsAreToldApart(t *testing.T) {
	sheets := func(a, b, c string) []byte {
		return xlsxtest.Raw(t, nil, xlsxtest.Grid(a+"|=A1*2→"+b+"|=1/A1→"+c), xlsxtest.Grid("=S1!A1→"+a, "=NOW()→1"))
	}
	d, err := xlsx.Format().Differ.Diff(t.Context(), xlsxtest.Source(sheets("1", "2", "1")), xlsxtest.Source(sheets("0", "0", "#DIV/0!")), formats.DiffOptions{})
	require.NoError(t, err)
	require.Equal(t, "1 cell in 1 sheet, 2 dependants changed (S1!B1 2 → 0), 1 dependant gives an error now (S1!C1 1 → #DIV/0!)", d.Summary)
	many := func(add int) []byte {
		var rows []string
		for r := range 7 {
			rows = append(rows, fmt.Sprintf("=NOW()→%d", r+add))
		}
		return xlsxtest.Raw(t, nil, xlsxtest.Grid(rows...), xlsxtest.Grid(rows...), xlsxtest.Grid(rows...))
	}
	d, err = xlsx.Format().Differ.Diff(t.Context(), xlsxtest.Source(many(1)), xlsxtest.Source(many(2)), formats.DiffOptions{})
	require.NoError(t, err)
	require.Equal(t, "21 dependants changed (S1!A1 1 → 2)", d.Summary)
	require.Len(t, d.Facts, 9)
}

// A row that moved and changed is told as both.
func TestMovedRowsThatChanged(t *testing.T) {
	a := []string{"a|1|x|y|z", "b|2|x|y|z", "c|3|p|q|r", "d|4|x|y|z", "e|5|s|t|u", "f|6|x|y|z"}
	b := []string{a[4], a[0], a[1], a[2], a[3], a[5]}
	require.Equal(t, []string{"S1!row 1 moved from row 5"}, told(compare(t, grid(t, a...), grid(t, b...))))
}

// formats within more than 200 texts are counted.
func TestManyRichTexts(t *testing.T) {
	book := func(tag string) []byte {
		var sb strings.Builder
		for r := 1; r <= 203; r++ {
			fmt.Fprintf(&sb, `<row r="%d"><c r="A%d" t="inlineStr"><is><r><rPr><%s/></rPr><t>x%d</t></r></is></c></row>`, r, r, tag, r)
		}
		return xlsxtest.Raw(t, nil, "<sheetData>"+sb.String()+"</sheetData>")
	}
	lines := told(compare(t, book("b"), book("i")))
	require.Len(t, lines, 201)
	require.Equal(t, "format changed S1!A1: “x1” bold → “x1” italic", lines[0])
	require.Equal(t, "format changed workbook:  → formats within the texts of 3 more cells", lines[200])
}
