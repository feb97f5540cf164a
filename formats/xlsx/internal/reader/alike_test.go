package reader_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/reader"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/formats/xlsx/internal/xlsxtest"
)

func readFormulas(t testing.TB, in []byte, sel formats.Selector) string {
	sel.Include = append(sel.Include, formats.IncludeFormulas)
	text, err := reader.Reader{}.Read(t.Context(), xlsxtest.Source(in), sel)
	require.NoError(t, err)
	return text.Text
}

func TestAlikeFormulas(t *testing.T) {
	book := func(rows ...string) []byte { return xlsxtest.Raw(t, nil, xlsxtest.Grid(rows...)) }
	for _, c := range []struct {
		name string
		in   []byte
		sel  formats.Selector
		want []string
	}{
		{"down", book("1|2|=A1*B1+1000000→102", "2|2|=A2*B2+1000000→104", "3|2|=A3*B3+1000000→106", "=SUM(A1:A3)→6"), formats.Selector{},
			[]string{"A1: 1, B1: 2, C1: =A1*B1+1000000 (filled down to C3) → 102", "A2: 2, B2: 2, C2: = → 104", "A3: 3, B3: 2, C3: = → 106", "A4: =SUM(A1:A3) → 6"}},
		{"right", book("1|2|3", "=SUM(A1:A1)+1000→2|=SUM(B1:B1)+1000→3|=SUM(C1:C1)+1000→4"), formats.Selector{},
			[]string{"A1: 1, B1: 2, C1: 3", "A2: =SUM(A1:A1)+1000 (filled right to C2) → 2, B2: = → 3, C2: = → 4"}},
		{"a block", book("=$A9+A$9+1→1|=$A9+B$9+1→2", "=$A10+A$9+1→3|=$A10+B$9+1→4"), formats.Selector{},
			[]string{"A1: =$A9+A$9+1 (filled down and right to B2) → 1, B1: = → 2", "A2: = → 3, B2: = → 4"}},
		{"two of a kind", book("=A5+B5+C5+D5→1", "=A6+B6+C6+D6→1"), formats.Selector{}, []string{"A1: =A5+B5+C5+D5 → 1", "A2: =A6+B6+C6+D6 → 1"}},
		{"short ones", book("=A5→1", "=A6→1", "=A7→1"), formats.Selector{}, []string{"A1: =A5 → 1", "A2: =A6 → 1", "A3: =A7 → 1"}},
		{"interrupted", book("=SUM(A9:D9)+1→1", "=SUM(A10:D10)+1→1", "7", "=SUM(A12:D12)+1→1", "=SUM(A13:D13)+1→1"), formats.Selector{},
			[]string{"A1: =SUM(A9:D9)+1 → 1", "A2: =SUM(A10:D10)+1 → 1", "A3: 7", "A4: =SUM(A12:D12)+1 → 1", "A5: =SUM(A13:D13)+1 → 1"}},
		{"part of a run", book("=SUM(A9:D9)+1→1", "=SUM(A10:D10)+1→2", "=SUM(A11:D11)+1→3", "=SUM(A12:D12)+1→4"), formats.Selector{Range: "A2:A4"},
			[]string{"A2: =SUM(A10:D10)+1 (filled down to A4) → 2", "A3: = → 3", "A4: = → 4"}},
		{"without values", book("=SUM(A9:D9)+1000", "=SUM(A10:D10)+1000", "=SUM(A11:D11)+1000"), formats.Selector{},
			[]string{"A1: =SUM(A9:D9)+1000 (filled down to A3)", "A2: =", "A3: ="}},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, "Sheet: S1\n"+strings.Join(c.want, "\n"), readFormulas(t, c.in, c.sel))
		})
	}
	shared := xlsxtest.Raw(t, nil, `<sheetData><row r="1"><c r="A1"><f t="shared" ref="A1:A3" si="0">B1*C1+D1+E1+100</f><v>1</v></c></row><row r="2"><c r="A2"><f t="shared" si="0"/><v>2</v></c></row><row r="3"><c r="A3"><f t="shared" si="0"/><v>3</v></c></row><row r="4"><c r="A4"><f>B4*C4+D4+E4+100</f><v>4</v></c></row><row r="5"><c r="A5"><f t="array" ref="A5">B5*C5+D5+E5+100</f><v>5</v></c></row></sheetData>`)
	require.Equal(t, "Sheet: S1\nA1: =B1*C1+D1+E1+100 (filled down to A4) → 1\nA2: = → 2\nA3: = → 3\nA4: = → 4\nA5: {=B5*C5+D5+E5+100} → 5", readFormulas(t, shared, formats.Selector{}))
	require.Equal(t, "Sheet: S1\nA2: =B2*C2+D2+E2+100 (filled down to A4) → 2\nA3: = → 3\nA4: = → 4", readFormulas(t, shared, formats.Selector{Range: "A2:A4"}))
	plain, err := reader.Reader{}.Read(t.Context(), xlsxtest.Source(shared), formats.Selector{})
	require.NoError(t, err)
	require.Equal(t, "Sheet: S1\nA1: 1\nA2: 2\nA3: 3\nA4: 4\nA5: 5", plain.Text)
}

