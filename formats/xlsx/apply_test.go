package xlsx

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

const sheet1 = "xl/worksheets/sheet1.xml"

func TestNewWorkbook(t *testing.T) {
	out, rep := apply(t, nil, `[{"op":"ensure_sheet","sheet":"Data"},{"op":"set_cells","sheet":"Data","cells":[{"cell":"A1","value":"Product"},{"cell":"B1","value":"Price"},{"cell":"B2","value":12.50},{"cell":"C2","value":"=B2*2"}]},{"op":"ensure_sheet","sheet":"More"}]`)
	require.Equal(t, 4, rep.Ops[1].Cells)
	f := excel(t, out)
	require.Equal(t, []string{"Data", "More"}, f.GetSheetList())
	require.Equal(t, "Sheet: Data\nA1: Product, B1: Price\nB2: 12.5, C2: =B2*2\n\nSheet: More", read(t, out, formats.Selector{}))
	require.Contains(t, part(t, out, "xl/workbook.xml"), `fullCalcOnLoad="1"`)
	formatstest.Validate(t, formatstest.Write(t, "new.xlsx", out), "")
}

func TestNoOpsIsIdentity(t *testing.T) {
	in, _ := apply(t, nil, `[]`)
	out, _ := apply(t, in, `[]`)
	require.True(t, bytes.Equal(in, out))
}

func TestSetCellsKeepsTheRest(t *testing.T) {
	in := raw(t, nil, `<dimension ref="A1:C3"/><sheetData> <row r="1" spans="1:3"><c r="A1" s="0"><v>1</v></c><c r="C1" t="s" cm="1"><v>9</v></c></row>
<row r="3"><c r="A3" t="b"><v>1</v></c></row></sheetData><pageMargins left="1" right="1" top="1" bottom="1" header="0" footer="0"/>`)
	out, rep := apply(t, in, `[{"op":"set_cells","sheet":"s1","cells":[{"cell":"C1","value":"a & <b>"},{"cell":"B1","value":123456789012345678901234567890},{"cell":"A2","value":true},{"cell":"D5","value":" x "},{"cell":"A3","value":null}]}]`)
	require.Equal(t, `<worksheet xmlns="`+sheetml.Namespace+`" xmlns:r="`+sheetml.RelNamespace+`"><dimension ref="A1:D5"/><sheetData> <row r="1"><c r="A1" s="0"><v>1</v></c><c r="B1"><v>123456789012345678901234567890</v></c><c r="C1" t="inlineStr"><is><t>a &amp; &lt;b&gt;</t></is></c></row><row r="2"><c r="A2" t="b"><v>1</v></c></row>
<row r="3"></row><row r="5"><c r="D5" t="inlineStr"><is><t xml:space="preserve"> x </t></is></c></row></sheetData><pageMargins left="1" right="1" top="1" bottom="1" header="0" footer="0"/></worksheet>`, part(t, out, sheet1))
	require.Len(t, rep.Warnings, 1)
	formatstest.SameParts(t, in, out, sheet1)
}

func TestImpliedPlacesAndEmptyRows(t *testing.T) {
	in := raw(t, nil, `<sheetData><row><c><v>1</v></c><c><v>2</v></c></row><row/><row r="5"/></sheetData>`)
	out, _ := apply(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"B1","value":7},{"cell":"C1","value":8},{"cell":"B2","value":9},{"cell":"A5","value":null},{"cell":"A7","value":null}]}]`)
	require.Contains(t, part(t, out, sheet1), `<row><c><v>1</v></c><c r="B1"><v>7</v></c><c r="C1"><v>8</v></c></row><row><c r="B2"><v>9</v></c></row><row r="5"/></sheetData>`)
}

func TestPrefixesAndOrder(t *testing.T) {
	in := raw(t, nil, ``)
	ed := strings.Replace(part(t, in, sheet1), `<worksheet xmlns=`, `<x:worksheet xmlns:x=`, 1)
	ed = strings.Replace(ed, `</worksheet>`, `<x:sheetData><x:row r="2"><x:c r="B2"><x:v>2</x:v></x:c><x:c r="A2"><x:v>1</x:v></x:c></x:row><x:row r="1"><x:c r="A1"><x:v>0</x:v></x:c></x:row></x:sheetData></x:worksheet>`, 1)
	in = raw(t, map[string]string{sheet1: ed}, "")
	// Cells out of order are met where they are, never written twice.
	out, _ := apply(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"A2","value":5},{"cell":"A1","value":6},{"cell":"C2","value":7}]}]`)
	require.Contains(t, part(t, out, sheet1), `<x:row r="2"><x:c r="B2"><x:v>2</x:v></x:c><x:c r="A2"><x:v>5</x:v></x:c><x:c r="C2"><x:v>7</x:v></x:c></x:row><x:row r="1"><x:c r="A1"><x:v>6</x:v></x:c></x:row></x:sheetData>`)
}

