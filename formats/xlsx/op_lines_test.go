package xlsx

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// Rows and columns that come and go: cells, formulas, names and merged cells
// follow, and values that may be others are dropped.
func TestRowsAndColumnsComeAndGo(t *testing.T) {
	runOps(t, []opTest{
		{
			name: "insert_rows moves what is below", ops: `{"op":"insert_rows","sheet":"S1","row":3,"count":2}`,
			rep:   formats.OpReport{Hits: 2, Made: "S1!3:4"},
			warns: []string{"1 value of a formula that depends on the edit was dropped (S1!B6)"},
			swap: map[string][]string{
				sheet1: {
					`ref="A1:C4"`, `ref="A1:C6"`,
					`<f>B2*2</f><v>6</v></c></row><row r="3"><c r="A3"`, `<f>B2*2</f><v>6</v></c></row><row r="3"><c r="B3" s="1"/></row><row r="4"><c r="B4" s="1"/></row><row r="5"><c r="A5"`,
					`<c r="B3"><v>5`, `<c r="B5"><v>5`,
					`<row r="4"><c r="B4"><f>SUM(B2:B3)</f><v>8</v></c>`, `<row r="6"><c r="B6"><f>SUM(B2:B5)</f></c>`,
					`ref="E2:F3"`, `ref="E2:F5"`,
				},
				sheet2:   {`S1!B3+1`, `S1!B5+1`},
				bookPart: {`S1!$B$4`, `S1!$B$6`, `</workbook>`, calcPr},
			},
		},
		{
			name: "insert_rows above everything", ops: `{"op":"insert_rows","sheet":"S2","row":1}`,
			rep: formats.OpReport{Hits: 1, Made: "S2!1:1"},
			swap: map[string][]string{
				sheet2:   {`<row r="1"><c r="A1">`, `<row r="2"><c r="A2">`, `<c r="B1">`, `<c r="B2">`},
				bookPart: {`S2!$A$1`, `S2!$A$2`},
			},
		},
		{
			name: "delete_rows takes cells, and values that read them", ops: `{"op":"delete_rows","sheet":"S1","row":2}`,
			rep:   formats.OpReport{Hits: 1},
			warns: []string{"1 value of a formula that depends on the edit was dropped (S1!B3)"},
			swap: map[string][]string{
				sheet1: {
					`ref="A1:C4"`, `ref="A1:C3"`,
					`<row r="2"><c r="A2" t="inlineStr"><is><t>ann</t></is></c><c r="B2" s="1"><v>3</v></c><c r="C2"><f>B2*2</f><v>6</v></c></row><row r="3"><c r="A3"`, `<row r="2"><c r="A2"`,
					`<c r="B3"><v>5`, `<c r="B2"><v>5`,
					`<row r="4"><c r="B4"><f>SUM(B2:B3)</f><v>8</v></c>`, `<row r="3"><c r="B3"><f>SUM(B2:B2)</f></c>`,
					`ref="E2:F3"`, `ref="E2:F2"`,
				},
				sheet2:   {`S1!B3+1`, `S1!B2+1`},
				bookPart: {`S1!$B$4`, `S1!$B$3`, `</workbook>`, calcPr},
			},
		},
		{
			name: "delete_rows of what formulas and a name refer to", ops: `{"op":"delete_rows","sheet":"S1","row":3,"count":2}`,
			rep:   formats.OpReport{Hits: 2, Warnings: []string{"1 formula now refers to nothing (#REF!): S2!A1"}},
			warns: []string{"1 value of a formula that depends on the edit was dropped (S2!A1)"},
			swap: map[string][]string{
				sheet1: {
					`ref="A1:C4"`, `ref="A1:C2"`,
					`<row r="3"><c r="A3" t="inlineStr"><is><t>bob</t></is></c><c r="B3"><v>5</v></c></row><row r="4"><c r="B4"><f>SUM(B2:B3)</f><v>8</v></c></row>`, ``,
					`ref="E2:F3"`, `ref="E2:F2"`,
				},
				sheet2:   {`<f>S1!B3+1</f><v>6</v>`, `<f>S1!#REF!+1</f>`},
				bookPart: {`S1!$B$4`, `S1!#REF!`, `</workbook>`, calcPr},
			},
		},
		{
			name: "delete_rows below the last one", ops: `{"op":"delete_rows","sheet":"S2","row":5}`,
			rep:  formats.OpReport{Hits: 1, Warnings: []string{"no cell of the deleted 5:5 held anything"}, Unchanged: false},
			swap: map[string][]string{},
		},
		{
			name: "insert_columns", ops: `{"op":"insert_columns","sheet":"S1","column":"B"}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!B:B"},
			swap: map[string][]string{
				sheet1: {
					`ref="A1:C4"`, `ref="A1:D4"`, `<c r="B1"`, `<c r="C1"`, `<c r="B2" s="1"`, `<c r="C2" s="1"`, `<c r="C2"><f>B2*2`, `<c r="D2"><f>C2*2`,
					`<c r="B3"`, `<c r="C3"`, `<c r="B4"><f>SUM(B2:B3)`, `<c r="C4"><f>SUM(C2:C3)`, `ref="E2:F3"`, `ref="F2:G3"`,
				},
				sheet2:   {`S1!B3+1`, `S1!C3+1`},
				bookPart: {`S1!$B$4`, `S1!$C$4`},
			},
		},
		{
			name: "delete_columns by number", ops: `{"op":"delete_columns","sheet":"S1","column":1}`,
			rep: formats.OpReport{Hits: 1},
			swap: map[string][]string{
				sheet1: {
					`ref="A1:C4"`, `ref="A1:B4"`, `<c r="A1" t="inlineStr"><is><t>Name</t></is></c><c r="B1"`, `<c r="A1"`,
					`<c r="A2" t="inlineStr"><is><t>ann</t></is></c><c r="B2" s="1"`, `<c r="A2" s="1"`, `<c r="C2"><f>B2*2`, `<c r="B2"><f>A2*2`,
					`<c r="A3" t="inlineStr"><is><t>bob</t></is></c><c r="B3"`, `<c r="A3"`, `<c r="B4"><f>SUM(B2:B3)`, `<c r="A4"><f>SUM(A2:A3)`, `ref="E2:F3"`, `ref="D2:E3"`,
				},
				sheet2:   {`S1!B3+1`, `S1!A3+1`},
				bookPart: {`S1!$B$4`, `S1!$A$4`},
			},
		},
		{
			name: "hide_rows marks rows and makes those that lack", ops: `{"op":"hide_rows","sheet":"S1","row":3,"count":3}`,
			rep:  formats.OpReport{Hits: 3},
			swap: map[string][]string{sheet1: {`<row r="3">`, `<row r="3" hidden="1">`, `<row r="4">`, `<row r="4" hidden="1">`, `</sheetData>`, `<row r="5" hidden="1"/></sheetData>`}},
		},
		{
			name: "hide_rows between rows of the file", in: raw(t, nil, `<sheetData><row r="2"><c r="A2"><v>1</v></c></row><row r="5"/></sheetData>`),
			ops: `{"op":"hide_rows","sheet":"S1","row":1,"count":4}`, rep: formats.OpReport{Hits: 4},
			swap: map[string][]string{sheet1: {`<row r="2">`, `<row r="1" hidden="1"/><row r="2" hidden="1">`, `<row r="5"/>`, `<row r="3" hidden="1"/><row r="4" hidden="1"/><row r="5"/>`}},
		},
		{
			name: "hide_rows in an empty sheet", in: raw(t, nil, `<sheetData/><pageMargins left="1"/>`),
			ops: `{"op":"hide_rows","sheet":"S1","row":2}`, rep: formats.OpReport{Hits: 1},
			swap: map[string][]string{sheet1: {`<sheetData/>`, `<sheetData><row r="2" hidden="1"/></sheetData>`}},
		},
		{
			name: "hide_rows shows them again", in: raw(t, nil, `<sheetData><row r="2" hidden="1" ht="9"/><row r="3" hidden="1"/></sheetData>`),
			ops: `{"op":"hide_rows","sheet":"S1","row":2,"hidden":false}`, rep: formats.OpReport{Hits: 1},
			swap: map[string][]string{sheet1: {`<row r="2" hidden="1" ht="9"/>`, `<row r="2" ht="9"/>`}},
		},
		{
			name: "hide_rows of hidden ones", in: raw(t, nil, `<sheetData><row r="2" hidden="1"/><row r="3" hidden="true"/></sheetData>`),
			ops: `{"op":"hide_rows","sheet":"S1","row":2,"count":2}`, rep: formats.OpReport{Unchanged: true, Warnings: []string{"2:3 is hidden already; nothing was changed"}},
		},
		{
			name: "hide_rows that shows visible ones", ops: `{"op":"hide_rows","sheet":"S1","row":2,"count":9,"hidden":false}`,
			rep: formats.OpReport{Unchanged: true, Warnings: []string{"nothing in 2:10 is hidden; nothing was changed"}},
		},
		{
			name: "hide_columns splits a definition", in: raw(t, nil, `<cols><col min="1" max="4" width="12" customWidth="1"/></cols><sheetData/>`),
			ops: `{"op":"hide_columns","sheet":"S1","column":"B","count":2}`, rep: formats.OpReport{Hits: 2},
			swap: map[string][]string{sheet1: {`<col min="1" max="4" width="12" customWidth="1"/>`, `<col width="12" customWidth="1" min="1" max="1"/><col width="12" customWidth="1" hidden="1" min="2" max="3"/><col width="12" customWidth="1" min="4" max="4"/>`}},
		},
		{
			name: "hide_columns shows them again", in: raw(t, nil, `<cols><col min="2" max="2" width="3" hidden="1"/></cols><sheetData/>`),
			ops: `{"op":"hide_columns","sheet":"S1","column":"A","count":3,"hidden":false}`, rep: formats.OpReport{Hits: 3},
			swap: map[string][]string{sheet1: {`<col min="2" max="2" width="3" hidden="1"/>`, `<col width="3" min="2" max="2"/>`}},
		},
		{
			name: "hide_columns of hidden ones", in: raw(t, nil, `<cols><col min="1" max="9" hidden="1"/></cols><sheetData/>`),
			ops: `{"op":"hide_columns","sheet":"S1","column":"C"}`, rep: formats.OpReport{Unchanged: true, Warnings: []string{"C:C is hidden already; nothing was changed"}},
		},
		{
			name: "set_row_heights changes a row and makes one", ops: `{"op":"set_row_heights","sheet":"S1","rows":[{"row":2,"height":30},{"row":9,"height":12.5}]}`,
			swap: map[string][]string{sheet1: {`<row r="2">`, `<row r="2" ht="30" customHeight="1">`, `</sheetData>`, `<row r="9" ht="12.5" customHeight="1"></row></sheetData>`}},
		},
		{
			name: "set_row_heights replaces a height", in: raw(t, nil, `<sheetData><row r="1" ht="9" customHeight="1" s="2"/></sheetData>`),
			ops:  `{"op":"set_row_heights","sheet":"S1","rows":[{"row":1,"height":0}]}`,
			swap: map[string][]string{sheet1: {`<row r="1" ht="9" customHeight="1" s="2"/>`, `<row r="1" s="2" ht="0" customHeight="1"/>`}},
		},
		{
			name: "set_column_widths makes definitions before the rows", ops: `{"op":"set_column_widths","sheet":"S2","columns":[{"column":"B:C","width":20}]}`,
			swap: map[string][]string{sheet2: {`<sheetData>`, `<cols><col width="20" customWidth="1" min="2" max="3"/></cols><sheetData>`}},
		},
		{
			name: "set_column_widths splits a definition and keeps its format", in: raw(t, nil, `<cols><col min="1" max="3" width="9" style="4"/></cols><sheetData/>`),
			ops:  `{"op":"set_column_widths","sheet":"S1","columns":[{"column":"B","width":5}]}`,
			swap: map[string][]string{sheet1: {`<col min="1" max="3" width="9" style="4"/>`, `<col width="9" style="4" min="1" max="1"/><col style="4" width="5" customWidth="1" min="2" max="2"/><col width="9" style="4" min="3" max="3"/>`}},
		},
		{
			name: "freeze_panes", in: raw(t, nil, `<sheetViews><sheetView workbookViewId="0"/></sheetViews><sheetData/>`),
			ops:  `{"op":"freeze_panes","sheet":"S1","row":1,"column":2}`,
			swap: map[string][]string{sheet1: {`<sheetView workbookViewId="0"/>`, `<sheetView workbookViewId="0"><pane xSplit="2" ySplit="1" topLeftCell="C2" activePane="bottomRight" state="frozen"/><selection pane="bottomRight"/></sheetView>`}},
		},
		{
			name: "freeze_panes at the top left cell releases them", in: raw(t, nil, `<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData/>`),
			ops:  `{"op":"freeze_panes","sheet":"S1","row":0}`,
			swap: map[string][]string{sheet1: {`<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>`, ``}},
		},
	})
}

func TestRowsAndColumnsRefuse(t *testing.T) {
	runRefusals(t, nil, []refusal{
		{`{"op":"insert_rows","sheet":"S1"}`, formats.CodeInvalid, "row is required"},
		{`{"op":"insert_rows","row":1}`, formats.CodeInvalid, "sheet is required"},
		{`{"op":"insert_rows","sheet":"S9","row":0}`, formats.CodeNotFound, "unknown sheet: S9"},
		{`{"op":"insert_rows","sheet":"S1","row":0}`, formats.CodeInvalid, "invalid row 0: expected 1 to 1048576"},
		{`{"op":"insert_rows","sheet":"S1","row":1,"count":0}`, formats.CodeInvalid, "invalid count 0"},
		{`{"op":"insert_rows","sheet":"S1","row":1048576,"count":2}`, formats.CodeInvalid, "invalid count 2"},
		{`{"op":"insert_rows","sheet":"S1","row":2,"count":1048575}`, formats.CodeInvalid, "would push them off its end"},
		{`{"op":"delete_rows","sheet":"S1","row":1,"count":-1}`, formats.CodeInvalid, "invalid count -1"},
		{`{"op":"insert_columns","sheet":"S1"}`, formats.CodeInvalid, "column is required"},
		{`{"op":"insert_columns","sheet":"S1","column":"XFE"}`, formats.CodeInvalid, "invalid column"},
		{`{"op":"insert_columns","sheet":"S1","column":0}`, formats.CodeInvalid, "invalid column: 0"},
		{`{"op":"insert_columns","sheet":"S1","column":1.5}`, formats.CodeInvalid, "invalid column: 1.5"},
		{`{"op":"delete_columns","sheet":"S1","column":"A","count":16385}`, formats.CodeInvalid, "invalid count 16385"},
		{`{"op":"hide_rows","sheet":"S1"}`, formats.CodeInvalid, "row is required"},
		{`{"op":"hide_rows","sheet":"S1","row":1,"count":100001}`, formats.CodeTooLarge, "too many to hide at once"},
		{`{"op":"hide_columns","sheet":"S1","column":"1A"}`, formats.CodeInvalid, "invalid column"},
		{`{"op":"set_row_heights","sheet":"S1"}`, formats.CodeInvalid, "rows is required"},
		{`{"op":"set_row_heights","sheet":"S1","rows":[{"row":0,"height":1}]}`, formats.CodeInvalid, "invalid row 0"},
		{`{"op":"set_row_heights","sheet":"S1","rows":[{"row":1,"height":410}]}`, formats.CodeInvalid, "invalid height 410 of row 1"},
		{`{"op":"set_row_heights","rows":[{"row":1,"height":4}]}`, formats.CodeInvalid, "sheet is required"},
		{`{"op":"set_column_widths","sheet":"S1"}`, formats.CodeInvalid, "columns is required"},
		{`{"op":"set_column_widths","sheet":"S1","columns":[{"column":"A","width":256}]}`, formats.CodeInvalid, "256"},
		{`{"op":"set_column_widths","sheet":"S1","columns":[{"column":"A1","width":2}]}`, formats.CodeInvalid, "A1"},
		{`{"op":"set_column_widths","sheet":"S1","columns":[{"column":"A","width":"wide"}]}`, formats.CodeInvalid, "wide"},
		{`{"op":"freeze_panes","sheet":"S1"}`, formats.CodeInvalid, "row or column is required"},
		{`{"op":"freeze_panes","sheet":"S1","row":-1}`, formats.CodeInvalid, "outside the sheet"},
		{`{"op":"freeze_panes","sheet":"S1","column":16384}`, formats.CodeInvalid, "outside the sheet"},
	})
}

// Tables, arrays and pivot tables are not torn apart.
func TestRowsAndColumnsThatMayNotMove(t *testing.T) {
	array := raw(t, nil, `<sheetData><row r="1"><c r="A1"><f t="array" ref="A1:B3">C1:D3</f><v>1</v></c></row></sheetData>`)
	runRefusals(t, array, []refusal{
		{`{"op":"insert_rows","sheet":"S1","row":2}`, formats.CodeInvalid, "tear apart the array formula in A1:B3"},
		{`{"op":"delete_rows","sheet":"S1","row":3}`, formats.CodeInvalid, "tear apart the array formula in A1:B3"},
		{`{"op":"insert_columns","sheet":"S1","column":"B"}`, formats.CodeInvalid, "tear apart the array formula in A1:B3"},
	})
	out, _ := apply(t, array, `[{"op":"insert_rows","sheet":"S1","row":1,"count":2}]`)
	require.Contains(t, part(t, out, sheet1), `<f t="array" ref="A3:B5">C3:D5</f>`)
	table := raw(t, map[string]string{"xl/tables/table1.xml": tableXML}, `<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c><c r="B1" t="inlineStr"><is><t>b</t></is></c></row><row r="2"><c r="A2"><v>1</v></c></row></sheetData>`)
	runRefusals(t, table, []refusal{
		{`{"op":"delete_rows","sheet":"S1","row":1}`, formats.CodeInvalid, "row 1 is the header of the table T (A1:B3)"},
		{`{"op":"delete_rows","sheet":"S1","row":2,"count":2}`, formats.CodeInvalid, "all data rows of the table T (A1:B3)"},
	})
}

const tableXML = `<table xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" id="1" name="T" displayName="T" ref="A1:B3"><autoFilter ref="A1:B3"/><tableColumns count="2"><tableColumn id="1" name="a"/><tableColumn id="2" name="b"/></tableColumns></table>`

// Rows or columns that are inserted and deleted again leave the parts that were
// there, but for values that were dropped in between.
func TestInsertAndDeleteIsIdentity(t *testing.T) {
	in := smallBook(t)
	for _, sheet := range []string{"S1", "S2"} {
		for _, lines := range []string{`rows","row"`, `columns","column"`} {
			for at := 1; at <= 5; at++ {
				args := fmt.Sprintf(`%s:%d,"sheet":%q,"count":%d}`, lines, at, sheet, 1+at%2)
				out, _ := apply(t, in, `[{"op":"insert_`+args+`,{"op":"delete_`+args+`]`)
				formatstest.SameParts(t, valueless(t, in), valueless(t, out))
			}
		}
	}
}
