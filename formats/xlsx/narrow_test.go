package xlsx

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/xlsxtest"
	"atelier/internal/campaign"
	"atelier/internal/need"
)

// narrowWarnings are those about numbers that show as ####.
func narrowWarnings(t *testing.T, in []byte, ops string) ([]byte, string) {
	out, rep := apply(t, in, ops)
	for _, w := range rep.Warnings {
		if rest, ok := strings.CutPrefix(w, "too narrow, so numbers show as ####: "); ok {
			return out, rest
		}
	}
	return out, ""
}

func TestWritesTellNumbersTooWide(t *testing.T) {
	in := xlsxtest.Fixture(t, func(f *excelize.File) {
		require.NoError(t, f.SetColWidth("Sheet1", "B", "B", 4))
		require.NoError(t, f.SetColWidth("Sheet1", "C", "C", 30))
		require.NoError(t, f.SetColVisible("Sheet1", "D", false))
		money, err := f.NewStyle(&excelize.Style{CustomNumFmt: &[]string{"#,##0.00"}[0]})
		require.NoError(t, err)
		shrink, err := f.NewStyle(&excelize.Style{CustomNumFmt: &[]string{"#,##0.00"}[0], Alignment: &excelize.Alignment{ShrinkToFit: true}})
		require.NoError(t, err)
		require.NoError(t, f.SetCellStyle("Sheet1", "A1", "C9", money))
		require.NoError(t, f.SetCellStyle("Sheet1", "B9", "B9", shrink))
		require.NoError(t, f.SetCellStyle("Sheet1", "E1", "E9", 0))
		require.NoError(t, f.SetCellValue("Sheet1", "A7", 1234567))
		require.NoError(t, f.SetCellValue("Sheet1", "E7", 1234567))
		require.NoError(t, f.MergeCell("Sheet1", "B5", "C5"))
	})
	set := func(cell string, v any) string {
		return fmt.Sprintf(`[{"op":"set_cells","sheet":"Sheet1","cells":[{"cell":%q,"value":%v}]}]`, cell, v)
	}
	for _, c := range []struct{ name, ops, want string }{
		{"in the format of the cell", set("A2", 12345678), "Sheet1!A2 (column A is 9.1 wide; 13 fits)"},
		{"fits", set("A2", 1234), ""},
		{"in a narrow column", set("B2", 1234), "Sheet1!B2 (column B is 4 wide; 8 fits)"},
		{"in a wide column", set("C2", 123456789), ""},
		{"hidden", set("D2", 123456789), ""},
		{"shrunk to fit", set("B9", 123456), ""},
		{"merged over columns", set("B5", 123456), ""},
		{"text", set("B2", `"a long text that runs on"`), ""},
		{"general", set("E2", 123456789012), ""},
		{"a date", `[{"op":"set_cells","sheet":"Sheet1","cells":[{"cell":"E2","value":"2024-05-06"}]}]`, ""},
		{"a date in a narrow column", `[{"op":"set_column_widths","sheet":"Sheet1","columns":[{"column":"E","width":5}]},{"op":"set_cells","sheet":"Sheet1","cells":[{"cell":"E2","value":"2024-05-06"}]}]`, "Sheet1!E2, Sheet1!E7 (column E is 5 wide; 10 fits)"},
		{"several", `[{"op":"set_range","sheet":"Sheet1","start":"A1","values":[[12345678,1],[23456789,12345]]}]`, "Sheet1!A1:A2 (column A is 9.1 wide; 13 fits); Sheet1!B2 (column B is 4 wide; 9 fits)"},
		{"a column made narrow", `[{"op":"set_column_widths","sheet":"Sheet1","columns":[{"column":"A","width":6}]}]`, "Sheet1!A7 (column A is 6 wide; 12 fits)"},
		{"a column made wide", `[{"op":"set_column_widths","sheet":"Sheet1","columns":[{"column":"A","width":14}]}]`, ""},
		{"fitted", `[{"op":"set_cells","sheet":"Sheet1","cells":[{"cell":"A2","value":12345678}]},{"op":"set_column_widths","sheet":"Sheet1","columns":[{"column":"A","width":"auto"}]}]`, ""},
		{"a format that is wider", `[{"op":"set_style","sheet":"Sheet1","range":"E7","style":{"number_format":"#,##0.00"}}]`, "Sheet1!E7 (column E is 9.1 wide; 12 fits)"},
		{"a larger font", `[{"op":"set_style","sheet":"Sheet1","range":"E1:E9","style":{"number_format":"0","font_size":24}}]`, "Sheet1!E7 (column E is 9.1 wide; 16 fits)"},
		{"a fill", `[{"op":"set_style","sheet":"Sheet1","range":"A7","style":{"fill_color":"FFFF00"}}]`, ""},
		{"a new sheet", `[{"op":"ensure_sheet","sheet":"N"},{"op":"set_cells","sheet":"N","cells":[{"cell":"A1","value":123456789,"style":{"number_format":"#,##0.00"}}]}]`, "N!A1 (column A is 9.1 wide; 14 fits)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, got := narrowWarnings(t, in, c.ops)
			require.Equal(t, c.want, got)
		})
	}
}

// The cells and columns that a warning names are bounded.
func TestNarrowWarningsAreBounded(t *testing.T) {
	var rows []string
	for range 300 {
		rows = append(rows, "["+strings.TrimSuffix(strings.Repeat("123456789,", 40), ",")+"]")
	}
	_, got := narrowWarnings(t, xlsxtest.Fixture(t, func(f *excelize.File) {
		money, err := f.NewStyle(&excelize.Style{CustomNumFmt: &[]string{"#,##0.00"}[0]})
		require.NoError(t, err)
		require.NoError(t, f.SetColStyle("Sheet1", "A:AN", money))
	}), `[{"op":"set_range","sheet":"Sheet1","start":"A1","values":[`+strings.Join(rows, ",")+`]}]`)
	require.Contains(t, got, "Sheet1!A1:A300 (column A")
	require.Contains(t, got, "; 34 more columns")
	require.Less(t, len(got), 600)
}

// LibreOffice shows ### for what a warning names, and with the width that fits the
// number.
func TestLibreOfficeShowsNarrowNumbersSo(t *testing.T) {
	campaign.Slow(t)
	topdf := need.Program(t, "pdftotext", "poppler-utils")
	style := `"style":{"number_format":"#,##0.00"}`
	write := `{"op":"set_cells","sheet":"S","cells":[{"cell":"A1","value":987654321,` + style + `},{"cell":"B1","value":4321,` + style + `}]}`
	for i, ops := range []string{`[{"op":"ensure_sheet","sheet":"S"},` + write + `]`, `[{"op":"ensure_sheet","sheet":"S"},` + write + `,{"op":"set_column_widths","sheet":"S","columns":[{"column":"A","width":14}]}]`} {
		out, got := narrowWarnings(t, nil, ops)
		require.Equal(t, []string{"S!A1 (column A is 9.1 wide; 14 fits)", ""}[i], got)
		path := filepath.Join(t.TempDir(), "n.xlsx")
		require.NoError(t, os.WriteFile(path, out, 0o600))
		text, err := exec.CommandContext(t.Context(), topdf, formatstest.LibreOffice(t, path, "pdf"), "-").Output()
		require.NoError(t, err)
		require.Contains(t, string(text), "4,321.00")
		require.Equal(t, i == 0, strings.Contains(string(text), "###"), string(text))
	}
}
