package xlsx

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/reader"
)

// bookOf is a workbook with one sheet S of the given rows, and what more is done
// to it.
func bookOf(t testing.TB, rows string, more ...string) formats.Source {
	t.Helper()
	ops := []json.RawMessage{json.RawMessage(`{"op":"set_range","sheet":"S","start":"A1","values":` + rows + `}`)}
	for _, op := range more {
		ops = append(ops, json.RawMessage(op))
	}
	var out bytes.Buffer
	_, err := Format().Editor.Apply(context.Background(), nil, &out, ops, formats.ApplyOptions{})
	require.NoError(t, err)
	return formats.FromBytes("book.xlsx", out.Bytes())
}

// The table of a sheet, by hand: what it is and what else is there.
func TestPickTable(t *testing.T) {
	long := ""
	for i := range 40 {
		long += fmt.Sprintf(`,["item %d",%d,"x"]`, i, i)
	}
	for name, c := range map[string]struct {
		rows, want string
		left       []string
		more       string
	}{
		"plain":            {`[["who","n"],["Ana",1],["Bo",2]]`, "A1:B3", nil, ""},
		"titles":           {`[["Sales of May"],["in euros"],["who","n"],["Ana",1],["Bo",2]]`, "A3:B5", []string{"A1:B2 (Sales of May)"}, ""},
		"title apart":      {`[["Sales of May"],[null],["who","n"],["Ana",1]]`, "A3:B4", []string{"row 1 (Sales of May)"}, ""},
		"sum below":        {`[["who","n"],["Ana",1],["Bo",2],[null,"=SUM(B2:B3)"]]`, "A1:B3", []string{"row 4"}, ""},
		"Summe and source": {`[["wer","n","m"],["Ana",1,1],["Bo",2,1],["Summe","=SUM(B2:B3)","=SUM(C2:C3)"],["Quelle: Amt für Statistik"]]`, "A1:C3", []string{"row 4 (Summe)", "row 5 (Quelle: Amt für Statistik)"}, ""},
		"total, no sum":    {`[["quién","zona","n"],["Ana","N",1],["Bo","S",2],["Total general",null,3]]`, "A1:C3", []string{"row 4 (Total general)"}, ""},
		"total apart":      {`[["who","n"],["Ana",1],["Bo",2],[null],["Total:",3]]`, "A1:B3", []string{"row 5 (Total:)"}, ""},
		"net, tax, gross":  {`[["item","n"],["a",1],["b",2],["Subtotal","=SUM(B2:B3)"],["IVA 21%","=B4*0.21"],["Total","=B4+B5"]]`, "A1:B3", []string{"row 4 (Subtotal)", "row 5 (IVA 21%)", "row 6 (Total)"}, ""},
		"groups":           {`[["who","n"],["Ana",1],["Bo",2],["North","=SUM(B2:B3)"],["Cy",3],["Di",4],["South","=SUM(B5:B6)"]]`, "A1:B7", nil, ""},
		"blank row inside": {`[["who","n"],["Ana",1],[null],["Bo",2],["Cy",3]]`, "A1:B5", nil, ""},
		"a name":           {`[["company","city","n"],["Iberdrola","Bilbao",1],["Total Energies SE","Paris",2]]`, "A1:C3", nil, ""},
		"half a row":       {`[["who","city","n"],["Ana","Lugo",1],["Bo"]]`, "A1:C3", nil, ""},
		"years":            {`[["zone",2023,2024],["N",1,2],["S",3,4]]`, "A1:C3", nil, ""},
		"a key beside":     {`[["what","n","t",null,"code","means"],["x",1,"y",null,"N","north"]` + long + `]`, "A1:C42", []string{"E1:F2 (another table: code, means)"}, ""},
		"its own table":    {`[["Report"],[null],["who","n"],["Ana",1],["Bo",2],[null],["checked by","Eva"]]`, "A3:B5", []string{"row 1 (Report)", "row 7 (checked by)"}, `{"op":"add_table","sheet":"S","range":"A3:B5","name":"People"}`},
		"numbers only":     {`[[1,2],[3,4]]`, "", nil, ""},
		"empty":            {`[[null]]`, "", nil, ""},
	} {
		var more []string
		if c.more != "" {
			more = append(more, c.more)
		}
		p, err := reader.PickTable(context.Background(), bookOf(t, c.rows, more...), "")
		require.NoError(t, err, name)
		require.Equal(t, c.want, p.Range, name)
		require.Equal(t, c.left, p.LeftOut, name)
		require.Equal(t, c.want != "", p.HasHeader, name)
	}
	_, err := reader.PickTable(context.Background(), bookOf(t, `[["who","n",null,"city","m"],["Ana",1,null,"Lugo",3],["Bo",2,null,"Vigo",4]]`), "S")
	require.EqualError(t, err, `the sheet "S" has 2 tables: A1:B3 (who, n), D1:E3 (city, m); give the range of one`)
	require.Equal(t, formats.CodeInvalid, formats.CodeOf(err))
	_, err = reader.PickTable(context.Background(), bookOf(t, `[[1]]`), "X")
	require.EqualError(t, err, "unknown sheet: X")
}

