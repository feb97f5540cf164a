package xlsx

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// rich is a workbook with about everything that refers to cells: its second
// sheet, Use, reads its first, Data.
func rich(t testing.TB) []byte {
	t.Helper()
	var pic bytes.Buffer
	require.NoError(t, png.Encode(&pic, image.NewGray(image.Rect(0, 0, 4, 4))))
	return fixture(t, func(f *excelize.File) {
		ok := func(err error) { t.Helper(); require.NoError(t, err) }
		ok(f.SetSheetName("Sheet1", "Data"))
		_, err := f.NewSheet("Use")
		ok(err)
		_, err = f.NewSheet("Piv")
		ok(err)
		ok(f.SetSheetRow("Data", "A1", &[]any{"Name", "Kind", "Amount"}))
		for r := 2; r <= 9; r++ {
			ok(f.SetSheetRow("Data", cellref.Name(r, 1), &[]any{"n" + string(rune('a'+r)), []string{"x", "y"}[r%2], r * 10}))
		}
		ok(f.SetCellFormula("Use", "A1", "SUM(Data!C2:C9)"))
		ok(f.SetCellFormula("Use", "A2", "VLOOKUP(B2,Data!$A$1:$C$9,3,FALSE)"))
		ok(f.SetCellFormula("Use", "A3", "Total*2"))
		ok(f.SetDefinedName(&excelize.DefinedName{Name: "Total", RefersTo: "Data!$C$9"}))
		ok(f.SetDefinedName(&excelize.DefinedName{Name: "_xlnm.Print_Area", RefersTo: "Data!$A$1:$C$9", Scope: "Data"}))
		ok(f.AddChart("Use", "D5", &excelize.Chart{Type: excelize.Col, Series: []excelize.ChartSeries{{Name: "Data!$C$1", Categories: "Data!$A$2:$A$9", Values: "Data!$C$2:$C$9"}}}))
		ok(f.AddPictureFromBytes("Data", "E6", &excelize.Picture{Extension: ".png", File: pic.Bytes(), Format: &excelize.GraphicOptions{}}))
		ok(f.AddComment("Data", excelize.Comment{Cell: "C5", Author: "me", Text: "note"}))
		ok(f.AddSparkline("Use", &excelize.SparklineOptions{Location: []string{"B1"}, Range: []string{"Data!C2:C9"}}))
		dv := excelize.NewDataValidation(true)
		dv.Sqref = "B5:B6"
		dv.SetSqrefDropList("Data!$A$5:$A$7")
		ok(f.AddDataValidation("Use", dv))
		ok(f.AddPivotTable(&excelize.PivotTableOptions{DataRange: "Data!A1:C9", PivotTableRange: "Piv!A3:B7", Rows: []excelize.PivotTableField{{Data: "Kind"}}, Data: []excelize.PivotTableField{{Data: "Amount", Name: "Sum", Subtotal: "Sum"}}}))
		ok(f.SetCellHyperLink("Use", "C1", "Data!A5", "Location"))
		ok(f.AddTable("Use", &excelize.Table{Range: "F1:G3", Name: "Tab"}))
		ok(f.SetCellFormula("Use", "H1", "SUM(Tab[Column1])+Use!A1"))
	})
}

// all is every part of a workbook as one text.
func all(t testing.TB, b []byte) string {
	t.Helper()
	var sb strings.Builder
	for name, p := range formatstest.Parts(t, b) {
		sb.WriteString("\n" + name + ": ")
		sb.Write(p)
	}
	return sb.String()
}

