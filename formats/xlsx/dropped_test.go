package xlsx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

const droppedTail = ": spreadsheet programs calculate them when they open the file; reads show the formula until then; recalculate does it here where LibreOffice is installed"

func TestDroppedValuesAreTold(t *testing.T) {
	var rows strings.Builder
	for r := 1; r <= 9; r++ {
		fmt.Fprintf(&rows, `<row r="%d"><c r="A%d"><v>1</v></c><c r="B%d"><f>$A$1+A%d</f><v>2</v></c><c r="C%d"><f>B%d*2</f><v>4</v></c><c r="D%d"><f>Z%d</f><v>0</v></c></row>`, r, r, r, r, r, r, r, r)
	}
	in := raw(t, nil, `<sheetData>`+rows.String()+`</sheetData>`, `<sheetData><row r="1"><c r="A1"><f>SUM(S1!C:C)</f><v>36</v></c><c r="B1"><f>S1!C2</f></c></row></sheetData>`)
	_, rep := apply(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":5},{"cell":"C9","value":1}]}]`)
	require.Equal(t, []string{"1 formula was overwritten or cleared: S1!C9", "18 values of formulas that depend on the edit were dropped (S1!B1:B9, S1!C1:C8, S2!A1)" + droppedTail}, rep.Warnings)
	_, rep = apply(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"Z3","value":5}]}]`)
	require.Equal(t, []string{"1 value of a formula that depends on the edit was dropped (S1!D3)" + droppedTail}, rep.Warnings)
	_, rep = apply(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"Y3","value":5}]}]`)
	require.Empty(t, rep.Warnings)

	// Where they were is said as it is afterwards, and not at all when a later
	// operation may have moved it.
	_, rep = apply(t, in, `[{"op":"delete_rows","sheet":"S1","row":2}]`)
	require.Equal(t, []string{"1 value of a formula that depends on the edit was dropped (S2!A1)" + droppedTail}, rep.Warnings)
	_, rep = apply(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"Z3","value":5}]},{"op":"delete_rows","sheet":"S1","row":2}]`)
	require.Equal(t, []string{"2 values of formulas that depend on the edit were dropped" + droppedTail}, rep.Warnings)
}

// INDIRECT and OFFSET keep their values where their arguments say what they
// read; where not, it is told how many lost theirs through them.
func TestReferencesMadeByFunctions(t *testing.T) {
	kept := map[string]string{ // formula: an edit elsewhere, and one in what it reads
		`INDIRECT("S2!A1")`:            `S2!A1`,
		`SUM(INDIRECT("A1:A9"))`:       `S1!A5`,
		`INDIRECT("'S2'!B"&amp;B1)`:    `S2!B7`,
		`INDIRECT("S2!A1",TRUE)`:       `S2!A1`,
		`OFFSET(S2!A1,2,1)`:            `S2!B3`,
		`SUM(OFFSET(A1,1,0,3))`:        `S1!A3`,
		`SUM(OFFSET(A1,B1,0,9,1))`:     `S1!A100`,
		`SUM(OFFSET(S2!A1,,,C1,2))`:    `S2!B900`,
		`SUM(OFFSET(S2!$A$1,B1,C1))`:   `S2!Q77`,
		`INDIRECT("S2!A"&amp;ROW(A1))`: `S2!Z1`,
	}
	for f, at := range kept {
		in := raw(t, nil, `<sheetData><row r="30"><c r="F30"><f>`+f+`</f><v>7</v></c></row></sheetData>`, `<sheetData/>`, `<sheetData/>`)
		edit := func(sheet, cell string) string {
			out, _ := apply(t, in, fmt.Sprintf(`[{"op":"set_cells","sheet":%q,"cells":[{"cell":%q,"value":5}]}]`, sheet, cell))
			return part(t, out, sheet1)
		}
		require.Contains(t, edit("S3", "A1"), `<v>7</v>`, f)
		sheet, cell, _ := strings.Cut(at, "!")
		require.NotContains(t, edit(sheet, cell), `<v>7</v>`, f)
	}
	for _, f := range []string{`INDIRECT(A1)`, `INDIRECT("R1C1",FALSE)`, `INDIRECT("A"&amp;B1)`, `INDIRECT("S9!A1")`, `INDIRECT("S2!A1"&amp;IF(A1="",":B2",""))`, `OFFSET(Some,1,1)`, `SUM(A1:INDEX(B:B,9))`, `INDIRECT("S2!A"&amp;1-2)`} {
		in := raw(t, nil, `<sheetData><row r="30"><c r="F30"><f>`+f+`</f><v>7</v></c><c r="G30"><f>F30+1</f><v>8</v></c></row></sheetData>`, `<sheetData/>`)
		out, rep := apply(t, in, `[{"op":"set_cells","sheet":"S2","cells":[{"cell":"A2","value":5}]}]`)
		if strings.Contains(f, "IF(") {
			require.NotContains(t, part(t, out, sheet1), `<v>`, f) // it reads S2
			continue
		}
		require.NotContains(t, part(t, out, sheet1), `<v>`, f)
		require.Equal(t, []string{"2 values of formulas that depend on the edit were dropped (S1!F30:G30); 1 of them may read any cell (INDIRECT, OFFSET or the like)" + droppedTail}, rep.Warnings, f)
	}
	// What an address as text names is another cell once rows move.
	in := raw(t, nil, `<sheetData><row r="1"><c r="A1"><f>INDIRECT("B9")</f><v>7</v></c><c r="C1"><f>OFFSET(B1,8,0)</f><v>7</v></c></row></sheetData>`)
	out, _ := apply(t, in, `[{"op":"insert_rows","sheet":"S1","row":5}]`)
	require.NotContains(t, part(t, out, sheet1), `<v>7</v>`)
}

// Issue: a workbook full of INDIRECT loses 7,062 values at one far edit.
func TestManyIndirectFormulasAreCounted(t *testing.T) {
	var rows strings.Builder
	for r := 1; r <= 7062; r++ {
		fmt.Fprintf(&rows, `<row r="%d"><c r="A%d"><f>INDIRECT(B%d)</f><v>1</v></c></row>`, r, r, r)
	}
	in := raw(t, nil, `<sheetData>`+rows.String()+`</sheetData>`)
	_, rep := apply(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"ZZ9","value":5}]}]`)
	require.Equal(t, []string{"7062 values of formulas that depend on the edit were dropped (S1!A1:A7062); 7062 of them may read any cell (INDIRECT, OFFSET or the like)" + droppedTail}, rep.Warnings)
}

