package xlsx

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/xlsx/internal/sheetml"
)

func selectable(t testing.TB) []byte {
	return fixture(t, func(f *excelize.File) {
		f.SetSheetName("Sheet1", "My sheet")
		f.SetSheetRow("My sheet", "B2", &[]any{"Name", "Qty, net", "Sum"})
		f.SetSheetRow("My sheet", "B3", &[]any{"tea", 1, 10})
		f.SetSheetRow("My sheet", "B4", &[]any{"rum", 2, 20})
		f.SetCellValue("My sheet", "B9", "below")
		f.AddTable("My sheet", &excelize.Table{Range: "B2:D4", Name: "T"})
		f.NewSheet("Two")
		f.SetCellValue("Two", "A1", "other")
		f.SetDefinedName(&excelize.DefinedName{Name: "Rate", RefersTo: "0.2"})
		f.SetDefinedName(&excelize.DefinedName{Name: "Pair", RefersTo: "'My sheet'!$B$3:$B$4,Two!$A$1"})
		f.SetDefinedName(&excelize.DefinedName{Name: "Here", RefersTo: "Two!$A$1", Scope: "Two"})
	})
}

func TestW35Selectors(t *testing.T) {
	in := selectable(t)
	for sel, want := range map[string]string{
		"T":                      "Sheet: My sheet\nB2: Name, C2: Qty, net, D2: Sum\nB3: tea, C3: 1, D3: 10\nB4: rum, C4: 2, D4: 20",
		"t[sum]":                 "Sheet: My sheet\nD2: Sum\nD3: 10\nD4: 20",
		"T[Qty, net]":            "Sheet: My sheet\nC2: Qty, net\nC3: 1\nC4: 2",
		"T[[Name]:[Qty, net]]":   "Sheet: My sheet\nB2: Name, C2: Qty, net\nB3: tea, C3: 1\nB4: rum, C4: 2",
		"T[[#Data],[Name]]":      "Sheet: My sheet\nB3: tea\nB4: rum",
		"T[#Headers]":            "Sheet: My sheet\nB2: Name, C2: Qty, net, D2: Sum",
		"Pair":                   "Sheet: My sheet\nB3: tea\nB4: rum\n\nSheet: Two\nA1: other",
		"'My sheet'!B9, Two!A:A": "Sheet: My sheet\nB9: below\n\nSheet: Two\nA1: other",
		"B3,D3":                  "Sheet: My sheet\nB3: tea\n\nSheet: My sheet\nD3: 10",
		"9:9":                    "Sheet: My sheet\nB9: below",
	} {
		require.Equal(t, want, read(t, in, formats.Selector{Range: sel}), sel)
	}
	require.Equal(t, "Sheet: Two\nA1: other", read(t, in, formats.Selector{Sheet: "two", Range: "Here"}))
	text, err := Format().Reader.Read(context.Background(), src(in), formats.Selector{Range: "T"})
	require.NoError(t, err)
	require.Nil(t, text.Chunk, "a table is whole, though the sheet goes on below it")
	for sel, want := range map[string]string{
		"T[x]":        "the table T has no column x; it has Name, Qty, net, Sum",
		"T[#Totals]":  "the table T has no such rows: [#Totals]",
		"Rate":        "the name Rate is not a range of cells: it stands for 0.2",
		"Three!A1":    "unknown sheet: Three",
		"Nothing":     "invalid range: Nothing (expected a form like A1:E50, B2, A:C or 3:9), the name of a table such as Table1 or Table1[Column], or a defined name",
		"A1,":         "invalid range: \"\" (expected",
		"T[":          "",
		"T[[Name]":    "",
		"'My sheet!A": "",
	} {
		_, err := Format().Reader.Read(context.Background(), src(in), formats.Selector{Range: sel})
		if want == "" {
			typedError(t, err)
			continue
		}
		require.ErrorContains(t, err, want, sel)
	}
	_, err = Format().Reader.Read(context.Background(), src(in), formats.Selector{Sheet: "Two", Range: "'My sheet'!A1"})
	require.ErrorContains(t, err, "another sheet")
	_, err = Format().Reader.Read(context.Background(), src(in), formats.Selector{Range: strings.Repeat("A1,", 60) + "A1"})
	require.ErrorContains(t, err, "at most 50")
}

// TestPeerHidesFormulaValues: formulas come with their values when asked for.
func TestPeerHidesFormulaValues(t *testing.T) {
	in := raw(t, nil, `<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><f>SUM(A1:A3)</f><v>6</v></c><c r="C1"><f>A1+1</f></c><c r="D1" t="str"><f>"x"&amp;""</f><v>x</v></c></row></sheetData>`)
	require.Equal(t, "Sheet: S1\nA1: 1, B1: 6, C1: =A1+1, D1: x", read(t, in, formats.Selector{}))
	require.Equal(t, "Sheet: S1\nA1: 1, B1: =SUM(A1:A3) → 6, C1: =A1+1, D1: =\"x\"&\"\" → x", read(t, in, formats.Selector{Include: []string{"formulas"}}))
	in = edited(t, in, "xl/workbook.xml", swap("</sheets>", `</sheets><calcPr fullCalcOnLoad="1"/>`))
	require.Equal(t, "Sheet: S1\nC1: =A1+1\n(no value yet for 1 of the formulas here: the file is to be calculated when a spreadsheet program opens it)", read(t, in, formats.Selector{Range: "C1", Include: []string{"formulas"}}))
	require.Equal(t, "Sheet: S1\nB1: 6", read(t, in, formats.Selector{Range: "B1"}))
}

