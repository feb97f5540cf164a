package xlsx

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/formula"
)

// effectWarnings are what a report says of formulas that can have no value.
func effectWarnings(rep formats.Report) []string {
	var out []string
	for _, w := range rep.Warnings {
		if strings.HasPrefix(w, "circular") || strings.HasPrefix(w, "no ") {
			out = append(out, w)
		}
	}
	return out
}

// A write tells which of its formulas can have no value, and why.
func TestWritesTellFormulasWithoutValue(t *testing.T) {
	in := raw(t, map[string]string{bookPart: bookXML(`<definedNames><definedName name="Rate">S2!$B$1</definedName></definedNames>`)},
		`<sheetData><row r="1"><c r="A1"><f>B1+1</f><v>2</v></c><c r="B1"><v>1</v></c><c r="C1"><f>SUM(D1:D9)</f><v>0</v></c></row></sheetData>`, `<sheetData/>`)
	cells := func(pairs ...string) string {
		var list []string
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, fmt.Sprintf(`{"cell":%q,"value":%s}`, pairs[i], jsonString(pairs[i+1])))
		}
		return `{"op":"set_cells","sheet":"S1","cells":[` + strings.Join(list, ",") + `]}`
	}
	for _, tc := range []struct {
		name, ops string
		want      []string
	}{
		{"known ones", cells("E1", "=SUM(A1:B1)*Rate+XLOOKUP(1,A:A,B:B)", "E2", "=LET(x,A1,x*2)", "E3", "=_xlfn.STDEV.S(A1:B1)+TRUE", "E4", "=S2!A1", "E5", "='s2'!A1+rate"), nil},
		{"a function", cells("E1", "=FOOBAR(A1)", "E2", "=foobar(A1)+FOOBAR(B1)"), []string{"no function FOOBAR is there; formulas that use it show an error: S1!E1:E2"}},
		{"a name", cells("E1", "=Nope*2"), []string{"no name Nope is there; formulas that use it show an error: S1!E1"}},
		{"a sheet", cells("E1", "=Missing!A1+'No such'!B2"), []string{`no sheet "Missing" is there; formulas that use it show an error: S1!E1`, `no sheet "No such" is there; formulas that use it show an error: S1!E1`}},
		{"a table", cells("E1", "=SUM(Sales[Net])"), []string{"no table Sales is there; formulas that use it show an error: S1!E1"}},
		{"made later in the call", cells("E1", "=Later*2", "E2", "=New!A1") + `,{"op":"define_name","name":"LATER","refers_to":"S2!$A$1"},{"op":"ensure_sheet","sheet":"New"}`, nil},
		{"itself", cells("E1", "=E1+1"), []string{"circular reference, which has no value: S1!E1 → S1!E1"}},
		{"in its range", cells("D5", "=SUM(D1:D9)"), []string{"circular reference, which has no value: S1!D5 → S1!D5"}},
		{"through the file's formula", cells("B1", "=A1*2"), []string{"circular reference, which has no value: S1!B1 → S1!A1 → S1!B1"}},
		{"through a name and another sheet", `{"op":"set_cells","sheet":"S2","cells":[{"cell":"B1","value":"=S1!E1"}]},` + cells("E1", "=Rate"), []string{"circular reference, which has no value: S1!E1 → S2!B1 → S1!E1"}},
		{"perhaps", cells("E1", "=IF(A1>0,1,E1)"), []string{"circular reference, which has no value, unless a condition keeps it from being read: S1!E1 → S1!E1"}},
		{"only the place", cells("E1", "=ROW(E1)+COLUMNS($A1:E1)+ROWS(E$1:E1)"), nil},
		{"a running total", cells("E1", "=1", "E2", "=E1+1", "E3", "=SUM(E$1:E2)"), nil},
		{"a circle that goes", cells("B1", "=A1", "A1", "1"), nil},
		{"a new sheet", `{"op":"ensure_sheet","sheet":"New"},{"op":"set_cells","sheet":"New","cells":[{"cell":"A1","value":"=A2"},{"cell":"A2","value":"=A1"}]}`, []string{"circular reference, which has no value: New!A1 → New!A2 → New!A1"}},
	} {
		_, rep := apply(t, in, "["+tc.ops+"]")
		require.Equal(t, tc.want, effectWarnings(rep), tc.name)
	}

	iterates := raw(t, map[string]string{bookPart: bookXML(`<calcPr iterate="1"/>`)}, `<sheetData/>`, `<sheetData/>`)
	_, rep := apply(t, iterates, "["+cells("E1", "=E1+1")+"]")
	require.Empty(t, effectWarnings(rep), "the workbook asks for iteration")

	table := tabledBook(t)
	_, rep = apply(t, table, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"A9","value":"=B9"}]}]`)
	require.Empty(t, effectWarnings(rep))
}

// A hundred thousand formulas in a chain, or each reading all, hold nothing up.
func TestCirclesOfManyFormulas(t *testing.T) {
	if testing.Short() {
		t.Skip("makes 100,000 formulas: left out with -short")
	}
	var rows strings.Builder
	for i := 1; i <= 100_000; i++ {
		fmt.Fprintf(&rows, `<row r="%d"><c r="A%d"><f>A%d+1</f><v>1</v></c><c r="B%d"><f>SUM(A:A)</f><v>1</v></c></row>`, i, i, i+1, i)
	}
	in := raw(t, nil, `<sheetData>`+rows.String()+`</sheetData>`, `<sheetData/>`)
	begin := time.Now()
	_, rep := apply(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"C1","value":"=SUM(B:B)"},{"cell":"D1","value":"=C1"}]}]`)
	require.Empty(t, effectWarnings(rep))
	require.Less(t, time.Since(begin), 30*time.Second)
}

// Every function of the corpus' formulas that has a value is known, unless a macro or
// an add-in gives it.
func TestFunctionsOfTheCorpusAreKnown(t *testing.T) {
	known, seen := 0, map[string]bool{}
	for _, path := range formatstest.Corpus(t, "xlsx") {
		src, err := formats.OpenFile(path)
		require.NoError(t, err)
		wb, err := open(t.Context(), src)
		if err != nil || wb.Package.Has(macroPart) {
			src.Close()
			continue
		}
		for _, s := range wb.Sheets {
			if !s.Worksheet() {
				continue
			}
			_ = wb.ScanFormulas(t.Context(), s, true, func(fc book.FormulaCell) error {
				for tok := range formula.Tokens(fc.Text) {
					if name := strings.ToUpper(fc.Text[tok.Start:tok.End]); tok.Kind == formula.Function && fc.Cached && !seen[name] {
						seen[name] = true
						if formula.Known(name) {
							known++
						} else {
							t.Logf("%s: %s in %s", path, name, fc.Text[:min(80, len(fc.Text))])
						}
					}
				}
				return nil
			})
		}
		src.Close()
	}
	t.Logf("%d of %d", known, len(seen))
	require.Equal(t, len(seen), known)
	require.NotZero(t, known)
}
