package xlsx

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"
)

// said are the warnings of the first operation and of the document.
func said(t *testing.T, in []byte, op string) []string {
	t.Helper()
	_, rep := apply(t, in, "["+op+"]")
	return append(rep.Ops[0].Warnings, rep.Warnings...)
}

const someSheet = `<cols><col min="4" max="4" width="9" hidden="1"/></cols><sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><f>A1*2</f></c><c r="C1"><f t="array" ref="C1:C2">A1:A2</f></c></row><row r="2"><c r="A2"><v>2</v></c><c r="B2"><f>B1+A2</f></c><c r="C2"/></row><row r="3" hidden="1"><c r="A3"><v>3</v></c></row></sheetData>`

func TestWhatSetCellsWritesOverIsTold(t *testing.T) {
	in := raw(t, nil, someSheet)
	require.Equal(t, []string{"2 formulas were overwritten or cleared: S1!B1:B2"}, said(t, in, `{"op":"set_cells","sheet":"S1","cells":[{"cell":"B1","value":5},{"cell":"B2","value":null}]}`))
	require.Equal(t, []string{"1 formula was overwritten or cleared: S1!C1"}, said(t, in, `{"op":"set_range","sheet":"S1","start":"C1","values":[[1],[2]]}`))
	require.Empty(t, said(t, in, `{"op":"set_cells","sheet":"S1","cells":[{"cell":"B1","value":"=A1*3"},{"cell":"A3","value":null}]}`))
	require.Equal(t, []string{"3 values were written in hidden rows or columns: S1!D2:D3, S1!A3"}, said(t, in, `{"op":"set_cells","sheet":"S1","cells":[{"cell":"A3","value":5},{"cell":"D2","value":5},{"cell":"D3","value":"x"}]}`))
	require.Equal(t, []string{"2 rows have fewer than 3 values; the cells beyond them stay as they were (null clears a cell)"}, said(t, in, `{"op":"set_range","sheet":"S1","start":"F5","values":[[1],[1,2,3],[1,2]]}`))

	table := fixture(t, func(f *excelize.File) {
		require.NoError(t, f.SetSheetRow("Sheet1", "A1", &[]any{"Price", "Net"}))
		require.NoError(t, f.SetSheetRow("Sheet1", "A2", &[]any{1, 2}))
		require.NoError(t, f.AddTable("Sheet1", &excelize.Table{Range: "A1:B2", Name: "Sales"}))
	})
	require.Equal(t, []string{`the column "Price" of the table Sales is now called "Cost"; formulas with its name follow`}, said(t, table, `{"op":"set_cells","sheet":"Sheet1","cells":[{"cell":"A1","value":"Cost"}]}`))

	pivot := fixture(t, func(f *excelize.File) {
		require.NoError(t, f.SetSheetRow("Sheet1", "A1", &[]any{"Who", "What"}))
		require.NoError(t, f.SetSheetRow("Sheet1", "A2", &[]any{"a", 1}))
		require.NoError(t, f.AddPivotTable(&excelize.PivotTableOptions{DataRange: "Sheet1!A1:B2", PivotTableRange: "Sheet1!E2:H8", Rows: []excelize.PivotTableField{{Data: "Who"}}, Data: []excelize.PivotTableField{{Data: "What"}}}))
	})
	require.Equal(t, []string{`cells were written in the pivot table in E2:H8 of sheet "Sheet1"; its next refresh writes over them`}, said(t, pivot, `{"op":"set_cells","sheet":"Sheet1","cells":[{"cell":"F3","value":5}]}`))
	require.Empty(t, said(t, pivot, `{"op":"set_cells","sheet":"Sheet1","cells":[{"cell":"D3","value":5}]}`))
}

