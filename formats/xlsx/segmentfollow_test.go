package xlsx

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/ooxml/opc"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
)

// translated puts the texts of table into a workbook by their old text, and
// holds the result against the schema.
func translated(t testing.TB, in []byte, opt formats.ReplaceOptions, table map[string]string) []byte {
	t.Helper()
	list, err := segmenter{}.Segments(context.Background(), src(in), formats.SegmentOptions{SheetNames: true})
	require.NoError(t, err)
	targets := map[string]string{}
	for _, s := range list {
		if target, ok := table[s.Text]; ok {
			targets[s.ID] = target
		}
	}
	require.NotEmpty(t, targets)
	var out bytes.Buffer
	require.NoError(t, segmenter{}.Replace(context.Background(), src(in), &out, targets, opt))
	formatstest.Validate(t, formatstest.Write(t, "out.xlsx", out.Bytes()), formatstest.Write(t, "in.xlsx", in))
	return out.Bytes()
}

// with is a workbook with one part replaced.
func with(t testing.TB, in []byte, name, xml string) []byte {
	t.Helper()
	pkg, err := opc.OpenZip(src(in))
	require.NoError(t, err)
	ed := pkg.Edit()
	ed.Set(name, []byte(xml))
	var out bytes.Buffer
	require.NoError(t, ed.Write(context.Background(), &out))
	return out.Bytes()
}

// TR-02: labels of a chart that come from cells follow them; a title of its own
// is a segment.
func TestTR02ChartLabelsFollowCells(t *testing.T) {
	in := fixture(t, func(f *excelize.File) {
		f.SetSheetRow("Sheet1", "A1", &[]any{nil, "North"})
		f.SetSheetRow("Sheet1", "A2", &[]any{"May", 1})
		f.SetSheetRow("Sheet1", "A3", &[]any{"June", 2})
		require.NoError(t, f.AddChart("Sheet1", "D1", &excelize.Chart{Type: excelize.Col, Title: excelize.ChartTitle{Paragraph: []excelize.RichTextRun{{Text: "Sales"}}},
			Series: []excelize.ChartSeries{{Name: "Sheet1!$B$1", Categories: "Sheet1!$A$2:$A$3", Values: "Sheet1!$B$2:$B$3"}}}))
	})
	chart := "xl/charts/chart1.xml"
	x := part(t, in, chart)
	cat := strings.Replace(x, "<f>Sheet1!$A$2:$A$3</f>", `<f>Sheet1!$A$2:$A$3</f><strCache><ptCount val="2"/><pt idx="0"><v>May</v></pt><pt idx="1"><v>Juni</v></pt></strCache>`, 1)
	require.NotEqual(t, x, cat)
	in = with(t, in, chart, cat)
	out := translated(t, in, formats.ReplaceOptions{}, map[string]string{"May": "Mayo", "North": "Norte", "Sales": "Ventas", "Juni": "Junio"})
	x = part(t, out, chart)
	require.Contains(t, x, `<pt idx="0"><v>Mayo</v></pt><pt idx="1"><v>Junio</v></pt>`)
	require.Contains(t, x, "Ventas")
}

// TR-02: a text in a formula that is all of a translated cell's text follows
// it, so that what the formula counts and looks up stays the same. Codes and
// other texts stay.
func TestTR02TextsInFormulasFollowCells(t *testing.T) {
	sheet := `<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Done</t></is></c><c r="B1" t="inlineStr"><is><t>yyyy</t></is></c></row><row r="2">` +
		`<c r="A2"><f>COUNTIF(A1:A1,"done")</f><v>1</v></c><c r="B2"><f>COUNTIF(A1:A1,"&lt;&gt;Done")</f><v>0</v></c>` +
		`<c r="C2" t="str"><f>TEXT(1,"yyyy")</f><v>1900</v></c><c r="D2" t="str"><f>IF(A1="Done","Well Done","Done")</f><v>Well Done</v></c></row></sheetData>` +
		`<conditionalFormatting sqref="A1"><cfRule type="containsText" priority="1" operator="containsText" text="Done"><formula>NOT(ISERROR(SEARCH("Done",A1)))</formula></cfRule></conditionalFormatting>`
	x := part(t, translated(t, raw(t, nil, sheet), formats.ReplaceOptions{}, map[string]string{"Done": `Hecho "ya"`, "yyyy": "aaaa"}), sheet1)
	for _, want := range []string{`<f>COUNTIF(A1:A1,&quot;Hecho &quot;&quot;ya&quot;&quot;&quot;)</f>`, `<f>COUNTIF(A1:A1,&quot;&lt;&gt;Hecho &quot;&quot;ya&quot;&quot;&quot;)</f>`, `<f>TEXT(1,"yyyy")</f>`,
		`<f>IF(A1=&quot;Hecho &quot;&quot;ya&quot;&quot;&quot;,&quot;Well Done&quot;,&quot;Hecho &quot;&quot;ya&quot;&quot;&quot;)</f>`, `text="Hecho &quot;ya&quot;"`, `SEARCH(&quot;Hecho &quot;&quot;ya&quot;&quot;&quot;,A1)`} {
		require.Contains(t, x, want)
	}
}

