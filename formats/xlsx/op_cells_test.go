package xlsx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/cellref"
)

func TestCellOperations(t *testing.T) {
	runOps(t, []opTest{
		{
			name: "set_cells replaces, adds and clears", ops: `{"op":"set_cells","sheet":"S2","cells":[{"cell":"B1","value":null},{"cell":"C1","value":"a<b"},{"cell":"A3","value":true},{"cell":"B3","value":1.50}]}`,
			rep: formats.OpReport{Cells: 4},
			swap: map[string][]string{sheet2: {
				`<c r="B1"><v>7</v></c>`, `<c r="C1" t="inlineStr"><is><t>a&lt;b</t></is></c>`,
				`</sheetData>`, `<row r="3"><c r="A3" t="b"><v>1</v></c><c r="B3"><v>1.50</v></c></row></sheetData>`,
			}},
		},
		{
			name: "set_cells keeps the format, and drops what depends on the cell", ops: `{"op":"set_cells","sheet":"S1","cells":[{"cell":"B2","value":4}]}`,
			rep: formats.OpReport{Cells: 1}, warns: []string{"2 values of formulas that depend on the edit were dropped (S1!C2, S1!B4)"},
			swap: map[string][]string{
				sheet1:   {`<c r="B2" s="1"><v>3</v></c><c r="C2"><f>B2*2</f><v>6</v>`, `<c r="B2" s="1"><v>4</v></c><c r="C2"><f>B2*2</f>`, `<f>SUM(B2:B3)</f><v>8</v>`, `<f>SUM(B2:B3)</f>`},
				bookPart: {`</workbook>`, calcPr},
			},
		},
		{
			name: "set_cells over a formula says so", ops: `{"op":"set_cells","sheet":"S1","cells":[{"cell":"C2","value":9}]}`,
			rep: formats.OpReport{Cells: 1}, warns: []string{"1 formula was overwritten or cleared: S1!C2"},
			swap: map[string][]string{sheet1: {`<f>B2*2</f><v>6</v>`, `<v>9</v>`}, bookPart: {`</workbook>`, calcPr}},
		},
		{
			name: "set_cells takes types", ops: `{"op":"set_cells","sheet":"S2","cells":[{"cell":"A2","value":"=x","type":"text"},{"cell":"B2","value":" 12 ","type":"number"},{"cell":"C2","value":"TRUE","type":"boolean"},{"cell":"D2","value":"B1","type":"formula"},{"cell":"E2","value":"{=B1:C1}"}]}`,
			rep: formats.OpReport{Cells: 5},
			swap: map[string][]string{
				sheet2:   {`</sheetData>`, `<row r="2"><c r="A2" t="inlineStr"><is><t>=x</t></is></c><c r="B2"><v>12</v></c><c r="C2" t="b"><v>1</v></c><c r="D2"><f>B1</f></c><c r="E2"><f t="array" ref="E2">B1:C1</f></c></row></sheetData>`},
				bookPart: {`</workbook>`, calcPr},
			},
		},
		{
			name: "set_cells twice: the last call counts", ops: `{"op":"set_cells","sheet":"S2","cells":[{"cell":"B1","value":1}]},{"op":"set_cells","sheet":"S2","cells":[{"cell":"B1","value":2}]}`,
			rep: formats.OpReport{Cells: 1}, swap: map[string][]string{sheet2: {`<v>7</v>`, `<v>2</v>`}},
		},
		{
			name: "set_range writes a block", ops: `{"op":"set_range","sheet":"S2","start":"B1","values":[["x",2],[null,false]]}`,
			rep: formats.OpReport{Cells: 4},
			swap: map[string][]string{sheet2: {
				`<c r="B1"><v>7</v></c></row>`, `<c r="B1" t="inlineStr"><is><t>x</t></is></c><c r="C1"><v>2</v></c></row><row r="2"><c r="C2" t="b"><v>0</v></c></row>`,
			}},
		},
		{
			name: "set_range literal", ops: `{"op":"set_range","sheet":"S2","start":"A2","values":[["=1+1",3]],"literal":true}`,
			rep: formats.OpReport{Cells: 2}, swap: map[string][]string{sheet2: {`</sheetData>`, `<row r="2"><c r="A2" t="inlineStr"><is><t>=1+1</t></is></c><c r="B2"><v>3</v></c></row></sheetData>`}},
		},
		{
			name: "fill copies to the right", ops: `{"op":"fill","sheet":"S2","range":"A1:B1","direction":"right"}`,
			rep: formats.OpReport{Cells: 1}, swap: map[string][]string{sheet2: {`<c r="B1"><v>7</v></c>`, `<c r="B1"><f>S1!C3+1</f></c>`}, bookPart: {`</workbook>`, calcPr}},
		},
		{
			name: "clear_range keeps formats", ops: `{"op":"clear_range","sheet":"S1","range":"A2:B3"}`,
			rep: formats.OpReport{Cells: 4}, warns: []string{"3 values of formulas that depend on the edit were dropped (S1!C2, S1!B4, S2!A1)"},
			swap: map[string][]string{
				sheet1: {
					`<c r="A2" t="inlineStr"><is><t>ann</t></is></c><c r="B2" s="1"><v>3</v></c><c r="C2"><f>B2*2</f><v>6</v></c>`, `<c r="B2" s="1"/><c r="C2"><f>B2*2</f></c>`,
					`<c r="A3" t="inlineStr"><is><t>bob</t></is></c><c r="B3"><v>5</v></c>`, ``, `<f>SUM(B2:B3)</f><v>8</v>`, `<f>SUM(B2:B3)</f>`,
				},
				sheet2: {`<v>6</v>`, ``}, bookPart: {`</workbook>`, calcPr},
			},
		},
		{
			name: "clear_range of formats alone", ops: `{"op":"clear_range","sheet":"S1","range":"A1:C4","what":"formats"}`,
			rep: formats.OpReport{Cells: 1}, swap: map[string][]string{sheet1: {`<c r="B2" s="1">`, `<c r="B2">`}},
		},
		{
			name: "clear_range where nothing has a format", ops: `{"op":"clear_range","sheet":"S2","range":"A1:C4","what":"formats"}`,
			rep: formats.OpReport{Unchanged: true, Warnings: []string{"no cell in A1:C4 has a format"}},
		},
		{
			name: "clear_range of all", ops: `{"op":"clear_range","sheet":"S2","range":"B:B","what":"all"}`,
			rep: formats.OpReport{Cells: 1}, swap: map[string][]string{sheet2: {`<c r="B1"><v>7</v></c>`, ``}},
		},
		{
			name: "sort_range in the order that is there", ops: `{"op":"sort_range","sheet":"S1","range":"A2:B3","by":[{"column":"A"}]}`,
			rep: formats.OpReport{Unchanged: true, Warnings: []string{"the rows were in this order already"}},
		},
		{
			name: "sort_range descending", ops: `{"op":"sort_range","sheet":"S1","range":"A2:B3","by":[{"column":"B","descending":true}]}`,
			rep: formats.OpReport{Hits: 2, Cells: 4}, warns: []string{"3 values of formulas that depend on the edit were dropped"},
			swap: map[string][]string{
				sheet1: {
					`<c r="A2" t="inlineStr"><is><t>ann</t></is></c><c r="B2" s="1"><v>3</v></c><c r="C2"><f>B2*2</f><v>6</v></c>`, `<c r="A2" t="inlineStr"><is><t>bob</t></is></c><c r="B2"><v>5</v></c><c r="C2"><f>B2*2</f></c>`,
					`<c r="A3" t="inlineStr"><is><t>bob</t></is></c><c r="B3"><v>5</v></c>`, `<c r="A3" t="inlineStr"><is><t>ann</t></is></c><c r="B3" s="1"><v>3</v></c>`, `<f>SUM(B2:B3)</f><v>8</v>`, `<f>SUM(B2:B3)</f>`,
				},
				sheet2: {`<v>6</v>`, ``}, bookPart: {`</workbook>`, calcPr},
			},
		},
		{
			name: "sort_range of an empty block", ops: `{"op":"sort_range","sheet":"S1","range":"K2:L3","by":[{"column":"K"}]}`,
			rep: formats.OpReport{Unchanged: true, Warnings: []string{"there was nothing in K2:L3 to sort"}},
		},
		{
			name: "copy_range of an empty block on an empty one", ops: `{"op":"copy_range","sheet":"S1","range":"K1:L2","target":"M9"}`,
			rep: formats.OpReport{Unchanged: true, Warnings: []string{"K1:L2 is empty and so is its target; nothing was changed"}},
		},
		{
			name: "copy_range takes values only", ops: `{"op":"copy_range","sheet":"S1","range":"C2:C4","target":"C1","target_sheet":"S2","values_only":true}`,
			rep: formats.OpReport{Cells: 1, Made: "S2!C1"}, swap: map[string][]string{sheet2: {`<v>7</v></c>`, `<v>7</v></c><c r="C1"><v>6</v></c>`}},
		},
		{
			name: "replace_text in one sheet", ops: `{"op":"replace_text","sheet":"S1","search":"an","replace":"AN"}`,
			rep: formats.OpReport{Hits: 1, Cells: 1}, swap: map[string][]string{sheet1: {`<t>ann</t>`, `<t>ANn</t>`}},
		},
		{
			name: "replace_text by case, whole cells and pattern", ops: `{"op":"replace_text","search":"^(.)ob$","replace":"${1}ill","regex":true,"match_case":true,"whole_cell":true}`,
			rep: formats.OpReport{Hits: 1, Cells: 1}, swap: map[string][]string{sheet1: {`<t>bob</t>`, `<t>bill</t>`}},
		},
		{
			name: "replace_text that finds nothing", ops: `{"op":"replace_text","search":"ANN","replace":"x","match_case":true}`,
			rep: formats.OpReport{Unchanged: true, Warnings: []string{`"ANN" was not found; nothing was replaced`}},
		},
		{
			name: "replace_text in formulas", ops: `{"op":"replace_text","search":"B3","replace":"B2","in_formulas":true}`,
			rep: formats.OpReport{Hits: 2, Cells: 2},
			swap: map[string][]string{
				sheet1: {`<f>SUM(B2:B3)</f><v>8</v>`, `<f>SUM(B2:B2)</f>`}, sheet2: {`<f>S1!B3+1</f><v>6</v>`, `<f>S1!B2+1</f>`}, bookPart: {`</workbook>`, calcPr},
			},
		},
	})
}

