package diff_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats/xlsx/internal/xlsxtest"
)

const xdr = `xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`

// withParts is a workbook of one sheet that leads to parts by its relationships.
func withParts(t testing.TB, rels []string, parts map[string]string) []byte {
	if len(rels) > 0 {
		parts[xlsxtest.Sheet1Rels] = xlsxtest.Rels(rels...)
	}
	return xlsxtest.Raw(t, parts, xlsxtest.Grid("who|n", "Ana|1", "Bo|2"))
}

// drawn is a workbook with a drawing of the given anchors' contents.
func drawn(t testing.TB, anchors ...string) []byte {
	xml := `<xdr:wsDr ` + xdr + `>`
	for _, a := range anchors {
		xml += `<xdr:twoCellAnchor>` + a + `</xdr:twoCellAnchor>`
	}
	return withParts(t, []string{"drawing ../drawings/drawing1.xml"}, map[string]string{"xl/drawings/drawing1.xml": xml + `</xdr:wsDr>`})
}

func at(c1, r1, c2, r2 string) string {
	return `<xdr:from><xdr:col>` + c1 + `</xdr:col><xdr:row>` + r1 + `</xdr:row></xdr:from><xdr:to><xdr:col>` + c2 + `</xdr:col><xdr:row>` + r2 + `</xdr:row></xdr:to>`
}

func shape(name, attrs, text string) string {
	return `<xdr:sp><xdr:nvSpPr><xdr:cNvPr id="2" name="` + name + `"` + attrs + `/></xdr:nvSpPr><xdr:txBody><a:p><a:r><a:t>` + text + `</a:t></a:r></a:p></xdr:txBody></xdr:sp>`
}

func TestShapesInWords(t *testing.T) {
	box := at("1", "1", "3", "4") + shape("Box 1", "", "hello")
	none := drawn(t)
	runPlanted(t, []planted{
		{"added", none, drawn(t, box), []string{"shape added S1!B2:D5:  → shape “hello”"}},
		{"text", drawn(t, box), drawn(t, at("1", "1", "3", "4")+shape("Box 1", "", "bye")), []string{"shape changed S1!B2:D5: shape “hello” → shape “bye”"}},
		{"without text", none, drawn(t, at("0", "0", "1", "1")+shape("Box 1", "", "")), []string{"shape added S1!A1:B2:  → shape Box 1"}},
		{"hidden", drawn(t, box), drawn(t, at("1", "1", "3", "4")+shape("Box 1", ` hidden="1"`, "hello")), []string{"shape changed S1!B2:D5: shape “hello” → shape “hello”, hidden ⚠ S1!B2:D5: hidden: shape “hello”"}},
		{"a line", none, drawn(t, at("0", "0", "1", "1")+`<xdr:cxnSp><xdr:nvCxnSpPr><xdr:cNvPr id="3" name="L"/></xdr:nvCxnSpPr></xdr:cxnSp>`), []string{"shape added S1!A1:B2:  → line L"}},
		{"a chart that is missing", none, drawn(t, at("0", "0", "1", "1")+`<xdr:graphicFrame><xdr:nvGraphicFramePr><xdr:cNvPr id="3" name="C"/></xdr:nvGraphicFramePr><c:chart xmlns:c="c" r:id="rId9"/></xdr:graphicFrame>`), []string{"chart added S1!A1:B2:  → a chart that is missing from the file ⚠ S1!A1:B2: lost: the chart is missing from the file"}},
	})
	moved := told(compare(t, drawn(t, box), drawn(t, at("2", "2", "4", "5")+shape("Box 1", "", "hello"))))
	require.Len(t, moved, 1)
	require.Contains(t, moved[0], "C3:E6")
	require.Contains(t, moved[0], "B2:D5")
}