// TR-02: messages of a validation are segments with Excel's limits; choices of
// its list are translated like the cells that hold them, and never grow past
// what a list may have.
func TestTR02ValidationsFollow(t *testing.T) {
	sheet := `<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Yes</t></is></c></row></sheetData><dataValidations count="1"><dataValidation type="list" allowBlank="1" showInputMessage="1" errorTitle="Wrong" error="Choose one" promptTitle="Answer" prompt="Yes or no_x000a_please" sqref="A1:A9"><formula1>"Yes, No,1"</formula1></dataValidation></dataValidations>`
	in := raw(t, nil, sheet)
	segs := segments(t, in)
	require.Equal(t, "Yes or no\nplease", segs["validation:1:1:prompt"].Text)
	require.Equal(t, []int{32, 255, 32, 255}, []int{segs["validation:1:1:promptTitle"].MaxLength, segs["validation:1:1:prompt"].MaxLength, segs["validation:1:1:errorTitle"].MaxLength, segs["validation:1:1:error"].MaxLength})
	require.NotContains(t, segs, "list:1:1:1", "the cell's text is the choice's")
	require.Equal(t, "No", segs["list:1:1:2"].Text)
	require.Less(t, segs["cell:1:A1"].MaxLength, 255)
	x := part(t, translated(t, in, formats.ReplaceOptions{}, map[string]string{"Yes": "Sí, señor", "No": `No "nunca"`, "Yes or no\nplease": "¿Sí\no no?", "Wrong": "Mal"}), sheet1)
	require.Contains(t, x, `<formula1>&quot;Sí; señor, No &quot;&quot;nunca&quot;&quot;,1&quot;</formula1>`)
	require.Contains(t, x, `Sí; señor</t>`)
	require.Contains(t, x, `errorTitle="Mal" error="Choose one" promptTitle="Answer" prompt="¿Sí_x000a_o no?"`)
}

// TR-02: fields and items of a pivot table follow the cells it is made from.
func TestTR02PivotTablesFollowCells(t *testing.T) {
	in := fixture(t, func(f *excelize.File) {
		for i, row := range [][]any{{"Region", "Amount"}, {"North", 1}, {"South", 2}} {
			cell, _ := excelize.CoordinatesToCellName(1, i+1)
			f.SetSheetRow("Sheet1", cell, &row)
		}
		require.NoError(t, f.AddPivotTable(&excelize.PivotTableOptions{DataRange: "Sheet1!A1:B3", PivotTableRange: "Sheet1!D1:E5",
			Rows: []excelize.PivotTableField{{Data: "Region"}}, Data: []excelize.PivotTableField{{Data: "Amount", Name: "Total Amount"}}}))
	})
	out := translated(t, in, formats.ReplaceOptions{}, map[string]string{"Region": "Zona", "Amount": "Importe", "Total Amount": "Importe total"})
	require.Contains(t, part(t, out, "xl/pivotCache/pivotCacheDefinition1.xml"), `<cacheField name="Zona"`)
	require.Contains(t, part(t, out, "xl/pivotCache/pivotCacheDefinition1.xml"), `<cacheField name="Importe"`)
	require.Contains(t, part(t, out, "xl/pivotTables/pivotTable1.xml"), `<dataField name="Importe total"`)
}

// TR-02: with names of sheets translated, what refers to them follows; names
// are made fit for Excel and stay different.
func TestTR02SheetNames(t *testing.T) {
	in := fixture(t, func(f *excelize.File) {
		f.SetSheetName("Sheet1", "Sales")
		f.NewSheet("Costs")
		f.NewSheet("Plan")
		f.SetCellValue("Sales", "A1", 5)
		f.SetCellValue("Plan", "A1", "Sales")
		f.SetCellFormula("Plan", "B1", "Sales!A1+SUM(Sales:Costs!A1)")
		require.NoError(t, f.SetDefinedName(&excelize.DefinedName{Name: "N", RefersTo: "Sales!$A$1"}))
	})
	out := translated(t, in, formats.ReplaceOptions{}, map[string]string{"Sales": "Ventas: año [2026]", "Costs": "Ventas- año (2026)", "Plan": strings.Repeat("Plan muy largo ", 2)})
	f := excel(t, out)
	require.Equal(t, []string{"Ventas- año (2026)", "Ventas- año (2026) 2", "Plan muy largo Plan muy largo"}, f.GetSheetList())
	formula, err := f.GetCellFormula("Plan muy largo Plan muy largo", "B1")
	require.NoError(t, err)
	require.Equal(t, "'Ventas- año (2026)'!A1+SUM('Ventas- año (2026):Ventas- año (2026) 2'!A1)", formula)
	require.Equal(t, "'Ventas- año (2026)'!$A$1", f.GetDefinedName()[0].RefersTo)
	v, err := f.GetCellValue("Plan muy largo Plan muy largo", "A1")
	require.NoError(t, err)
	require.Equal(t, "Ventas: año [2026]", v, "a cell may say what a sheet may not be called")
}