// A long run fits into a part, and says how far it goes there.
func TestAlikeFormulasFit(t *testing.T) {
	var rows []string
	for i := range 3000 {
		rows = append(rows, fmt.Sprintf("%d|=SUM($A$1:A%d)*2+ROUND(A%d,2)→%d", i, i+1, i+1, i))
	}
	in := xlsxtest.Source(xlsxtest.Raw(t, nil, xlsxtest.Grid(rows...)))
	text, err := formats.ReadFitting(t.Context(), reader.Reader{}, in, formats.Selector{Range: "A1:B3000", Include: []string{formats.IncludeFormulas}, Limit: formats.TextLimit{Whole: 4000, Part: 4000}})
	require.NoError(t, err)
	require.Less(t, len(text.Text), 4200)
	require.Greater(t, strings.Count(text.Text, "\n"), 140, "a row takes about 25 bytes")
	require.Equal(t, 1, strings.Count(text.Text, "SUM("))
	require.Contains(t, text.Text, "B1: =SUM($A$1:A1)*2+ROUND(A1,2) (filled down to B")
}

// Expanding the blocks of a read yields every formula.
func TestAlikeFormulasExpand(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		forms := []string{"A9*B9+C$9", "SUM($A9:C9)", "D9", "A9*B9+C$9+1"}
		var rows []string
		want := map[string]string{}
		height, width := rapid.IntRange(1, 7).Draw(rt, "rows"), rapid.IntRange(1, 5).Draw(rt, "columns")
		for r := range height {
			var cells []string
			for c := range width {
				k := rapid.IntRange(0, len(forms)).Draw(rt, "form")
				if k == len(forms) {
					cells = append(cells, "7")
					continue
				}
				f := formula.Move(forms[k], r, c)
				cells = append(cells, "="+f+"→1")
				want[cellref.Name(r+1, c+1)] = "=" + f
			}
			rows = append(rows, strings.Join(cells, "|"))
		}
		got := map[string]string{}
		text := readFormulas(t, xlsxtest.Raw(t, nil, xlsxtest.Grid(rows...)), formats.Selector{})
		for _, line := range strings.Split(text, "\n")[1:] {
			for _, c := range reader.RowCells(line) {
				if f, _, ok := strings.Cut(c.Text, " → "); ok {
					expand(got, c.Ref, f)
				}
			}
		}
		require.Equal(rt, want, got)
	})
}

// expand takes down the formula that a read shows in a cell, and those that it fills.
func expand(got map[string]string, at, f string) {
	if f == "=" {
		return
	}
	f, rest, _ := strings.Cut(f, " (filled ")
	from := cellref.ParseAttr(at)
	to := from
	if _, end, ok := strings.Cut(strings.TrimSuffix(rest, ")"), " to "); ok {
		to = cellref.ParseAttr(end)
	}
	for r := from.R1; r <= to.R2; r++ {
		for c := from.C1; c <= to.C2; c++ {
			got[cellref.Name(r, c)] = "=" + formula.Move(strings.TrimPrefix(f, "="), r-from.R1, c-from.C1)
		}
	}
}

// Real workbooks read the same when blocks are expanded as each formula by itself.
func TestCorpusAlikeFormulas(t *testing.T) {
	for _, path := range formatstest.Corpus(t, "xlsx") {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		src := xlsxtest.Source(b)
		wb, err := book.Open(t.Context(), src)
		if err != nil {
			continue
		}
		for _, sh := range wb.Sheets {
			if !sh.Worksheet() {
				continue
			}
			want := map[string]string{}
			require.NoError(t, wb.EachFormula(t.Context(), sh, func(f book.FormulaCell) error {
				if f.Cached && f.Spill.Empty() && f.Text != "" && f.Row <= 60 && f.Col <= 50 {
					want[cellref.Name(f.Row, f.Col)] = "=" + formula.Shown(f.Text)
				}
				return nil
			}))
			text, err := reader.Reader{}.Read(t.Context(), src, formats.Selector{Sheet: sh.Name, Range: "A1:AX60", Include: []string{formats.IncludeFormulas}})
			require.NoError(t, err)
			got := map[string]string{}
			for _, line := range strings.Split(text.Text, "\n")[1:] {
				for _, c := range reader.RowCells(line) {
					if f, _, ok := strings.Cut(c.Text, " → "); ok && strings.HasPrefix(f, "=") {
						expand(got, c.Ref, f)
					}
				}
			}
			for at, f := range want {
				if _, shown := got[at]; shown {
					require.Equal(t, sheetml.Unescape(f), sheetml.Unescape(got[at]), "%s %s!%s", path, sh.Name, at)
				} else {
					require.NotContains(t, text.Text, at+": =", "%s %s", path, sh.Name)
				}
			}
		}
	}
}
