package xlsx

import (
	"strings"
	"testing"

	"atelier/formats"
)

const (
	sheet1Rels = "xl/worksheets/_rels/sheet1.xml.rels"
	relsHead   = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
)

func TestObjectOperations(t *testing.T) {
	linked := func() []byte {
		out, _ := apply(t, smallBook(t), `[{"op":"set_hyperlink","sheet":"S1","cell":"A2","url":"https://x.example/a"}]`)
		return out
	}
	runOps(t, []opTest{
		{
			name: "merge_cells adds to the list", ops: `{"op":"merge_cells","sheet":"S1","range":"E5:F5"}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!E5:F5"}, swap: map[string][]string{sheet1: {`count="1"`, `count="2"`, `</mergeCells>`, `<mergeCell ref="E5:F5"/></mergeCells>`}},
		},
		{
			name: "merge_cells makes the list, and tells what is hidden", ops: `{"op":"merge_cells","sheet":"S2","range":"A1:B1"}`,
			rep:  formats.OpReport{Hits: 1, Made: "S2!A1:B1", Warnings: []string{"merging A1:B1 hides the values of B1"}},
			swap: map[string][]string{sheet2: {`</sheetData>`, `</sheetData><mergeCells count="1"><mergeCell ref="A1:B1"/></mergeCells>`}},
		},
		{
			name: "merge_cells of merged ones", ops: `{"op":"merge_cells","sheet":"S1","range":"E2:F3"}`,
			rep: formats.OpReport{Unchanged: true, Warnings: []string{"E2:F3 is merged already"}},
		},
		{
			name: "unmerge_cells takes the list with the last one", ops: `{"op":"unmerge_cells","sheet":"S1","range":"F3"}`,
			rep: formats.OpReport{Hits: 1}, swap: map[string][]string{sheet1: {`<mergeCells count="1"><mergeCell ref="E2:F3"/></mergeCells>`, ``}},
		},
		{
			name: "unmerge_cells where nothing is merged", ops: `{"op":"unmerge_cells","sheet":"S1","range":"A1:B9"}`,
			rep: formats.OpReport{Unchanged: true, Warnings: []string{"there is no merged cell in A1:B9"}},
		},
		{
			name: "merge_cells and unmerge_cells", ops: `{"op":"merge_cells","sheet":"S2","range":"C3:D4"},{"op":"unmerge_cells","sheet":"S2","range":"C3:D4"}`,
			rep: formats.OpReport{Hits: 1},
		},
		{
			name: "set_hyperlink with an empty address removes the link and its relationship", in: linked(),
			ops: `{"op":"set_hyperlink","sheet":"S1","cell":"A2","url":""}`, rep: formats.OpReport{Hits: 1},
			swap: map[string][]string{
				sheet1:     {`<hyperlinks><hyperlink ref="A2" r:id="rId1"/></hyperlinks>`, ``},
				sheet1Rels: {`<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink" Target="https://x.example/a" TargetMode="External"/>`, ``},
			},
		},
		{
			name: "set_hyperlink finds no link to remove", ops: `{"op":"set_hyperlink","sheet":"S1","cell":"B1","url":""}`,
			rep: formats.OpReport{Unchanged: true, Warnings: []string{"there is no link in B1"}},
		},
		{
			name: "data_validation with a list of words", ops: `{"op":"data_validation","sheet":"S2","range":"C1:C3","type":"list","list":["Yes","No"]}`,
			rep:  formats.OpReport{Hits: 1, Made: "S2!C1:C3"},
			swap: map[string][]string{sheet2: {`</sheetData>`, `</sheetData><dataValidations count="1"><dataValidation type="list" allowBlank="1" showInputMessage="1" showErrorMessage="1" sqref="C1:C3"><formula1>&quot;Yes,No&quot;</formula1></dataValidation></dataValidations>`}},
		},
		{
			name: "data_validation between two numbers", ops: `{"op":"data_validation","sheet":"S2","range":"C1","type":"whole","value":1,"value2":"=B1","error":"1 to <B1>"}`,
			rep:  formats.OpReport{Hits: 1, Made: "S2!C1"},
			swap: map[string][]string{sheet2: {`</sheetData>`, `</sheetData><dataValidations count="1"><dataValidation type="whole" allowBlank="1" showInputMessage="1" showErrorMessage="1" error="1 to &lt;B1&gt;" sqref="C1"><formula1>1</formula1><formula2>B1</formula2></dataValidation></dataValidations>`}},
		},
		{
			name: "data_validation removed from a part of its cells", in: raw(t, nil, `<sheetData/><dataValidations count="1"><dataValidation type="list" sqref="A1:A9"><formula1>"x"</formula1></dataValidation></dataValidations>`),
			ops: `{"op":"data_validation","sheet":"S1","range":"A4:A6","remove":true}`, rep: formats.OpReport{Hits: 1},
			swap: map[string][]string{sheet1: {`sqref="A1:A9"`, `sqref="A1:A3 A7:A9"`}},
		},
		{
			name: "data_validation removed altogether", in: raw(t, nil, `<sheetData/><dataValidations count="1"><dataValidation type="list" sqref="A1:A9"><formula1>"x"</formula1></dataValidation></dataValidations>`),
			ops: `{"op":"data_validation","sheet":"S1","range":"A:A","remove":true}`, rep: formats.OpReport{Hits: 1},
			swap: map[string][]string{sheet1: {`<dataValidations count="1"><dataValidation type="list" sqref="A1:A9"><formula1>"x"</formula1></dataValidation></dataValidations>`, ``}},
		},
		{
			name: "data_validation: none to remove", ops: `{"op":"data_validation","sheet":"S2","range":"A1","remove":true}`,
			rep: formats.OpReport{Unchanged: true, Warnings: []string{"there is no data validation in A1"}},
		},
		{
			name: "conditional_format without a format of its own", ops: `{"op":"conditional_format","sheet":"S2","range":"A1:B1","rule":{"type":"color_scale","colors":["FF0000","00FF00"]}}`,
			rep:  formats.OpReport{Hits: 1, Made: "S2!A1:B1"},
			swap: map[string][]string{sheet2: {`</sheetData>`, `</sheetData><conditionalFormatting sqref="A1:B1"><cfRule type="colorScale" priority="1"><colorScale><cfvo type="min"/><cfvo type="max"/><color rgb="FFFF0000"/><color rgb="FF00FF00"/></colorScale></cfRule></conditionalFormatting>`}},
		},
		{
			name: "conditional_format removed", in: raw(t, nil, `<sheetData/><conditionalFormatting sqref="A1:A9"><cfRule type="expression" priority="1"><formula>A1</formula></cfRule></conditionalFormatting>`),
			ops: `{"op":"conditional_format","sheet":"S1","range":"A:A","remove":true}`, rep: formats.OpReport{Hits: 1},
			swap: map[string][]string{sheet1: {`<conditionalFormatting sqref="A1:A9"><cfRule type="expression" priority="1"><formula>A1</formula></cfRule></conditionalFormatting>`, ``}},
		},
		{
			name: "add_comment and delete_comment", ops: `{"op":"add_comment","sheet":"S1","cell":"B2","text":"Why?","author":"Ann"},{"op":"delete_comment","sheet":"S1","cell":"B2"}`,
			rep: formats.OpReport{Hits: 1},
			swap: map[string][]string{
				sheet1Rels: {"", relsHead + "</Relationships>"},
				typesXML:   {`<Default Extension="rels"`, `<Default Extension="vml" ContentType="application/vnd.openxmlformats-officedocument.vmlDrawing"/><Default Extension="rels"`},
			},
		},
		{
			name: "delete_comment of a cell without", ops: `{"op":"delete_comment","sheet":"S1","cell":"A1"}`,
			rep: formats.OpReport{Unchanged: true, Warnings: []string{"cell A1 has no comment"}},
		},
	})
}

