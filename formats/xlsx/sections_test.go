package xlsx

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/xlsx/internal/reader"
	"atelier/formats/xlsx/internal/xlsxtest"
)

// objectBook is a workbook with objects that another program wrote.
func objectBook(t *testing.T, more ...func(*excelize.File)) []byte {
	return xlsxtest.Fixture(t, func(f *excelize.File) {
		require.NoError(t, f.SetSheetRow("Sheet1", "A1", &[]any{"Region", "Year", "Sales"}))
		for i, row := range [][]any{{"north", 2024, 3.5}, {"south", 2024, 4}, {"north", 2025, 5}} {
			require.NoError(t, f.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+2), &row))
		}
		one := 1
		require.NoError(t, f.SetPageLayout("Sheet1", &excelize.PageLayoutOptions{Size: &[]int{9}[0], Orientation: &[]string{"landscape"}[0], FitToWidth: &one, FitToHeight: &[]int{0}[0]}))
		require.NoError(t, f.SetSheetProps("Sheet1", &excelize.SheetPropsOptions{FitToPage: &[]bool{true}[0]}))
		require.NoError(t, f.SetPageMargins("Sheet1", &excelize.PageLayoutMarginsOptions{Left: &[]float64{.5}[0], Horizontally: &[]bool{true}[0]}))
		require.NoError(t, f.SetHeaderFooter("Sheet1", &excelize.HeaderFooterOptions{OddHeader: `&L&"Arial,Bold"&12Q&&A&CTop&K00-0501x`, OddFooter: "Page &P of &N", EvenHeader: "not used"}))
		require.NoError(t, f.SetDefinedName(&excelize.DefinedName{Name: "_xlnm.Print_Area", RefersTo: "Sheet1!$A$1:$C$4", Scope: "Sheet1"}))
		require.NoError(t, f.SetDefinedName(&excelize.DefinedName{Name: "_xlnm.Print_Titles", RefersTo: "Sheet1!$A:$A,Sheet1!$1:$1", Scope: "Sheet1"}))
		require.NoError(t, f.InsertPageBreak("Sheet1", "A3"))
		red, err := f.NewConditionalStyle(&excelize.Style{Font: &excelize.Font{Color: "FF0000", Bold: true}})
		require.NoError(t, err)
		require.NoError(t, f.SetConditionalFormat("Sheet1", "C2:C4", []excelize.ConditionalFormatOptions{{Type: "cell", Criteria: ">", Format: &red, Value: "4", StopIfTrue: true}, {Type: "3_color_scale", Criteria: "=", MinType: "min", MidType: "percentile", MaxType: "max", MidValue: "50", MinColor: "#FF0000", MidColor: "#FFFF00", MaxColor: "#00FF00"}}))
		require.NoError(t, f.SetConditionalFormat("Sheet1", "A2:B4", []excelize.ConditionalFormatOptions{{Type: "formula", Criteria: "$B2=2025", Format: &red}}))
		dv := excelize.NewDataValidation(true)
		dv.Sqref = "A2:A9"
		require.NoError(t, dv.SetDropList([]string{"north", "south"}))
		dv.SetInput("Region", "choose one")
		dv.SetError(excelize.DataValidationErrorStyleStop, "No", "such region")
		require.NoError(t, f.AddDataValidation("Sheet1", dv))
		whole := excelize.NewDataValidation(true)
		whole.Sqref = "B2:B9"
		require.NoError(t, whole.SetRange(2000, 2100, excelize.DataValidationTypeWhole, excelize.DataValidationOperatorBetween))
		whole.ShowErrorMessage = false
		require.NoError(t, f.AddDataValidation("Sheet1", whole))
		require.NoError(t, f.AddChart("Sheet1", "E2", &excelize.Chart{Type: excelize.Col, Title: excelize.ChartTitle{Paragraph: []excelize.RichTextRun{{Text: "By region"}}}, Series: []excelize.ChartSeries{{Name: "Sheet1!$C$1", Categories: "Sheet1!$A$2:$A$4", Values: "Sheet1!$C$2:$C$4"}}}))
		_, err = f.NewSheet("P")
		require.NoError(t, err)
		require.NoError(t, f.AddPivotTable(&excelize.PivotTableOptions{DataRange: "Sheet1!A1:C4", PivotTableRange: "P!A3:D9", Name: "Totals", Rows: []excelize.PivotTableField{{Data: "Region"}}, Columns: []excelize.PivotTableField{{Data: "Year"}}, Data: []excelize.PivotTableField{{Data: "Sales", Name: "Average sale", Subtotal: "Average"}}}))
		require.NoError(t, f.AddSlicer("P", &excelize.SlicerOptions{Name: "Region", Cell: "F3", TableSheet: "P", TableName: "Totals", Caption: "Where"}))
		for _, m := range more {
			m(f)
		}
	})
}

