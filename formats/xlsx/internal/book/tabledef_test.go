package book_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/xlsxtest"
)

const tableXML = `<table xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" name="tbl" displayName="Sales" ref="B2:D6" totalsRowCount="1"><autoFilter ref="B2:D5"/><tableColumns count="3">` +
	`<tableColumn id="1" name="Who" totalsRowLabel="Sum"/><tableColumn id="2" name="Units_x000a_sold"><calculatedColumnFormula>1</calculatedColumnFormula></tableColumn><tableColumn id="3" name="it's [a]"/></tableColumns></table>`

func table(t testing.TB, xml string) *book.Table {
	t.Helper()
	tab, err := book.ParseTable("xl/tables/table1.xml", []byte(xml))
	require.NoError(t, err)
	return tab
}

func TestParseTable(t *testing.T) {
	tab := table(t, tableXML)
	require.Equal(t, "Sales", tab.Name)
	require.Equal(t, "B2:D6", tab.Ref.String())
	require.Equal(t, []int{1, 1}, []int{tab.Headers, tab.Totals})
	var names []string
	for _, c := range tab.Columns {
		names = append(names, c.Name)
	}
	require.Equal(t, []string{"Who", "Units\nsold", "it's [a]"}, names)
	first := tab.Columns[0]
	require.Equal(t, "Who", tableXML[first.NameVal.Start:first.NameVal.End])
	require.Equal(t, "Sum", tableXML[first.LabelVal.Start:first.LabelVal.End])
	require.False(t, tab.Columns[1].LabelVal.OK())

	odd := table(t, `<table name="Only" ref="A1:A3" headerRowCount="0" totalsRowCount="-1"><tableColumns><tableColumn name="x"/></tableColumns></table>`)
	require.Equal(t, "Only", odd.Name)
	require.Equal(t, []int{0, 0}, []int{odd.Headers, odd.Totals})
	_, err := book.ParseTable("xl/tables/table1.xml", []byte(`<table><tableColumns>`))
	require.ErrorContains(t, err, "xl/tables/table1.xml: ")
	require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err))
}

func TestCellsOfTables(t *testing.T) {
	tab := table(t, tableXML)
	for at, want := range map[cellref.Cell][2]int{
		{Row: 2, Col: 2}: {0, -1}, {Row: 2, Col: 4}: {2, -1}, {Row: 2, Col: 1}: {-1, -1}, {Row: 2, Col: 5}: {-1, -1}, {Row: 3, Col: 2}: {-1, -1},
		{Row: 6, Col: 2}: {-1, 0}, {Row: 6, Col: 4}: {-1, 2}, {Row: 6, Col: 5}: {-1, -1}, {Row: 6, Col: 1}: {-1, -1}, {Row: 5, Col: 2}: {-1, -1},
	} {
		require.Equal(t, want, [2]int{tab.HeaderAt(at), tab.TotalAt(at)}, "%+v", at)
	}
	tab.Headers, tab.Totals, tab.Columns = 0, 0, tab.Columns[:1]
	require.Equal(t, []int{-1, -1}, []int{tab.HeaderAt(cellref.At(2, 2)), tab.TotalAt(cellref.At(6, 2))}, "without these rows")
	tab.Headers, tab.Totals = 1, 1
	require.Equal(t, []int{-1, -1}, []int{tab.HeaderAt(cellref.At(2, 3)), tab.TotalAt(cellref.At(6, 3))}, "a block that is wider than its columns")
}

func TestNewColumnNames(t *testing.T) {
	tab := table(t, `<table ref="A1:C3"><tableColumns><tableColumn name="column1"/><tableColumn name="X"/><tableColumn name="Column3"/></tableColumns></table>`)
	require.Equal(t, []string{"Column2", "Column4", "Column5"}, tab.NewColumns(3))
	require.Empty(t, tab.NewColumns(0))
}

