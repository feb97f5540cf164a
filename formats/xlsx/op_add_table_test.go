package xlsx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// Tables, and what becomes of them, of formulas and of names with their columns
// when cells, columns and sheets come and go.
func TestTableParts(t *testing.T) {
	runOps(t, []opTest{
		{
			name: "add_table takes the next id and name, and the default style", in: tabledBook(t),
			ops: `{"op":"add_table","sheet":"S2","range":"C1:D3","has_header":false}`,
			rep: formats.OpReport{Hits: 1, Made: "table Table1 S2!C1:D3"},
			swap: map[string][]string{
				typesXML: {
					`</Types>`, typeOf("xl/tables/table2.xml", "spreadsheetml.table+xml") + `</Types>`,
				},
				"xl/tables/table2.xml": {"", xmlDecl +
					`<table xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" id="5" name="Table1" displayName="Table1" ref="C1:D3" headerRowCount="0" totalsRowShown="0">` +
					`<tableColumns count="2"><tableColumn id="1" name="Column1"/><tableColumn id="2" name="Column2"/></tableColumns>` +
					`<tableStyleInfo name="TableStyleMedium2" showFirstColumn="0" showLastColumn="0" showRowStripes="1" showColumnStripes="0"/></table>`},
				sheet2Rels: {"", relsHead + relTo("rId1", "table", "../tables/table2.xml") + `</Relationships>`},
				sheet2: {
					`</worksheet>`, `<tableParts count="1"><tablePart r:id="rId1"/></tableParts></worksheet>`,
				},
			},
		},
		{
			name: "add_table makes headers of numbers, formulas and blanks", in: ordersBook(t),
			ops: `{"op":"set_range","sheet":"S2","start":"E1","values":[[2026,"=A1",null,"2026","x & y"],[1,2,3,4,5]]},` +
				`{"op":"add_table","sheet":"S2","range":"E1:I2","table_style":"TableStyleDark11"}`,
			rep: formats.OpReport{Hits: 1, Cells: 4, Made: "table Table1 S2!E1:I2", Warnings: []string{`headers of a table must be different texts; these were set: E1 = "2026", F1 = "Column2", G1 = "Column3", H1 = "20262"`}},
			swap: map[string][]string{
				typesXML: {
					`</Types>`, typeOf("xl/tables/table1.xml", "spreadsheetml.table+xml") + `</Types>`,
				},
				table1: {"", xmlDecl +
					`<table xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" id="1" name="Table1" displayName="Table1" ref="E1:I2" totalsRowShown="0">` +
					`<autoFilter ref="E1:I2"/><tableColumns count="5"><tableColumn id="1" name="2026"/><tableColumn id="2" name="Column2"/>` +
					`<tableColumn id="3" name="Column3"/><tableColumn id="4" name="20262"/><tableColumn id="5" name="x &amp; y"/>` +
					`</tableColumns><tableStyleInfo name="TableStyleDark11" showFirstColumn="0" showLastColumn="0" showRowStripes="1" showColumnStripes="0"/></table>`},
				sheet2Rels: {"", relsHead + relTo("rId1", "table", "../tables/table1.xml") + `</Relationships>`},
				sheet2: {
					`4</v></c></row>`, `4</v></c><c r="E1" t="inlineStr"><is><t>2026</t></is></c><c r="F1" t="inlineStr"><is><t>Column2</t></is>` +
						`</c><c r="G1" t="inlineStr"><is><t>Column3</t></is></c><c r="H1" t="inlineStr"><is><t>20262</t></is></c>` +
						`<c r="I1" t="inlineStr"><is><t>x &amp; y</t></is></c></row>`,
					`</v></c></row>`, `</v></c><c r="E2"><v>1</v></c><c r="F2"><v>2</v></c><c r="G2"><v>3</v></c><c r="H2"><v>4</v></c><c r="I2"><v>5</v></c></row>`,
					`</worksheet>`, `<tableParts count="1"><tablePart r:id="rId1"/></tableParts></worksheet>`,
				},
			},
		},
		{
			name: "add_table of whole columns", in: ordersBook(t),
			ops: `{"op":"add_table","sheet":"S1","range":"A:D","name":"Orders"}`,
			rep: formats.OpReport{Hits: 1, Made: "table Orders S1!A1:D4"},
			swap: map[string][]string{
				typesXML: {
					`</Types>`, typeOf("xl/tables/table1.xml", "spreadsheetml.table+xml") + `</Types>`,
				},
				table1: {"", xmlDecl +
					`<table xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" id="1" name="Orders" displayName="Orders" ref="A1:D4" totalsRowShown="0">` +
					`<autoFilter ref="A1:D4"/><tableColumns count="4"><tableColumn id="1" name="Who"/><tableColumn id="2" name="Month"/>` +
					`<tableColumn id="3" name="Amount"/><tableColumn id="4" name="Double"/></tableColumns><tableStyleInfo name="TableStyleMedium2" showFirstColumn="0" showLastColumn="0" showRowStripes="1" showColumnStripes="0"/>` +
					`</table>`},
				sheet1Rels: {"", relsHead + relTo("rId1", "table", "../tables/table1.xml") + `</Relationships>`},
				sheet1: {
					`</worksheet>`, `<tableParts count="1"><tablePart r:id="rId1"/></tableParts></worksheet>`,
				},
			},
		},
		{
			name: "insert_rows in a table: it grows, and totals follow", in: tabledBook(t),
			ops: `{"op":"insert_rows","sheet":"S1","row":4,"count":2}`,
			rep: formats.OpReport{Hits: 2, Made: "S1!4:5"},
			swap: map[string][]string{
				table1: {
					`<table xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" id="4" name="Fruit" displayName="Fruit" ref="B2:D5" totalsRowCount="1"><autoFilter ref="B2:D4"/>`, `<table xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" id="4" name="Fruit" displayName="Fruit" ref="B2:D7" totalsRowCount="1"><autoFilter ref="B2:D6"/>`,
				},
				sheet1: {
					`<row r="4"><c r="B4" t="inlineStr">`, `<row r="6"><c r="B6" t="inlineStr">`,
					`<c r="C4">`, `<c r="C6">`,
					`<c r="D4">`, `<c r="D6">`,
					`<row r="5"><c r="B5" t="inlineStr">`, `<row r="7"><c r="B7" t="inlineStr">`,
					`<c r="C5">`, `<c r="C7">`,
					`<c r="D5">`, `<c r="D7">`,
				},
			},
		},
		{
			name: "insert_rows above a table moves it", in: tabledBook(t),
			ops: `{"op":"insert_rows","sheet":"S1","row":1}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!1:1"},
			swap: map[string][]string{
				table1: {
					`<table xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" id="4" name="Fruit" displayName="Fruit" ref="B2:D5" totalsRowCount="1"><autoFilter ref="B2:D4"/>`, `<table xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" id="4" name="Fruit" displayName="Fruit" ref="B3:D6" totalsRowCount="1"><autoFilter ref="B3:D5"/>`,
				},
				sheet1: {
					`<row r="2"><c r="B2" t="inlineStr">`, `<row r="3"><c r="B3" t="inlineStr">`,
					`<c r="C2" t="inlineStr">`, `<c r="C3" t="inlineStr">`,
					`<c r="D2" t="inlineStr">`, `<c r="D3" t="inlineStr">`,
					`</row><row r="3"><c r="B3" t="inlineStr">`, `</row><row r="4"><c r="B4" t="inlineStr">`,
					`<c r="C3">`, `<c r="C4">`,
					`<c r="D3">`, `<c r="D4">`,
					`</v></c></row><row r="4"><c r="B4" t="inlineStr">`, `</v></c></row><row r="5"><c r="B5" t="inlineStr">`,
					`fig</t></is></c><c r="C4">`, `fig</t></is></c><c r="C5">`,
					`1</v></c><c r="D4">`, `1</v></c><c r="D5">`,
					`1000</v></c></row><row r="5"><c r="B5" t="inlineStr">`, `1000</v></c></row><row r="6"><c r="B6" t="inlineStr">`,
					`Total</t></is></c><c r="C5">`, `Total</t></is></c><c r="C6">`,
					`3</v></c><c r="D5">`, `3</v></c><c r="D6">`,
				},
			},
		},
		{
			name: "delete_rows of a table's row", in: tabledBook(t),
			ops:   `{"op":"delete_rows","sheet":"S1","row":3}`,
			rep:   formats.OpReport{Hits: 1},
			warns: []string{"4 values of formulas that depend on the edit were dropped (S1!D3:D4, S1!C4, S2!A1)"},
			swap: map[string][]string{
				table1: {
					`<table xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" id="4" name="Fruit" displayName="Fruit" ref="B2:D5" totalsRowCount="1"><autoFilter ref="B2:D4"/>`, `<table xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" id="4" name="Fruit" displayName="Fruit" ref="B2:D4" totalsRowCount="1"><autoFilter ref="B2:D3"/>`,
				},
				bookPart: {
					`</workbook>`, `<calcPr fullCalcOnLoad="1"/></workbook>`,
				},
				sheet1: {
					`pear`, `fig`,
					`<c r="C3"><v>2`, `<c r="C3"><v>1`,
					`<v>2000</v>`, ``,
					`<c r="B4" t="inlineStr"><is><t>fig`, `<c r="B4" t="inlineStr"><is><t>Total`,
					`<v>1</v></c><c r="D4">`, ``,
					`Fruit[[#This Row],[Kilos]]*1000</f><v>1000</v></c></row><row r="5"><c r="B5" t="inlineStr"><is><t>Total</t></is></c><c r="C5"><f>`, ``,
					`<v>3</v>`, ``,
					`<c r="D5">`, `<c r="D4">`,
					`<v>3000</v>`, ``,
				},
				sheet2: {
					`<v>3</v>`, ``,
				},
			},
		},
		{
			name: "insert_columns in a table names the column", in: tabledBook(t),
			ops: `{"op":"insert_columns","sheet":"S1","column":"C"}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!C:C"},
			swap: map[string][]string{
				table1: {
					`<table xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" id="4" name="Fruit" displayName="Fruit" ref="B2:D5" totalsRowCount="1"><autoFilter ref="B2:D4"/><tableColumns count="3">`, `<table xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" id="4" name="Fruit" displayName="Fruit" ref="B2:E5" totalsRowCount="1"><autoFilter ref="B2:E4"/><tableColumns count="4">`,
					`<tableColumn id="2" name="Kilos" totalsRowFunction="sum"/>`, `<tableColumn id="4" name="Column1"/><tableColumn id="2" name="Kilos" totalsRowFunction="sum"/>`,
				},
				sheet1: {
					`<t>Kilos`, `<t>Column1</t></is></c><c r="D2" t="inlineStr"><is><t>Kilos`,
					`</t></is></c><c r="D2" t="inlineStr"><is><t>Grams`, `</t></is></c><c r="E2" t="inlineStr"><is><t>Grams`,
					`<c r="C3">`, `<c r="D3">`,
					`</v></c><c r="D3">`, `</v></c><c r="E3">`,
					`<c r="C4">`, `<c r="D4">`,
					`</v></c><c r="D4">`, `</v></c><c r="E4">`,
					`<c r="C5">`, `<c r="D5">`,
					`</v></c><c r="D5">`, `</v></c><c r="E5">`,
				},
			},
		},
		{
			name: "delete_columns of a table's column breaks what names it", in: tabledBook(t),
			ops:   `{"op":"delete_columns","sheet":"S1","column":"C"}`,
			rep:   formats.OpReport{Hits: 1, Warnings: []string{"3 formulas now refer to nothing (#REF!): S1!C3:C4, S2!A1"}},
			warns: []string{"4 values of formulas that depend on the edit were dropped (S1!C3:C5, S2!A1)"},
			swap: map[string][]string{
				table1: {
					`<table xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" id="4" name="Fruit" displayName="Fruit" ref="B2:D5" totalsRowCount="1"><autoFilter ref="B2:D4"/><tableColumns count="3">`, `<table xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" id="4" name="Fruit" displayName="Fruit" ref="B2:C5" totalsRowCount="1"><autoFilter ref="B2:C4"/><tableColumns count="2">`,
					`<tableColumn id="2" name="Kilos" totalsRowFunction="sum"/>`, ``,
					`Fruit[[#This Row],[Kilos]]*1000`, `#REF!*1000`,
				},
				bookPart: {
					`Fruit[Kilos]`, `#REF!`,
					`</workbook>`, `<calcPr fullCalcOnLoad="1"/></workbook>`,
				},
				sheet1: {
					`Kilos</t></is></c><c r="D2" t="inlineStr"><is><t>`, ``,
					`<v>2</v></c><c r="D3"><f>Fruit[[#This Row],[Kilos]]*1000</f><v>2000</v>`, `<f>#REF!*1000</f>`,
					`<v>1</v></c><c r="D4"><f>Fruit[[#This Row],[Kilos]]*1000</f><v>1000</v>`, `<f>#REF!*1000</f>`,
					`SUBTOTAL(109,Fruit[Kilos])</f><v>3</v></c><c r="D5"><f>`, ``,
					`<v>3000</v>`, ``,
				},
				sheet2: {
					`SUM(Fruit[Kilos])`, `SUM(#REF!)`,
					`<v>3</v>`, ``,
				},
			},
		},
		{
			name: "delete_columns of the whole table takes its part", in: tabledBook(t),
			ops:   `{"op":"delete_columns","sheet":"S1","column":"B","count":3}`,
			rep:   formats.OpReport{Hits: 3, Warnings: []string{"1 formula now refers to nothing (#REF!): S2!A1"}},
			warns: []string{"1 value of a formula that depends on the edit was dropped (S2!A1)"},
			gone:  []string{table1},
			swap: map[string][]string{
				typesXML: {
					typeOf("xl/tables/table1.xml", "spreadsheetml.table+xml"), ``,
				},
				bookPart: {
					`Fruit[Kilos]`, `#REF!`,
					`</workbook>`, `<calcPr fullCalcOnLoad="1"/></workbook>`,
				},
				sheet1Rels: {
					relTo("rId1", "table", "../tables/table1.xml"), ``,
				},
				sheet1: {
					`<c r="B2" t="inlineStr"><is><t>Kind</t></is></c><c r="C2" t="inlineStr"><is><t>Kilos</t></is></c><c r="D2" t="inlineStr"><is><t>Grams</t></is></c>`, ``,
					`<c r="B3" t="inlineStr"><is><t>pear</t></is></c><c r="C3"><v>2</v></c><c r="D3"><f>Fruit[[#This Row],[Kilos]]*1000</f><v>2000</v></c>`, ``,
					`<c r="B4" t="inlineStr"><is><t>fig</t></is></c><c r="C4"><v>1</v></c><c r="D4"><f>Fruit[[#This Row],[Kilos]]*1000</f><v>1000</v></c>`, ``,
					`<c r="B5" t="inlineStr"><is><t>Total</t></is></c><c r="C5"><f>SUBTOTAL(109,Fruit[Kilos])</f><v>3</v></c><c r="D5"><f>SUBTOTAL(109,Fruit[Grams])</f><v>3000</v></c>`, ``,
					`<tableParts count="1"><tablePart r:id="rId1"/></tableParts>`, ``,
				},
				sheet2: {
					`SUM(Fruit[Kilos])`, `SUM(#REF!)`,
					`<v>3</v>`, ``,
				},
			},
		},
		{
			name: "delete_rows of a whole table leaves those of other sheets", in: tabledBook(t),
			ops: `{"op":"add_table","sheet":"S2","range":"A5:B6","has_header":false},` +
				`{"op":"delete_rows","sheet":"S2","row":5,"count":2}`,
			rep: formats.OpReport{Hits: 2, Warnings: []string{"no cell of the deleted 5:6 held anything"}},
			swap: map[string][]string{
				sheet2Rels: {"", relsHead + `</Relationships>`},
			},
		},
		{
			name: "delete_sheet with a table takes its part", in: tabledBook(t),
			ops:   `{"op":"delete_sheet","sheet":"S1"}`,
			rep:   formats.OpReport{},
			warns: []string{"1 formula now refers to nothing (#REF!): S2!A1", "1 value of a formula that depends on the edit was dropped (S2!A1)"},
			gone:  []string{table1, sheet1Rels, sheet1},
			swap: map[string][]string{
				typesXML: {
					typeOf("xl/worksheets/sheet1.xml", "spreadsheetml.worksheet+xml"), ``,
					typeOf("xl/tables/table1.xml", "spreadsheetml.table+xml"), ``,
				},
				bookRels: {
					relTo("rId1", "worksheet", "worksheets/sheet1.xml"), ``,
				},
				bookPart: {
					`<workbookView activeTab="1"/>`, `<workbookView activeTab="0"/>`,
					`<sheet name="S1" sheetId="1" r:id="rId1"/>`, ``,
					`Fruit[Kilos]`, `#REF!`,
					`</workbook>`, `<calcPr fullCalcOnLoad="1"/></workbook>`,
				},
				sheet2: {
					`SUM(Fruit[Kilos])`, `SUM(#REF!)`,
					`<v>3</v>`, ``,
				},
			},
		},
		{
			name: "copy_sheet copies the table under another name", in: tabledBook(t),
			ops: `{"op":"copy_sheet","sheet":"S1"}`,
			rep: formats.OpReport{Made: "S1 (2)"},
			swap: map[string][]string{
				typesXML: {
					`</Types>`, typeOf("xl/tables/table2.xml", "spreadsheetml.table+xml") +
						typeOf("xl/worksheets/sheet3.xml", "spreadsheetml.worksheet+xml") +
						`</Types>`,
				},
				bookRels: {
					`</Relationships>`, relTo("rId3", "worksheet", "worksheets/sheet3.xml") + `</Relationships>`,
				},
				"xl/tables/table2.xml": {"", `<table xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" id="5" name="Fruit_2" displayName="Fruit_2" ref="B2:D5" totalsRowCount="1">` +
					`<autoFilter ref="B2:D4"/><tableColumns count="3"><tableColumn id="1" name="Kind" totalsRowLabel="Total"/>` +
					`<tableColumn id="2" name="Kilos" totalsRowFunction="sum"/><tableColumn id="3" name="Grams" totalsRowFunction="sum">` +
					`<calculatedColumnFormula>Fruit_2[[#This Row],[Kilos]]*1000</calculatedColumnFormula></tableColumn></tableColumns>` +
					`<tableStyleInfo name="TableStyleMedium2" showRowStripes="1"/></table>`},
				bookPart: {
					`<workbookView activeTab="1"/>`, `<workbookView activeTab="2"/>`,
					`<sheet name="S2" sheetId="2" r:id="rId2"/>`, `<sheet name="S1 (2)" sheetId="3" r:id="rId3"/><sheet name="S2" sheetId="2" r:id="rId2"/>`,
				},
				"xl/worksheets/_rels/sheet3.xml.rels": {"", relsHead + relTo("rId1", "table", "../tables/table2.xml") + `</Relationships>`},
				sheet3: {"", sheetHead +
					`<sheetData><row r="2"><c r="B2" t="inlineStr"><is><t>Kind</t></is></c><c r="C2" t="inlineStr"><is><t>Kilos</t>` +
					`</is></c><c r="D2" t="inlineStr"><is><t>Grams</t></is></c></row><row r="3"><c r="B3" t="inlineStr"><is>` +
					`<t>pear</t></is></c><c r="C3"><v>2</v></c><c r="D3"><f>Fruit_2[[#This Row],[Kilos]]*1000</f><v>2000</v>` +
					`</c></row><row r="4"><c r="B4" t="inlineStr"><is><t>fig</t></is></c><c r="C4"><v>1</v></c><c r="D4"><f>Fruit_2[[#This Row],[Kilos]]*1000</f>` +
					`<v>1000</v></c></row><row r="5"><c r="B5" t="inlineStr"><is><t>Total</t></is></c><c r="C5"><f>SUBTOTAL(109,Fruit_2[Kilos])</f>` +
					`<v>3</v></c><c r="D5"><f>SUBTOTAL(109,Fruit_2[Grams])</f><v>3000</v></c></row></sheetData><tableParts count="1">` +
					`<tablePart r:id="rId1"/></tableParts></worksheet>`},
			},
		},
		{
			name: "rename_sheet leaves the table", in: tabledBook(t),
			ops: `{"op":"rename_sheet","sheet":"S1","new_name":"Fruit list"}`,
			rep: formats.OpReport{Made: "Fruit list"},
			swap: map[string][]string{
				bookPart: {
					`<sheet name="S1" sheetId="1" r:id="rId1"/>`, `<sheet name="Fruit list" sheetId="1" r:id="rId1"/>`,
				},
			},
		},
		{
			name: "set_cells renames a column of a table", in: tabledBook(t),
			ops:   `{"op":"set_cells","sheet":"S1","cells":[{"cell":"C2","value":"Kg"}]}`,
			rep:   formats.OpReport{Cells: 1},
			warns: []string{`the column "Kilos" of the table Fruit is now called "Kg"; formulas with its name follow`, "5 values of formulas that depend on the edit were dropped (S1!D3:D5, S1!C5, S2!A1)"},
			swap: map[string][]string{
				table1: {
					`<tableColumn id="2" name="Kilos" totalsRowFunction="sum"/>`, `<tableColumn id="2" name="Kg" totalsRowFunction="sum"/>`,
					`Fruit[[#This Row],[Kilos]]*1000`, `Fruit[[#This Row],[Kg]]*1000`,
				},
				bookPart: {
					`Fruit[Kilos]`, `Fruit[Kg]`,
					`</workbook>`, `<calcPr fullCalcOnLoad="1"/></workbook>`,
				},
				sheet1: {
					`<t>Kilos`, `<t>Kg`,
					`<c r="D3"><f>Fruit[[#This Row],[Kilos]]*1000`, `<c r="D3"><f>Fruit[[#This Row],[Kg]]*1000`,
					`<v>2000</v>`, ``,
					`Fruit[[#This Row],[Kilos]]*1000`, `Fruit[[#This Row],[Kg]]*1000`,
					`<v>1000</v>`, ``,
					`SUBTOTAL(109,Fruit[Kilos])`, `SUBTOTAL(109,Fruit[Kg])`,
					`<v>3</v>`, ``,
					`<v>3000</v>`, ``,
				},
				sheet2: {
					`SUM(Fruit[Kilos])`, `SUM(Fruit[Kg])`,
					`<v>3</v>`, ``,
				},
			},
		},
		{
			name: "sort_range of the rows of a table", in: tabledBook(t),
			ops:   `{"op":"sort_range","sheet":"S1","range":"B3:D4","by":[{"column":"C"}]}`,
			rep:   formats.OpReport{Hits: 2, Cells: 6},
			warns: []string{"3 values of formulas that depend on the edit were dropped (S1!C5:D5, S2!A1)"},
			swap: map[string][]string{
				bookPart: {
					`</workbook>`, `<calcPr fullCalcOnLoad="1"/></workbook>`,
				},
				sheet1: {
					`pear`, `fig`,
					`<c r="C3"><v>2`, `<c r="C3"><v>1`,
					`<v>2000</v>`, ``,
					`<c r="B4" t="inlineStr"><is><t>fig`, `<c r="B4" t="inlineStr"><is><t>pear`,
					`<c r="C4"><v>1`, `<c r="C4"><v>2`,
					`<v>1000</v>`, ``,
					`<v>3</v>`, ``,
					`<v>3000</v>`, ``,
				},
				sheet2: {
					`<v>3</v>`, ``,
				},
				"xl/tables/table1.xml": {
					`<tableColumns`, `<sortState ref="B3:D4"><sortCondition ref="C3:C4"/></sortState><tableColumns`,
				},
			},
		},
		{
			name: "replace_text in a header of a table", in: tabledBook(t),
			ops:   `{"op":"replace_text","search":"kilos","replace":"Weight"}`,
			rep:   formats.OpReport{Hits: 1, Cells: 1, Warnings: []string{`the column "Kilos" of the table Fruit is now called "Weight"; formulas with its name follow`}},
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
					`SUM(Fruit[Kilos])`, `SUM(Fruit[Weight])`,
					`<v>3</v>`, ``,
				},
			},
		},
	})
}