// TR-11: sheets with text in a right-to-left language run from the right, and
// back.
func TestTR11SheetDirection(t *testing.T) {
	sheet := `<sheetViews><sheetView workbookViewId="0"/></sheetViews><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>text</t></is></c></row></sheetData>`
	numbers := `<sheetViews><sheetView workbookViewId="0"/></sheetViews><sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData>`
	in := raw(t, nil, sheet, numbers)
	out := translated(t, in, formats.ReplaceOptions{Language: "ar"}, map[string]string{"text": "نص"})
	require.Contains(t, part(t, out, sheet1), `<sheetView rightToLeft="1" workbookViewId="0"/>`)
	require.NotContains(t, part(t, out, "xl/worksheets/sheet2.xml"), "rightToLeft")
	require.Contains(t, part(t, translated(t, out, formats.ReplaceOptions{Language: "es"}, map[string]string{"نص": "texto"}), sheet1), `rightToLeft="0"`)
	require.NotContains(t, part(t, translated(t, in, formats.ReplaceOptions{Language: "es"}, map[string]string{"text": "texto"}), sheet1), "rightToLeft")
}

// TR-02, TR-06: whatever the translations of a table's headers and of sheets'
// names, they stay within Excel's limits and differ.
func TestTR02NamesStayDifferent(t *testing.T) {
	in := fixture(t, func(f *excelize.File) {
		f.SetSheetRow("Sheet1", "A1", &[]any{"One", "Two", "Three", "Four"})
		f.SetSheetRow("Sheet1", "A2", &[]any{1, 2, 3, 4})
		require.NoError(t, f.AddTable("Sheet1", &excelize.Table{Range: "A1:D2", Name: "T"}))
		f.SetCellFormula("Sheet1", "F1", "SUM(T[One],T[Two],T[Three],T[Four])")
		for _, n := range []string{"Alpha", "Beta", "Gamma"} {
			f.NewSheet(n)
		}
		f.SetCellFormula("Alpha", "A1", "Sheet1!A2+Beta!A1+Gamma!A1")
	})
	list, err := segmenter{}.Segments(context.Background(), src(in), formats.SegmentOptions{SheetNames: true})
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		targets := map[string]string{}
		for _, s := range list {
			if rapid.Bool().Draw(t, "takes") {
				n := 31
				targets[s.ID] = rapid.StringOfN(rapid.SampledFrom([]rune("aAbZ '[]#:*?/\\.é文1")), 0, n, -1).Draw(t, s.Text)
			}
		}
		var out bytes.Buffer
		err := segmenter{}.Replace(context.Background(), src(in), &out, targets, formats.ReplaceOptions{})
		if err != nil {
			require.Equal(t, formats.CodeInvalid, formats.CodeOf(err))
			require.ErrorContains(t, err, "must not be empty")
			return
		}
		f, err := excelize.OpenReader(&out)
		require.NoError(t, err)
		defer f.Close()
		seen := map[string]bool{}
		for _, name := range f.GetSheetList() {
			require.NoError(t, checkSheetName(name))
			require.False(t, seen[strings.ToLower(name)], name)
			seen[strings.ToLower(name)] = true
		}
		first := f.GetSheetList()[0]
		text, err := f.GetCellFormula(first, "F1")
		require.NoError(t, err)
		cols := map[string]bool{}
		for tok := range formula.Tokens(text) {
			if tok.Kind == formula.Structured {
				cols[strings.ToLower(formula.UnescapeColumn(text[tok.Start+2:tok.End-1]))] = true
			}
		}
		require.Len(t, cols, 4, text)
		for _, cell := range []string{"A1", "B1", "C1", "D1"} {
			v, err := f.GetCellValue(first, cell)
			require.NoError(t, err)
			require.Contains(t, cols, strings.ToLower(v), text)
		}
		text, err = f.GetCellFormula(f.GetSheetList()[1], "A1")
		require.NoError(t, err)
		refs := 0
		for tok := range formula.Tokens(text) {
			if tok.Kind == formula.Ref {
				require.True(t, seen[strings.ToLower(tok.Sheet)], text)
				refs++
			}
		}
		require.Equal(t, 3, refs, text)
	})
}

