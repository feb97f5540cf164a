package reader

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/xlsxtest"
)

// What the elements around the rows of a sheet say, without and with detail.
func TestMapOfASheet(t *testing.T) {
	head := `<sheetViews><sheetView workbookViewId="0"><pane xSplit="1" ySplit="2" topLeftCell="B3" state="frozen"/></sheetView></sheetViews><cols><col min="2" max="3" hidden="1"/><col min="4" max="4" hidden="1"/><col min="9" max="7" hidden="1"/><col min="6" max="6" width="2"/></cols>`
	rows := `<sheetData><row r="1"><c r="A1"><v>1</v></c></row><row r="4" hidden="1"/><row hidden="true" r="5"><c r="C5"><f>1</f><v>1</v></c></row><row r="7" hidden="0"/><row r="9" hidden="1"><c r="A9"><f>2</f></c><c r="B9" s="0"/></row></sheetData>`
	tail := `<sheetProtection sheet="1"/><autoFilter ref="$A$1:$C$9"><filterColumn colId="0"/></autoFilter><mergeCells count="2"><mergeCell ref="A1:B1"/><mergeCell ref="D1:E2"/></mergeCells>` +
		`<conditionalFormatting sqref="A1"><cfRule type="expression"/></conditionalFormatting><conditionalFormatting sqref="B1"/><dataValidations count="1"><dataValidation sqref="A1"/></dataValidations>` +
		`<hyperlinks><hyperlink ref="A1"/><hyperlink ref="A2"/><hyperlink ref="A3"/></hyperlinks><extLst><ext><x14:sparklineGroups xmlns:x14="u"><x14:sparklineGroup/></x14:sparklineGroups></ext></extLst>`
	b := xlsxtest.Raw(t, map[string]string{"xl/tables/table1.xml": `<table displayName="T" ref="A1:B9" totalsRowCount="1"><tableColumns><tableColumn name="a_x000a_b"/><tableColumn name="c"/></tableColumns></table>`, commentsPart: note}, head+rows+tail)
	want := SheetMap{
		Name: "S1", RowCount: 9, ColCount: 3, UsedRange: "A1:C9", ChunkCount: 1, Regions: []RegionMap{{Range: "A1"}, {Range: "C5"}, {Range: "A9"}},
		Tables:   []TableMap{{Name: "T", Range: "A1:B9", Headers: []string{`a\nb`, "c"}, TotalsRow: true}},
		Formulas: 2, Uncached: 1, MergedCount: 2, Merged: []string{"A1:B1", "D1:E2"}, Comments: 2, Conditional: 2, Validations: 1, Hyperlinks: 3, Sparklines: 1,
		Protected: true, Frozen: "B3", AutoFilter: "A1:C9", HiddenRows: 3, HiddenCols: 3, HiddenAt: []string{"4:5", "9:9", "B:D"},
	}
	require.JSONEq(t, asJSON(t, want), asJSON(t, mapped(t, b, formats.MapOptions{Detail: true}).Sheets[0]))
	want.Merged, want.HiddenAt = nil, nil
	require.JSONEq(t, asJSON(t, want), asJSON(t, mapped(t, b, formats.MapOptions{}).Sheets[0]))
}

func TestStatesOfASheet(t *testing.T) {
	for xml, check := range map[string]func(s SheetMap) bool{
		`<sheetViews><sheetView><pane ySplit="1" state="frozenSplit"/></sheetView></sheetViews><sheetData/>`:           func(s SheetMap) bool { return s.Frozen == "A2" },
		`<sheetViews><sheetView><pane xSplit="2" state="frozen"/></sheetView></sheetViews><sheetData/>`:                func(s SheetMap) bool { return s.Frozen == "C1" },
		`<sheetViews><sheetView><pane xSplit="1200" ySplit="300" state="split"/></sheetView></sheetViews><sheetData/>`: func(s SheetMap) bool { return s.Frozen == "" },
		`<sheetViews><sheetView><pane xSplit="-1" ySplit="9e99" state="frozen"/></sheetView></sheetViews><sheetData/>`: func(s SheetMap) bool { return s.Frozen == "A16384" },
		`<sheetData/><sheetProtection/>`:                                                            func(s SheetMap) bool { return s.Protected },
		`<sheetData/><sheetProtection sheet="0"/>`:                                                  func(s SheetMap) bool { return !s.Protected },
		`<sheetData/><customSheetViews><x><autoFilter ref="A1"/></x></customSheetViews>`:            func(s SheetMap) bool { return s.AutoFilter == "" },
		`<dimension ref="A1:Z99"/>`:                                                                 func(s SheetMap) bool { return s.RowCount == 0 && s.UsedRange == "" },
		`<dimension ref="A1:Z99"/><sheetData><row r="51"><c r="B51"><v>1</v></c></row></sheetData>`: func(s SheetMap) bool { return s.RowCount == 51 && s.ColCount == 2 && s.ChunkCount == 2 },
	} {
		s := mapped(t, xlsxtest.Raw(t, nil, xml), formats.MapOptions{}).Sheets[0]
		require.True(t, check(s), "%s: %s", xml, asJSON(t, s))
	}
}

