package xlsx

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/cellref"
)

func diffOf(t testing.TB, a, b []byte) *formats.Diff {
	t.Helper()
	d, err := Format().Differ.Diff(context.Background(), src(a), src(b), formats.DiffOptions{})
	require.NoError(t, err)
	return d
}

// RV-03: cells with old and new value and formula, rows aligned, sheets added,
// removed, renamed.
func TestRV03Diff(t *testing.T) {
	a := fixture(t, func(f *excelize.File) {
		for r := 1; r <= 30; r++ {
			require.NoError(t, f.SetSheetRow("Sheet1", cellref.Name(r, 1), &[]any{r * 10, "text of row " + cellref.Name(r, 1), r * 3}))
			require.NoError(t, f.SetCellFormula("Sheet1", cellref.Name(r, 4), "A"+cellref.Name(r, 1)[1:]+"*2"))
		}
		_, err := f.NewSheet("Old")
		require.NoError(t, err)
		require.NoError(t, f.SetCellValue("Old", "A1", "x"))
	})
	require.Empty(t, diffOf(t, a, a).Groups)
	b, _ := apply(t, a, `[{"op":"set_cells","sheet":"Sheet1","cells":[{"cell":"A5","value":999},{"cell":"F7","value":"new"},{"cell":"D9","value":"=A9*3"}]},
		{"op":"insert_rows","sheet":"Sheet1","row":3,"count":2},{"op":"set_cells","sheet":"Sheet1","cells":[{"cell":"A3","value":"in between"}]},
		{"op":"set_style","sheet":"Sheet1","range":"B20","style":{"font_bold":true}},{"op":"rename_sheet","sheet":"Old","new_name":"New name"},{"op":"ensure_sheet","sheet":"Third"},
		{"op":"set_cells","sheet":"Third","cells":[{"cell":"B2","value":"=WEBSERVICE(\"http://x.test\")"}]},{"op":"define_name","name":"Rate","refers_to":"Sheet1!$A$1"}]`)
	d := diffOf(t, a, b)
	require.Equal(t, "3 cells in 1 sheet, format changed, block of rows added, sheet changed, sheet added, name added, property added", d.Summary)
	first := d.Groups[0]
	require.Equal(t, "Sheet1", first.Name)
	at := map[string]formats.DiffItem{}
	for _, it := range first.Items {
		at[it.At] = it
	}
	require.Equal(t, formats.DiffItem{Change: formats.Added, At: "row 3", New: "in between"}, at["row 3"])
	require.Equal(t, formats.DiffItem{Change: formats.Modified, At: "A7", Old: "50", New: "999"}, at["A7"])
	require.Equal(t, formats.DiffItem{Change: formats.Added, At: "F9", New: "new"}, at["F9"])
	require.Equal(t, "=A9*2", at["D11"].Old)
	require.Equal(t, "=A11*3", at["D11"].New)
	require.Len(t, first.Items, 4, "formulas that only moved are no change: %v", first.Items)
	require.Equal(t, formats.Renamed, d.Groups[1].Change)
	require.Equal(t, "Old", d.Groups[1].From)
	require.Contains(t, d.Warnings, `the formula in Third!B2 reaches out: =WEBSERVICE("http://x.test")`)
}

func TestDiffNamesWhatIsLostOrHidden(t *testing.T) {
	a := fixture(t, func(f *excelize.File) {
		_, err := f.NewSheet("Secret")
		require.NoError(t, err)
		require.NoError(t, f.AddChart("Sheet1", "D1", &excelize.Chart{Type: excelize.Col, Series: []excelize.ChartSeries{{Values: "Sheet1!$A$1:$A$3"}}}))
	})
	b, _ := apply(t, a, `[{"op":"hide_sheet","sheet":"Secret"},{"op":"set_hyperlink","sheet":"Sheet1","cell":"A1","url":"https://evil.example","text":"go"}]`)
	d := diffOf(t, a, b)
	require.Contains(t, d.Warnings, `the sheet "Secret" is hidden now`)
	require.Contains(t, d.Warnings, "new external hyperlink: https://evil.example")
	back := diffOf(t, b, fixture(t, func(f *excelize.File) {}))
	require.Contains(t, back.Warnings, "Sheet1!D1:K15: lost: bar chart, 1 series of Sheet1!$A$1:$A$3")
}

// Every real workbook is the same as itself, and one edit is found as one.
func TestCorpusDiff(t *testing.T) {
	done := 0
	for _, path := range formatstest.Sample(t, "xlsx") {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		d, err := Format().Differ.Diff(context.Background(), src(b), src(b), formats.DiffOptions{})
		if err != nil {
			require.NotEmpty(t, formats.CodeOf(err), path)
			continue
		}
		require.Empty(t, d.Groups, path)
		require.Empty(t, d.Facts, path)
		require.Empty(t, d.Warnings, path)
		d = diffOf(t, b, resaved(t, b))
		require.Empty(t, d.Groups, path)
		require.Empty(t, d.Facts, "packed in another way: %s", path)
		wb, err := open(context.Background(), src(b))
		require.NoError(t, err)
		if len(wb.Sheets) == 0 || !wb.Sheets[0].Worksheet() {
			continue
		}
		out, _, err := tryApply(t, b, `[{"op":"set_cells","sheet":`+jsonString(wb.Sheets[0].Name)+`,"cells":[{"cell":"XEA7","value":"one edit"}]}]`)
		if err != nil {
			continue
		}
		d = diffOf(t, b, out)
		require.Len(t, d.Groups, 1, path)
		require.Len(t, d.Groups[0].Items, 1, path)
		done++
	}
	formatstest.Report(t, "xlsx  diffs of real documents: %d", done)
}