func TestObjectOperationsRefuse(t *testing.T) {
	long := strings.Repeat("x", 256)
	runRefusals(t, nil, []refusal{
		{`{"op":"merge_cells","sheet":"S1"}`, formats.CodeInvalid, "range"},
		{`{"op":"merge_cells","sheet":"S1","range":"A1"}`, formats.CodeInvalid, "A1 is a single cell"},
		{`{"op":"merge_cells","sheet":"S1","range":"F3:G4"}`, formats.CodeInvalid, "F3:G4 overlaps the merged cell E2:F3"},
		{`{"op":"merge_cells","sheet":"S9","range":"A1:B2"}`, formats.CodeNotFound, "unknown sheet: S9"},
		{`{"op":"unmerge_cells","sheet":"S9","range":"A1:B2"}`, formats.CodeNotFound, "unknown sheet: S9"},
		{`{"op":"set_hyperlink","sheet":"S1","url":"https://x.example"}`, formats.CodeInvalid, "cell is required"},
		{`{"op":"set_hyperlink","sheet":"S1","cell":"A1"}`, formats.CodeInvalid, "url or location is required"},
		{`{"op":"set_hyperlink","sheet":"S1","cell":"A1","url":"javascript:alert(1)"}`, formats.CodeInvalid, "links to javascript: addresses are not allowed"},
		{`{"op":"set_hyperlink","sheet":"S1","cell":"A1","url":"https://x.example/` + strings.Repeat("x", 2079) + `"}`, formats.CodeInvalid, "the limit is 2079"},
		{`{"op":"set_hyperlink","sheet":"S1","cell":"A1","location":"S9!A1"}`, formats.CodeNotFound, "unknown sheet: S9"},
		{`{"op":"set_hyperlink","sheet":"S1","cell":"A1","location":"S2!A0"}`, formats.CodeInvalid, "A0"},
		{`{"op":"set_hyperlink","sheet":"S1","cell":"A1","location":"S2!A1","tooltip":"` + long + `"}`, formats.CodeInvalid, "the tooltip has 256 characters"},
		{`{"op":"data_validation","sheet":"S1","range":"A1","type":"colour"}`, formats.CodeInvalid, "unknown validation type"},
		{`{"op":"data_validation","sheet":"S1","range":"A1","type":"list"}`, formats.CodeInvalid, "list is required"},
		{`{"op":"data_validation","sheet":"S1","range":"A1","type":"list","list":["a,b"]}`, formats.CodeInvalid, "has a comma"},
		{`{"op":"data_validation","sheet":"S1","range":"A1","type":"list","list":["` + long + `"]}`, formats.CodeInvalid, "256 characters, at most 255"},
		{`{"op":"data_validation","sheet":"S1","range":"A1","type":"list","list":[[1]]}`, formats.CodeInvalid, "item 1 of list"},
		{`{"op":"data_validation","sheet":"S1","range":"A1","type":"list","value":"=S9!A1:A2"}`, formats.CodeNotFound, "unknown sheet: S9"},
		{`{"op":"data_validation","sheet":"S1","range":"A1","type":"whole","operator":"~","value":1}`, formats.CodeInvalid, "unknown operator"},
		{`{"op":"data_validation","sheet":"S1","range":"A1","type":"whole","operator":">","value":1.5}`, formats.CodeInvalid, "must be a whole number"},
		{`{"op":"data_validation","sheet":"S1","range":"A1","type":"date","operator":">","value":"soon"}`, formats.CodeInvalid, "a date such as"},
		{`{"op":"data_validation","sheet":"S1","range":"A1","type":"time","operator":">","value":"25:00"}`, formats.CodeInvalid, "a time such as"},
		{`{"op":"data_validation","sheet":"S1","range":"A1","type":"custom","value":"1"}`, formats.CodeInvalid, "value is required: a formula"},
		{`{"op":"data_validation","sheet":"S1","range":"A1","type":"whole","operator":"between","value":1}`, formats.CodeInvalid, "value2 is required"},
		{`{"op":"data_validation","sheet":"S1","range":"A1","type":"whole","operator":">","value":1,"prompt":"` + long + `"}`, formats.CodeInvalid, "prompt has 256 characters"},
		{`{"op":"conditional_format","sheet":"S1","range":"A1"}`, formats.CodeInvalid, "rule is required"},
		{`{"op":"conditional_format","sheet":"S1","range":"A1","rule":{"type":"sparkle"}}`, formats.CodeInvalid, "unknown rule type"},
		{`{"op":"conditional_format","sheet":"S9","range":"A1","rule":{"type":"duplicate"}}`, formats.CodeNotFound, "unknown sheet: S9"},
		{`{"op":"add_comment","sheet":"S1","cell":"A1","text":" "}`, formats.CodeInvalid, "text is required"},
		{`{"op":"add_comment","sheet":"S1","text":"x"}`, formats.CodeInvalid, "cell is required"},
		{`{"op":"add_comment","sheet":"S1","cell":"A1","text":"` + strings.Repeat("x", 32768) + `"}`, formats.CodeInvalid, "32768 characters"},
		{`{"op":"add_table","sheet":"S1","range":"A1:C1"}`, formats.CodeInvalid, "needs a row below its header"},
		{`{"op":"add_table","sheet":"S1","range":"E1:F4"}`, formats.CodeInvalid, "would overlap the merged cell E2:F3"},
		{`{"op":"add_table","sheet":"S1","range":"A1:C4","name":"R1C1"}`, formats.CodeInvalid, "looks like a cell"},
		{`{"op":"add_table","sheet":"S1","range":"A1:C4","name":"a b"}`, formats.CodeInvalid, "begins with a letter"},
		{`{"op":"add_table","sheet":"S1","range":"A1:C4","table_style":"Nice"}`, formats.CodeInvalid, "Nice"},
		{`{"op":"add_table","sheet":"S1","range":"X:Y"}`, formats.CodeInvalid, "is empty"},
		{`{"op":"add_image","sheet":"S1","cell":"A1"}`, formats.CodeInvalid, "path is required"},
		{`{"op":"add_chart","sheet":"S1","cell":"A1","type":"bubble","range":"A1:B3"}`, formats.CodeInvalid, "has no sizes"},
		{`{"op":"add_chart","sheet":"S1","cell":"A1","type":"stacked_pie","range":"A1:B3"}`, formats.CodeInvalid, "unknown chart type"},
		{`{"op":"add_chart","sheet":"S1","cell":"A1","type":"bar","series":[{"values":"S9!A1:A2"}]}`, formats.CodeNotFound, "series 1: unknown sheet: S9"},
		{`{"op":"set_style","sheet":"S1","range":"A1"}`, formats.CodeInvalid, "style is required"},
		{`{"op":"set_style","sheet":"S1","range":"A1","style":{"font_color":"reddish"}}`, formats.CodeInvalid, "reddish"},
		{`{"op":"set_style","sheet":"S9","range":"A1","style":{"font_bold":true}}`, formats.CodeNotFound, "unknown sheet: S9"},
		{`{"op":"copy_styles","sheet":"S1","range":"A1","source":"A1"}`, formats.CodeInvalid, "source is required"},
		{`{"op":"copy_styles","sheet":"S1","range":"A1","source":"S9!A1"}`, formats.CodeNotFound, "unknown sheet: S9"},
		{`{"op":"set_sheet_view","sheet":"S1"}`, formats.CodeInvalid, "zoom, gridlines or headings is required"},
		{`{"op":"set_sheet_view","sheet":"S1","zoom":9}`, formats.CodeInvalid, "invalid zoom 9"},
	})
}