func TestAddTableRefuses(t *testing.T) {
	runRefusals(t, tabledBook(t), []refusal{
		{`{"op":"add_table","sheet":"S1","range":"D5:E9"}`, formats.CodeInvalid, "the table D5:E9 would overlap the table Fruit B2:D5"},
		{`{"op":"add_table","sheet":"S2","range":"C1:D2","name":"fruit"}`, formats.CodeInvalid, "the name fruit is taken; give another"},
		{`{"op":"add_table","sheet":"S2","range":"C1:D2","name":"ALLFRUIT"}`, formats.CodeInvalid, "the name ALLFRUIT is taken; give another"},
		{`{"op":"add_table","sheet":"S2","range":"C1:D2","name":"Jan26"}`, formats.CodeInvalid, "invalid table name Jan26: it looks like a cell"},
		{`{"op":"add_table","sheet":"S2","range":"C1:D2","name":"c"}`, formats.CodeInvalid, "invalid table name c: it looks like a cell"},
		{`{"op":"add_table","sheet":"S2","range":"C1:D2","name":"` + strings.Repeat("x", 256) + `"}`, formats.CodeInvalid, "invalid table name"},
		{`{"op":"add_table","sheet":"S2","range":"C1"}`, formats.CodeInvalid, "the table C1 needs a row below its header"},
		{`{"op":"add_table","sheet":"S2","range":"C0"}`, formats.CodeInvalid, "C0"},
		{`{"op":"add_table","sheet":"S9","range":"C1:D2"}`, formats.CodeNotFound, "unknown sheet: S9"},
		{`{"op":"add_table","sheet":"S2","range":"C1:D2","table_style":"TableStyleMedium29"}`, formats.CodeInvalid, "unknown table style TableStyleMedium29; use none, TableStyleLight1 to 21"},
		{`{"op":"set_cells","sheet":"S2","cells":[{"cell":"C1","value":"` + strings.Repeat("x", 256) + `"}]},{"op":"add_table","sheet":"S2","range":"C1:D2"}`, formats.CodeInvalid, "the header in C1 has 256 characters; a table allows at most 255"},
		{`{"op":"add_table","sheet":"S2","range":"C1:D2"},{"op":"set_cells","sheet":"S2","cells":[{"cell":"C1","value":"same"},{"cell":"D1","value":"SAME"}]}`, formats.CodeInvalid, `two columns named "SAME"; header names must differ`},
	})
	runRefusals(t, ruledBook(t), []refusal{
		{`{"op":"add_table","sheet":"S1","range":"B4:C9"}`, formats.CodeInvalid, "the table B4:C9 would overlap the filter over A1:B5; remove that first (op autofilter, remove:true)"},
		{`{"op":"add_table","sheet":"S1","range":"C2:D9"}`, formats.CodeInvalid, "would overlap the merged cell D2:E3"},
	})
	array := raw(t, nil, `<sheetData><row r="1"><c r="A1"><f t="array" ref="A1:A2">D1:D2</f><v>1</v></c></row></sheetData>`)
	runRefusals(t, array, []refusal{{`{"op":"add_table","sheet":"S1","range":"A2:B3","has_header":false}`, formats.CodeInvalid, "the table A2:B3 would overlap the array formula in A1:A2"}})
	runRefusals(t, rich(t), []refusal{{`{"op":"add_table","sheet":"Piv","range":"B5:D9","has_header":false}`, formats.CodeInvalid, "the table B5:D9 would overlap the pivot table in A3:"}})
}