func TestX25ChartsPivotsPicturesFollowRows(t *testing.T) {
	in := rich(t)
	out, _ := apply(t, in, `[{"op":"insert_rows","sheet":"Data","row":4,"count":2}]`)
	got := all(t, out)
	for _, want := range []string{
		"SUM(Data!C2:C11)", "Data!$A$1:$C$11,3,", ">Data!$C$11</definedName>", ">Data!$A$1:$C$11</definedName>",
		"Data!$A$2:$A$11</f>", "Data!$C$2:$C$11</f>", "Data!$C$1</f>", "<xm:f>Data!C2:C11</xm:f>", "Data!$A$7:$A$9</formula1>",
		`location="Data!A7"`, `ref="C7"`, `<x:Row>6</x:Row>`, `<xdr:row>7</xdr:row>`, `sheet="Data"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing", want)
		}
	}
	require.Regexp(t, `<worksheetSource [^>]*ref="A1:C11"`, got)
	formatstest.Validate(t, formatstest.Write(t, "out.xlsx", out), formatstest.Write(t, "in.xlsx", in))
	less, _ := apply(t, in, `[{"op":"delete_rows","sheet":"Data","row":5,"count":1},{"op":"delete_columns","sheet":"Data","column":"A"}]`)
	got = all(t, less)
	require.NotContains(t, got, "ObjectType=\"Note\"")
	require.Contains(t, got, "Data!$B$2:$B$8<")
	require.Contains(t, got, "Data!#REF!</")
	_, _, err := tryApply(t, in, `[{"op":"insert_rows","sheet":"Piv","row":5}]`)
	require.ErrorContains(t, err, "pivot table in A3:")
	if !testing.Short() {
		formatstest.LibreOfficeOpens(t, formatstest.Write(t, "out.xlsx", out))
		formatstest.LibreOfficeOpens(t, formatstest.Write(t, "less.xlsx", less))
	}
}

func TestRenameSheetThereAndBack(t *testing.T) {
	in := rich(t)
	out, rep := apply(t, in, `[{"op":"rename_sheet","sheet":"data","new_name":"My 'Numbers'!x"}]`)
	require.Equal(t, "My 'Numbers'!x", rep.Ops[0].Made)
	got := all(t, out)
	require.NotContains(t, got, "Data!")
	require.NotContains(t, got, `sheet="Data"`)
	require.Contains(t, got, "'My ''Numbers''!x'!$C$2:$C$9")
	require.Equal(t, []string{"My 'Numbers'!x", "Use", "Piv"}, excel(t, out).GetSheetList())
	formatstest.Validate(t, formatstest.Write(t, "out.xlsx", out), formatstest.Write(t, "in.xlsx", in))
	back, _ := apply(t, out, `[{"op":"rename_sheet","sheet":"My 'Numbers'!x","new_name":"Data"}]`)
	formatstest.SameParts(t, in, back)
	for js, want := range map[string]string{
		`{"op":"rename_sheet","sheet":"Data","new_name":"use"}`:  "already",
		`{"op":"rename_sheet","sheet":"Data"}`:                   "new_name is required",
		`{"op":"rename_sheet","sheet":"Data","new_name":"a/b"}`:  "not allowed",
		`{"op":"rename_sheet","sheet":"None","new_name":"Data"}`: "unknown sheet",
	} {
		_, _, err := tryApply(t, in, "["+js+"]")
		require.ErrorContains(t, err, want)
	}
}

func TestCopySheetTakesItsPartsAlong(t *testing.T) {
	in := rich(t)
	out, rep := apply(t, in, `[{"op":"copy_sheet","sheet":"Use","new_name":"Use B"},{"op":"copy_sheet","sheet":"Data","position":1},{"op":"copy_sheet","sheet":"Piv"}]`)
	require.Equal(t, "Data (2)", rep.Ops[1].Made)
	require.Empty(t, rep.Ops[2].Warnings)
	pivots, err := excel(t, out).GetPivotTables("Piv (2)")
	require.NoError(t, err)
	require.Len(t, pivots, 1)
	require.Equal(t, "Data!A1:C9", pivots[0].DataRange, "both show what is in the one cache")
	f := excel(t, out)
	require.Equal(t, []string{"Data (2)", "Data", "Use", "Use B", "Piv", "Piv (2)"}, f.GetSheetList())
	v, err := f.GetCellFormula("Use B", "H1")
	require.NoError(t, err)
	require.Equal(t, "SUM(Tab_2[Column1])+'Use B'!A1", v)
	names := 0
	for _, n := range f.GetDefinedName() {
		if n.Scope == "Data (2)" {
			names++
			require.Equal(t, "'Data (2)'!$A$1:$C$9", n.RefersTo)
		}
	}
	require.Equal(t, 1, names)
	pics, err := f.GetPictures("Data (2)", "E6")
	require.NoError(t, err)
	require.Len(t, pics, 1)
	notes, err := f.GetComments("Data (2)")
	require.NoError(t, err)
	require.Len(t, notes, 1)
	formatstest.Validate(t, formatstest.Write(t, "out.xlsx", out), formatstest.Write(t, "in.xlsx", in))
	less, _ := apply(t, out, `[{"op":"delete_sheet","sheet":"Use B"},{"op":"delete_sheet","sheet":"Data (2)"},{"op":"delete_sheet","sheet":"Piv (2)"}]`)
	for name := range formatstest.Parts(t, less) {
		require.Contains(t, formatstest.Parts(t, in), name)
	}
	if !testing.Short() {
		formatstest.LibreOfficeOpens(t, formatstest.Write(t, "out.xlsx", out))
	}
}

// TestX25ChartsOfPivotsFollow: the chart on a copied sheet shows the copied
// pivot table, and one of a renamed sheet the renamed.
func TestX25ChartsOfPivotsFollow(t *testing.T) {
	before := formatstest.Parts(t, rich(t))
	in, _ := apply(t, rich(t), `[{"op":"add_chart","sheet":"Piv","cell":"E5","type":"bar","range":"A3:B5"}]`)
	var chart string
	for name := range formatstest.Parts(t, in) {
		if strings.Contains(name, "charts/chart") && before[name] == nil {
			chart = name
		}
	}
	require.NotEmpty(t, chart)
	in = edited(t, in, chart, func(s string) string {
		return strings.Replace(s, "<c:chart>", `<c:pivotSource><c:name>[book.xlsx]Piv!PivotTable1</c:name><c:fmtId val="0"/></c:pivotSource><c:chart>`, 1)
	})
	out, _ := apply(t, in, `[{"op":"copy_sheet","sheet":"Piv","new_name":"R&D"},{"op":"rename_sheet","sheet":"Piv","new_name":"Other"}]`)
	got := all(t, out)
	require.Contains(t, got, "<c:name>[book.xlsx]R&amp;D!PivotTable1</c:name>")
	require.Contains(t, got, "<c:name>[book.xlsx]Other!PivotTable1</c:name>")
	require.NotContains(t, got, "]Piv!")
	valid(t, out, in)
}

// TestCorpusCopySheetWithPivots copies every real sheet with a pivot table.
func TestCorpusCopySheetWithPivots(t *testing.T) {
	copied := 0
	for _, path := range formatstest.Corpus(t, "xlsx") {
		in, err := os.ReadFile(path)
		require.NoError(t, err)
		wb, err := open(t.Context(), src(in))
		if err != nil {
			continue
		}
		for _, s := range wb.Sheets {
			rels, _ := wb.Package.Rels(t.Context(), s.Part)
			pivots := 0
			for _, r := range rels {
				if r.Type == relPivotTable {
					pivots++
				}
			}
			if pivots == 0 || !s.Worksheet() {
				continue
			}
			out, _, err := tryApply(t, in, fmt.Sprintf(`[{"op":"copy_sheet","sheet":%s,"new_name":"Twin of pivots"}]`, jsonString(s.Name)))
			if err != nil {
				require.Equal(t, formats.CodeUnsupported, formats.CodeOf(err), "%s: %v", path, err)
				continue
			}
			copied++
			now, err := open(t.Context(), src(out))
			require.NoError(t, err)
			twin := now.Sheets[now.Find("Twin of pivots")]
			have, err := now.Package.Rels(t.Context(), twin.Part)
			require.NoError(t, err)
			for _, r := range have {
				if r.Type == relPivotTable {
					pivots--
				}
			}
			require.Zero(t, pivots, path)
			formatstest.Validate(t, formatstest.Write(t, "out.xlsx", out), path)
			if copied <= 2 && !testing.Short() {
				formatstest.LibreOfficeOpens(t, formatstest.Write(t, "twin.xlsx", out))
			}
		}
	}
	formatstest.Report(t, "%d real sheets with pivot tables copied", copied)
	require.NotZero(t, copied)
}

func TestMoveAndHideSheets(t *testing.T) {
	in := rich(t)
	out, _ := apply(t, in, `[{"op":"move_sheet","sheet":"Data","position":3}]`)
	f := excel(t, out)
	require.Equal(t, []string{"Use", "Piv", "Data"}, f.GetSheetList())
	for _, n := range f.GetDefinedName() {
		if n.Name == "_xlnm.Print_Area" {
			require.Equal(t, "Data", n.Scope)
		}
	}
	require.Contains(t, part(t, out, "xl/workbook.xml"), `activeTab="2"`)
	back, _ := apply(t, out, `[{"op":"move_sheet","sheet":"Data","position":1}]`)
	require.Equal(t, excel(t, in).GetSheetList(), excel(t, back).GetSheetList())
	hidden, _ := apply(t, in, `[{"op":"hide_sheet","sheet":"Data"},{"op":"hide_sheet","sheet":"Piv"}]`)
	require.Contains(t, part(t, hidden, "xl/workbook.xml"), `activeTab="1"`)
	require.NotContains(t, part(t, hidden, sheet1), `tabSelected="true"`)
	vis, err := excel(t, hidden).GetSheetVisible("Data")
	require.NoError(t, err)
	require.False(t, vis)
	formatstest.Validate(t, formatstest.Write(t, "out.xlsx", hidden), formatstest.Write(t, "in.xlsx", in))
	_, _, err = tryApply(t, hidden, `[{"op":"hide_sheet","sheet":"Use"}]`)
	require.ErrorContains(t, err, "at least one visible sheet")
	require.Equal(t, formats.CodeInvalid, formats.CodeOf(err))
	shown, _ := apply(t, hidden, `[{"op":"unhide_sheet","sheet":"Data"}]`)
	require.NotContains(t, strings.SplitAfter(part(t, shown, "xl/workbook.xml"), "<sheets>")[1][:60], "hidden")
	for _, js := range []string{`{"op":"move_sheet","sheet":"Data"}`, `{"op":"move_sheet","sheet":"Data","position":4}`, `{"op":"move_sheet","sheet":"Data","position":0}`} {
		_, _, err := tryApply(t, in, "["+js+"]")
		require.ErrorContains(t, err, "position")
	}
}

func TestHideRowsAndColumns(t *testing.T) {
	in := raw(t, nil, `<cols><col min="2" max="4" width="5" customWidth="1"/></cols><sheetData><row r="2" ht="9"><c r="A2"><v>1</v></c></row><row r="4"/></sheetData>`)
	out, _ := apply(t, in, `[{"op":"hide_rows","sheet":"S1","row":2,"count":2},{"op":"hide_columns","sheet":"S1","column":"A","count":3}]`)
	require.Contains(t, part(t, out, sheet1), `<cols><col width="9.140625" hidden="1" min="1" max="1"/><col width="5" customWidth="1" hidden="1" min="2" max="3"/><col width="5" customWidth="1" min="4" max="4"/></cols><sheetData><row r="2" ht="9" hidden="1"><c r="A2"><v>1</v></c></row><row r="3" hidden="1"/><row r="4"/></sheetData>`)
	formatstest.Validate(t, formatstest.Write(t, "out.xlsx", out), "")
	back, _ := apply(t, out, `[{"op":"hide_rows","sheet":"S1","row":1,"count":9,"hidden":false},{"op":"hide_columns","sheet":"S1","column":"B","count":1,"hidden":"false"}]`)
	require.Contains(t, part(t, back, sheet1), `<row r="2" ht="9"><c r="A2"><v>1</v></c></row><row r="3"/>`)
	require.Contains(t, part(t, back, sheet1), `<col width="5" customWidth="1" min="2" max="2"/><col width="5" customWidth="1" hidden="1" min="3" max="3"/>`)
	empty, _ := apply(t, raw(t, nil, `<sheetData/>`), `[{"op":"hide_rows","sheet":"S1","row":2}]`)
	require.Contains(t, part(t, empty, sheet1), `<sheetData><row r="2" hidden="1"/></sheetData>`)
}

// TestNamespaceOfRelationshipIds: some writers bind the prefix of r:id on each
// sheet element only.
func TestNamespaceOfRelationshipIds(t *testing.T) {
	in := raw(t, nil, `<sheetData/>`)
	book := part(t, in, "xl/workbook.xml")
	book = strings.Replace(strings.Replace(book, ` xmlns:r="`+sheetml.RelNamespace+`"`, "", 1), "<sheet ", `<sheet xmlns:r="`+sheetml.RelNamespace+`" `, 1)
	in = edited(t, in, "xl/workbook.xml", func(string) string { return book })
	out, _ := apply(t, in, `[{"op":"copy_sheet","sheet":"S1"},{"op":"insert_rows","sheet":"S1 (2)","row":1},{"op":"move_sheet","sheet":"S1 (2)","position":1}]`)
	require.Equal(t, []string{"S1 (2)", "S1"}, excel(t, out).GetSheetList())
	formatstest.Validate(t, formatstest.Write(t, "out.xlsx", out), formatstest.Write(t, "in.xlsx", in))
}
