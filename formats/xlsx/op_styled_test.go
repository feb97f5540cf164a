package xlsx

import (
	"testing"

	"atelier/formats"
	"atelier/formats/xlsx/internal/sheetml"
)

const stylesXML = "xl/styles.xml"

// plainStyles is a small style part.
const plainStyles = `<styleSheet xmlns="` + sheetml.Namespace + `"><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/><xf numFmtId="2" fontId="0" fillId="0" borderId="0"/></cellXfs><dxfs count="0"/></styleSheet>`

// styledBook has one sheet with a small table and a style part.
func styledBook(t testing.TB) []byte {
	return raw(t, map[string]string{stylesXML: plainStyles}, `<sheetData>`+
		`<row r="1"><c r="A1" t="inlineStr"><is><t>Name</t></is></c><c r="B1" t="inlineStr"><is><t>Sum</t></is></c></row>`+
		`<row r="2"><c r="A2" t="inlineStr"><is><t>pear</t></is></c><c r="B2" s="1"><v>30</v></c></row>`+
		`<row r="3"><c r="A3" t="inlineStr"><is><t>Apple pie</t></is></c><c r="B3"><v>4</v></c></row>`+
		`<row r="4"><c r="A4"><v>7</v></c><c r="B4"><f>SUM(B2:B3)</f><v>34</v></c></row>`+
		`</sheetData>`)
}

func TestStyleOperations(t *testing.T) {
	in := styledBook(t)
	const numberXf = `<xf numFmtId="2" fontId="0" fillId="0" borderId="0"/></cellXfs>`
	const font = `<font><sz val="11"/><name val="Calibri"/></font></fonts>`
	// xfs is the change of the style part by which it has more cell formats.
	xfs := func(count, added string, more ...string) []string {
		return append([]string{`<cellXfs count="2">`, `<cellXfs count="` + count + `">`, numberXf, numberXf[:len(numberXf)-len("</cellXfs>")] + added + `</cellXfs>`}, more...)
	}
	runOps(t, []opTest{
		{
			name: "set_style keeps what cells have, and makes cells", in: in, ops: `{"op":"set_style","sheet":"S1","range":"B2:C2","style":{"font_bold":true}}`,
			rep:  formats.OpReport{Cells: 2},
			swap: map[string][]string{sheet1: {`<c r="B2" s="1"><v>30</v></c>`, `<c r="B2" s="3"><v>30</v></c><c r="C2" s="2"/>`}, stylesXML: xfs("4", `<xf numFmtId="0" fillId="0" borderId="0" fontId="1" applyFont="1"/><xf numFmtId="2" fillId="0" borderId="0" fontId="1" applyFont="1"/>`, `<fonts count="1">`, `<fonts count="2">`, font, `<font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>`)},
		},
		{
			name: "set_style of a whole column", in: in, ops: `{"op":"set_style","sheet":"S1","range":"C:C","style":{"number_format":"0%"}}`,
			rep:  formats.OpReport{},
			swap: map[string][]string{sheet1: {`<sheetData>`, `<cols><col width="9.140625" style="2" min="3" max="3"/></cols><sheetData>`}, stylesXML: xfs("3", `<xf fontId="0" fillId="0" borderId="0" numFmtId="9" applyNumberFormat="1"/>`)},
		},
		{
			name: "set_style of a whole row", in: in, ops: `{"op":"set_style","sheet":"S1","range":"3:3","style":{"fill_color":"FFFF00"}}`,
			rep:  formats.OpReport{},
			swap: map[string][]string{sheet1: {`<row r="3"><c r="A3"`, `<row r="3" s="2" customFormat="1"><c s="2" r="A3"`, `<c r="B3">`, `<c s="2" r="B3">`}, stylesXML: xfs("3", `<xf numFmtId="0" fontId="0" borderId="0" fillId="2" applyFill="1"/>`, `<fills count="2">`, `<fills count="3">`, `</fills>`, `<fill><patternFill patternType="solid"><fgColor rgb="FFFFFF00"/><bgColor indexed="64"/></patternFill></fill></fills>`)},
		},
		{
			name: "copy_styles takes formats and no values", in: in, ops: `{"op":"copy_styles","sheet":"S1","range":"A3:B4","source":"S1!B2"}`,
			rep:  formats.OpReport{Cells: 4},
			swap: map[string][]string{sheet1: {`<c r="A3"`, `<c s="1" r="A3"`, `<c r="B3"`, `<c s="1" r="B3"`, `<c r="A4"`, `<c s="1" r="A4"`, `<c r="B4"`, `<c s="1" r="B4"`}},
		},
	})
}