func TestTablesOfASheet(t *testing.T) {
	b := xlsxtest.Raw(t, map[string]string{
		"xl/tables/table1.xml": tableXML, "xl/tables/table2.xml": `<table name="Two" ref="F1:F2"/>`,
		xlsxtest.Sheet1Rels: xlsxtest.Rels("table ../tables/table2.xml", "table ../tables/table9.xml", "table https://x.example/t.xml", "drawing ../tables/table1.xml", "table ../tables/table1.xml"),
	}, "<sheetData/>", "<sheetData/>")
	wb := open(t, b)
	tables, err := wb.TablesOf(context.Background(), xlsxtest.Sheet1)
	require.NoError(t, err)
	require.Len(t, tables, 2)
	require.Equal(t, []string{"Two", "Sales"}, []string{tables[0].Name, tables[1].Name}, "in the order of the relationships")
	require.Equal(t, "xl/tables/table1.xml", tables[1].Part)
	none, err := wb.TablesOf(context.Background(), xlsxtest.Sheet2)
	require.NoError(t, err)
	require.Empty(t, none)
}

// The tables of another program are those that it says it made.
func TestTablesOfASecondProgram(t *testing.T) {
	b := xlsxtest.Fixture(t, func(f *excelize.File) {
		require.NoError(t, f.SetSheetRow("Sheet1", "B3", &[]any{"Größe", "n", "n"}))
		require.NoError(t, f.AddTable("Sheet1", &excelize.Table{Range: "B3:D9", Name: "T"}))
		off := false
		require.NoError(t, f.AddTable("Sheet1", &excelize.Table{Range: "H3:I9", Name: "NoHead", ShowHeaderRow: &off}))
	})
	tables, err := open(t, b).TablesOf(context.Background(), xlsxtest.Sheet1)
	require.NoError(t, err)
	got := map[string]int{}
	for _, tab := range tables {
		got[tab.Name+" "+tab.Ref.String()] = tab.Headers
	}
	require.Equal(t, map[string]int{"T B3:D9": 1, "NoHead H4:I9": 0}, got)
	theirs, err := xlsxtest.Excel(t, b).GetTables("Sheet1")
	require.NoError(t, err)
	require.Len(t, theirs, 2)
	for _, tab := range theirs {
		require.Contains(t, got, tab.Name+" "+tab.Range)
	}
}

func TestChartRelationships(t *testing.T) {
	for typ, want := range map[string]bool{book.RelChart: true, "http://schemas.microsoft.com/office/2014/relationships/chartEx": true, book.RelDrawing: false} {
		require.Equal(t, want, book.IsChartRel(opc.Relationship{Type: typ}), typ)
		require.False(t, book.IsChartRel(opc.Relationship{Type: typ, External: true}), typ)
	}
	for xml, want := range map[string]string{
		`<c r:id="rId4" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"/>`:        "rId4",
		`<c id="1" q:id="rId5" xmlns:q="http://schemas.openxmlformats.org/officeDocument/2006/relationships"/>`: "rId5",
		`<c id="1" q:id="rId6" xmlns:q="urn:other"/>`:                                                           "",
		`<c/>`: "",
	} {
		sc := xmlscan.New([]byte(xml))
		require.True(t, sc.Next())
		require.Equal(t, want, book.RelIDOf(sc, sc.Token()), xml)
	}
}

func TestNotesOfVML(t *testing.T) {
	note := `<v:shape id="a" type="#t"><x:ClientData ObjectType="Note"><x:Row> 2 </x:Row><x:Column>3</x:Column></x:ClientData></v:shape>`
	button := `<v:shape id="b"><x:ClientData ObjectType="Button"><x:Row>2</x:Row><x:Column>3</x:Column></x:ClientData></v:shape>`
	require.Equal(t, cellref.At(3, 4), book.NoteAt([]byte(note)))
	require.Zero(t, book.NoteAt([]byte(button)))
	require.Zero(t, book.NoteAt([]byte(`<v:shape><x:ClientData ObjectType="Note"><x:Row>2</x:Row></x:ClientData></v:shape>`)))
	found := book.VMLShape.FindAll([]byte("<xml><v:shapetype id=\"t\"></v:shapetype>"+note+"\n"+button+"</xml>"), -1)
	require.Len(t, found, 2, "a shape type is no shape")
	require.Equal(t, button, string(found[1]))
}