func TestSharedFormulaOutlivesItsMaster(t *testing.T) {
	in := raw(t, map[string]string{"xl/calcChain.xml": `<calcChain xmlns="` + sheetml.Namespace + `"><c r="B1" i="1"/></calcChain>`}, `<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><f t="shared" ref="B1:B3" si="0">A1*$A$1</f><v>1</v></c></row><row r="2"><c r="A2"><v>1</v></c><c r="B2"><f t="shared" si="0"/><v>1</v></c></row><row r="3"><c r="B3"><f t="shared" si="0"></f><v>1</v></c></row></sheetData>`)
	out, _ := apply(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"B1","value":5}]}]`)
	require.Contains(t, part(t, out, sheet1), `<c r="B2"><f>A2*$A$1</f><v>1</v></c></row><row r="3"><c r="B3"><f>A3*$A$1</f><v>1</v></c>`)
	require.NotContains(t, formatstest.Parts(t, out), "xl/calcChain.xml")
	require.NotContains(t, part(t, out, "[Content_Types].xml"), "calcChain")
	require.NotContains(t, part(t, out, "xl/_rels/workbook.xml.rels"), "calcChain")
}

func TestArrayFormulasAreRefusedByName(t *testing.T) {
	in := raw(t, nil, `<sheetData><row r="1"><c r="A1"><f t="array" ref="A1:A2">B1:B2</f><v>1</v></c></row><row r="2"><c r="A2"><v>2</v></c></row></sheetData>`)
	_, _, err := tryApply(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"A2","value":5}]}]`)
	require.Equal(t, formats.CodeInvalid, formats.CodeOf(err))
	require.ErrorContains(t, err, "A2 of sheet \"S1\" is part of the array formula in A1:A2")
	apply(t, in, `[{"op":"set_range","sheet":"S1","start":"A1","values":[[1],[2]]}]`)
}

