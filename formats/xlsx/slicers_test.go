package xlsx

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats/formatstest"
)

// slicedBook has a table and a pivot table, each with a slicer beside it.
func slicedBook(t testing.TB) []byte {
	return fixture(t, func(f *excelize.File) {
		_, err := f.NewSheet("S2")
		require.NoError(t, err)
		require.NoError(t, f.SetSheetName("Sheet1", "S1"))
		for i, row := range [][]any{{"Region", "Net"}, {"north", 1}, {"south", 2}, {"north", 3}} {
			require.NoError(t, f.SetSheetRow("S1", fmt.Sprintf("AA%d", i+1), &row))
		}
		require.NoError(t, f.AddTable("S1", &excelize.Table{Range: "AA1:AB4", Name: "Data"}))
		require.NoError(t, f.AddPivotTable(&excelize.PivotTableOptions{DataRange: "S1!AA1:AB4", PivotTableRange: "S2!AA3:AC9", Name: "P", Rows: []excelize.PivotTableField{{Data: "Region"}}, Data: []excelize.PivotTableField{{Data: "Net"}}}))
		require.NoError(t, f.AddSlicer("S1", &excelize.SlicerOptions{Name: "Region", Cell: "AE1", TableSheet: "S1", TableName: "Data", Caption: "Region"}))
		require.NoError(t, f.AddSlicer("S2", &excelize.SlicerOptions{Name: "Region", Cell: "AE1", TableSheet: "S2", TableName: "P", Caption: "Region"}))
	})
}

var slicerList = regexp.MustCompile(`<ext [^>]*>\s*<x1[45]:slicer(?:List|Caches)[^>]*>.*?</ext>`)

// Slicers stay as they are, whatever an operation does around them; that what they
// filter is gone is said.
func TestSlicersStay(t *testing.T) {
	in := slicedBook(t)
	before := formatstest.Parts(t, in)
	lists := map[string]int{}
	for name, b := range before {
		if n := len(slicerList.FindAll(b, -1)); n > 0 {
			lists[name] = n
		}
	}
	require.Len(t, lists, 3, "two sheets and the workbook")
	for _, js := range append(propertyOps,
		`{"op":"move_rows","sheet":"S1","row":12,"to":14}`,
		`{"op":"move_columns","sheet":"S1","column":"B","to":"E"}`,
		`{"op":"delete_rows","sheet":"S1","range":"8,10"}`,
		`{"op":"group_rows","sheet":"S2","row":2}`,
		`{"op":"group_columns","sheet":"S2","column":2}`,
		`{"op":"protect_sheet","sheet":"S2"}`,
		`{"op":"protect_workbook"}`,
		`{"op":"rename_sheet","sheet":"S2","new_name":"Zz"}`,
		`{"op":"add_comment","sheet":"S2","cell":"B2","text":"why","thread":true}`,
		`{"op":"set_page_setup","sheet":"S1","orientation":"landscape"}`,
		`{"op":"delete_rows","sheet":"S1","row":1,"count":4}`,
		`{"op":"delete_sheet","sheet":"S2"}`,
	) {
		if strings.Contains(js, `"copy_sheet"`) { // refused
			continue
		}
		out, _ := apply(t, in, "["+js+"]")
		after := formatstest.Parts(t, out)
		for name, b := range before {
			gone := strings.Contains(js, "delete_sheet") && strings.HasPrefix(name, "xl/slicers/")
			if strings.Contains(name, "licer") && !gone && !strings.HasSuffix(name, ".rels") {
				require.Equal(t, string(b), string(after[name]), "%s: %s", js, name)
			}
			if lists[name] > 0 && after[name] != nil {
				require.Equal(t, slicerList.FindAllString(string(b), -1), slicerList.FindAllString(string(after[name]), -1), "%s: %s", js, name)
			}
		}
	}
	_, rep := apply(t, in, `[{"op":"delete_rows","sheet":"S1","row":1,"count":4}]`)
	require.Contains(t, strings.Join(rep.Ops[0].Warnings, "\n"), "filtered the table Data, which is deleted; it stays without effect")
	_, rep = apply(t, in, `[{"op":"delete_sheet","sheet":"S2"}]`)
	require.Contains(t, strings.Join(rep.Ops[0].Warnings, "\n"), "filtered the pivot table P, which is deleted")
	_, rep = apply(t, in, `[{"op":"delete_sheet","sheet":"S1"}]`)
	require.Contains(t, strings.Join(rep.Ops[0].Warnings, "\n"), "filtered the table Data, which is deleted")
}
