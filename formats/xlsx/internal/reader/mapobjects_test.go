package reader

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/xlsx/internal/xlsxtest"
)

const drawingNS = `xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"`

func corner(col, row string) string {
	return `<xdr:col>` + col + `</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>` + row + `</xdr:row>`
}

// The charts and pictures of a drawing, by their anchors.
func TestObjectsOfADrawing(t *testing.T) {
	chart := func(id string) string { return `<xdr:graphicFrame><c:chart r:id="` + id + `"/></xdr:graphicFrame>` }
	b := xlsxtest.Raw(t, map[string]string{
		xlsxtest.Sheet1Rels: xlsxtest.Rels("drawing ../drawings/drawing1.xml", "drawing ../drawings/gone.xml"),
		"xl/drawings/drawing1.xml": `<xdr:wsDr ` + drawingNS + `><xdr:twoCellAnchor><xdr:from>` + corner("1", "2") + `</xdr:from><xdr:to>` + corner(" 5 ", "9") + `</xdr:to>` + chart("rId1") + `</xdr:twoCellAnchor>` +
			`<xdr:oneCellAnchor><xdr:from>` + corner("0", "0") + `</xdr:from>` + chart("rId2") + `</xdr:oneCellAnchor><xdr:absoluteAnchor>` + chart("rId1") + `</xdr:absoluteAnchor>` +
			`<xdr:twoCellAnchor><xdr:from>` + corner("99999", "9999999") + `</xdr:from><xdr:pic/><mc:AlternateContent><mc:Choice><xdr:pic/></mc:Choice><mc:Fallback><xdr:pic/></mc:Fallback></mc:AlternateContent>` + chart("rId9") + chart("rId3") + `</xdr:twoCellAnchor></xdr:wsDr>`,
		"xl/drawings/_rels/drawing1.xml.rels": xlsxtest.Rels("chart ../charts/chart1.xml", "http://schemas.microsoft.com/office/2014/relationships/chartEx ../charts/chart2.xml", "chart ../charts/gone.xml"),
		"xl/charts/chart1.xml":                `<c:chartSpace ` + drawingNS + ` xmlns:a="a"><c:chart><c:title><c:tx><a:t>Sales </a:t><a:t>of May</a:t></c:tx></c:title><c:plotArea><c:barChart><c:barDir val="col"/></c:barChart><c:line3DChart/><c:valAx><c:title><a:t>axis</a:t></c:title></c:valAx></c:plotArea></c:chart></c:chartSpace>`,
		"xl/charts/chart2.xml":                `<cx:chartSpace xmlns:cx="u"><cx:chart><cx:plotArea><cx:series layoutId="waterfall"/><cx:series layoutId="waterfall"/></cx:plotArea></cx:chart></cx:chartSpace>`,
	}, "<sheetData/>")
	s := mapped(t, b, formats.MapOptions{Detail: true}).Sheets[0]
	require.Equal(t, []ChartMap{{Title: "Sales of May", Types: []string{"column", "line"}, Anchor: "B3:F10"}, {Types: []string{"waterfall"}, Anchor: "A1"}, {Title: "Sales of May", Types: []string{"column", "line"}}}, s.Charts)
	require.Equal(t, []int{3, 2}, []int{s.ChartCount, s.Images}, "not those for older programs, and not what is missing")
	require.True(t, s.HasCharts)
	s = mapped(t, b, formats.MapOptions{}).Sheets[0]
	require.Equal(t, []int{3, 0}, []int{s.ChartCount, len(s.Charts)})
	broken := xlsxtest.Edited(t, b, "xl/charts/chart2.xml", func(string) string { return "<cx:chartSpace>" })
	_, err := Mapper{}.Map(context.Background(), xlsxtest.Source(broken), formats.MapOptions{Detail: true})
	require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err))
}

func TestPivotTablesOfAMap(t *testing.T) {
	for source, want := range map[string]string{
		`<worksheetSource ref="A1:C9" sheet="My data"/>`:            "'My data'!A1:C9",
		`<worksheetSource ref="A1:C9" sheet="S1" name="Sales"/>`:    "Sales",
		`<worksheetSource ref="A1:C9"/>`:                            "A1:C9",
		`<cacheFields><worksheetSource name="late"/></cacheFields>`: "",
		`<consolidation/>`: "",
	} {
		b := xlsxtest.Raw(t, map[string]string{
			xlsxtest.Sheet1Rels:                         xlsxtest.Rels("pivotTable ../pivotTables/pivotTable1.xml"),
			"xl/pivotTables/pivotTable1.xml":            `<pivotTableDefinition name="P"><location ref="E1:F9"/></pivotTableDefinition>`,
			"xl/pivotTables/_rels/pivotTable1.xml.rels": xlsxtest.Rels("theme gone.xml", "pivotCacheDefinition ../pivotCache/a.xml"),
			"xl/pivotCache/a.xml":                       `<pivotCacheDefinition><cacheSource>` + source + `</cacheSource></pivotCacheDefinition>`,
		}, "<sheetData/>")
		s := mapped(t, b, formats.MapOptions{Detail: true}).Sheets[0]
		require.Equal(t, []PivotMap{{Name: "P", Range: "E1:F9", Source: want}}, s.Pivots, source)
		require.Equal(t, 1, s.PivotCount)
		p, err := ReadPivot(context.Background(), opened(t, b).Workbook, "xl/pivotTables/pivotTable1.xml")
		require.NoError(t, err)
		require.Equal(t, s.Pivots[0], p)
	}
}

// Charts and pivot tables that a second program made.
func TestObjectsOfASecondProgram(t *testing.T) {
	b := xlsxtest.Fixture(t, func(f *excelize.File) {
		require.NoError(t, f.SetSheetRow("Sheet1", "A1", &[]any{"zone", "n"}))
		require.NoError(t, f.SetSheetRow("Sheet1", "A2", &[]any{"north", 1}))
		for typ, at := range map[excelize.ChartType]string{excelize.Pie: "D1", excelize.Bar: "D20"} {
			require.NoError(t, f.AddChart("Sheet1", at, &excelize.Chart{Type: typ, Title: excelize.ChartTitle{Paragraph: []excelize.RichTextRun{{Text: "at " + at}}}, Series: []excelize.ChartSeries{{Values: "Sheet1!$B$2"}}}))
		}
		require.NoError(t, f.AddPivotTable(&excelize.PivotTableOptions{DataRange: "Sheet1!A1:B2", PivotTableRange: "Sheet1!K1:L9", Rows: []excelize.PivotTableField{{Data: "zone"}}, Data: []excelize.PivotTableField{{Data: "n"}}}))
	})
	s := mapped(t, b, formats.MapOptions{Detail: true}).Sheets[0]
	require.Equal(t, 2, s.ChartCount)
	for _, c := range s.Charts {
		want := map[string]string{"at D1": "pie", "at D20": "bar"}[c.Title]
		require.Equal(t, []string{want}, c.Types, c.Title)
		require.Regexp(t, "^"+c.Title[3:]+":", c.Anchor)
	}
	require.Equal(t, []string{"K1:L9", "'Sheet1'!A1:B2"}, []string{s.Pivots[0].Range, s.Pivots[0].Source})
}