func TestEstimates(t *testing.T) {
	cells := `<row r="1"><c r="A1"><v>1</v></c><c r="B1"><f>SUM(A1:A3)</f></c><c r="C1"><f>B1*2</f></c><c r="D1"><f>IF(C1&gt;5,"big","small")&amp;"!"</f></c><c r="E1"><f>'S 2'!A1+1</f></c>` +
		`<c r="F1"><f>F1+1</f></c><c r="G1"><f>INDIRECT("A1")</f></c><c r="H1" s="1"><f>A1/4</f></c><c r="I1"><f>G1+1</f></c><c r="J1"><f>1/0</f></c><c r="K1"><f>SUM(A:XFD)</f></c></row>` +
		`<row r="2"><c r="A2"><v>2</v></c></row><row r="3"><c r="A3"><v>3</v></c></row>`
	in := raw(t, map[string]string{"xl/styles.xml": `<styleSheet xmlns="` + sheetml.Namespace + `"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="10"/></cellXfs></styleSheet>`},
		`<sheetData>`+cells+`</sheetData>`, `<sheetData><row r="1"><c r="A1"><v>41</v></c></row></sheetData>`)
	in = edited(t, in, "xl/workbook.xml", swap(`name="S2"`, `name="S 2"`))
	require.Equal(t, "Sheet: S1\nA1: 1, B1: =SUM(A1:A3) → ~6 (estimate), C1: =B1*2 → ~12 (estimate), D1: =IF(C1>5,\"big\",\"small\")&\"!\" → ~big! (estimate), E1: ='S 2'!A1+1 → ~42 (estimate), F1: =F1+1, G1: =INDIRECT(\"A1\") → ~1 (estimate), H1: =A1/4 → ~25.00% (estimate), I1: =G1+1 → ~2 (estimate), J1: =1/0 → ~#DIV/0! (estimate), K1: =SUM(A:XFD)",
		read(t, in, formats.Selector{Range: "1:1", Include: []string{"estimates"}}))
	require.NotContains(t, read(t, in, formats.Selector{}), "estimate")
}

// TestX18EstimatesEnd: chains that double and deep chains take no long time.
func TestX18EstimatesEnd(t *testing.T) {
	var sb strings.Builder
	sb.WriteString("<sheetData>")
	for i := range 20_000 {
		fmt.Fprintf(&sb, `<row r="%d"><c r="A%d"><f>A%d+A%d</f></c><c r="B%d"><f>SUM(C1:Z1000)</f></c></row>`, i+1, i+1, i+2, i+2, i+1)
	}
	in := raw(t, nil, sb.String()+"</sheetData>")
	began := time.Now()
	read(t, in, formats.Selector{Range: "A:B", Include: []string{"estimates"}})
	require.Less(t, time.Since(began), 8*time.Second)
}

func TestHiddenAndMergedAndComments(t *testing.T) {
	in := fixture(t, func(f *excelize.File) {
		f.SetCellValue("Sheet1", "A1", "title")
		f.SetCellValue("Sheet1", "B1", "under")
		f.SetCellValue("Sheet1", "A2", "a")
		f.SetCellValue("Sheet1", "C3", "c")
		f.SetRowVisible("Sheet1", 2, false)
		f.SetColVisible("Sheet1", "C", false)
		f.AddComment("Sheet1", excelize.Comment{Cell: "A2", Author: "Ann", Text: "look\nhere"})
		f.AddComment("Sheet1", excelize.Comment{Cell: "F9", Author: "Ben", Text: "far"})
		f.NewSheet("Hid")
		f.SetSheetVisible("Hid", false)
	})
	in = edited(t, in, sheet1, swap("</sheetData>", `</sheetData><mergeCells count="1"><mergeCell ref="A1:C1"/></mergeCells>`))
	require.Equal(t, "Sheet: Sheet1\nA1: title\nA2: a\nC3: c\n\nSheet: Hid", read(t, in, formats.Selector{}))
	require.Equal(t, "Sheet: Sheet1\n(hidden columns: C:C)\nA1: title\nA2: a (hidden row)\nC3: c\n\nSheet: Hid\n(this sheet is hidden)", read(t, in, formats.Selector{Include: []string{"hidden"}}))
	require.Equal(t, "Sheet: Sheet1\nA1: title\nA2: a\nComments:\nA2 (Ann): look\\nhere", read(t, in, formats.Selector{Range: "A1:B5", Include: []string{"comments"}}))
}

// TestLargeStringTables: looked up by index, the text is the same.
func TestLargeStringTables(t *testing.T) {
	var sst, rows strings.Builder
	n := 60_000
	for i := range n {
		fmt.Fprintf(&sst, `<si><t>text of some length, the %d. of all of them, to be long: %s</t></si>`, i, strings.Repeat("x", 30))
		fmt.Fprintf(&rows, `<row r="%d"><c r="A%d" t="s"><v>%d</v></c></row>`, i+1, i+1, (i*7919)%n)
	}
	in := raw(t, map[string]string{"xl/sharedStrings.xml": `<sst xmlns="` + sheetml.Namespace + `">` + sst.String() + `<si/></sst>`}, "<sheetData>"+rows.String()+"</sheetData>")
	require.Contains(t, read(t, in, formats.Selector{Range: "A5000:A5001"}), fmt.Sprintf("A5000: text of some length, the %d. of all", (4999*7919)%n))
	all, err := Format().Reader.Read(context.Background(), src(in), formats.Selector{Range: "A:A"})
	require.NoError(t, err)
	require.Contains(t, all.Text, "... (truncated at row ")
	require.NotNil(t, all.Chunk)
	m, js := mapOf(t, in, formats.MapOptions{})
	require.Equal(t, n, m.Sheets[0].RowCount, js)
}