// The same for sheets of real workbooks, looked at one by one.
func TestPickTableOfTheCorpus(t *testing.T) {
	by := map[string]string{}
	for _, path := range formatstest.Corpus(t, "xlsx") {
		by[filepath.Base(path)] = path
	}
	for _, c := range []struct{ file, sheet, want, left string }{
		{"PivotTables_PivotTables", "PastrySalesData", "A1:F17", ""},
		{"TwoPivotTablesWithSingleSource_output", "Sheet1", "B2:H207", ""},
		{"CubeFromRange-Output", "Data", "A1:C4", ""},
		{"05_table_with_title", "Duck Observations", "B4:C10", "row 2 (Number of freshwater ducks per year)"},
		{"resources_hidden_table", "Sheet1", "A1:B6", "D3 (This sheet is hidden)"},
		{"xlsx_complex_layout", "Complex Report", "A3:B5", "row 1 (Annual Report 2024), row 7 (Total)"},
		{"xlsx_complex_layout", "Regions", "A3:B5", "row 1 (Regional Breakdown)"},
		{"xlsx_complex_layout", "Customers", "", ""},
		{"spreadsheet_RelationalPivotB6", "Sheet1", "A2:N2199", "row 1 (Data), row 2200 (Grand Total)"},
		{"sources_xlsx_comments", "Sheet1", "D6:G12", "A1:B2 (Python is great)"},
		{"markitdown_tests_test_files_test", "Sheet1", "A1:D24", ""},
		{"test_Book1", "Sheet1", "C21:D26", "A19:B19 (Total:), A22 (GitHub)"},
	} {
		path := ""
		for base, p := range by {
			if strings.Contains(base, c.file+".xlsx") {
				path = p
			}
		}
		require.NotEmpty(t, path, c.file)
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		p, err := reader.PickTable(context.Background(), formats.FromBytes("a.xlsx", b), c.sheet)
		require.NoError(t, err, c.file)
		require.Equal(t, c.want, p.Range, c.file)
		require.Equal(t, c.left, strings.Join(p.LeftOut, ", "), c.file)
	}
}

func TestTotalLabel(t *testing.T) {
	for label, want := range map[string][2]bool{
		"Total": {true, true}, "TOTAL 2024": {true, true}, "Summe:": {true, true}, "Grand Total": {true, true}, "Total del trimestre": {true, false},
		"合计": {true, true}, "Итого": {true, true}, "Total Energies": {true, false}, "Totalizer": {}, "Summer": {}, "Sumatra": {}, "": {},
	} {
		is, bare := reader.TotalLabel(label)
		require.Equal(t, want, [2]bool{is, bare}, label)
	}
}