func TestDependantsLoseTheirCachedValuesOthersKeepThem(t *testing.T) {
	in := raw(t, nil,
		`<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><f>A1+1</f><v>2</v></c><c r="C1"><f>Z9</f><v>0</v></c><c r="D1" t="str"><f>"x"&amp;S2!A1</f><v>x3</v></c></row></sheetData>`,
		`<sheetData><row r="1"><c r="A1"><f>S1!B1+1</f><v>3</v></c><c r="B1"><f>SUM(S1!C:C)</f><v>0</v></c><c r="C1"><f>INDIRECT("S1!A1")</f><v>1</v></c></row></sheetData>`)
	out, _ := apply(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":5}]}]`)
	require.Contains(t, part(t, out, sheet1), `<c r="B1"><f>A1+1</f></c><c r="C1"><f>Z9</f><v>0</v></c><c r="D1"><f>"x"&amp;S2!A1</f></c>`)
	require.Contains(t, part(t, out, "xl/worksheets/sheet2.xml"), `<c r="A1"><f>S1!B1+1</f></c><c r="B1"><f>SUM(S1!C:C)</f><v>0</v></c><c r="C1"><f>INDIRECT("S1!A1")</f></c>`)
	require.Contains(t, part(t, out, "xl/workbook.xml"), `<calcPr fullCalcOnLoad="1"/></workbook>`)
}

func TestSetRange(t *testing.T) {
	out, rep := apply(t, nil, `[{"op":"set_range","sheet":"N","start":"b2","values":[["a",1,null],[2.50,"=B2",false]]}]`)
	require.Equal(t, 6, rep.Ops[0].Cells)
	require.Equal(t, "Sheet: N\nB2: a, C2: 1\nB3: 2.5, C3: =B2, D3: FALSE", read(t, out, formats.Selector{}))
	require.Contains(t, part(t, out, sheet1), "<v>2.50</v>")
}

func TestTextThatLooksLikeAFormula(t *testing.T) {
	out, _ := apply(t, nil, `[{"op":"set_cells","sheet":"N","cells":[{"cell":"A1","value":"=1+1","type":"text"},{"cell":"A2","value":7,"type":"text"},{"cell":"A3","value":"="},{"cell":"A4","value":"=XLOOKUP(1,A:A,B:B)"},{"cell":"A5","value":"a\u0001b_x0041_"}]}]`)
	require.Equal(t, "Sheet: N\nA1: =1+1\nA2: 7\nA3: =\nA4: =XLOOKUP(1,A:A,B:B)\nA5: ab_x0041_", read(t, out, formats.Selector{}))
	x := part(t, out, sheet1)
	require.Contains(t, x, `<is><t>=1+1</t></is>`)
	require.Contains(t, x, `<f>_xlfn.XLOOKUP(1,A:A,B:B)</f>`)
}

func TestBadOperations(t *testing.T) { // W-46, W-47
	in := raw(t, nil, `<sheetData/>`)
	ok := `{"op":"ensure_sheet","sheet":"New"},`
	for js, want := range map[string]string{
		`{"op":"fly"}`: "unsupported op: fly",
		`5`:            "an operation must be an object with a member op",
		`[]`:           "an operation must be an object with a member op",
		`{"op":"set_cells","sheet":"S1","cells":[{"cell":"A0","value":1}]}`:                                    "invalid cell reference: A0",
		`{"op":"set_cells","sheet":"S1","cells":[{"cell":"XFE1","value":1}]}`:                                  "invalid cell reference: XFE1",
		`{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1048577","value":1}]}`:                              "invalid cell reference: A1048577",
		`{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":{}}]}`:                                   "cell A1: a value must be a string, number, boolean or null, got an object",
		`{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":1e999}]}`:                                "beyond what a cell can hold",
		`{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":"=SUM(A1"}]}`:                            "a bracket is not closed",
		`{"op":"set_cells","sheet":"S1"}`:                                                                      "cells is required",
		`{"op":"set_cells","cells":[{"cell":"A1","value":1}]}`:                                                 "sheet is required",
		`{"op":"set_cells","sheet":"S1","cells":"A1"}`:                                                         `cells: expected an array of {"cell","value"}, got string`,
		`{"op":"set_range","sheet":"S1","values":[[1]]}`:                                                       "start is required",
		`{"op":"set_range","start":"A1","values":[[1]]}`:                                                       "sheet is required",
		`{"op":"set_range","sheet":"S1","start":"A1"}`:                                                         "values is required",
		`{"op":"set_range","sheet":"S1","start":"A1","values":[1]}`:                                            "values: expected an array of rows, each an array of values, got number",
		`{"op":"delete_sheet","sheet":"Nope"}`:                                                                 "unknown sheet: Nope",
		`{"op":"ensure_sheet","sheet":"a/b"}`:                                                                  "not allowed",
		`{"op":"ensure_sheet","sheet":"` + strings.Repeat("x", 32) + `"}`:                                      "at most 31",
		`{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":"` + strings.Repeat("x", 32768) + `"}]}`: "32768 characters",
	} {
		out, _, err := tryApply(t, in, "["+ok+js+"]")
		var fe *formats.Error
		require.ErrorAs(t, err, &fe, js)
		require.Contains(t, fe.Message, want)
		require.Equal(t, 2, fe.Op, "the error names the op")
		require.Empty(t, out)
	}
	_, _, err := tryApply(t, in, `[{"op":"delete_sheet","sheet":"S1"}]`)
	require.ErrorContains(t, err, "at least one visible sheet")
	_, _, err = tryApply(t, in, `[{"op":"fly"}]`)
	var fe *formats.Error
	require.ErrorAs(t, err, &fe)
	require.Equal(t, "unsupported op: fly", fe.Message)
}

func TestDeleteSheet(t *testing.T) {
	in := fixture(t, func(f *excelize.File) {
		f.NewSheet("Gone")
		f.NewSheet("Last")
		f.SetCellValue("Gone", "A1", 4)
		f.SetCellFormula("Sheet1", "A1", "Gone!A1+1")
		f.SetCellFormula("Last", "A1", "Sheet1!A1")
		f.SetDefinedName(&excelize.DefinedName{Name: "Mine", RefersTo: "Gone!$A$1", Scope: "Gone"})
		f.SetDefinedName(&excelize.DefinedName{Name: "There", RefersTo: "Gone!$A$1"})
		f.SetDefinedName(&excelize.DefinedName{Name: "Local", RefersTo: "Last!$A$1", Scope: "Last"})
		f.AddChart("Gone", "C3", &excelize.Chart{Type: excelize.Col, Series: []excelize.ChartSeries{{Values: "Gone!$A$1:$A$2"}}})
		f.SetActiveSheet(2)
	})
	out, _ := apply(t, in, `[{"op":"delete_sheet","sheet":"gone"}]`)
	f := excel(t, out)
	require.Equal(t, []string{"Sheet1", "Last"}, f.GetSheetList())
	formula, err := f.GetCellFormula("Sheet1", "A1")
	require.NoError(t, err)
	require.Equal(t, "#REF!+1", formula)
	book := part(t, out, "xl/workbook.xml")
	require.NotContains(t, book, "Gone")
	require.NotContains(t, book, `name="Mine"`)
	require.Contains(t, book, `localSheetId="1"`)
	require.Contains(t, book, `activeTab="1"`)
	for name := range formatstest.Parts(t, out) {
		require.NotContains(t, name, "chart")
		require.NotContains(t, name, "drawing")
		require.NotContains(t, name, "sheet2")
	}
	formatstest.Validate(t, formatstest.Write(t, "out.xlsx", out), formatstest.Write(t, "in.xlsx", in))
}

func TestTableHeadersStayInStep(t *testing.T) {
	in := fixture(t, func(f *excelize.File) {
		f.SetSheetRow("Sheet1", "A1", &[]any{"Name", "Amount"})
		f.SetSheetRow("Sheet1", "A2", &[]any{"x", 1})
		require.NoError(t, f.AddTable("Sheet1", &excelize.Table{Range: "A1:B2", Name: "T"}))
		f.SetCellFormula("Sheet1", "D1", "SUM(T[Amount])+T[[#This Row],[Amount]]")
	})
	out, _ := apply(t, in, `[{"op":"set_cells","sheet":"Sheet1","cells":[{"cell":"B1","value":"Net [€]"}]}]`)
	tables, err := excel(t, out).GetTables("Sheet1")
	require.NoError(t, err)
	require.Len(t, tables, 1)
	require.Contains(t, part(t, out, "xl/tables/table1.xml"), `name="Net [€]"`)
	require.Contains(t, part(t, out, sheet1), `<f>SUM(T[Net '[€']])+T[[#This Row],[Net '[€']]]</f>`)
	formatstest.Validate(t, formatstest.Write(t, "out.xlsx", out), formatstest.Write(t, "in.xlsx", in))
	_, _, err = tryApply(t, in, `[{"op":"set_cells","sheet":"Sheet1","cells":[{"cell":"B1","value":"name"}]}]`)
	require.ErrorContains(t, err, "two columns named")
}

func TestLayoutOps(t *testing.T) {
	in := fixture(t, func(f *excelize.File) {
		f.SetCellValue("Sheet1", "A1", 1)
		f.SetColWidth("Sheet1", "A", "E", 20)
	})
	out, _ := apply(t, in, `[{"op":"set_column_widths","sheet":"Sheet1","columns":[{"column":"C","width":7.5},{"column":"H","width":3}]},{"op":"set_row_heights","sheet":"Sheet1","rows":[{"row":1,"height":30},{"row":"4","height":12}]},{"op":"freeze_panes","sheet":"Sheet1","row":1,"column":"2"}]`)
	f := excel(t, out)
	for col, want := range map[string]float64{"A": 20, "C": 7.5, "D": 20, "H": 3} {
		w, err := f.GetColWidth("Sheet1", col)
		require.NoError(t, err)
		require.InDelta(t, want, w, 0.01, col)
	}
	h, err := f.GetRowHeight("Sheet1", 4)
	require.NoError(t, err)
	require.Equal(t, 12.0, h)
	panes, err := f.GetPanes("Sheet1")
	require.NoError(t, err)
	require.True(t, panes.Freeze)
	require.Equal(t, [2]int{2, 1}, [2]int{panes.XSplit, panes.YSplit})
	formatstest.Validate(t, formatstest.Write(t, "out.xlsx", out), formatstest.Write(t, "in.xlsx", in))
}

func TestSetThenReadGivesTheValue(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		base := fixture(t, func(f *excelize.File) {
			for r := 1; r <= 6; r++ {
				f.SetSheetRow("Sheet1", fmt.Sprintf("A%d", r), &[]any{r, "text", nil, r * 2})
			}
		})
		before := cellsOf(t, base)
		row, col := rapid.IntRange(1, 9).Draw(rt, "row"), rapid.IntRange(1, 6).Draw(rt, "col")
		text := rapid.StringOfN(rapid.RuneFrom([]rune("aé<&>\" '1€=\t")), 1, 12, -1).Draw(rt, "text")
		var out bytes.Buffer
		_, err := Format().Editor.Apply(context.Background(), src(base), &out, ops(t, fmt.Sprintf(`[{"op":"set_cells","sheet":"Sheet1","cells":[{"cell":%q,"value":%s,"type":"text"}]}]`, cellref.Name(row, col), jsonString(text))), formats.ApplyOptions{})
		require.NoError(t, err)
		after := cellsOf(t, out.Bytes())
		require.Equal(t, text, after[cellref.Name(row, col)])
		delete(before, cellref.Name(row, col))
		delete(after, cellref.Name(row, col))
		require.Equal(t, before, after)
	})
}