func TestCellOperationsRefuse(t *testing.T) {
	runRefusals(t, nil, []refusal{
		{`{"op":"set_cells","cells":[{"cell":"A1","value":1}]}`, formats.CodeInvalid, "sheet is required"},
		{`{"op":"set_cells","sheet":"S1"}`, formats.CodeInvalid, "cells is required"},
		{`{"op":"set_cells","sheet":"S1","cells":[{"value":1}]}`, formats.CodeInvalid, "cell"},
		{`{"op":"set_cells","sheet":"S1","cells":[{"cell":"A0","value":1}]}`, formats.CodeInvalid, "A0"},
		{`{"op":"set_cells","sheet":"S1","cells":[{"cell":"XFE1","value":1}]}`, formats.CodeInvalid, "XFE1"},
		{`{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":[1]}]}`, formats.CodeInvalid, "cell A1: a value must be a string, number, boolean or null, got an array"},
		{`{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":1e999}]}`, formats.CodeInvalid, "beyond what a cell can hold"},
		{`{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":"=SUM(A2"}]}`, formats.CodeInvalid, "a bracket is not closed"},
		{`{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":"=A2)"}]}`, formats.CodeInvalid, "a bracket closes that is not open"},
		{`{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":"=\"x"}]}`, formats.CodeInvalid, "a quote is not closed"},
		{`{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":"= "}]}`, formats.CodeInvalid, "it is empty"},
		{`{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":"=[@x]"}]}`, formats.CodeInvalid, "needs the name of its table"},
		{`{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":"` + strings.Repeat("x", 32768) + `"}]}`, formats.CodeInvalid, "32768 characters"},
		{`{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":"=` + strings.Repeat("1", 8193) + `"}]}`, formats.CodeInvalid, "8193 characters"},
		{`{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":"x","type":"number"}]}`, formats.CodeInvalid, "is not a number"},
		{`{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":"maybe","type":"boolean"}]}`, formats.CodeInvalid, "neither true nor false"},
		{`{"op":"set_cells","sheet":"S1","cells":[{"cell":"A1","value":"x","type":"money"}]}`, formats.CodeInvalid, "unknown type"},
		{`{"op":"set_range","sheet":"S1","values":[[1]]}`, formats.CodeInvalid, "start is required"},
		{`{"op":"set_range","sheet":"S1","start":"A1"}`, formats.CodeInvalid, "values is required"},
		{`{"op":"set_range","start":"A1","values":[[1]]}`, formats.CodeInvalid, "sheet is required"},
		{`{"op":"set_range","sheet":"S1","start":"XFD1","values":[[1,2]]}`, formats.CodeInvalid, "beyond the sheet: row 1, column 2"},
		{`{"op":"set_range","sheet":"S1","start":"A1048576","values":[[1],[2]]}`, formats.CodeInvalid, "beyond the sheet: row 2, column 1"},
		{`{"op":"clear_range","sheet":"S1"}`, formats.CodeInvalid, "range is required"},
		{`{"op":"clear_range","sheet":"S9","range":"A1"}`, formats.CodeNotFound, "unknown sheet: S9"},
		{`{"op":"fill","sheet":"S1","range":"A1:A9","direction":"up"}`, formats.CodeInvalid, "down or right"},
		{`{"op":"sort_range","sheet":"S1","range":"A1:B9","by":[{"column":"XFE"}]}`, formats.CodeInvalid, "invalid column"},
		{`{"op":"sort_range","sheet":"S1","range":"D1:G9","by":[{"column":"D"}]}`, formats.CodeInvalid, "the merged cell E2:F3"},
		{`{"op":"replace_text","search":"x","replace":"y","sheet":"S9"}`, formats.CodeNotFound, "unknown sheet: S9"},
		{`{"op":"replace_text","search":")","replace":"","in_formulas":true,"sheet":"S1"}`, formats.CodeInvalid, "cell B4: the formula =SUM(B2:B3 is malformed: a bracket is not closed"},
		{`{"op":"no_such_op"}`, formats.CodeInvalid, "no_such_op"},
	})
}

