package grid

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/reader"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/formats/xlsx/internal/xlsxtest"
)

func view(t testing.TB, b []byte, req formats.SheetRequest) *formats.SheetWindow {
	t.Helper()
	w, err := Viewer{}.SheetWindow(context.Background(), xlsxtest.Source(b), req)
	require.NoError(t, err)
	return w
}

// at returns the cell of a window, the zero one where it lists none.
func at(t testing.TB, w *formats.SheetWindow, ref string) (c formats.SheetCell, s formats.CellStyle) {
	t.Helper()
	place, err := cellref.ParseCell(ref)
	require.NoError(t, err)
	for _, r := range w.Rows {
		for _, cell := range r.Cells {
			if r.Row == place.Row && cell.Column == place.Col {
				if c = cell; c.Style > 0 {
					s = w.Styles[c.Style-1]
				}
			}
		}
	}
	c.Style = 0
	return c, s
}

// What a window says of cells, formats, widths, merges and frozen panes, made by an
// independent program.
func TestWindowOfASheet(t *testing.T) {
	b := xlsxtest.Fixture(t, func(f *excelize.File) {
		require.NoError(t, f.SetSheetRow("Sheet1", "A1", &[]any{"Region", "Sales", "Share", "Due", true}))
		require.NoError(t, f.SetSheetRow("Sheet1", "A2", &[]any{"North", 1234.5, 0.25}))
		require.NoError(t, f.SetCellFormula("Sheet1", "B3", "SUM(B2:B2)"))
		require.NoError(t, f.SetCellValue("Sheet1", "A40", strings.Repeat("é", 1500)))
		style := func(ref string, s *excelize.Style) {
			id, err := f.NewStyle(s)
			require.NoError(t, err)
			require.NoError(t, f.SetCellStyle("Sheet1", ref, ref, id))
		}
		style("A1", &excelize.Style{Font: &excelize.Font{Bold: true, Italic: true, Color: "C00000", Size: 14}, Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"FFF2CC"}},
			Alignment: &excelize.Alignment{Horizontal: "center", WrapText: true}, Border: []excelize.Border{{Type: "bottom", Style: 1, Color: "112233"}}})
		style("C2", &excelize.Style{NumFmt: 9})
		style("D5", &excelize.Style{Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"00B050"}}})
		require.NoError(t, f.MergeCell("Sheet1", "A6", "C7"))
		require.NoError(t, f.SetColWidth("Sheet1", "B", "C", 21))
		require.NoError(t, f.SetColVisible("Sheet1", "D", false))
		require.NoError(t, f.SetRowHeight("Sheet1", 2, 33))
		require.NoError(t, f.SetRowVisible("Sheet1", 4, false))
		require.NoError(t, f.SetPanes("Sheet1", &excelize.Panes{Freeze: true, YSplit: 1, XSplit: 2, TopLeftCell: "C2", ActivePane: "bottomRight"}))
		_, err := f.NewSheet("Later")
		require.NoError(t, err)
	})
	w := view(t, b, formats.SheetRequest{})
	require.Equal(t, []formats.SheetTab{{Name: "Sheet1", Kind: "worksheet"}, {Name: "Later", Kind: "worksheet"}}, w.Sheets)
	require.Equal(t, "Sheet1", w.Sheet)
	require.True(t, w.Exact)
	require.Equal(t, [2]int{40, 5}, [2]int{w.TotalRows, w.TotalColumns})
	require.Equal(t, [2]int{40, 5}, [2]int{w.RowCount, w.ColumnCount})
	require.Equal(t, [2]int{1, 2}, [2]int{w.FrozenRows, w.FrozenColumns})
	require.Equal(t, []string{"A6:C7"}, w.Merged)

	c, s := at(t, w, "A1")
	require.Equal(t, formats.SheetCell{Column: 1, Text: "Region"}, c)
	require.Equal(t, formats.CellStyle{Bold: true, Italic: true, Color: "C00000", Size: 14, Fill: "FFF2CC", Align: "center", Wrap: true, Bottom: "thin 112233"}, s)
	c, _ = at(t, w, "B2")
	require.Equal(t, formats.SheetCell{Column: 2, Text: "1234.5", Type: "number"}, c)
	c, s = at(t, w, "C2")
	require.Equal(t, formats.SheetCell{Column: 3, Text: "25%", Value: "0.25", Type: "number"}, c)
	require.Equal(t, formats.CellStyle{NumberFormat: "0%"}, s)
	c, _ = at(t, w, "E1")
	require.Equal(t, formats.SheetCell{Column: 5, Text: "TRUE", Type: "boolean"}, c)
	c, _ = at(t, w, "B3")
	require.Equal(t, "=SUM(B2:B2)", c.Formula)
	_, s = at(t, w, "D5")
	require.Equal(t, "00B050", s.Fill)
	c, _ = at(t, w, "A40")
	require.Equal(t, strings.Repeat("é", 1000), c.Text)
	require.True(t, c.Cut)
	alone, _ := at(t, view(t, b, formats.SheetRequest{Row: 40, Column: 1, Rows: 1, Columns: 1}), "A40")
	require.Equal(t, formats.SheetCell{Column: 1, Text: strings.Repeat("é", 1500)}, alone)

	rows := map[int]formats.SheetRow{}
	for _, r := range w.Rows {
		rows[r.Row] = r
	}
	require.Equal(t, 33.0, rows[2].Height)
	require.True(t, rows[4].Hidden)
	require.NotContains(t, rows, 20, "rows without anything are left out")
	spans := w.ColumnSpans
	require.Equal(t, []formats.ColumnSpan{{First: 2, Last: 3, Width: spans[0].Width}, {First: 4, Last: 4, Width: spans[1].Width, Hidden: true}}, spans)
	require.InDelta(t, 21, spans[0].Width, 1)

	part := view(t, b, formats.SheetRequest{Sheet: "sheet1", Row: 2, Column: 2, Rows: 2, Columns: 1})
	require.Len(t, part.Rows, 2)
	require.Len(t, part.Rows[0].Cells, 1)
	require.Empty(t, part.Merged)
	over := view(t, b, formats.SheetRequest{Row: 41})
	require.Equal(t, 0, over.RowCount)
	require.Empty(t, over.Rows)
	require.Empty(t, view(t, b, formats.SheetRequest{Sheet: "Later"}).Rows)
	for _, bad := range []struct {
		req  formats.SheetRequest
		want string
	}{{formats.SheetRequest{Sheet: "None"}, "unknown sheet"}, {formats.SheetRequest{Row: -1}, "row is -1"}, {formats.SheetRequest{Rows: 1001}, "rows is 1001; it is 1 to 1000"}, {formats.SheetRequest{Columns: 501}, "columns"}} {
		_, err := Viewer{}.SheetWindow(context.Background(), xlsxtest.Source(b), bad.req)
		require.ErrorContains(t, err, bad.want)
	}
}