// Over maxHeldFormulas the formulas are read from the file anew, and those that do
// not depend keep their values.
func TestMoreFormulasThanAreHeld(t *testing.T) {
	defer func(n int) { maxHeldFormulas = n }(maxHeldFormulas)
	maxHeldFormulas = 3_000
	var rows strings.Builder
	rows.WriteString(`<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><f t="shared" ref="B1:B3100" si="0">A1+1</f><v>2</v></c><c r="C1"><f>SUM(B1:B9)</f><v>8</v></c></row>`)
	for r := 2; r <= 3_100; r++ {
		fmt.Fprintf(&rows, `<row r="%d"><c r="B%d"><f t="shared" si="0"/><v>2</v></c></row>`, r, r)
	}
	in := raw(t, nil, rows.String()+`</sheetData>`, `<sheetData><row r="1"><c r="A1"><f>S1!C1+B1</f><v>9</v></c><c r="B1"><f>S1!B3000</f><v>2</v></c></row></sheetData>`)
	out, rep := apply(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"A3","value":5}]}]`)
	require.Equal(t, []string{"3 values of formulas that depend on the edit were dropped (S1!C1, S1!B3, S2!A1)" + droppedTail}, rep.Warnings)
	require.Equal(t, "Sheet: S1\nB3: =A3+1", read(t, out, formats.Selector{Sheet: "S1", Range: "B3"}))
	require.Equal(t, "Sheet: S1\nB4: 2", read(t, out, formats.Selector{Sheet: "S1", Range: "B4"}))

	out, rep = apply(t, in, `[{"op":"insert_rows","sheet":"S1","row":5}]`)
	require.Equal(t, []string{"2 values of formulas that depend on the edit were dropped (S1!C1, S2!A1)" + droppedTail}, rep.Warnings)
	require.Equal(t, "Sheet: S1\nB2001: 2", read(t, out, formats.Selector{Sheet: "S1", Range: "B2001"}))
	require.Contains(t, read(t, out, formats.Selector{Sheet: "S1", Range: "B2001", Include: []string{formats.IncludeFormulas}}), "=A2001+1")
	require.Equal(t, "Sheet: S2\nB1: 2", read(t, out, formats.Selector{Sheet: "S2", Range: "B1"}))
	require.Contains(t, part(t, out, "xl/worksheets/sheet2.xml"), "<f>S1!B3001</f>")

	// A chain against the order of the file is not followed to its end.
	in = raw(t, nil, strings.NewReplacer(`ref="B1:B3100" si="0">A1+1`, `ref="B1:B3100" si="0">B2+1`).Replace(rows.String())+`</sheetData>`)
	_, rep = apply(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"B3100","value":5}]}]`)
	require.Equal(t, []string{"1 formula was overwritten or cleared: S1!B3100", "the values of all 3100 formulas were dropped, since it could not be found out which of them depend on the edit: spreadsheet programs calculate them when they open the file; reads show the formula until then; recalculate does it here where LibreOffice is installed"}, rep.Warnings)
}

// Deleted rows that formulas need leave #REF! behind, which is told.
func TestFormulasThatReferToNothingAreTold(t *testing.T) {
	in := raw(t, nil, `<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><f>A3*2</f><v>2</v></c><c r="C1"><f>SUM(A1:A9)+#REF!</f><v>2</v></c></row><row r="3"><c r="A3"><v>1</v></c><c r="B3"><f>A3</f><v>1</v></c></row></sheetData>`,
		`<sheetData><row r="2"><c r="A2"><f>S1!A3</f><v>1</v></c></row></sheetData>`)
	_, rep := apply(t, in, `[{"op":"delete_rows","sheet":"S1","row":3}]`)
	require.Contains(t, rep.Ops[0].Warnings, "2 formulas now refer to nothing (#REF!): S1!B1, S2!A2")
	_, rep = apply(t, in, `[{"op":"delete_columns","sheet":"S1","column":"A"}]`)
	require.Contains(t, rep.Ops[0].Warnings, "4 formulas now refer to nothing (#REF!): S1!A1:B1, S1!A3, S2!A2")
	_, rep = apply(t, in, `[{"op":"delete_sheet","sheet":"S1"}]`)
	require.Contains(t, rep.Warnings, "1 formula now refers to nothing (#REF!): S2!A2")
	_, rep = apply(t, in, `[{"op":"insert_rows","sheet":"S1","row":2}]`)
	require.Empty(t, rep.Ops[0].Warnings)
}