// What is written is what an independent reader reads, and nothing else changes;
// writing the old values over it leaves the values that were there.
func TestSetCellsRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := raw(t, nil, `<sheetData/>`, `<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData>`)
		want := map[string]string{}
		for range rapid.IntRange(1, 2).Draw(rt, "calls") {
			var cells []string
			for range rapid.IntRange(1, 6).Draw(rt, "cells") {
				at := cellref.Name(rapid.IntRange(1, 6).Draw(rt, "row"), rapid.IntRange(1, 6).Draw(rt, "column"))
				v := rapid.SampledFrom([]string{"", "a", "<&>", " x ", "1", "-2.5", "line\nline"}).Draw(rt, "value")
				js := jsonString(v)
				switch v {
				case "":
					js = "null"
				case "1", "-2.5":
					js = v
				}
				cells = append(cells, fmt.Sprintf(`{"cell":%q,"value":%s}`, at, js))
				want[at] = v
				if v == "" {
					delete(want, at)
				}
			}
			out, _ := apply(t, in, `[{"op":"set_cells","sheet":"S1","cells":[`+strings.Join(cells, ",")+`]}]`)
			formatstest.SameParts(t, in, out, sheet1)
			in = out
		}
		require.Equal(rt, want, cellsOf(t, in))
	})
}