// TR-02: the plain comment that Excel writes beside a threaded one, for older
// programs, says what that says.
func TestTR02ThreadedComments(t *testing.T) {
	for _, path := range formatstest.Corpus(t, "xlsx") {
		if !strings.Contains(path, "comments") {
			continue
		}
		in := load(t, path)
		p := formatstest.OpenPackage(t, in)
		if p.Parts["xl/threadedComments/threadedComment1.xml"] == nil {
			continue
		}
		out := translated(t, in, formats.ReplaceOptions{}, map[string]string{"Minimum number of saltwater ducks": "Mínimo de patos"})
		require.Contains(t, part(t, out, "xl/threadedComments/threadedComment1.xml"), "<text>Mínimo de patos</text>")
		require.Contains(t, part(t, out, "xl/comments1.xml"), "Comment:\n    Mínimo de patos\n")
		require.NotContains(t, part(t, out, "xl/comments1.xml"), "saltwater ducks")
		return
	}
	t.Fatal("the corpus has no threaded comment")
}

// TR-03, TR-11: blanks need no tag of their own, pronunciation goes with the
// text it belongs to, and fonts' letters are not those of the old language.
func TestTR03RunsOfACell(t *testing.T) {
	si := `<si><r><rPr><b/><charset val="128"/></rPr><t>one</t></r><r><rPr><i/></rPr><t xml:space="preserve"> </t></r><r><rPr><b/><charset val="128"/></rPr><t>two</t></r><rPh sb="0" eb="1"><t>x</t></rPh></si>`
	in := raw(t, map[string]string{"xl/sharedStrings.xml": `<sst xmlns="` + sheetml.Namespace + `">` + si + `</sst>`}, `<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row></sheetData>`)
	require.Equal(t, "one two", segments(t, in)["sst:0"].Text)
	out := translated(t, in, formats.ReplaceOptions{Language: "ru"}, map[string]string{"one two": "раз два"})
	require.Contains(t, part(t, out, "xl/sharedStrings.xml"), `<si><r><rPr><b/></rPr><t>раз два</t></r></si>`)
	require.Contains(t, part(t, replace(t, in, map[string]string{"sst:0": "one two"}), "xl/sharedStrings.xml"), si)
}

// TR-02: INDIRECT finds a sheet under its new name.
func TestTR02IndirectFollowsSheetNames(t *testing.T) {
	in := raw(t, nil, `<sheetData><row r="1"><c r="A1"><f>INDIRECT("S2!A"&amp;1)+INDIRECT("'S2'!B1")+LEN("S2!A")+INDIRECT("S22!A1")&amp;HYPERLINK("#S2!A1","S2!A1")</f></c></row></sheetData>`, `<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData>`)
	out := translated(t, in, formats.ReplaceOptions{}, map[string]string{"S2": "Hoja dos"})
	require.Contains(t, part(t, out, sheet1), `INDIRECT(&quot;'Hoja dos'!A&quot;&amp;1)+INDIRECT(&quot;'Hoja dos'!B1&quot;)`)
	require.Contains(t, part(t, out, sheet1), `+LEN(&quot;S2!A&quot;)+INDIRECT(&quot;S22!A1&quot;)&amp;HYPERLINK(&quot;#'Hoja dos'!A1&quot;,`)
}

// TR-02: captions of buttons and boxes are segments.
func TestTR02FormControls(t *testing.T) {
	in := fixture(t, func(f *excelize.File) {
		f.SetCellValue("Sheet1", "A1", 1)
		require.NoError(t, f.AddFormControl("Sheet1", excelize.FormControl{Cell: "B2", Type: excelize.FormControlButton, Paragraph: []excelize.RichTextRun{{Text: "Press and hold"}}}))
		require.NoError(t, f.AddComment("Sheet1", excelize.Comment{Cell: "C3", Author: "Me", Text: "A note"}))
	})
	out := translated(t, in, formats.ReplaceOptions{}, map[string]string{"Press and hold": "Mantener pulsado", "A note": "Nota"})
	require.Contains(t, part(t, out, "xl/drawings/vmlDrawing1.vml"), "<font>Mantener pulsado<br>")
	r := formatstest.NewRecall("form controls", formatstest.XlsxScan, segmenter{})
	require.True(t, r.Bytes(t, "in.xlsx", in))
}