// What is as it was asked for already is not said to be done.
func TestNothingToDoIsTold(t *testing.T) {
	in := raw(t, nil, someSheet+`<sheetProtection sheet="1"/>`, `<sheetData/>`)
	for op, want := range map[string]string{
		`{"op":"hide_rows","sheet":"S1","row":3}`:                                "3:3 is hidden already; nothing was changed",
		`{"op":"hide_rows","sheet":"S1","row":1,"count":2,"hidden":false}`:       "nothing in 1:2 is hidden; nothing was changed",
		`{"op":"hide_columns","sheet":"S1","column":"D"}`:                        "D:D is hidden already; nothing was changed",
		`{"op":"hide_columns","sheet":"S1","column":"A","hidden":false}`:         "nothing in A:A is hidden; nothing was changed",
		`{"op":"unhide_sheet","sheet":"S1"}`:                                     `the sheet "S1" is shown already; nothing was changed`,
		`{"op":"move_sheet","sheet":"S1","position":1}`:                          `the sheet "S1" is at position 1 already; nothing was changed`,
		`{"op":"copy_range","sheet":"S1","range":"X1:Z9","target":"X20"}`:        "X1:Z9 is empty and so is its target; nothing was changed",
		`{"op":"unmerge_cells","sheet":"S1","range":"A1"}`:                       "there is no merged cell in A1",
		`{"op":"conditional_format","sheet":"S1","range":"A1:A9","remove":true}`: "there is no conditional format in A1:A9",
	} {
		out, rep := apply(t, in, "["+op+"]")
		require.Equal(t, []string{want}, rep.Ops[0].Warnings, op)
		require.Empty(t, rep.Warnings, op)
		require.Zero(t, rep.Ops[0].Hits, op)
		require.Equal(t, in, out, op)
	}
	require.Equal(t, []string{`the sheet "S1" is protected; it was edited all the same`}, said(t, in, `{"op":"hide_rows","sheet":"S1","row":2,"count":2}`))
	require.Contains(t, said(t, in, `{"op":"merge_cells","sheet":"S1","range":"F1:G1"}`), `the sheet "S1" is protected; it was edited all the same`)
}

func TestEmptySourcesAndRangesAreTold(t *testing.T) {
	in := raw(t, nil, someSheet)
	require.Equal(t, []string{"X1:Z9 is empty, so that its target was emptied"}, said(t, in, `{"op":"copy_range","sheet":"S1","range":"X1:Z9","target":"A3"}`))
	require.Equal(t, []string{"A9, which is filled from, is empty, so that the rest was emptied"}, said(t, in, `{"op":"fill","sheet":"S1","range":"A9:A11","direction":"down"}`))
	require.Equal(t, []string{"no cell of the deleted 100:104 held anything"}, said(t, in, `{"op":"delete_rows","sheet":"S1","row":100,"count":5}`))
	require.Empty(t, said(t, in, `{"op":"delete_rows","sheet":"S1","row":3}`))
}

func TestSortTellsOfHiddenRowsAndFormulas(t *testing.T) {
	in := raw(t, nil, `<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><f>A1*2</f></c></row><row r="2" hidden="1"><c r="A2"><v>2</v></c><c r="B2"><f>B1+A2+$A$9</f></c></row></sheetData>`)
	require.Equal(t, []string{"1 hidden row is in the range and sorted too; what was hidden is hidden in its new place", "1 formula refers to other rows by relative references, which point as far as before from where the rows are now: such as a running total they read other cells"}, said(t, in, `{"op":"sort_range","sheet":"S1","range":"A1:B2","by":[{"column":"A","descending":true}]}`))
	require.Equal(t, []string{"1 hidden row is in the range and sorted too; the same row numbers stay hidden, because the range has not all columns of the rows"}, said(t, in, `{"op":"sort_range","sheet":"S1","range":"A1:A2","by":[{"column":"A","descending":true}]}`))
}

func TestReplaceTextTellsWhatItLeaves(t *testing.T) {
	in := raw(t, nil, `<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Plan 2025</t></is></c><c r="B1"><v>2025</v></c><c r="C1"><f>"x"&amp;2025</f></c><c r="D1"><f>D2025</f></c></row></sheetData>`)
	require.Equal(t, []string{"2 formulas hold it too and stayed (S1!C1:D1): in_formulas replaces there too", "1 number or date is written with it and stayed: only texts are searched"}, said(t, in, `{"op":"replace_text","search":"2025","replace":"2026"}`))
	require.Equal(t, []string{"1 number or date is written with it and stayed: only texts are searched"}, said(t, in, `{"op":"replace_text","search":"2025","replace":"2026","in_formulas":true}`))
	require.Equal(t, []string{"\"nowhere\" was not found; nothing was replaced"}, said(t, in, `{"op":"replace_text","search":"nowhere","replace":"x"}`))
}