func TestRuleOperations(t *testing.T) {
	in := styledBook(t)
	const red = `<dxf><font><color rgb="FF9C0006"/></font><fill><patternFill patternType="solid"><bgColor rgb="FFFFC7CE"/></patternFill></fill></dxf>`
	runOps(t, []opTest{
		{
			name: "a number over another", in: in, ops: `{"op":"conditional_format","sheet":"S1","range":"B2:B4","rule":{"type":"cell","operator":">","value":10,"format":{"font_color":"FF0000"}}}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!B2:B4"}, swap: map[string][]string{sheet1: {`</sheetData>`, `</sheetData><conditionalFormatting sqref="B2:B4"><cfRule type="cellIs" dxfId="0" priority="1" operator="greaterThan"><formula>10</formula></cfRule></conditionalFormatting>`}, stylesXML: {`<dxfs count="0"/>`, `<dxfs count="1">` + `<dxf><font><color rgb="FFFF0000"/></font></dxf>` + `</dxfs>`}},
		},
		{
			name: "between a number and a cell, and no rule after it", in: in, ops: `{"op":"conditional_format","sheet":"S1","range":"B2:B4","rule":{"type":"cell","operator":"between","value":1,"value2":"=B2","stop_if_true":true}}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!B2:B4"}, swap: map[string][]string{sheet1: {`</sheetData>`, `</sheetData><conditionalFormatting sqref="B2:B4"><cfRule type="cellIs" dxfId="0" priority="1" stopIfTrue="1" operator="between"><formula>1</formula><formula>B2</formula></cfRule></conditionalFormatting>`}, stylesXML: {`<dxfs count="0"/>`, `<dxfs count="1">` + red + `</dxfs>`}},
		},
		{
			name: "a text with quotes", in: in, ops: `{"op":"conditional_format","sheet":"S1","range":"A2:A4","rule":{"type":"text","operator":"contains","value":"p\"<"}}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!A2:A4"}, swap: map[string][]string{sheet1: {`</sheetData>`, `</sheetData><conditionalFormatting sqref="A2:A4"><cfRule type="containsText" dxfId="0" priority="1" operator="containsText" text="p&quot;&lt;"><formula>NOT(ISERROR(SEARCH(&quot;p&quot;&quot;&lt;&quot;,A2)))</formula></cfRule></conditionalFormatting>`}, stylesXML: {`<dxfs count="0"/>`, `<dxfs count="1">` + red + `</dxfs>`}},
		},
		{
			name: "the smallest three", in: in, ops: `{"op":"conditional_format","sheet":"S1","range":"B2:B4","rule":{"type":"top","operator":"bottom","value":3}}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!B2:B4"}, swap: map[string][]string{sheet1: {`</sheetData>`, `</sheetData><conditionalFormatting sqref="B2:B4"><cfRule type="top10" dxfId="0" priority="1" bottom="1" rank="3"></cfRule></conditionalFormatting>`}, stylesXML: {`<dxfs count="0"/>`, `<dxfs count="1">` + red + `</dxfs>`}},
		},
		{
			name: "a formula", in: in, ops: `{"op":"conditional_format","sheet":"S1","range":"B2:B4","rule":{"type":"formula","value":"=$B2>AVERAGE($B$2:$B$4)"}}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!B2:B4"}, swap: map[string][]string{sheet1: {`</sheetData>`, `</sheetData><conditionalFormatting sqref="B2:B4"><cfRule type="expression" dxfId="0" priority="1"><formula>$B2&gt;AVERAGE($B$2:$B$4)</formula></cfRule></conditionalFormatting>`}, stylesXML: {`<dxfs count="0"/>`, `<dxfs count="1">` + red + `</dxfs>`}},
		},
		{
			name: "icons", in: in, ops: `{"op":"conditional_format","sheet":"S1","range":"B2:B4","rule":{"type":"icon_set","icons":"3Arrows"}}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!B2:B4"}, swap: map[string][]string{sheet1: {`</sheetData>`, `</sheetData><conditionalFormatting sqref="B2:B4"><cfRule type="iconSet" priority="1"><iconSet iconSet="3Arrows"><cfvo type="percent" val="0"/><cfvo type="percent" val="33"/><cfvo type="percent" val="67"/></iconSet></cfRule></conditionalFormatting>`}},
		},
		{
			name: "bars", in: in, ops: `{"op":"conditional_format","sheet":"S1","range":"B2:B4","rule":{"type":"data_bar","colors":["00FF00"]}}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!B2:B4"}, swap: map[string][]string{sheet1: {`</sheetData>`, `</sheetData><conditionalFormatting sqref="B2:B4"><cfRule type="dataBar" priority="1"><dataBar><cfvo type="min"/><cfvo type="max"/><color rgb="FF00FF00"/></dataBar></cfRule></conditionalFormatting>`}},
		},
		{
			name: "dates from one on", in: in, ops: `{"op":"data_validation","sheet":"S1","range":"C2:C4","type":"date","operator":">=","value":"2026-01-31","prompt":"a day"}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!C2:C4"}, swap: map[string][]string{sheet1: {`</sheetData>`, `</sheetData><dataValidations count="1"><dataValidation type="date" operator="greaterThanOrEqual" allowBlank="1" showInputMessage="1" showErrorMessage="1" prompt="a day" sqref="C2:C4"><formula1>46053</formula1></dataValidation></dataValidations>`}},
		},
		{
			name: "a list in cells", in: in, ops: `{"op":"data_validation","sheet":"S1","range":"C2:C4","type":"list","value":"=S1!$A$2:$A$4"}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!C2:C4"}, swap: map[string][]string{sheet1: {`</sheetData>`, `</sheetData><dataValidations count="1"><dataValidation type="list" allowBlank="1" showInputMessage="1" showErrorMessage="1" sqref="C2:C4"><formula1>'S1'!$A$2:$A$4</formula1></dataValidation></dataValidations>`}},
		},
		{
			name: "a formula for values", in: in, ops: `{"op":"data_validation","sheet":"S1","range":"C2:C4","type":"custom","value":"=C2<>\"\""}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!C2:C4"}, swap: map[string][]string{sheet1: {`</sheetData>`, `</sheetData><dataValidations count="1"><dataValidation type="custom" allowBlank="1" showInputMessage="1" showErrorMessage="1" sqref="C2:C4"><formula1>C2&lt;&gt;&quot;&quot;</formula1></dataValidation></dataValidations>`}},
		},
		{
			name: "no time between two", in: in, ops: `{"op":"data_validation","sheet":"S1","range":"C2:C4","type":"time","operator":"not_between","value":"06:00","value2":"18:00"}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!C2:C4"}, swap: map[string][]string{sheet1: {`</sheetData>`, `</sheetData><dataValidations count="1"><dataValidation type="time" operator="notBetween" allowBlank="1" showInputMessage="1" showErrorMessage="1" sqref="C2:C4"><formula1>0.25</formula1><formula2>0.75</formula2></dataValidation></dataValidations>`}},
		},
		{
			name: "autofilter is known to the workbook", in: in, ops: `{"op":"autofilter","sheet":"S1","range":"A1:B4"}`,
			rep:  formats.OpReport{Hits: 1, Made: "S1!A1:B4"},
			swap: map[string][]string{sheet1: {`</sheetData>`, `</sheetData><autoFilter ref="A1:B4"/>`}, bookPart: {`</workbook>`, `<definedNames><definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">'S1'!$A$1:$B$4</definedName></definedNames></workbook>`}},
		},
		{
			name: "autofilter moves", in: in, ops: `{"op":"autofilter","sheet":"S1","range":"A1:B4"},{"op":"autofilter","sheet":"S1","range":"A1:A4"}`,
			rep:  formats.OpReport{Hits: 1, Made: "S1!A1:A4"},
			swap: map[string][]string{sheet1: {`</sheetData>`, `</sheetData><autoFilter ref="A1:A4"/>`}, bookPart: {`</workbook>`, `<definedNames><definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">'S1'!$A$1:$A$4</definedName></definedNames></workbook>`}},
		},
		{
			name: "autofilter there and back", in: in, ops: `{"op":"autofilter","sheet":"S1","range":"A1:B4"},{"op":"autofilter","sheet":"S1","remove":true}`,
			rep: formats.OpReport{Hits: 1},
		},
	})
}