func TestNotesAndTablesInWords(t *testing.T) {
	notes := func(list string) []byte {
		return withParts(t, nil, map[string]string{"xl/comments1.xml": `<comments><authors><author>Ana</author><author>Bo</author></authors><commentList>` + list + `</commentList></comments>`})
	}
	note := func(ref, author, text string) string {
		return `<comment ref="` + ref + `" authorId="` + author + `"><text><t>` + text + `</t></text></comment>`
	}
	table := func(attrs, filter, style string) []byte {
		return withParts(t, nil, map[string]string{"xl/tables/table1.xml": `<table displayName="T" ref="A1:B3"` + attrs + `>` + filter + `<tableColumns count="2"><tableColumn name="who"/><tableColumn name="n"/></tableColumns>` + style + `</table>`})
	}
	plain := withParts(t, nil, map[string]string{})
	runPlanted(t, []planted{
		{"note added", notes(note("A1", "0", "x")), notes(note("A1", "0", "x") + note("B2", "1", "y")), []string{"comment added S1!B2:  → Bo: y"}},
		{"note changed", notes(note("A1", "0", "x")), notes(note("A1", "0", "z")), []string{"comment changed S1!A1: Ana: x → Ana: z"}},
		{"author changed", notes(note("A1", "0", "x")), notes(note("A1", "1", "x")), []string{"comment changed S1!A1: Ana: x → Bo: x"}},
		{"note removed", notes(note("A1", "0", "x") + note("B2", "1", "y")), notes(note("A1", "0", "x")), []string{"comment removed S1!B2: Bo: y →  ⚠ S1!B2: lost: a comment"}},
		{"table", plain, table("", "", ""), []string{"table added S1!A1:B3:  → table T, columns who, n"}},
		{"table lost", table("", "", ""), plain, []string{"table removed S1!A1:B3: table T, columns who, n →  ⚠ S1!A1:B3: lost: table T"}},
		{"table style", table("", "", `<tableStyleInfo name="Medium2"/>`), table("", "", `<tableStyleInfo name="Light1"/>`), []string{"table changed S1!A1:B3: table T, style Medium2, columns who, n → table T, style Light1, columns who, n"}},
		{"rows of a table", table("", "", ""), table(` headerRowCount="0" totalsRowCount="1"`, "", ""), []string{"table changed S1!A1:B3: table T, columns who, n → table T without a header row with a total row, columns who, n"}},
		{"filter of a table", table("", "", ""), table("", `<autoFilter ref="A1:B3"><filterColumn colId="0"><filters><filter val="Ana"/></filters></filterColumn></autoFilter>`, ""), []string{"filter added S1!A1:B3:  → filter: column 1 is Ana of table T ⚠ S1!A1:B3: the filter of table T hides rows"}},
	})
}

func TestThreadsInWords(t *testing.T) {
	book := func(done, text string) []byte {
		return withParts(t, []string{"http://schemas.microsoft.com/office/2017/10/relationships/threadedComment ../threadedComments/threadedComment1.xml"}, map[string]string{
			"xl/threadedComments/threadedComment1.xml": `<ThreadedComments><threadedComment ref="A1" personId="{p}" id="{t}"` + done + `><text>` + text + `</text></threadedComment></ThreadedComments>`,
			"xl/persons/person.xml":                    `<personList><person displayName="Eva" id="{p}"/></personList>`,
			"xl/_rels/workbook.xml.rels":               xlsxtest.Rels("worksheet worksheets/sheet1.xml", "http://schemas.microsoft.com/office/2017/10/relationships/person persons/person.xml"),
		})
	}
	runPlanted(t, []planted{
		{"changed", book("", "a"), book("", "b"), []string{"comment changed S1!A1: Eva: a → Eva: b"}},
		{"resolved", book("", "a"), book(` done="1"`, "a"), []string{"comment changed S1!A1: Eva: a → Eva: a (resolved)"}},
	})
}

