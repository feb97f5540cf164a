package reader

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/xlsx/internal/xlsxtest"
)

func mapped(t testing.TB, b []byte, opt formats.MapOptions) *Map {
	t.Helper()
	m, err := Mapper{}.Map(context.Background(), xlsxtest.Source(b), opt)
	require.NoError(t, err)
	return m.(*Map)
}

func asJSON(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

// What a workbook says as a whole (W-33).
func TestMapOfTheWorkbook(t *testing.T) {
	b := xlsxtest.Raw(t, map[string]string{
		xlsxtest.Main: xlsxtest.Book(`<workbookProtection lockStructure="1"/><sheets><sheet name="A" sheetId="1" r:id="rId1"/><sheet name="B" sheetId="2" state="veryHidden" r:id="rId2"/></sheets>` +
			`<definedNames><definedName name="Rate">A!$A$1</definedName><definedName name="Own" localSheetId="1">B!$B$2</definedName><definedName name="_xlnm._FilterDatabase" localSheetId="0">A!$A$1:$B$2</definedName><definedName name="Long">` + strings.Repeat("x", 150) + `</definedName></definedNames>` +
			`<calcPr calcMode="manual" fullCalcOnLoad="1"/>`),
		"xl/_rels/workbook.xml.rels": xlsxtest.Rels("worksheet worksheets/sheet1.xml", "worksheet worksheets/sheet2.xml", "externalLink externalLinks/a.xml", "externalLink externalLinks/b.xml", "http://schemas.microsoft.com/office/2006/relationships/vbaProject vba.bin"),
		"_rels/.rels":                xlsxtest.Rels("officeDocument xl/workbook.xml", "http://schemas.openxmlformats.org/package/2006/relationships/digital-signature/origin sig"),
	}, xlsxtest.Grid("", "|x"), xlsxtest.Grid("=1+1|=2→2"))
	x := `"` + strings.Repeat("x", 100) + `…"`
	require.JSONEq(t, `{"sheets":[{"name":"A","row_count":2,"col_count":2,"used_range":"B2","chunk_count":1,"regions":[{"range":"B2","label":"x"}]},
		{"name":"B","row_count":1,"col_count":2,"used_range":"A1:B1","chunk_count":1,"hidden":"veryHidden","formula_count":2,"formulas_without_value":1,"regions":[{"range":"A1:B1"}]}],
		"chunk_rows":50,"defined_names":[{"name":"Rate","refers_to":"A!$A$1"},{"name":"Own","refers_to":"B!$B$2","sheet":"B"},{"name":"Long","refers_to":`+x+`}],
		"calc_mode":"manual","full_calc_on_load":true,"structure_protected":true,"macros":true,"signed":true,"external_links":2}`, asJSON(t, mapped(t, b, formats.MapOptions{})))
	one := mapped(t, b, formats.MapOptions{Sheet: "a"})
	require.Equal(t, []int{1, 2, 2}, []int{len(one.Sheets), one.SheetCount, len(one.Names)}, "names of another sheet are not known on it")
	_, err := Mapper{}.Map(context.Background(), xlsxtest.Source(b), formats.MapOptions{Sheet: "C"})
	require.EqualError(t, err, "unknown sheet: C")
	plain := mapped(t, xlsxtest.Raw(t, map[string]string{xlsxtest.Main: xlsxtest.Book(`<sheets/><calcPr calcMode="auto" fullCalcOnLoad="0"/>`)}, ""), formats.MapOptions{})
	require.JSONEq(t, `{"sheets":[],"chunk_rows":50}`, asJSON(t, plain))
}

// The last row and column, chunks and regions agree with a second reader.
func TestMapAgainstASecondReader(t *testing.T) {
	b := xlsxtest.Fixture(t, func(f *excelize.File) {
		for r := 3; r <= 120; r++ {
			require.NoError(t, f.SetSheetRow("Sheet1", fmt.Sprintf("B%d", r), &[]any{"text", r, float64(r) / 3, r%2 == 0}))
		}
		require.NoError(t, f.SetCellFormula("Sheet1", "H7", "SUM(C3:C9)"))
	})
	s := mapped(t, b, formats.MapOptions{}).Sheets[0]
	rows, err := xlsxtest.Excel(t, b).GetRows("Sheet1")
	require.NoError(t, err)
	require.Equal(t, len(rows), s.RowCount)
	require.Equal(t, []any{8, "B3:H120", 3, 1, 1}, []any{s.ColCount, s.UsedRange, s.ChunkCount, s.Formulas, s.Uncached})
}

// The same file is mapped once for the same question.
func TestMapsAreKept(t *testing.T) {
	MapCache.Clear()
	b := xlsxtest.Raw(t, nil, xlsxtest.Grid("1"))
	first := mapped(t, b, formats.MapOptions{})
	require.Same(t, first, mapped(t, b, formats.MapOptions{}))
	require.NotSame(t, first, mapped(t, b, formats.MapOptions{Detail: true}))
	require.NotSame(t, first, mapped(t, b, formats.MapOptions{Sheet: "S1"}))
	require.NotSame(t, first, mapped(t, xlsxtest.Raw(t, nil, xlsxtest.Grid("2")), formats.MapOptions{}))
}

func TestMapOfDamagedFiles(t *testing.T) {
	for name, b := range map[string][]byte{
		"no workbook": []byte("x"),
		"a sheet":     xlsxtest.Raw(t, nil, `<sheetData><row r="1"><c`),
		"strings":     xlsxtest.Raw(t, map[string]string{"xl/sharedStrings.xml": "<sst><si><t>a"}, `<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row></sheetData>`),
		"a table":     xlsxtest.Raw(t, map[string]string{"xl/tables/table1.xml": "<table"}, "<sheetData/>"),
	} {
		_, err := Mapper{}.Map(context.Background(), xlsxtest.Source(b), formats.MapOptions{})
		require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err), name)
	}
}