// A read shows charts, pivot tables, rules and page set-up when include asks (W-35);
// without a range it then leaves out the cells.
func TestReadSections(t *testing.T) {
	in := objectBook(t)
	include := func(words ...string) formats.Selector { return formats.Selector{Sheet: "Sheet1", Include: words} }
	require.Equal(t, `Sheet: Sheet1
Charts:
Chart 2 at E2:L16: column chart "By region", 1 series
  categories Sheet1!$A$2:$A$4: (no values are stored in the chart)
  series (Sheet1!$C$1), Sheet1!$C$2:$C$4: (no values are stored in the chart)
  legend at the bottom`, read(t, in, include("charts")))
	require.Equal(t, `Sheet: Sheet1
Conditional formats:
C2:C4: cell > 4 → bold, font colour red (priority 1, stops further rules)
C2:C4: colour scale min red → percentile 50 yellow → max green (priority 2)
A2:B4: formula $B2=2025 (as written for A2) → bold, font colour red (priority 3)
Data validations:
A2:A9: list "north,south", prompt “Region: choose one”, error “No: such region”
B2:B9: whole number between 2000 and 2100 (other values are not refused)`, read(t, in, include("rules")))
	require.Equal(t, `Sheet: Sheet1
Page set-up: landscape, A4, fit to 1 page wide and any number of pages tall, margins in inches: left 0.5 right 0 top 0 bottom 0 header 0 footer 0, centred horizontally
print area A1:C4
repeated on every page: columns A:A, rows 1:1
header: left "Q&A", center "Top1x"
footer: center "Page [page] of [pages]"
page breaks below rows 2`, read(t, in, include("page")))
	require.Equal(t, `Sheet: P
Pivot tables:
Totals at A3:D9, from 'Sheet1'!A1:C4
  rows: Region; columns: Year; values: Average sale (average of Sales)
  its cells are empty: a spreadsheet program fills them when it refreshes the table
Slicers:
Region "Where": filters Region of 1 pivot table Totals`, read(t, in, formats.Selector{Sheet: "P", Include: []string{"pivots"}}))
}

// With a range the read has the cells and what touches them; with everything, what is
// not there is not told.
func TestReadSectionsOfRange(t *testing.T) {
	in := objectBook(t)
	require.Equal(t, `Sheet: Sheet1
C2: 3.5
Charts: none
Conditional formats:
C2:C4: cell > 4 → bold, font colour red (priority 1, stops further rules)
C2:C4: colour scale min red → percentile 50 yellow → max green (priority 2)
Data validations: none`, read(t, in, formats.Selector{Range: "C2:C2", Include: []string{"charts", "rules"}}))
	all := read(t, in, formats.Selector{Include: []string{"all"}})
	require.Contains(t, all, "A2: north, B2: 2024, C2: 3.5")
	require.Contains(t, all, "\nCharts:\n")
	require.NotContains(t, all, "none")
	plain := read(t, in, formats.Selector{Sheet: "P"})
	require.NotContains(t, plain, "Pivot")

	filled, _ := apply(t, in, `[{"op":"set_cells","sheet":"P","cells":[{"cell":"A1","value":"x"}]}]`)
	require.Contains(t, read(t, filled, formats.Selector{Sheet: "P", Include: []string{"pivots"}}), "its cells are empty")
}

// The values of a pivot table that stand in cells are not called empty.
func TestReadFilledPivot(t *testing.T) {
	in := objectBook(t, func(f *excelize.File) { require.NoError(t, f.SetCellInt("P", "A4", 1)) })
	require.NotContains(t, read(t, in, formats.Selector{Sheet: "P", Include: []string{"pivots"}}), "empty")
}

// The map says which words of include show more, and only those.
func TestMapSaysInclude(t *testing.T) {
	m, err := Format().Mapper.Map(t.Context(), xlsxtest.Source(objectBook(t)), formats.MapOptions{})
	require.NoError(t, err)
	require.Equal(t, []string{"charts", "pivots", "rules"}, m.(*reader.Map).Include)
	m, err = Format().Mapper.Map(t.Context(), xlsxtest.Source(raw(t, nil, "<sheetData/>")), formats.MapOptions{})
	require.NoError(t, err)
	require.Empty(t, m.(*reader.Map).Include)
}