func TestControlsAndPivotTablesInWords(t *testing.T) {
	vml := func(shapes string) []byte {
		return withParts(t, []string{"vmlDrawing ../drawings/vmlDrawing1.vml"}, map[string]string{"xl/drawings/vmlDrawing1.vml": `<xml>` + shapes + `</xml>`})
	}
	pivot := func(ref, source string) []byte {
		return withParts(t, []string{"pivotTable ../pivotTables/p.xml"}, map[string]string{
			"xl/pivotTables/p.xml":            `<pivotTableDefinition name="P"><location ref="` + ref + `"/></pivotTableDefinition>`,
			"xl/pivotTables/_rels/p.xml.rels": xlsxtest.Rels("pivotCacheDefinition ../pivotCache/a.xml"),
			"xl/pivotCache/a.xml":             `<pivotCacheDefinition><cacheSource><worksheetSource name="` + source + `"/></cacheSource></pivotCacheDefinition>`,
		})
	}
	button := `<v:shape id="s1"><x:ClientData ObjectType="Button"><x:Anchor>1</x:Anchor></x:ClientData></v:shape>`
	runPlanted(t, []planted{
		{"control", vml(""), vml(button), []string{"control added S1:  → control: button"}},
		{"picture of a header", vml(""), vml(`<v:shape id="LH"><v:imagedata/></v:shape>`), []string{"picture added S1:  → picture in the header or footer"}},
		{"pivot table", pivot("D1:E9", "T"), pivot("D1:E9", "Other"), []string{"pivot_table changed S1!D1:E9: pivot table P of T → pivot table P of Other"}},
		{"query", withParts(t, nil, map[string]string{}), withParts(t, []string{"queryTable ../queryTables/q.xml"}, map[string]string{"xl/queryTables/q.xml": "<queryTable/>"}), []string{"connection added S1:  → query"}},
		{"embedded object", withParts(t, nil, map[string]string{}), xlsxtest.Raw(t, nil, xlsxtest.Grid("who|n", "Ana|1", "Bo|2")+`<oleObjects><oleObject progId="Word.Document" shapeId="1"/><oleObject progId="Word.Document" shapeId="1"/></oleObjects>`), []string{"embedded_object added S1:  → embedded object Word.Document ⚠ S1: a new embedded object Word.Document"}},
	})
}

// Charts and pictures that a second program made, each told once.
func TestObjectsOfASecondProgram(t *testing.T) {
	book := func(build func(f *excelize.File)) []byte {
		return xlsxtest.Fixture(t, func(f *excelize.File) {
			require.NoError(t, f.SetSheetRow("Sheet1", "A1", &[]any{1, 2, 3}))
			if build != nil {
				build(f)
			}
		})
	}
	chart := func(typ excelize.ChartType, values string) []byte {
		return book(func(f *excelize.File) {
			require.NoError(t, f.AddChart("Sheet1", "D1", &excelize.Chart{Type: typ, Series: []excelize.ChartSeries{{Values: values}}, Title: excelize.ChartTitle{Paragraph: []excelize.RichTextRun{{Text: "Growth"}}}}))
		})
	}
	for name, c := range map[string]struct {
		a, b []byte
		want string
	}{
		"added":          {book(nil), chart(excelize.Line, "Sheet1!$A$1:$C$1"), "chart added Sheet1!D1:K15:  → line chart “Growth”, 1 series of Sheet1!$A$1:$C$1"},
		"another kind":   {chart(excelize.Line, "Sheet1!$A$1:$C$1"), chart(excelize.Pie, "Sheet1!$A$1:$C$1"), "chart changed Sheet1!D1:K15: line chart “Growth”, 1 series of Sheet1!$A$1:$C$1 → pie chart “Growth”, 1 series of Sheet1!$A$1:$C$1"},
		"another source": {chart(excelize.Line, "Sheet1!$A$1:$C$1"), chart(excelize.Line, "Sheet1!$A$1:$B$1"), "chart changed Sheet1!D1:K15: line chart “Growth”, 1 series of Sheet1!$A$1:$C$1 → line chart “Growth”, 1 series of Sheet1!$A$1:$B$1"},
	} {
		lines := told(compare(t, c.a, c.b))
		require.Contains(t, lines, c.want, name)
		require.LessOrEqual(t, len(lines), 7, "%s: %q", name, lines) // settings of axes go with the kind
	}
}