// Colors of the theme with a tint, indexed ones, and those of the workbook's own index
// (18.8.3, 18.8.19, 18.8.27).
func TestColorsOfStyles(t *testing.T) {
	p := palette{theme: []string{"FFFFFF", "000000", "E7E6E6", "44546A", "5B9BD5"}, indexed: standardPalette()}
	require.Len(t, p.indexed, 64)
	font := func(color string) string { return p.font([]byte(`<font><color ` + color + `/></font>`)).Color }
	for in, want := range map[string]string{`rgb="FF12ab9F"`: "12AB9F", `theme="4"`: "5B9BD5", `theme="1" tint="0.5"`: "808080", `theme="0" tint="-0.25"`: "BFBFBF", `indexed="10"`: "FF0000",
		`indexed="64"`: "", `auto="1"`: "", `theme="99"`: "", `rgb="FFzzzzzz"`: "", `indexed="55"`: "969696"} {
		require.Equal(t, want, font(in), in)
	}
	p.readIndexed([][]byte{[]byte(`<indexedColors><rgbColor rgb="00ABCDEF"/></indexedColors>`)})
	require.Equal(t, "ABCDEF", font(`indexed="0"`))
	require.Equal(t, "ED7D31", p.fill([]byte(`<fill><gradientFill><stop position="0"><color rgb="FFED7D31"/></stop><stop position="1"><color rgb="FF000000"/></stop></gradientFill></fill>`)).Fill)
	require.Empty(t, p.fill([]byte(`<fill><patternFill patternType="none"><fgColor rgb="FFED7D31"/></patternFill></fill>`)).Fill)
}

// large is a sheet of more than measureAtOnce bytes that says nothing of its size, with
// a merged block behind its rows.
func large(t testing.TB, rows int) []byte {
	var sb strings.Builder
	sb.WriteString("<sheetData>")
	for r := 1; r <= rows; r++ {
		fmt.Fprintf(&sb, `<row r="%d"><c r="A%d"><v>%d</v></c><c r="B%d" t="inlineStr"><is><t>%s</t></is></c>`, r, r, r, r, strings.Repeat("text ", 20))
		if r == 1 {
			sb.WriteString(`<c r="C1"><f t="shared" ref="C1:C9999999" si="0">A1*2</f><v>2</v></c></row>`)
		} else {
			fmt.Fprintf(&sb, `<c r="C%d"><f t="shared" si="0"/><v>%d</v></c></row>`, r, 2*r)
		}
	}
	sb.WriteString(`</sheetData><mergeCells count="1"><mergeCell ref="A3:B4"/></mergeCells><conditionalFormatting sqref="A1"/>`)
	return xlsxtest.Raw(t, nil, sb.String())
}