// A style of the workbook's own may be used by its name.
func TestAddTableInAStyleOfTheWorkbook(t *testing.T) {
	in := edited(t, styledBook(t), stylesXML, swap("</styleSheet>", `<tableStyles count="1"><tableStyle name="House &amp; co" count="0"/></tableStyles></styleSheet>`))
	out, _ := apply(t, in, `[{"op":"add_table","sheet":"S1","range":"A1:B3","table_style":"House & co"}]`)
	require.Contains(t, part(t, out, table1), `<tableStyleInfo name="House &amp; co" `)
	formatstest.SameParts(t, in, out, table1, sheet1, sheet1Rels, typesXML)
}

// An independent reader reads the tables of a workbook after operations on them.
func TestTablesReadBack(t *testing.T) {
	out, _ := apply(t, tabledBook(t), `[{"op":"add_table","sheet":"S2","range":"C1:D3","has_header":false,"table_style":"none","name":"Jan"},{"op":"copy_sheet","sheet":"S1","new_name":"Twin"},{"op":"insert_rows","sheet":"S1","row":4},{"op":"insert_columns","sheet":"S1","column":"A"}]`)
	f := excel(t, out)
	var told []string
	for _, sheet := range f.GetSheetList() {
		tables, err := f.GetTables(sheet)
		require.NoError(t, err)
		for _, tab := range tables {
			told = append(told, sheet+" "+tab.Name+" "+tab.Range+" "+tab.StyleName)
		}
	}
	require.Equal(t, []string{"S1 Fruit C2:E6 TableStyleMedium2", "Twin Fruit_2 B2:D5 TableStyleMedium2", "S2 Jan C1:D3 "}, told)
}