// Labels and headers are texts, shared ones too, and years.
func TestHeadersOfRegions(t *testing.T) {
	b := xlsxtest.Raw(t, map[string]string{"xl/sharedStrings.xml": xlsxtest.SharedStrings("<t>first</t>", "<t>"+strings.Repeat("long ", 20)+"</t>", "<t> two\nlines </t>")},
		`<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c><c r="D1"><v>2024</v></c><c r="E1" t="s"><v>99</v></c></row><row r="2"><c r="A2"><v>1</v></c><c r="E2"><v>1</v></c></row>`+
			`<row r="4"><c r="A4"><v>1899</v></c><c r="B4" t="str"><v>x</v></c></row><row r="5"><c r="A5"><v>1</v></c></row></sheetData>`)
	s := mapped(t, b, formats.MapOptions{}).Sheets[0]
	require.Equal(t, []RegionMap{{Range: "A1:E2", HeaderRow: 1, Headers: []string{"first", strings.Repeat("long ", 12) + "…", `two\nlines`, "2024", ""}}, {Range: "A4:B5"}}, s.Regions)
}

func TestHiddenLines(t *testing.T) {
	l := &lines{}
	for i := range 30 {
		l.add(3*i+1, 3*i+1)
	}
	require.Equal(t, 30, l.count)
	require.Len(t, l.spans, 20, "the first of them")
	l = &lines{}
	l.add(2, 3)
	l.add(4, 9)
	l.add(11, 11)
	require.Equal(t, []string{"B:I", "K:K"}, l.shown(cellref.ColumnName))
	require.Equal(t, 9, l.count)
	for tag, want := range map[string]bool{`<row r="1" hidden="1">`: true, `<row hidden='true'/>`: true, `<row r="1">`: false, `<row r="1" hidden="0">`: false, `<row r="1"><c t="hidden">`: false, `<row x="hidden=1">`: false, `<row r="1"/><row hidden="1">`: false} {
		require.Equal(t, want, rowHidden([]byte(tag)), tag)
	}
}

func TestAnchors(t *testing.T) {
	for _, c := range []struct {
		from, to cellref.Cell
		want     string
	}{{cellref.Cell{}, cellref.At(3, 3), ""}, {cellref.At(2, 2), cellref.Cell{}, "B2"}, {cellref.At(2, 2), cellref.At(9, 6), "B2:F9"}} {
		require.Equal(t, c.want, AnchorRange(c.from, c.to))
	}
}

// a drawing that is too large is not read, which is told.
func TestLargeObjectsOfAMap(t *testing.T) {
	b := xlsxtest.Raw(t, map[string]string{xlsxtest.Sheet1Rels: xlsxtest.Rels("drawing ../drawings/drawing1.xml"), "xl/drawings/drawing1.xml": `<xdr:wsDr xmlns:xdr="u"><xdr:pic/><!--` + xlsxtest.LongText(1, book.MaxObjects) + `--></xdr:wsDr>`}, "<sheetData/>")
	s := mapped(t, b, formats.MapOptions{}).Sheets[0]
	require.True(t, s.DetailsCut)
	require.Zero(t, s.Images)
}

// only the first hundred merges are listed, all are counted.
func TestManyMergesOfAMap(t *testing.T) {
	var sb strings.Builder
	for r := range 150 {
		fmt.Fprintf(&sb, `<mergeCell ref="A%d:B%d"/>`, r+1, r+1)
	}
	s := mapped(t, xlsxtest.Raw(t, nil, `<sheetData/><mergeCells>`+sb.String()+`</mergeCells>`), formats.MapOptions{Sheet: "S1"}).Sheets[0]
	require.Equal(t, []int{150, 100}, []int{s.MergedCount, len(s.Merged)})
}