// A window of a large sheet comes before its size is known; measured, its end is found,
// and later windows begin near their rows.
func TestLargeSheet(t *testing.T) {
	const rows = 120_000
	b := large(t, rows)
	bookCache.Clear()
	sheetCache.Clear()
	book.PartIndex.Clear()
	first := view(t, b, formats.SheetRequest{})
	require.False(t, first.Exact)
	require.Equal(t, 100, first.RowCount)
	c, _ := at(t, first, "C100")
	require.Equal(t, formats.SheetCell{Column: 3, Text: "200", Formula: "=A100*2", Type: "number"}, c)
	require.Empty(t, first.Merged)

	measured := view(t, b, formats.SheetRequest{Measure: true})
	require.True(t, measured.Exact)
	require.Equal(t, [2]int{rows, 3}, [2]int{measured.TotalRows, measured.TotalColumns})
	require.Equal(t, []string{"A3:B4"}, measured.Merged)
	require.Equal(t, []string{"Not drawn here: conditional formats. The pages show them."}, measured.Notes)
	require.NotEmpty(t, book.PartIndex.Items, "the pass left places to begin at")

	far := view(t, b, formats.SheetRequest{Row: rows - 10, Rows: 100})
	require.Equal(t, 11, far.RowCount)
	c, _ = at(t, far, fmt.Sprintf("C%d", rows))
	require.Equal(t, formats.SheetCell{Column: 3, Text: fmt.Sprint(2 * rows), Formula: fmt.Sprintf("=A%d*2", rows), Type: "number"}, c)
}

// A window that would be too large ends early and says so; the next one begins where it
// ended.
func TestWindowEndsEarly(t *testing.T) {
	var sb strings.Builder
	for r := 1; r <= 300; r++ {
		fmt.Fprintf(&sb, `<row r="%d">`, r)
		for c := 1; c <= 100; c++ {
			fmt.Fprintf(&sb, `<c r="%s"><v>%d</v></c>`, cellref.Name(r, c), r*c)
		}
		sb.WriteString("</row>")
	}
	b := xlsxtest.Raw(t, nil, "<sheetData>"+sb.String()+"</sheetData>")
	w := view(t, b, formats.SheetRequest{Rows: 1000, Columns: 500})
	require.Equal(t, 200, w.RowCount)
	require.Len(t, w.Rows, 200)
	require.Contains(t, w.Notes[0], "ends early")
	require.Equal(t, 100, view(t, b, formats.SheetRequest{Row: 201, Rows: 1000, Columns: 500}).RowCount)
}

// Texts of a large string table are looked up.
func TestLargeStringTable(t *testing.T) {
	var sst, rows strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&sst, "<si><t>%d %s</t></si>", i, strings.Repeat("x", 70))
	}
	for r := 1; r <= 50; r++ {
		fmt.Fprintf(&rows, `<row r="%d"><c r="A%d" t="s"><v>%d</v></c></row>`, r, r, r*1100)
	}
	b := xlsxtest.Raw(t, map[string]string{"xl/sharedStrings.xml": `<sst xmlns="` + sheetml.Namespace + `">` + sst.String() + "</sst>"}, "<sheetData>"+rows.String()+"</sheetData>")
	c, _ := at(t, view(t, b, formats.SheetRequest{}), "A50")
	require.Equal(t, "55000 "+strings.Repeat("x", 70), c.Text)
}

// A window has the texts of a read of the same range, for every sheet of the corpus.
func TestWindowsAgreeWithReads(t *testing.T) {
	ctx := context.Background()
	seen := 0
	for _, path := range formatstest.Corpus(t, "xlsx") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			src, err := formats.OpenFile(path)
			require.NoError(t, err)
			defer src.Close()
			w, err := Viewer{}.SheetWindow(ctx, src, formats.SheetRequest{})
			if err != nil {
				var fe *formats.Error
				require.ErrorAs(t, err, &fe)
				return
			}
			for _, tab := range w.Sheets {
				if w, err = (Viewer{}).SheetWindow(ctx, src, formats.SheetRequest{Sheet: tab.Name, Rows: 60}); err != nil {
					var fe *formats.Error
					require.ErrorAs(t, err, &fe)
					continue
				}
				if w.RowCount == 0 || w.ColumnCount == 0 || tab.Kind != "worksheet" {
					continue
				}
				text, err := reader.Reader{}.Read(ctx, src, formats.Selector{Range: sheetRange(tab.Name, w)})
				require.NoError(t, err)
				seen += sameTexts(t, w, text.Text)
			}
		})
	}
	require.Greater(t, seen, 500, "the corpus holds cells")
}

func sheetRange(sheet string, w *formats.SheetWindow) string {
	return "'" + strings.ReplaceAll(sheet, "'", "''") + "'!" + cellref.Block(w.Row, w.Column, w.Row+w.RowCount-1, w.Column+w.ColumnCount-1).String()
}

// sameTexts compares the cells of a window with the lines of a read and counts them.
func sameTexts(t *testing.T, w *formats.SheetWindow, text string) (n int) {
	cells := map[string]formats.SheetCell{}
	for _, r := range w.Rows {
		for _, c := range r.Cells {
			cells[cellref.Name(r.Row, c.Column)] = c
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		for _, c := range reader.RowCells(line) {
			got := cells[c.Ref]
			shown := book.OneLine(got.Text)
			if shown == "" {
				shown = got.Formula
			}
			if got.Cut {
				continue
			}
			if !strings.HasPrefix(c.Text, shown) && !strings.HasPrefix(shown, c.Text) {
				require.Equal(t, c.Text, shown, "%s!%s", w.Sheet, c.Ref)
			}
			n++
		}
	}
	return n
}
