package xlsx

import (
	"testing"

	"atelier/formats"
)

// Formats are added to the style part once, beside what cells have.
func TestStyleParts(t *testing.T) {
	runOps(t, []opTest{
		{
			name: "set_style of several blocks: the same format is added once", in: styledBook(t),
			ops: `{"op":"set_style","sheet":"S1","range":"A1:B1,A4","style":{"h_align":"center","wrap_text":true}},` +
				`{"op":"set_style","sheet":"S1","range":"B4","style":{"wrap_text":true,"h_align":"center"}}`,
			rep: formats.OpReport{Cells: 1},
			swap: map[string][]string{
				stylesXML: {
					`<cellXfs count="2">`, `<cellXfs count="3">`,
					`</cellXfs>`, `<xf numFmtId="0" fontId="0" fillId="0" borderId="0" applyAlignment="1"><alignment horizontal="center" wrapText="1"/></xf></cellXfs>`,
				},
				sheet1: {
					`<c r="A1" t="inlineStr">`, `<c s="2" r="A1" t="inlineStr">`,
					`<c r="B1" t="inlineStr">`, `<c s="2" r="B1" t="inlineStr">`,
					`<c r="A4">`, `<c s="2" r="A4">`,
					`<c r="B4">`, `<c s="2" r="B4">`,
				},
			},
		},
		{
			name: "set_style of borders and a pattern", in: styledBook(t),
			ops: `{"op":"set_style","sheet":"S1","range":"B2","style":{"border":"thin","border_top":{"style":"double","color":"FF0000"},"fill_color":"00FF00","fill_pattern":"solid"}}`,
			rep: formats.OpReport{Cells: 1},
			swap: map[string][]string{
				stylesXML: {
					`<fills count="2">`, `<fills count="3">`,
					`</fills>`, `<fill><patternFill patternType="solid"><fgColor rgb="FF00FF00"/><bgColor indexed="64"/></patternFill></fill></fills>`,
					`<borders count="1">`, `<borders count="2">`,
					`</borders>`, `<border><left style="thin"><color auto="1"/></left><right style="thin"><color auto="1"/></right><top style="double"><color rgb="FFFF0000"/></top><bottom style="thin"><color auto="1"/></bottom></border></borders>`,
					`<cellXfs count="2">`, `<cellXfs count="3">`,
					`</cellXfs>`, `<xf numFmtId="2" fontId="0" fillId="2" applyFill="1" borderId="1" applyBorder="1"/></cellXfs>`,
				},
				sheet1: {
					`<c r="B2" s="1">`, `<c r="B2" s="2">`,
				},
			},
		},
		{
			name: "set_style of a font and a protection", in: styledBook(t),
			ops: `{"op":"set_style","sheet":"S1","range":"A2","style":{"font_name":"Arial","font_size":14,"font_italic":true,"font_underline":"double","font_strike":true,"locked":false,"hidden":true}}`,
			rep: formats.OpReport{Cells: 1},
			swap: map[string][]string{
				stylesXML: {
					`<fonts count="1">`, `<fonts count="2">`,
					`</fonts>`, `<font><i/><strike/><u val="double"/><sz val="14"/><name val="Arial"/></font></fonts>`,
					`<cellXfs count="2">`, `<cellXfs count="3">`,
					`</cellXfs>`, `<xf numFmtId="0" fillId="0" borderId="0" fontId="1" applyFont="1" applyProtection="1"><protection locked="0" hidden="1"/></xf></cellXfs>`,
				},
				sheet1: {
					`<c r="A2" t="inlineStr">`, `<c s="2" r="A2" t="inlineStr">`,
				},
			},
		},
		{
			name: "set_style with a custom number format", in: styledBook(t),
			ops: `{"op":"set_style","sheet":"S1","range":"B2:B3","style":{"number_format":"0.0\" kg\""}}`,
			rep: formats.OpReport{Cells: 2},
			swap: map[string][]string{
				stylesXML: {
					`<fonts count="1">`, `<numFmts count="1"><numFmt numFmtId="164" formatCode="0.0&quot; kg&quot;"/></numFmts><fonts count="1">`,
					`<cellXfs count="2">`, `<cellXfs count="3">`,
					`</cellXfs>`, `<xf fontId="0" fillId="0" borderId="0" numFmtId="164" applyNumberFormat="1"/></cellXfs>`,
				},
				sheet1: {
					`<c r="B2" s="1">`, `<c r="B2" s="2">`,
					`<c r="B3">`, `<c s="2" r="B3">`,
				},
			},
		},
		{
			name: "set_style with a turn and an indent", in: styledBook(t),
			ops: `{"op":"set_style","sheet":"S1","range":"A1","style":{"text_rotation":90,"indent":2,"v_align":"top"}}`,
			rep: formats.OpReport{Cells: 1},
			swap: map[string][]string{
				stylesXML: {
					`<cellXfs count="2">`, `<cellXfs count="3">`,
					`</cellXfs>`, `<xf numFmtId="0" fontId="0" fillId="0" borderId="0" applyAlignment="1"><alignment vertical="top" textRotation="90" indent="2" horizontal="left"/></xf></cellXfs>`,
				},
				sheet1: {
					`<c r="A1" t="inlineStr">`, `<c s="2" r="A1" t="inlineStr">`,
				},
			},
		},
		{
			name: "set_style of what is so already", in: styledBook(t),
			ops: `{"op":"set_style","sheet":"S1","range":"B2","style":{"number_format":"0.00"}}`,
			rep: formats.OpReport{Cells: 1},
			swap: map[string][]string{
				stylesXML: {
					`<cellXfs count="2">`, `<cellXfs count="3">`,
					`</cellXfs>`, `<xf numFmtId="2" fontId="0" fillId="0" borderId="0" applyNumberFormat="1"/></cellXfs>`,
				},
				sheet1: {
					`<c r="B2" s="1">`, `<c r="B2" s="2">`,
				},
			},
		},
		{
			name: "set_style of a column with definitions, of a row with a height, of a new row", in: ruledBook(t),
			ops: `{"op":"set_style","sheet":"S1","range":"B:B,2:2,9:9","style":{"font_bold":true}}`,
			rep: formats.OpReport{},
			swap: map[string][]string{
				stylesXML: {
					`<fonts count="1">`, `<fonts count="2">` + calibri,
					calibri + `</fonts>`, `<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>`,
					`<cellXfs count="2">`, `<cellXfs count="4">`,
					`</cellXfs>`, `<xf numFmtId="0" fillId="0" borderId="0" fontId="1" applyFont="1"/><xf numFmtId="2" fillId="0" borderId="0" fontId="1" applyFont="1"/></cellXfs>`,
				},
				sheet1: {
					`<col min="2" max="3" width="12.5" style="1" customWidth="1"/>`, `<col width="12.5" customWidth="1" style="3" min="2" max="2"/><col width="12.5" style="1" customWidth="1" min="3" max="3"/>`,
					`<c r="B1" t="inlineStr">`, `<c s="2" r="B1" t="inlineStr">`,
					`<row r="2" ht="20" customHeight="1"><c r="A2" t="inlineStr">`, `<row r="2" ht="20" customHeight="1" s="2" customFormat="1"><c s="2" r="A2" t="inlineStr">`,
					`<c r="B2" s="1">`, `<c r="B2" s="3">`,
					`2</v></c></row>`, `2</v></c><c r="C2" s="3"/></row>`,
					`<c r="B3" s="1">`, `<c r="B3" s="3">`,
					`<c r="B4" s="1">`, `<c r="B4" s="3">`,
					`<c r="B5" s="1">`, `<c r="B5" s="3">`,
					`</sheetData>`, `<row r="9" s="2" customFormat="1"><c r="B9" s="3"/><c r="C9" s="3"/></row></sheetData>`,
				},
			},
		},
		{
			name: "set_style in a sheet with a prefix", in: prefixed(t, prefixedRows),
			ops: `{"op":"set_style","sheet":"S1","range":"A1:B1","style":{"number_format":"0%"}}`,
			rep: formats.OpReport{Cells: 2},
			swap: map[string][]string{
				typesXML: {
					`</Types>`, typeOf("xl/styles.xml", "spreadsheetml.styles+xml") + `</Types>`,
				},
				bookRels: {
					`</Relationships>`, relTo("rId2", "styles", "styles.xml") + `</Relationships>`,
				},
				stylesXML: {"", xmlDecl +
					`<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><fonts count="1"><font>` +
					`<sz val="11"/><color theme="1"/><name val="Calibri"/><family val="2"/><scheme val="minor"/></font></fonts>` +
					`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/>` +
					`</fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
					`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="2">` +
					`<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf fontId="0" fillId="0" borderId="0" xfId="0" numFmtId="9" applyNumberFormat="1"/>` +
					`</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles><dxfs count="0"/>` +
					`<tableStyles count="0" defaultTableStyle="TableStyleMedium2" defaultPivotStyle="PivotStyleLight16"/></styleSheet>`},
				sheet1: {
					`<x:c r="A1">`, `<x:c s="1" r="A1">`,
					`1</x:v></x:c></x:row>`, `1</x:v></x:c><x:c r="B1" s="1"/></x:row>`,
				},
			},
		},
		{
			name: "set_cells with a style", in: styledBook(t),
			ops: `{"op":"set_cells","sheet":"S1","style":{"font_bold":true},"cells":[{"cell":"A5","value":"x"},{"cell":"B2","style":{"font_bold":false,"number_format":"0"}},{"cell":"C9","value":null}]}`,
			rep: formats.OpReport{Cells: 3},
			swap: map[string][]string{
				stylesXML: {
					`<fonts count="1">`, `<fonts count="2">` + calibri,
					calibri + `</fonts>`, `<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>`,
					`<cellXfs count="2">`, `<cellXfs count="4">`,
					`</cellXfs>`, `<xf numFmtId="0" fillId="0" borderId="0" fontId="1" applyFont="1"/><xf fontId="0" fillId="0" borderId="0" applyFont="1" numFmtId="1" applyNumberFormat="1"/></cellXfs>`,
				},
				sheet1: {
					`<c r="B2" s="1">`, `<c r="B2" s="3">`,
					`</sheetData>`, `<row r="5"><c r="A5" s="2" t="inlineStr"><is><t>x</t></is></c></row><row r="9"><c r="C9" s="2"/></row></sheetData>`,
				},
			},
		},
		{
			name: "set_range with a style", in: styledBook(t),
			ops:   `{"op":"set_range","sheet":"S1","start":"B2","values":[[1],[null]],"style":{"fill_color":"FFFF00"}}`,
			rep:   formats.OpReport{Cells: 2},
			warns: []string{"1 value of a formula that depends on the edit was dropped (S1!B4)"},
			swap: map[string][]string{
				stylesXML: {
					`<fills count="2">`, `<fills count="3">`,
					`</fills>`, `<fill><patternFill patternType="solid"><fgColor rgb="FFFFFF00"/><bgColor indexed="64"/></patternFill></fill></fills>`,
					`<cellXfs count="2">`, `<cellXfs count="4">`,
					`</cellXfs>`, `<xf numFmtId="0" fontId="0" borderId="0" fillId="2" applyFill="1"/><xf numFmtId="2" fontId="0" borderId="0" fillId="2" applyFill="1"/></cellXfs>`,
				},
				bookPart: {
					`</workbook>`, `<calcPr fullCalcOnLoad="1"/></workbook>`,
				},
				sheet1: {
					`<c r="B2" s="1">`, `<c r="B2" s="3">`,
					`30`, `1`,
					`<c r="B3"><v>4</v></c>`, `<c r="B3" s="2"/>`,
					`<v>34</v>`, ``,
				},
			},
		},
		{
			name: "copy_styles repeats a block over a larger one", in: ruledBook(t),
			ops: `{"op":"copy_styles","sheet":"S2","range":"A1:D3","source":"S1!A2:B2"}`,
			rep: formats.OpReport{Cells: 12},
			swap: map[string][]string{
				sheet2: {
					`<sheetData/>`, `<sheetData><row r="1"><c r="A1" s="0"/><c r="B1" s="1"/><c r="C1" s="0"/><c r="D1" s="1"/></row><row r="2">` +
						`<c r="A2" s="0"/><c r="B2" s="1"/><c r="C2" s="0"/><c r="D2" s="1"/></row><row r="3"><c r="A3" s="0"/>` +
						`<c r="B3" s="1"/><c r="C3" s="0"/><c r="D3" s="1"/></row></sheetData>`,
				},
			},
		},
		{
			name: "copy_styles of a block to one cell", in: ruledBook(t),
			ops: `{"op":"copy_styles","sheet":"S2","range":"C2","source":"S1!$B$2:$C$3"}`,
			rep: formats.OpReport{Cells: 4},
			swap: map[string][]string{
				sheet2: {
					`<sheetData/>`, `<sheetData><row r="2"><c r="C2" s="1"/><c r="D2" s="1"/></row><row r="3"><c r="C3" s="1"/><c r="D3" s="1"/></row></sheetData>`,
				},
			},
		},
		{
			name: "copy_styles of one cell to a column", in: ruledBook(t),
			ops: `{"op":"copy_styles","sheet":"S2","range":"C:C","source":"S1!B2"}`,
			rep: formats.OpReport{Cells: 1048576},
			swap: map[string][]string{
				sheet2: {
					`<sheetData/>`, `<cols><col width="9.140625" style="1" min="3" max="3"/></cols><sheetData/>`,
				},
			},
		},
		{
			name: "copy_styles from another file", in: ordersBook(t), files: sources(t),
			ops: `{"op":"copy_styles","sheet":"S2","range":"A1:B2","path":"from.xlsx","source":"S1!A2:B2"}`,
			rep: formats.OpReport{Cells: 4},
			swap: map[string][]string{
				stylesXML: {
					`<fonts count="1">`, `<numFmts count="1"><numFmt numFmtId="164" formatCode="0.0&quot; kg&quot;"/></numFmts><fonts count="2">`,
					`</fonts>`, `<font><b/><sz val="14"/><name val="Arial"/></font></fonts>`,
					`<cellXfs count="2">`, `<cellXfs count="4">`,
					`</cellXfs>`, `<xf numFmtId="164" fontId="1" fillId="0" borderId="0" applyNumberFormat="1" applyFont="1" applyFill="1" applyBorder="1" applyAlignment="1" applyProtection="1">` +
						`</xf><xf numFmtId="14" fontId="0" fillId="0" borderId="0" applyNumberFormat="1" applyFont="1" applyFill="1" applyBorder="1" applyAlignment="1" applyProtection="1">` +
						`</xf></cellXfs>`,
				},
				sheet2: {
					`<c r="A1" t="inlineStr">`, `<c s="2" r="A1" t="inlineStr">`,
					`<c r="B1">`, `<c s="3" r="B1">`,
					`<c r="A2" t="inlineStr">`, `<c s="2" r="A2" t="inlineStr">`,
					`<c r="B2">`, `<c s="3" r="B2">`,
				},
			},
		},
	})
}
