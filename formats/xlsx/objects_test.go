package xlsx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/formatstest"
)

func sales(t *testing.T) []byte {
	return fixture(t, func(f *excelize.File) {
		for i, row := range [][]any{{"Product", "Price", "Sold"}, {"Apples", 1.5, 10}, {"Pears", 2.25, 20}, {"A rather long name of a fruit", 3, 30}} {
			require.NoError(t, f.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1), &row))
		}
	})
}

func valid(t *testing.T, out, in []byte) {
	t.Helper()
	original := ""
	if in != nil {
		original = formatstest.Write(t, "in.xlsx", in)
	}
	formatstest.Validate(t, formatstest.Write(t, "out.xlsx", out), original)
}

func TestMergeAndUnmerge(t *testing.T) {
	in := sales(t)
	out, rep := apply(t, in, `[{"op":"merge_cells","sheet":"Sheet1","range":"A1:B2,D5:E5"}]`)
	require.Equal(t, 2, rep.Ops[0].Hits)
	require.Equal(t, []string{"merging A1:B2 hides the values of B1, A2, B2"}, rep.Ops[0].Warnings)
	require.Contains(t, part(t, out, "xl/worksheets/sheet1.xml"), `<mergeCells count="2"><mergeCell ref="A1:B2"/><mergeCell ref="D5:E5"/></mergeCells>`)
	valid(t, out, in)
	_, _, err := tryApply(t, out, `[{"op":"merge_cells","sheet":"Sheet1","range":"B2:C3"}]`)
	require.ErrorContains(t, err, "overlaps the merged cell A1:B2")
	one, rep := apply(t, out, `[{"op":"unmerge_cells","sheet":"Sheet1","range":"D5"}]`)
	require.Equal(t, 1, rep.Ops[0].Hits)
	require.Contains(t, part(t, one, "xl/worksheets/sheet1.xml"), `<mergeCells count="1"><mergeCell ref="A1:B2"/></mergeCells>`)
	back, _ := apply(t, out, `[{"op":"unmerge_cells","sheet":"Sheet1","range":"A:E"}]`)
	formatstest.SameParts(t, in, back)
	none, rep := apply(t, in, `[{"op":"unmerge_cells","sheet":"Sheet1","range":"A:E"}]`)
	require.Equal(t, []string{"there is no merged cell in A:E"}, rep.Ops[0].Warnings)
	formatstest.SameParts(t, in, none)
}

func TestAutoFilter(t *testing.T) {
	in := sales(t)
	out, rep := apply(t, in, `[{"op":"autofilter","sheet":"Sheet1","range":"A:C"}]`)
	require.Equal(t, "Sheet1!A1:C4", rep.Ops[0].Made)
	require.Contains(t, part(t, out, "xl/worksheets/sheet1.xml"), `<autoFilter ref="A1:C4"/>`)
	require.Contains(t, part(t, out, "xl/workbook.xml"), `<definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">'Sheet1'!$A$1:$C$4</definedName>`)
	valid(t, out, in)
	moved, _ := apply(t, out, `[{"op":"autofilter","sheet":"Sheet1","range":"A1:B4"}]`)
	require.Equal(t, 1, strings.Count(part(t, moved, "xl/workbook.xml"), "_FilterDatabase"))
	require.Contains(t, part(t, moved, "xl/workbook.xml"), `$B$4`)
	gone, _ := apply(t, moved, `[{"op":"autofilter","sheet":"Sheet1","remove":true}]`)
	require.NotContains(t, part(t, gone, "xl/workbook.xml"), "_FilterDatabase")
	require.NotContains(t, part(t, gone, "xl/worksheets/sheet1.xml"), "autoFilter")
	valid(t, gone, in)
}

func TestAutomaticWidths(t *testing.T) {
	out, _ := apply(t, sales(t), `[{"op":"set_column_widths","sheet":"Sheet1","columns":[{"column":"A:C","width":"auto"}]},{"op":"set_column_widths","sheet":"Sheet1","columns":[{"column":"C","width":33}]}]`)
	f := excel(t, out)
	a, err := f.GetColWidth("Sheet1", "A")
	require.NoError(t, err)
	require.InDelta(t, 28, a, 5)
	b, _ := f.GetColWidth("Sheet1", "B")
	require.InDelta(t, 7, b, 2)
	c, _ := f.GetColWidth("Sheet1", "C")
	require.Equal(t, 33.0, c, "the later operation wins")
	valid(t, out, nil)
	_, _, err = tryApply(t, nil, `[{"op":"set_column_widths","sheet":"A","columns":[{"column":"C","width":"wide"}]}]`)
	require.ErrorContains(t, err, "expected 0 to 255, or auto")
}