// A text that is replaced and replaced back leaves the bytes that were there.
func TestReplaceTextAndBack(t *testing.T) {
	in := smallBook(t)
	for _, pair := range [][2]string{{"ann", "Zoë & <co>"}, {"bob", "qqq"}, {"Name", "1"}} {
		out, _ := apply(t, in, fmt.Sprintf(`[{"op":"replace_text","search":%q,"replace":%q,"match_case":true},{"op":"replace_text","search":%q,"replace":%q,"match_case":true}]`, pair[0], pair[1], pair[1], pair[0]))
		formatstest.SameParts(t, in, out)
	}
}

// Sorting up and then by the old order leaves the cells that were there.
func TestSortAndBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 9).Draw(rt, "rows")
		rows := ""
		for i := 1; i <= n; i++ {
			rows += fmt.Sprintf(`<row r="%d"><c r="A%[1]d" s="%d"><v>%d</v></c><c r="B%[1]d"><v>%[1]d</v></c></row>`, i, i%3, rapid.IntRange(0, 5).Draw(rt, "value"))
		}
		in := raw(t, nil, "<sheetData>"+rows+"</sheetData>")
		out, _ := apply(t, in, fmt.Sprintf(`[{"op":"sort_range","sheet":"S1","range":"A1:B%d","by":[{"column":"A"}]},{"op":"sort_range","sheet":"S1","range":"A1:B%[1]d","by":[{"column":"B"}]}]`, n))
		require.Equal(rt, strings.ReplaceAll(sheetData(t, in), ` s="0"`, ``), strings.ReplaceAll(sheetData(t, out), ` s="0"`, ``))
	})
}