func TestTextAndObjectOperations(t *testing.T) {
	in := styledBook(t)
	rels := func(list string) []string { return []string{"", relsHead + list + `</Relationships>`} }
	const rel = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	link := []string{`<fonts count="1">`, `<fonts count="2">`, `</fonts>`, `<font><u/><sz val="11"/><color rgb="FF0563C1"/><name val="Calibri"/></font></fonts>`, `<cellXfs count="2">`, `<cellXfs count="3">`, `</cellXfs>`, `<xf numFmtId="0" fillId="0" borderId="0" fontId="1" applyFont="1"/></cellXfs>`}
	runOps(t, []opTest{
		{
			name: "set_hyperlink with a text", in: in, ops: `{"op":"set_hyperlink","sheet":"S1","cell":"A2","url":"mailto:a@x.example","text":"write","tooltip":"a & b"}`,
			rep: formats.OpReport{Hits: 1, Cells: 1, Made: "S1!A2"},
			swap: map[string][]string{
				stylesXML: link, sheet1Rels: rels(`<Relationship Id="rId1" Type="` + rel + `hyperlink" Target="mailto:a@x.example" TargetMode="External"/>`),
				sheet1: {`<c r="A2" t="inlineStr"><is><t>pear</t>`, `<c r="A2" s="2" t="inlineStr"><is><t>write</t>`, `</sheetData>`, `</sheetData><hyperlinks><hyperlink ref="A2" r:id="rId1" tooltip="a &amp; b"/></hyperlinks>`},
			},
		},
		{
			name: "set_hyperlink of a range to a place", in: in, ops: `{"op":"set_hyperlink","sheet":"S1","range":"A2:A3","location":"S1!B4"}`,
			rep:  formats.OpReport{Hits: 1, Made: "S1!A2:A3"},
			swap: map[string][]string{stylesXML: link, sheet1: {`<c r="A2"`, `<c s="2" r="A2"`, `<c r="A3"`, `<c s="2" r="A3"`, `</sheetData>`, `</sheetData><hyperlinks><hyperlink ref="A2:A3" location="&apos;S1&apos;!B4"/></hyperlinks>`}},
		},
		{
			name: "add_table takes its columns from the header", in: in, ops: `{"op":"add_table","sheet":"S1","range":"A1:B3","name":"Fruit","table_style":"none"}`,
			rep: formats.OpReport{Hits: 1, Made: "table Fruit S1!A1:B3"},
			swap: map[string][]string{
				typesXML:               {`</Types>`, `<Override PartName="/xl/tables/table1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.table+xml"/></Types>`},
				sheet1Rels:             rels(`<Relationship Id="rId1" Type="` + rel + `table" Target="../tables/table1.xml"/>`),
				sheet1:                 {`</sheetData>`, `</sheetData><tableParts count="1"><tablePart r:id="rId1"/></tableParts>`},
				"xl/tables/table1.xml": {"", `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" + `<table xmlns="` + sheetml.Namespace + `" id="1" name="Fruit" displayName="Fruit" ref="A1:B3" totalsRowShown="0"><autoFilter ref="A1:B3"/><tableColumns count="2"><tableColumn id="1" name="Name"/><tableColumn id="2" name="Sum"/></tableColumns><tableStyleInfo showFirstColumn="0" showLastColumn="0" showRowStripes="1" showColumnStripes="0"/></table>`},
			},
		},
		{
			name: "sort_range by a number takes formats along", in: in, ops: `{"op":"sort_range","sheet":"S1","range":"A2:B3","by":[{"column":"B"}]}`,
			rep: formats.OpReport{Hits: 2, Cells: 4}, warns: []string{"1 value of a formula that depends on the edit was dropped (S1!B4)"},
			swap: map[string][]string{bookPart: {`</workbook>`, calcPr}, sheet1: {`<t>pear</t></is></c><c r="B2" s="1"><v>30</v>`, `<t>Apple pie</t></is></c><c r="B2"><v>4</v>`, `<c r="A3" t="inlineStr"><is><t>Apple pie</t></is></c><c r="B3"><v>4</v>`, `<c r="A3" t="inlineStr"><is><t>pear</t></is></c><c r="B3" s="1"><v>30</v>`, `</f><v>34</v>`, `</f>`}},
		},
		{
			name: "sort_range puts numbers before texts", in: in, ops: `{"op":"sort_range","sheet":"S1","range":"A2:A4","by":[{"column":"A"}]}`,
			rep:  formats.OpReport{Hits: 2, Cells: 2},
			swap: map[string][]string{sheet1: {`<c r="A2" t="inlineStr"><is><t>pear</t></is></c>`, `<c r="A2"><v>7</v></c>`, `<c r="A4"><v>7</v></c>`, `<c r="A4" t="inlineStr"><is><t>pear</t></is></c>`}},
		},
		{
			name: "sort_range descending puts numbers last", in: in, ops: `{"op":"sort_range","sheet":"S1","range":"A2:A4","by":[{"column":1,"descending":true}]}`,
			rep: formats.OpReport{Unchanged: true, Warnings: []string{"the rows were in this order already"}},
		},
		{
			name: "replace_text in any case", in: in, ops: `{"op":"replace_text","search":"p","replace":"b"}`,
			rep:  formats.OpReport{Hits: 4, Cells: 2},
			swap: map[string][]string{sheet1: {`<t>pear</t>`, `<t>bear</t>`, `<t>Apple pie</t>`, `<t>Abble bie</t>`}},
		},
		{
			name: "replace_text in this case only", in: in, ops: `{"op":"replace_text","search":"P","replace":"b","match_case":true}`,
			rep: formats.OpReport{Unchanged: true, Warnings: []string{`"P" was not found; nothing was replaced`}},
		},
		{
			name: "replace_text of a whole cell", in: in, ops: `{"op":"replace_text","search":"PEAR","replace":"plum","whole_cell":true}`,
			rep:  formats.OpReport{Hits: 1, Cells: 1},
			swap: map[string][]string{sheet1: {`<t>pear</t>`, `<t>plum</t>`}},
		},
		{
			name: "replace_text of no whole cell", in: in, ops: `{"op":"replace_text","search":"pea","replace":"plum","whole_cell":true}`,
			rep: formats.OpReport{Unchanged: true, Warnings: []string{`"pea" was not found; nothing was replaced`}},
		},
		{
			name: "replace_text by a pattern", in: in, ops: `{"op":"replace_text","search":"(\\w+) (\\w+)","replace":"$2 of $1","regex":true}`,
			rep:  formats.OpReport{Hits: 1, Cells: 1},
			swap: map[string][]string{sheet1: {`<t>Apple pie</t>`, `<t>pie of Apple</t>`}},
		},
		{
			name: "replace_text in formulas", in: in, ops: `{"op":"replace_text","search":"B3","replace":"B2","in_formulas":true}`,
			rep:  formats.OpReport{Hits: 1, Cells: 1},
			swap: map[string][]string{sheet1: {`<f>SUM(B2:B3)</f><v>34</v>`, `<f>SUM(B2:B2)</f>`}, bookPart: {`</workbook>`, calcPr}},
		},
		{
			name: "replace_text leaves formulas", in: in, ops: `{"op":"replace_text","search":"B3","replace":"B2"}`,
			rep: formats.OpReport{Unchanged: true, Warnings: []string{`"B3" was not found; nothing was replaced`, "1 formula holds it too and stayed (S1!B4): in_formulas replaces there too"}},
		},
	})
}
