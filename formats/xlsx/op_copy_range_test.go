package xlsx

import (
	"testing"

	"atelier/formats"
)

// Cells that are copied, filled, sorted, cleared and searched, and names.
func TestCellParts(t *testing.T) {
	runOps(t, []opTest{
		{
			name: "copy_range tells what stays behind", in: ruledBook(t),
			ops: `{"op":"copy_range","sheet":"S1","range":"A2:E5","target":"B2","target_sheet":"S2"}`,
			rep: formats.OpReport{Cells: 8, Made: "S2!B2:C5", Warnings: []string{"merged cells were not merged in the copy; use merge_cells", "not copied with the cells: links, conditional formats, data validations"}},
			swap: map[string][]string{
				bookPart: {
					`</workbook>`, `<calcPr fullCalcOnLoad="1"/></workbook>`,
				},
				sheet2: {
					`<sheetData/>`, `<sheetData><row r="2"><c r="B2" t="inlineStr"><is><t>a</t></is></c><c r="C2" s="1"><v>2</v></c></row>` +
						`<row r="3"><c r="B3" t="inlineStr"><is><t>b</t></is></c><c r="C3" s="1"><v>3</v></c></row><row r="4">` +
						`<c r="B4" t="inlineStr"><is><t>c</t></is></c><c r="C4" s="1"><v>4</v></c></row><row r="5"><c r="B5" t="inlineStr">` +
						`<is><t>d</t></is></c><c r="C5" s="1"><f>SUM(C2:C4)</f></c></row></sheetData>`,
				},
			},
		},
		{
			name: "copy_range of values alone", in: ruledBook(t),
			ops: `{"op":"copy_range","sheet":"S1","range":"A2:B5","target":"B2","target_sheet":"S2","values_only":true}`,
			rep: formats.OpReport{Cells: 8, Made: "S2!B2:C5"},
			swap: map[string][]string{
				sheet2: {
					`<sheetData/>`, `<sheetData><row r="2"><c r="B2" t="inlineStr"><is><t>a</t></is></c><c r="C2" s="1"><v>2</v></c></row>` +
						`<row r="3"><c r="B3" t="inlineStr"><is><t>b</t></is></c><c r="C3" s="1"><v>3</v></c></row><row r="4">` +
						`<c r="B4" t="inlineStr"><is><t>c</t></is></c><c r="C4" s="1"><v>4</v></c></row><row r="5"><c r="B5" t="inlineStr">` +
						`<is><t>d</t></is></c><c r="C5" s="1"><v>9</v></c></row></sheetData>`,
				},
			},
		},
		{
			name: "copy_range of comments", in: notedBook(t),
			ops: `{"op":"copy_range","sheet":"S1","range":"A2:B4","target":"D2"}`,
			rep: formats.OpReport{Cells: 6, Made: "S1!D2:E4", Warnings: []string{"not copied with the cells: comments"}},
			swap: map[string][]string{
				sheet1: {
					`30</v></c></row>`, `30</v></c><c r="D2"><v>1</v></c><c r="E2"><v>30</v></c></row>`,
					`10</v></c></row>`, `10</v></c><c r="D3"><v>2</v></c><c r="E3"><v>10</v></c></row>`,
					`20</v></c></row>`, `20</v></c><c r="D4"><v>3</v></c><c r="E4"><v>20</v></c></row>`,
				},
			},
		},
		{
			name: "copy_range over itself", in: ordersBook(t),
			ops: `{"op":"copy_range","sheet":"S1","range":"A2:D3","target":"A3"}`,
			rep: formats.OpReport{Cells: 8, Made: "S1!A3:D4"},
			swap: map[string][]string{
				bookPart: {
					`</workbook>`, `<calcPr fullCalcOnLoad="1"/></workbook>`,
				},
				sheet1: {
					`<row r="3" spans="1:4">`, `<row r="3">`,
					`Bob`, `Ann &amp; co`,
					`<c r="B3"><v>2`, `<c r="B3"><v>1`,
					`<v>20`, `<v>10.5`,
					`<v>40</v>`, ``,
					`<row r="4" spans="1:4">`, `<row r="4">`,
					`Cleo`, `Bob`,
					`<v>3`, `<v>2</v></c><c r="C4" s="1"><v>20`,
					`<c r="C4" s="1"/>`, ``,
				},
			},
		},
		{
			name: "sort_range tells of comments that stay", in: notedBook(t),
			ops: `{"op":"sort_range","sheet":"S1","range":"A2:B4","by":[{"column":"B"}]}`,
			rep: formats.OpReport{Hits: 3, Cells: 6, Warnings: []string{"2 comments stay in place, on the cells that are sorted"}},
			swap: map[string][]string{
				sheet1: {
					`<c r="A2"><v>1`, `<c r="A2"><v>2`,
					`30`, `10`,
					`<c r="A3"><v>2`, `<c r="A3"><v>3`,
					`<c r="B3"><v>10`, `<c r="B3"><v>20`,
					`<c r="A4"><v>3`, `<c r="A4"><v>1`,
					`<c r="B4"><v>20`, `<c r="B4"><v>30`,
				},
			},
		},
		{
			name: "sort_range by two columns, with a header", in: ordersBook(t),
			ops: `{"op":"set_range","sheet":"S2","start":"D1","values":[["k","n"],["b",1],["a",2],["B",0],[null,9],[true,1],[3,1]]},` +
				`{"op":"sort_range","sheet":"S2","range":"D1:E7","by":[{"column":"D"},{"column":"E","descending":true}],"has_header":"true"}`,
			rep: formats.OpReport{Hits: 4, Cells: 8},
			swap: map[string][]string{
				sheet2: {
					`4</v></c></row>`, `4</v></c><c r="D1" t="inlineStr"><is><t>k</t></is></c><c r="E1" t="inlineStr"><is><t>n</t></is></c></row>`,
					`</v></c></row>`, `</v></c><c r="D2"><v>3</v></c><c r="E2"><v>1</v></c></row>`,
					`</sheetData>`, `<row r="3"><c r="D3" t="inlineStr"><is><t>a</t></is></c><c r="E3"><v>2</v></c></row><row r="4"><c r="D4" t="inlineStr">` +
						`<is><t>b</t></is></c><c r="E4"><v>1</v></c></row><row r="5"><c r="D5" t="inlineStr"><is><t>B</t></is>` +
						`</c><c r="E5"><v>0</v></c></row><row r="6"><c r="D6" t="b"><v>1</v></c><c r="E6"><v>1</v></c></row><row r="7"><c r="E7"><v>9</v></c></row></sheetData>`,
				},
			},
		},
		{
			name: "fill down in a table of formulas", in: ordersBook(t),
			ops: `{"op":"fill","sheet":"S1","range":"C2:D5","direction":"down"}`,
			rep: formats.OpReport{Cells: 6},
			swap: map[string][]string{
				bookPart: {
					`</workbook>`, `<calcPr fullCalcOnLoad="1"/></workbook>`,
				},
				sheet1: {
					`<row r="3" spans="1:4">`, `<row r="3">`,
					`<v>20`, `<v>10.5`,
					`<v>40</v>`, ``,
					`<row r="4" spans="1:4">`, `<row r="4">`,
					`<c r="C4" s="1"/>`, `<c r="C4" s="1"><v>10.5</v></c>`,
					`</sheetData>`, `<row r="5"><c r="C5" s="1"><v>10.5</v></c><c r="D5"><f>C5*2</f></c></row></sheetData>`,
				},
			},
		},
		{
			name: "clear_range of formulas that others read", in: ordersBook(t),
			ops:   `{"op":"clear_range","sheet":"S1","range":"C2:C4","what":"all"}`,
			rep:   formats.OpReport{Cells: 3},
			warns: []string{"2 values of formulas that depend on the edit were dropped (S1!D2:D3)"},
			swap: map[string][]string{
				bookPart: {
					`</workbook>`, `<calcPr fullCalcOnLoad="1"/></workbook>`,
				},
				sheet1: {
					`<row r="2" spans="1:4">`, `<row r="2">`,
					`<c r="C2" s="1"><v>10.5</v></c>`, ``,
					`<v>21</v>`, ``,
					`<row r="3" spans="1:4">`, `<row r="3">`,
					`<c r="C3" s="1"><v>20</v></c>`, ``,
					`<v>40</v>`, ``,
					`<row r="4" spans="1:4">`, `<row r="4">`,
					`<c r="C4" s="1"/>`, ``,
				},
			},
		},
		{
			name: "replace_text looks at cells, not at comments", in: notedBook(t),
			ops: `{"op":"replace_text","search":"sure","replace":"certain"}`,
			rep: formats.OpReport{Unchanged: true, Warnings: []string{`"sure" was not found; nothing was replaced`}},
		},
		{
			name: "replace_text on one sheet of a shared string", in: sourceBook(t),
			ops:   `{"op":"replace_text","sheet":"S1","search":"TEXT","replace":"words"}`,
			rep:   formats.OpReport{Hits: 1, Cells: 1},
			warns: []string{"1 value of a formula that depends on the edit was dropped (S1!D3)"},
			swap: map[string][]string{
				"xl/sharedStrings.xml": {
					`shared &amp; text`, `shared &amp; words`,
				},
				bookPart: {
					`</workbook>`, `<calcPr fullCalcOnLoad="1"/></workbook>`,
				},
				sheet1: {
					`</f><v>2.5</v>`, `</f>`,
				},
			},
		},
		{
			name: "replace_text over two runs", in: sourceBook(t),
			ops: `{"op":"replace_text","search":"n bo","replace":"-"}`,
			rep: formats.OpReport{Hits: 1, Cells: 1},
			swap: map[string][]string{
				"xl/sharedStrings.xml": {
					`plain `, `plai-`,
					`bold`, `ld`,
				},
			},
		},
		{
			name: "replace_text in a header of a table and a formula beside", in: tabledBook(t),
			ops: `{"op":"set_cells","sheet":"S2","cells":[{"cell":"B1","value":"=\"Kilos\"&SUM(Fruit[Kilos])"}]},` +
				`{"op":"replace_text","search":"kilos","replace":"Weight"}`,
			rep:   formats.OpReport{Hits: 1, Cells: 1, Warnings: []string{"1 formula holds it too and stayed (S2!B1): in_formulas replaces there too", `the column "Kilos" of the table Fruit is now called "Weight"; formulas with its name follow`}},
			warns: []string{"5 values of formulas that depend on the edit were dropped (S1!D3:D5, S1!C5, S2!A1)"},
			swap: map[string][]string{
				table1: {
					`<tableColumn id="2" name="Kilos" totalsRowFunction="sum"/>`, `<tableColumn id="2" name="Weight" totalsRowFunction="sum"/>`,
					`Fruit[[#This Row],[Kilos]]*1000`, `Fruit[[#This Row],[Weight]]*1000`,
				},
				bookPart: {
					`Fruit[Kilos]`, `Fruit[Weight]`,
					`</workbook>`, `<calcPr fullCalcOnLoad="1"/></workbook>`,
				},
				sheet1: {
					`<t>Kilos`, `<t>Weight`,
					`<c r="D3"><f>Fruit[[#This Row],[Kilos]]*1000`, `<c r="D3"><f>Fruit[[#This Row],[Weight]]*1000`,
					`<v>2000</v>`, ``,
					`Fruit[[#This Row],[Kilos]]*1000`, `Fruit[[#This Row],[Weight]]*1000`,
					`<v>1000</v>`, ``,
					`SUBTOTAL(109,Fruit[Kilos])`, `SUBTOTAL(109,Fruit[Weight])`,
					`<v>3</v>`, ``,
					`<v>3000</v>`, ``,
				},
				sheet2: {
					`SUM(Fruit[Kilos])`, `SUM(Fruit[Weight])</f></c><c r="B1"><f>&quot;Kilos&quot;&amp;SUM(Fruit[Weight])`,
					`<v>3</v>`, ``,
				},
			},
		},
		{
			name: "define_name changes the meaning: formulas wait", in: ordersBook(t),
			ops: `{"op":"set_cells","sheet":"S2","cells":[{"cell":"C1","value":"=SUM(Amounts)"}]},` +
				`{"op":"define_name","name":"Amounts","refers_to":"=S1!$C$2:$C$3"}`,
			rep: formats.OpReport{Hits: 1, Made: "Amounts"},
			swap: map[string][]string{
				bookPart: {
					`S1!$C$2:$C$4`, `S1!$C$2:$C$3`,
					`</workbook>`, `<calcPr fullCalcOnLoad="1"/></workbook>`,
				},
				sheet2: {
					`4</v></c></row>`, `4</v></c><c r="C1"><f>SUM(Amounts)</f></c></row>`,
				},
			},
		},
		{
			name: "delete_name that formulas use", in: ordersBook(t),
			ops: `{"op":"set_cells","sheet":"S2","cells":[{"cell":"C1","value":"=SUM(amounts)"},{"cell":"C2","value":"=MAX(Amounts)"}]},` +
				`{"op":"delete_name","name":"AMOUNTS"}`,
			rep: formats.OpReport{Hits: 1, Warnings: []string{"2 formulas use the name AMOUNTS; they show #NAME? from now on"}},
			swap: map[string][]string{
				bookPart: {
					`<definedNames><definedName name="Amounts">S1!$C$2:$C$4</definedName></definedNames>`, `<calcPr fullCalcOnLoad="1"/>`,
				},
				sheet2: {
					`4</v></c></row>`, `4</v></c><c r="C1"><f>SUM(amounts)</f></c></row>`,
					`</v></c></row>`, `</v></c><c r="C2"><f>MAX(Amounts)</f></c></row>`,
				},
			},
		},
		{
			name: "set_cells over a name's cells", in: ordersBook(t),
			ops:   `{"op":"set_cells","sheet":"S1","cells":[{"cell":"C3","value":"=C2+1"},{"cell":"E1","value":"2026-01-31"},{"cell":"E2","value":"2026-01-31 10:30","type":"date"},{"cell":"E3","value":"2026-01-31","type":"text"}]}`,
			rep:   formats.OpReport{Cells: 4, Warnings: []string{"2 texts became dates (1 as yyyy-mm-dd, 1 as yyyy-mm-dd hh:mm)"}},
			warns: []string{"too narrow, so numbers show as ####: S1!E2 (column E is 9.1 wide; 15.5 fits)", "1 value of a formula that depends on the edit was dropped (S1!D3)"},
			swap: map[string][]string{
				stylesXML: {
					`<fonts count="1">`, `<numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy-mm-dd"/><numFmt numFmtId="165" formatCode="yyyy-mm-dd hh:mm"/></numFmts><fonts count="1">`,
					`<cellXfs count="2">`, `<cellXfs count="4">`,
					`</cellXfs>`, `<xf fontId="0" fillId="0" borderId="0" numFmtId="164" applyNumberFormat="1"/><xf fontId="0" fillId="0" borderId="0" numFmtId="165" applyNumberFormat="1"/></cellXfs>`,
				},
				bookPart: {
					`</workbook>`, `<calcPr fullCalcOnLoad="1"/></workbook>`,
				},
				sheet1: {
					`<dimension ref="A1:D5"/>`, `<dimension ref="A1:E5"/>`,
					`<row r="1" spans="1:4">`, `<row r="1">`,
					`</is></c></row>`, `</is></c><c r="E1" s="2"><v>46053</v></c></row>`,
					`<row r="2" spans="1:4">`, `<row r="2">`,
					`21</v></c></row>`, `21</v></c><c r="E2" s="3"><v>46053.4375</v></c></row>`,
					`<row r="3" spans="1:4">`, `<row r="3">`,
					`<v>20</v>`, `<f>C2+1</f>`,
					`<v>40</v>`, `</c><c r="E3" t="inlineStr"><is><t>2026-01-31</t></is>`,
				},
			},
		},
	})
}