// clear_range and set_hyperlink take several places in one pass; operations that take one
// block say so.
func TestPlacesOfCells(t *testing.T) {
	in, _ := apply(t, nil, `[{"op":"set_range","sheet":"S","start":"A1","values":[[1,2,3],[4,5,6],[7,8,9]]},{"op":"set_style","sheet":"S","range":"A1:C3","style":{"font_bold":true}}]`)
	out, rep := apply(t, in, `[{"op":"clear_range","sheet":"S","range":"A1, C2:C3,B2"}]`)
	require.Equal(t, 4, rep.Ops[0].Cells)
	require.Equal(t, "Sheet: S\nB1: 2, C1: 3\nA2: 4\nA3: 7, B3: 8", read(t, out, formats.Selector{Sheet: "S"}))
	apart, _ := apply(t, in, `[{"op":"clear_range","sheet":"S","range":"A1"},{"op":"clear_range","sheet":"S","range":"C2:C3"},{"op":"clear_range","sheet":"S","range":"B2"}]`)
	require.Equal(t, part(t, apart, "xl/worksheets/sheet1.xml"), part(t, out, "xl/worksheets/sheet1.xml"))

	out, rep = apply(t, in, `[{"op":"clear_range","sheet":"S","range":"A1,C3","what":"formats"}]`)
	require.Equal(t, 2, rep.Ops[0].Cells)
	require.Equal(t, 7, strings.Count(part(t, out, "xl/worksheets/sheet1.xml"), ` s="`))

	out, rep = apply(t, in, `[{"op":"set_hyperlink","sheet":"S","range":"A1,B2:C2","url":"https://a.example/"}]`)
	require.Equal(t, "S!A1 and 1 more", rep.Ops[0].Made)
	require.Regexp(t, `<hyperlink ref="A1" [^>]*r:id="rId1"/><hyperlink ref="B2:C2" [^>]*r:id="rId2"/>`, part(t, out, "xl/worksheets/sheet1.xml"))
	out, rep = apply(t, out, `[{"op":"set_hyperlink","sheet":"S","range":"A1,B2:C2","url":""}]`)
	require.Equal(t, 2, rep.Ops[0].Hits)
	require.NotContains(t, part(t, out, "xl/worksheets/sheet1.xml"), "hyperlink")

	_, _, err := tryApply(t, in, `[{"op":"fill","sheet":"S","range":"A1:A3,C1:C3","direction":"down"}]`)
	require.ErrorContains(t, err, `range is one block here, and A1:A3,C1:C3 are several; use an operation for each of them`)
}