func TestHyperlinks(t *testing.T) {
	in := sales(t)
	out, rep := apply(t, in, `[{"op":"ensure_sheet","sheet":"My notes"},{"op":"set_hyperlink","sheet":"Sheet1","cell":"A2","url":"https://example.com/a?b=1&c=2#top","tooltip":"to \"it\""},{"op":"set_hyperlink","sheet":"Sheet1","cell":"E1","location":"My notes!B2","text":"see notes"},{"op":"set_hyperlink","sheet":"My notes","cell":"A1","url":"mailto:a@b.c","text":"write"}]`)
	require.Equal(t, "Sheet1!A2", rep.Ops[1].Made)
	f := excel(t, out)
	ok, target, err := f.GetCellHyperLink("Sheet1", "E1")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "'My notes'!B2", target)
	sheet := part(t, out, "xl/worksheets/sheet1.xml")
	require.Contains(t, sheet, `location="top" tooltip="to &quot;it&quot;"`)
	require.Contains(t, part(t, out, "xl/worksheets/_rels/sheet1.xml.rels"), `Target="https://example.com/a?b=1&amp;c=2" TargetMode="External"`)
	require.Equal(t, "single", styleAt(t, f, "Sheet1", "A2").Font.Underline)
	valid(t, out, in)
	gone, _ := apply(t, out, `[{"op":"set_hyperlink","sheet":"Sheet1","cell":"A2","url":""}]`)
	require.NotContains(t, part(t, gone, "xl/worksheets/_rels/sheet1.xml.rels"), "example.com")
	valid(t, gone, in)
	for op, want := range map[string]string{
		`{"op":"set_hyperlink","sheet":"Sheet1","cell":"A2"}`:                             "url or location is required",
		`{"op":"set_hyperlink","sheet":"Sheet1","cell":"A2","url":"javascript:alert(1)"}`: "links to javascript: addresses",
		`{"op":"set_hyperlink","sheet":"Sheet1","cell":"A2","location":"Nope!A1"}`:        "unknown sheet: Nope",
		`{"op":"set_hyperlink","sheet":"Sheet1","url":"https://example.com"}`:             "cell is required",
	} {
		_, _, err := tryApply(t, in, "["+op+"]")
		require.ErrorContains(t, err, want)
	}
}

func TestCorpusMergeFilterLinks(t *testing.T) {
	corpusOp(t, func(name string) bool {
		return strings.Contains(name, "styles") || strings.HasSuffix(name, ".rels") || strings.HasSuffix(name, "workbook.xml")
	}, func(sheet string) string {
		return fmt.Sprintf(`[{"op":"merge_cells","sheet":%[1]s,"range":"ZA900:ZB901"},{"op":"set_hyperlink","sheet":%[1]s,"cell":"ZA905","url":"https://example.com/"},{"op":"autofilter","sheet":%[1]s,"range":"ZA910:ZC920"},{"op":"set_column_widths","sheet":%[1]s,"columns":[{"column":"A:B","width":"auto"}]}]`, sheet)
	})
}

func TestObjectsOnStrictAndPrefixedSheets(t *testing.T) {
	in := raw(t, nil, `<sheetData/>`, `<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData><phoneticPr fontId="0"/><extLst/>`)
	out, _ := apply(t, in, `[{"op":"set_hyperlink","sheet":"S1","cell":"A1","url":"https://example.com/","text":"x"},{"op":"merge_cells","sheet":"S1","range":"A1:B1"},{"op":"merge_cells","sheet":"S2","range":"A1:B1"}]`)
	require.Contains(t, part(t, out, "xl/worksheets/sheet1.xml"), `</sheetData><mergeCells count="1"><mergeCell ref="A1:B1"/></mergeCells><hyperlinks>`)
	require.Contains(t, part(t, out, "xl/worksheets/sheet2.xml"), `</mergeCells><phoneticPr fontId="0"/><extLst/>`)
	require.Contains(t, read(t, out, formats.Selector{Sheet: "S1"}), "A1: x")
	valid(t, out, nil)
}

func TestAutomaticWidthsMindNewFormats(t *testing.T) {
	out, _ := apply(t, nil, `[{"op":"set_range","sheet":"A","start":"A1","values":[[1234567]]},{"op":"set_style","sheet":"A","range":"A1","style":{"number_format":"#,##0.00 \"dollars\"","font_size":20}},{"op":"set_column_widths","sheet":"A","columns":[{"column":"A","width":"auto"}]}]`)
	w, err := excel(t, out).GetColWidth("A", "A")
	require.NoError(t, err)
	require.Greater(t, w, 30.0)
}