// A chart sheet has charts and a page set-up.
func TestReadSectionsOfChartSheet(t *testing.T) {
	in := xlsxtest.Fixture(t, func(f *excelize.File) {
		require.NoError(t, f.AddChartSheet("C", &excelize.Chart{Type: excelize.Pie, Series: []excelize.ChartSeries{{Values: "Sheet1!$C$2:$C$4"}}}))
	})
	text := read(t, in, formats.Selector{Sheet: "C", Include: []string{"charts", "rules", "page"}})
	require.Contains(t, text, "Sheet: C\n(a chartsheet: it has no cells)\nCharts:\n")
	require.Contains(t, text, ": pie chart, 1 series\n  series, Sheet1!$C$2:$C$4: ")
	require.Contains(t, text, "\nPage set-up: portrait")
}

// Sections of hostile workbooks are bounded and stop with their context.
func TestSectionBombs(t *testing.T) {
	var rules strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&rules, `<conditionalFormatting sqref="A%d"><cfRule type="expression" priority="%d"><formula>%s</formula></cfRule></conditionalFormatting>`, i%1000+1, i+1, strings.Repeat("x", 20))
	}
	validations := `<dataValidations>` + strings.Repeat(`<dataValidation type="list" sqref="`+strings.Repeat("A1 ", 300)+`"><formula1>"`+strings.Repeat("y", 100)+`"</formula1></dataValidation>`, 20_000) + `</dataValidations>`
	breaks := `<rowBreaks>` + strings.Repeat(`<brk id="7"/>`, 50_000) + `</rowBreaks>`
	in := raw(t, nil, `<sheetData/>`+rules.String()+validations+breaks)
	text := read(t, in, formats.Selector{Include: []string{"rules", "page"}})
	require.Contains(t, text, "\n... (99800 more)\nData validations:")
	require.Contains(t, text, "A1, A1, 290 more ranges: list")
	require.Contains(t, text, "\n... (19800 more)")
	require.Contains(t, text, "7, 7, 49950 more")
	require.Less(t, len(text), 200<<10)

	ctx := xlsxtest.NewCounted(40)
	_, err := Format().Reader.Read(ctx, xlsxtest.Source(in), formats.Selector{Include: []string{"rules"}})
	require.ErrorIs(t, err, context.Canceled)
}

// Ten thousand charts are counted, and the first are shown; one of a million points
// is cut.
func TestChartBombs(t *testing.T) {
	const ns = `xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	frame := `<xdr:oneCellAnchor><xdr:from><xdr:col>0</xdr:col><xdr:row>0</xdr:row></xdr:from><xdr:graphicFrame><xdr:cNvPr name="%s"/><c:chart r:id="rId1"/></xdr:graphicFrame></xdr:oneCellAnchor>`
	var frames, points strings.Builder // of texts that do not look like a zip bomb
	for i := range 10_000 {
		fmt.Fprintf(&frames, frame, xlsxtest.LongText(i, 60))
	}
	for i := range 400_000 {
		fmt.Fprintf(&points, `<c:pt idx="%d"><c:v>%d</c:v></c:pt>`, i, i*7919%100_003)
	}
	in := raw(t, map[string]string{
		"xl/worksheets/_rels/sheet1.xml.rels": xlsxtest.Rels("drawing ../drawings/drawing1.xml"),
		"xl/drawings/drawing1.xml":            `<xdr:wsDr ` + ns + `>` + frames.String() + `</xdr:wsDr>`,
		"xl/drawings/_rels/drawing1.xml.rels": xlsxtest.Rels("chart ../charts/chart1.xml"),
		"xl/charts/chart1.xml":                `<c:chartSpace ` + ns + `><c:chart><c:plotArea><c:lineChart><c:ser><c:val><c:numLit><c:ptCount val="1000000"/>` + points.String() + `</c:numLit></c:val></c:ser></c:lineChart></c:plotArea></c:chart></c:chartSpace>`,
	}, `<sheetData/><drawing r:id="rId1"/>`)
	text := read(t, in, formats.Selector{Include: []string{"charts"}})
	require.Contains(t, text, "\n... (9900 more)")
	require.Contains(t, text, "… 999900 more")
	require.Contains(t, text, "(not read: ")
	require.Less(t, len(text), 200<<10)
}
