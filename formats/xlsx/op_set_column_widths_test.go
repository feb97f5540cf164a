package xlsx

import (
	"testing"

	"atelier/formats"
)

// Sizes, views, and what follows when rows, columns and sheets come and go.
func TestLineParts(t *testing.T) {
	runOps(t, []opTest{
		{
			name: "set_row_heights in a row and in new ones", in: lineBook(t),
			ops: `{"op":"set_row_heights","sheet":"S1","rows":[{"row":1,"height":15},{"row":4,"height":0},{"row":9,"height":409}]}`,
			rep: formats.OpReport{},
			swap: map[string][]string{
				sheet1: {
					`<row r="1" ht="30" customHeight="1">`, `<row r="1" ht="15" customHeight="1">`,
					`<row r="6" ht="5" customHeight="1" hidden="1"/>`, `<row r="4" ht="0" customHeight="1"></row><row r="6" ht="5" customHeight="1" hidden="1"/>`,
					`</sheetData>`, `<row r="9" ht="409" customHeight="1"></row></sheetData>`,
				},
			},
		},
		{
			name: "set_column_widths over definitions", in: lineBook(t),
			ops:   `{"op":"set_column_widths","sheet":"S1","columns":[{"column":"$A:C","width":"12.5"},{"column":"C","width":3},{"column":"F:G","width":0}]}`,
			rep:   formats.OpReport{},
			warns: []string{"too narrow, so numbers show as ####: S1!C3 (column C is 3 wide; 6 fits)"},
			swap: map[string][]string{
				sheet1: {
					`<col min="2" max="3" width="20" customWidth="1"/><col min="5" max="5" width="5" hidden="1" customWidth="1"/>`, `<col width="12.5" customWidth="1" min="1" max="1"/><col width="12.5" customWidth="1" min="2" max="2"/>` +
						`<col width="3" customWidth="1" min="3" max="3"/><col width="5" hidden="1" customWidth="1" min="5" max="5"/>` +
						`<col width="0" customWidth="1" min="6" max="7"/>`,
				},
			},
		},
		{
			name: "set_column_widths as the cells show", in: lineBook(t),
			ops: `{"op":"set_column_widths","sheet":"S1","columns":[{"column":"A:D","width":"Auto"}]}`,
			rep: formats.OpReport{},
			swap: map[string][]string{
				sheet1: {
					`<col min="2" max="3" width="20" customWidth="1"/><col min="5" max="5" width="5" hidden="1" customWidth="1"/>`, `<col width="24.8" customWidth="1" min="1" max="1"/><col width="6" customWidth="1" min="2" max="2"/><col width="10.3" customWidth="1" min="3" max="3"/><col width="5" hidden="1" customWidth="1" min="5" max="5"/>`,
				},
			},
		},
		{
			name: "set_column_widths as the cells show, where nothing is", in: lineBook(t),
			ops: `{"op":"set_column_widths","sheet":"S1","columns":[{"column":"J","width":"auto"}]}`,
			rep: formats.OpReport{Unchanged: true, Warnings: []string{"the columns are empty, so their widths stay"}},
		},
		{
			name: "set_column_widths: a number behind auto counts", in: lineBook(t),
			ops: `{"op":"set_column_widths","sheet":"S1","columns":[{"column":"A","width":"auto"},{"column":"A","width":7}]}`,
			rep: formats.OpReport{},
			swap: map[string][]string{
				sheet1: {
					`<col min="2" max="3" width="20" customWidth="1"/><col min="5" max="5" width="5" hidden="1" customWidth="1"/>`, `<col width="7" customWidth="1" min="1" max="1"/><col width="20" customWidth="1" min="2" max="3"/><col width="5" hidden="1" customWidth="1" min="5" max="5"/>`,
				},
			},
		},
		{
			name: "freeze_panes over other ones", in: lineBook(t),
			ops: `{"op":"freeze_panes","sheet":"S1","row":2,"column":"B"}`,
			rep: formats.OpReport{},
			swap: map[string][]string{
				sheet1: {
					`<selection pane="topRight"/><selection pane="bottomLeft"/><selection pane="bottomRight" activeCell="C4" sqref="C4:D4"/>`, `<selection pane="bottomRight"/>`,
				},
			},
		},
		{
			name: "freeze_panes of columns alone", in: lineBook(t),
			ops: `{"op":"freeze_panes","sheet":"S1","column":3}`,
			rep: formats.OpReport{},
			swap: map[string][]string{
				sheet1: {
					`<pane xSplit="1" ySplit="2" topLeftCell="B3" activePane="bottomRight" state="frozen"/>`, `<pane xSplit="3" topLeftCell="D1" activePane="topRight" state="frozen"/>`,
					`<selection pane="bottomLeft"/><selection pane="bottomRight" activeCell="C4" sqref="C4:D4"/>`, ``,
				},
			},
		},
		{
			name: "freeze_panes in a sheet without a view",
			ops:  `{"op":"freeze_panes","sheet":"S1","row":1}`,
			rep:  formats.OpReport{},
			swap: map[string][]string{
				sheet1: {
					`<sheetData>`, `<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft"/></sheetView></sheetViews><sheetData>`,
				},
			},
		},
		{
			name: "freeze_panes released", in: lineBook(t),
			ops: `{"op":"freeze_panes","sheet":"S1","row":0,"column":0}`,
			rep: formats.OpReport{},
			swap: map[string][]string{
				sheet1: {
					`<pane xSplit="1" ySplit="2" topLeftCell="B3" activePane="bottomRight" state="frozen"/><selection pane="topRight"/><selection pane="bottomLeft"/><selection pane="bottomRight" activeCell="C4" sqref="C4:D4"/>`, ``,
				},
			},
		},
		{
			name: "set_sheet_view beside panes", in: lineBook(t),
			ops: `{"op":"set_sheet_view","sheet":"S1","zoom":150,"gridlines":false,"headings":false}`,
			rep: formats.OpReport{Hits: 1},
			swap: map[string][]string{
				sheet1: {
					`<sheetView workbookViewId="0">`, `<sheetView workbookViewId="0" zoomScale="150" zoomScaleNormal="150" showGridLines="0" showRowColHeaders="0">`,
				},
			},
		},
		{
			name: "hide_rows in a sheet with a prefix", in: prefixed(t, prefixedRows),
			ops: `{"op":"hide_rows","sheet":"S1","row":2,"count":2}`,
			rep: formats.OpReport{Hits: 2},
			swap: map[string][]string{
				sheet1: {
					`<x:row r="2">`, `<x:row r="2" hidden="1">`,
					`</x:sheetData>`, `<x:row r="3" hidden="1"/></x:sheetData>`,
				},
			},
		},
		{
			name: "hide_columns before and behind definitions", in: lineBook(t),
			ops: `{"op":"hide_columns","sheet":"S1","column":"B","count":5}`,
			rep: formats.OpReport{Hits: 5},
			swap: map[string][]string{
				sheet1: {
					`<col min="2" max="3" width="20" customWidth="1"/><col min="5" max="5" width="5" hidden="1" customWidth="1"/>`, `<col width="20" customWidth="1" hidden="1" min="2" max="3"/><col width="9.140625" hidden="1" min="4" max="4"/><col width="5" customWidth="1" hidden="1" min="5" max="5"/><col width="9.140625" hidden="1" min="6" max="6"/>`,
				},
			},
		},
		{
			name: "insert_rows moves heights, breaks, panes and page titles", in: lineBook(t),
			ops: `{"op":"insert_rows","sheet":"S1","row":2,"count":2}`,
			rep: formats.OpReport{Hits: 2, Made: "S1!2:3"},
			swap: map[string][]string{
				bookPart: {
					`S1!$A$1:$E$6`, `S1!$A$1:$E$8`,
					`S1!$A:$B,S1!$1:$2`, `S1!$A:$B,S1!$1:$4`,
				},
				sheet1: {
					`<pane xSplit="1" ySplit="2" topLeftCell="B3" activePane="bottomRight" state="frozen"/>`, `<pane xSplit="1" ySplit="4" topLeftCell="B5" activePane="bottomRight" state="frozen"/>`,
					`<selection pane="bottomRight" activeCell="C4" sqref="C4:D4"/>`, `<selection pane="bottomRight" activeCell="C6" sqref="C6:D6"/>`,
					`<row r="3" outlineLevel="1"><c r="A3" t="inlineStr">`, `<row ht="30" customHeight="1" r="2"/><row ht="30" customHeight="1" r="3"/><row r="5" outlineLevel="1"><c r="A5" t="inlineStr">`,
					`<c r="C3">`, `<c r="C5">`,
					`<row r="6" ht="5" customHeight="1" hidden="1"/>`, `<row r="8" ht="5" customHeight="1" hidden="1"/>`,
					`<brk id="2" max="16383" man="1"/><brk id="5" max="16383" man="1"/>`, `<brk id="4" max="16383" man="1"/><brk id="7" max="16383" man="1"/>`,
				},
			},
		},
		{
			name: "delete_rows takes breaks, frozen rows and rows of page titles", in: lineBook(t),
			ops: `{"op":"delete_rows","sheet":"S1","row":2,"count":4}`,
			rep: formats.OpReport{Hits: 4},
			swap: map[string][]string{
				bookPart: {
					`S1!$A$1:$E$6`, `S1!$A$1:$E$2`,
					`S1!$A:$B,S1!$1:$2`, `S1!$A:$B,S1!$1:$1`,
				},
				sheet1: {
					`<pane xSplit="1" ySplit="2" topLeftCell="B3" activePane="bottomRight" state="frozen"/>`, `<pane xSplit="1" ySplit="1" topLeftCell="B2" activePane="bottomRight" state="frozen"/>`,
					`<selection pane="bottomRight" activeCell="C4" sqref="C4:D4"/>`, `<selection pane="bottomRight" activeCell="C2" sqref="C2"/>`,
					`<row r="3" outlineLevel="1"><c r="A3" t="inlineStr"><is><t>x</t></is></c><c r="C3"><v>12345.678</v></c></row><row r="6" ht="5" customHeight="1" hidden="1"/>`, `<row r="2" ht="5" customHeight="1" hidden="1"/>`,
					`<rowBreaks count="2" manualBreakCount="2"><brk id="2" max="16383" man="1"/><brk id="5" max="16383" man="1"/></rowBreaks>`, ``,
				},
			},
		},
		{
			name: "insert_columns moves definitions, breaks and panes", in: lineBook(t),
			ops: `{"op":"insert_columns","sheet":"S1","column":"B"}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!B:B"},
			swap: map[string][]string{
				bookPart: {
					`S1!$A$1:$E$6`, `S1!$A$1:$F$6`,
					`S1!$A:$B,S1!$1:$2`, `S1!$A:$C,S1!$1:$2`,
				},
				sheet1: {
					`<pane xSplit="1" ySplit="2" topLeftCell="B3" activePane="bottomRight" state="frozen"/>`, `<pane xSplit="1" ySplit="2" topLeftCell="C3" activePane="bottomRight" state="frozen"/>`,
					`<selection pane="bottomRight" activeCell="C4" sqref="C4:D4"/>`, `<selection pane="bottomRight" activeCell="D4" sqref="D4:E4"/>`,
					`<col min="2" max="3" width="20" customWidth="1"/><col min="5" max="5" width="5" hidden="1" customWidth="1"/>`, `<col min="3" max="4" width="20" customWidth="1"/><col min="6" max="6" width="5" hidden="1" customWidth="1"/>`,
					`<c r="B1">`, `<c r="C1">`,
					`<c r="C3">`, `<c r="D3">`,
					`<brk id="3" max="1048575" man="1"/>`, `<brk id="4" max="1048575" man="1"/>`,
				},
			},
		},
		{
			name: "delete_columns takes definitions and breaks", in: lineBook(t),
			ops: `{"op":"delete_columns","sheet":"S1","column":"B","count":2}`,
			rep: formats.OpReport{Hits: 2},
			swap: map[string][]string{
				bookPart: {
					`S1!$A$1:$E$6`, `S1!$A$1:$C$6`,
					`S1!$A:$B,S1!$1:$2`, `S1!$A:$A,S1!$1:$2`,
				},
				sheet1: {
					`<selection pane="bottomRight" activeCell="C4" sqref="C4:D4"/>`, `<selection pane="bottomRight" activeCell="B4" sqref="B4"/>`,
					`<col min="2" max="3" width="20" customWidth="1"/><col min="5" max="5" width="5" hidden="1" customWidth="1"/>`, `<col min="3" max="3" width="5" hidden="1" customWidth="1"/>`,
					`<c r="B1"><v>1</v></c>`, ``,
					`<c r="C3"><v>12345.678</v></c>`, ``,
					`<colBreaks count="1" manualBreakCount="1"><brk id="3" max="1048575" man="1"/></colBreaks>`, ``,
				},
			},
		},
		{
			name: "insert_rows moves rules, validations, links, merged cells and the filter", in: ruledBook(t),
			ops:   `{"op":"insert_rows","sheet":"S1","row":3}`,
			rep:   formats.OpReport{Hits: 1, Made: "S1!3:3"},
			warns: []string{"1 value of a formula that depends on the edit was dropped (S1!B6)"},
			swap: map[string][]string{
				bookPart: {
					`'S1'!$A$1:$B$5`, `'S1'!$A$1:$B$6`,
					`</workbook>`, `<calcPr fullCalcOnLoad="1"/></workbook>`,
				},
				sheet1: {
					`<row r="3" hidden="1"><c r="A3" t="inlineStr">`, `<row ht="20" customHeight="1" r="3"><c r="B3" s="1"/></row><row r="4" hidden="1"><c r="A4" t="inlineStr">`,
					`<c r="B3" s="1">`, `<c r="B4" s="1">`,
					`<row r="4"><c r="A4" t="inlineStr">`, `<row r="5"><c r="A5" t="inlineStr">`,
					`c</t></is></c><c r="B4" s="1">`, `c</t></is></c><c r="B5" s="1">`,
					`4</v></c></row><row r="5"><c r="A5" t="inlineStr">`, `4</v></c></row><row r="6"><c r="A6" t="inlineStr">`,
					`d</t></is></c><c r="B5" s="1">`, `d</t></is></c><c r="B6" s="1">`,
					`SUM(B2:B4)`, `SUM(B2:B5)`,
					`<v>9</v>`, ``,
					`<autoFilter ref="A1:B5">`, `<autoFilter ref="A1:B6">`,
					`<mergeCell ref="D2:E3"/><mergeCell ref="D5:E5"/>`, `<mergeCell ref="D2:E4"/><mergeCell ref="D6:E6"/>`,
					`<conditionalFormatting sqref="B2:B5">`, `<conditionalFormatting sqref="B2:B6">`,
					`<dataValidation type="list" allowBlank="1" sqref="A2:A5">`, `<dataValidation type="list" allowBlank="1" sqref="A2:A6">`,
					`$D$2:$D$5`, `$D$2:$D$6`,
					`<dataValidation type="custom" sqref="B2:B5">`, `<dataValidation type="custom" sqref="B2:B6">`,
					`<hyperlink ref="A3:A4" r:id="rId2" tooltip="both"/><hyperlink ref="A5" location="S2!A1"/>`, `<hyperlink ref="A4:A5" r:id="rId2" tooltip="both"/><hyperlink ref="A6" location="S2!A1"/>`,
				},
			},
		},
		{
			name: "delete_rows shrinks rules, validations, merged cells and the filter, and takes links", in: ruledBook(t),
			ops:   `{"op":"delete_rows","sheet":"S1","row":2}`,
			rep:   formats.OpReport{Hits: 1},
			warns: []string{"1 value of a formula that depends on the edit was dropped (S1!B4)"},
			swap: map[string][]string{
				bookPart: {
					`'S1'!$A$1:$B$5`, `'S1'!$A$1:$B$4`,
					`</workbook>`, `<calcPr fullCalcOnLoad="1"/></workbook>`,
				},
				sheet1: {
					`<row r="2" ht="20" customHeight="1">`, `<row r="2" hidden="1">`,
					`<t>a`, `<t>b`,
					`<v>2`, `<v>3`,
					`<row r="3" hidden="1">`, `<row r="3">`,
					`<c r="A3" t="inlineStr"><is><t>b`, `<c r="A3" t="inlineStr"><is><t>c`,
					`<c r="B3" s="1"><v>3`, `<c r="B3" s="1"><v>4`,
					`<c r="A4" t="inlineStr"><is><t>c`, `<c r="A4" t="inlineStr"><is><t>d`,
					`<v>4</v></c></row><row r="5"><c r="A5" t="inlineStr"><is><t>d</t></is></c><c r="B5" s="1">`, ``,
					`SUM(B2:B4)`, `SUM(B2:B3)`,
					`<v>9</v>`, ``,
					`<autoFilter ref="A1:B5">`, `<autoFilter ref="A1:B4">`,
					`<mergeCell ref="D2:E3"/><mergeCell ref="D5:E5"/>`, `<mergeCell ref="D2:E2"/><mergeCell ref="D4:E4"/>`,
					`<conditionalFormatting sqref="B2:B5">`, `<conditionalFormatting sqref="B2:B4">`,
					`$B$2`, `#REF!`,
					`<dataValidation type="list" allowBlank="1" sqref="A2:A5">`, `<dataValidation type="list" allowBlank="1" sqref="A2:A4">`,
					`$D$2:$D$5`, `$D$2:$D$4`,
					`<dataValidation type="custom" sqref="B2:B5">`, `<dataValidation type="custom" sqref="B2:B4">`,
					`<hyperlink ref="A2" r:id="rId1"/><hyperlink ref="A3:A4" r:id="rId2" tooltip="both"/><hyperlink ref="A5" location="S2!A1"/>`, `<hyperlink ref="A2:A3" r:id="rId2" tooltip="both"/><hyperlink ref="A4" location="S2!A1"/>`,
				},
			},
		},
		{
			name: "insert_columns moves rules, validations, merged cells and the filter", in: ruledBook(t),
			ops: `{"op":"insert_columns","sheet":"S1","column":"B"}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!B:B"},
			swap: map[string][]string{
				bookPart: {
					`'S1'!$A$1:$B$5`, `'S1'!$A$1:$C$5`,
				},
				sheet1: {
					`<col min="2" max="3" width="12.5" style="1" customWidth="1"/>`, `<col min="3" max="4" width="12.5" style="1" customWidth="1"/>`,
					`<c r="B1" t="inlineStr">`, `<c r="C1" t="inlineStr">`,
					`<c r="B2" s="1">`, `<c r="C2" s="1">`,
					`<c r="B3" s="1">`, `<c r="C3" s="1">`,
					`<c r="B4" s="1">`, `<c r="C4" s="1">`,
					`<c r="B5" s="1">`, `<c r="C5" s="1">`,
					`SUM(B2:B4)`, `SUM(C2:C4)`,
					`<autoFilter ref="A1:B5">`, `<autoFilter ref="A1:C5">`,
					`<mergeCell ref="D2:E3"/><mergeCell ref="D5:E5"/>`, `<mergeCell ref="E2:F3"/><mergeCell ref="E5:F5"/>`,
					`<conditionalFormatting sqref="B2:B5">`, `<conditionalFormatting sqref="C2:C5">`,
					`$B$2`, `$C$2`,
					`B2&gt;A2`, `C2&gt;B2`,
					`$D$2:$D$5`, `$E$2:$E$5`,
					`<dataValidation type="custom" sqref="B2:B5">`, `<dataValidation type="custom" sqref="C2:C5">`,
					`B2&gt;A$1`, `C2&gt;B$1`,
				},
			},
		},
		{
			name: "delete_columns takes rules, validations and links, and shrinks the filter", in: ruledBook(t),
			ops: `{"op":"delete_columns","sheet":"S1","column":"A"}`,
			rep: formats.OpReport{Hits: 1},
			swap: map[string][]string{
				bookPart: {
					`'S1'!$A$1:$B$5`, `'S1'!$A$1:$A$5`,
				},
				sheet1: {
					`<col min="2" max="3" width="12.5" style="1" customWidth="1"/>`, `<col min="1" max="2" width="12.5" style="1" customWidth="1"/>`,
					`k</t></is></c><c r="B1" t="inlineStr"><is><t>`, ``,
					`<c r="A2" t="inlineStr"><is><t>a</t></is></c><c r="B2" s="1">`, `<c r="A2" s="1">`,
					`<c r="A3" t="inlineStr"><is><t>b</t></is></c><c r="B3" s="1">`, `<c r="A3" s="1">`,
					`<c r="A4" t="inlineStr"><is><t>c</t></is></c><c r="B4" s="1">`, `<c r="A4" s="1">`,
					`<c r="A5" t="inlineStr"><is><t>d</t></is></c><c r="B5" s="1">`, `<c r="A5" s="1">`,
					`SUM(B2:B4)`, `SUM(A2:A4)`,
					`<autoFilter ref="A1:B5"><filterColumn colId="0"><filters><filter val="a"/></filters></filterColumn>`, `<autoFilter ref="A1:A5">`,
					`<mergeCell ref="D2:E3"/><mergeCell ref="D5:E5"/>`, `<mergeCell ref="C2:D3"/><mergeCell ref="C5:D5"/>`,
					`<conditionalFormatting sqref="B2:B5">`, `<conditionalFormatting sqref="A2:A5">`,
					`$B$2`, `$A$2`,
					`B2&gt;A2`, `A2&gt;#REF!`,
					`<dataValidations count="2"><dataValidation type="list" allowBlank="1" sqref="A2:A5">`, `<dataValidations count="1"><dataValidation type="custom" sqref="A2:A5">`,
					`$D$2:$D$5`, `A2&gt;#REF!`,
					`<dataValidation type="custom" sqref="B2:B5"><formula1>B2&gt;A$1</formula1></dataValidation>`, ``,
					`<hyperlinks><hyperlink ref="A2" r:id="rId1"/><hyperlink ref="A3:A4" r:id="rId2" tooltip="both"/><hyperlink ref="A5" location="S2!A1"/></hyperlinks>`, ``,
				},
			},
		},
		{
			name: "rename_sheet renames in links, validations and names", in: ruledBook(t),
			ops: `{"op":"rename_sheet","sheet":"S2","new_name":"Two words"}`,
			rep: formats.OpReport{Made: "Two words"},
			swap: map[string][]string{
				bookPart: {
					`<sheet name="S2" sheetId="2" r:id="rId2"/>`, `<sheet name="Two words" sheetId="2" r:id="rId2"/>`,
				},
				sheet1: {
					`<hyperlink ref="A5" location="S2!A1"/>`, `<hyperlink ref="A5" location="'Two words'!A1"/>`,
				},
			},
		},
		{
			name: "copy_sheet copies rules, validations, links and the filter", in: ruledBook(t),
			ops: `{"op":"copy_sheet","sheet":"S1","new_name":"C"}`,
			rep: formats.OpReport{Made: "C"},
			swap: map[string][]string{
				typesXML: {
					`</Types>`, typeOf("xl/worksheets/sheet3.xml", "spreadsheetml.worksheet+xml") + `</Types>`,
				},
				bookRels: {
					`</Relationships>`, relTo("rId4", "worksheet", "worksheets/sheet3.xml") + `</Relationships>`,
				},
				bookPart: {
					`<workbookView activeTab="1"/>`, `<workbookView activeTab="2"/>`,
					`<sheet name="S2" sheetId="2" r:id="rId2"/>`, `<sheet name="C" sheetId="3" r:id="rId4"/><sheet name="S2" sheetId="2" r:id="rId2"/>`,
					`</definedNames>`, `<definedName name="_xlnm._FilterDatabase" localSheetId="1" hidden="1">'C'!$A$1:$B$5</definedName></definedNames>`,
				},
				"xl/worksheets/_rels/sheet3.xml.rels": {"", relsHead + linkTo("rId1", "https://x.example/a") + linkTo("rId2", "mailto:a@x.example") + `</Relationships>`},
				sheet3: {"", sheetHead +
					`<cols><col min="2" max="3" width="12.5" style="1" customWidth="1"/></cols><sheetData><row r="1"><c r="A1" t="inlineStr">` +
					`<is><t>k</t></is></c><c r="B1" t="inlineStr"><is><t>v</t></is></c></row><row r="2" ht="20" customHeight="1">` +
					`<c r="A2" t="inlineStr"><is><t>a</t></is></c><c r="B2" s="1"><v>2</v></c></row><row r="3" hidden="1">` +
					`<c r="A3" t="inlineStr"><is><t>b</t></is></c><c r="B3" s="1"><v>3</v></c></row><row r="4"><c r="A4" t="inlineStr">` +
					`<is><t>c</t></is></c><c r="B4" s="1"><v>4</v></c></row><row r="5"><c r="A5" t="inlineStr"><is><t>d</t>` +
					`</is></c><c r="B5" s="1"><f>SUM(B2:B4)</f><v>9</v></c></row></sheetData><autoFilter ref="A1:B5"><filterColumn colId="0">` +
					`<filters><filter val="a"/></filters></filterColumn></autoFilter><mergeCells count="2"><mergeCell ref="D2:E3"/>` +
					`<mergeCell ref="D5:E5"/></mergeCells><conditionalFormatting sqref="B2:B5"><cfRule type="cellIs" dxfId="0" priority="2" operator="greaterThan">` +
					`<formula>$B$2</formula></cfRule><cfRule type="expression" dxfId="0" priority="7"><formula>B2&gt;A2</formula>` +
					`</cfRule></conditionalFormatting><dataValidations count="2"><dataValidation type="list" allowBlank="1" sqref="A2:A5">` +
					`<formula1>$D$2:$D$5</formula1></dataValidation><dataValidation type="custom" sqref="B2:B5"><formula1>B2&gt;A$1</formula1>` +
					`</dataValidation></dataValidations><hyperlinks><hyperlink ref="A2" r:id="rId1"/><hyperlink ref="A3:A4" r:id="rId2" tooltip="both"/>` +
					`<hyperlink ref="A5" location="S2!A1"/></hyperlinks><pageMargins left="0.7" right="0.7" top="0.75" bottom="0.75" header="0.3" footer="0.3"/></worksheet>`},
			},
		},
		{
			name: "delete_sheet leaves links to it, as Excel does", in: ruledBook(t),
			ops:  `{"op":"delete_sheet","sheet":"S2"}`,
			rep:  formats.OpReport{},
			gone: []string{sheet2},
			swap: map[string][]string{
				typesXML: {
					typeOf("xl/worksheets/sheet2.xml", "spreadsheetml.worksheet+xml"), ``,
				},
				bookRels: {
					relTo("rId2", "worksheet", "worksheets/sheet2.xml"), ``,
				},
				bookPart: {
					`<workbookView activeTab="1"/>`, `<workbookView activeTab="0"/>`,
					`<sheet name="S2" sheetId="2" r:id="rId2"/>`, ``,
					`</workbook>`, `<calcPr fullCalcOnLoad="1"/></workbook>`,
				},
			},
		},
	})
}
