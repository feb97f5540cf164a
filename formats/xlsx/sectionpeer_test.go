package xlsx

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/cellref"
)

// The rules, page set-up and number of charts of real workbooks are those that a
// second program reads; every workbook gives content.
func TestCorpusSectionsAgainstASecondReader(t *testing.T) {
	rules, pages := 0, 0
	for _, path := range formatstest.Corpus(t, "xlsx") {
		b := load(t, path)
		text, err := Format().Reader.Read(t.Context(), src(b), formats.Selector{Include: []string{"charts", "pivots", "rules", "page"}})
		if !typedError(t, err) {
			continue
		}
		require.NotEmpty(t, text.Text)
		f, err := excelize.OpenReader(bytes.NewReader(b))
		if err != nil {
			continue
		}
		for _, sheet := range f.GetSheetList() {
			mine, err := Format().Reader.Read(t.Context(), src(b), formats.Selector{Sheet: sheet, Include: []string{"rules", "page"}})
			require.NoError(t, err)
			rules += samePeerRules(t, f, sheet, mine.Text)
			pages += samePeerPage(t, f, sheet, mine.Text)
		}
		require.NoError(t, f.Close())
	}
	require.Greater(t, rules, 30)
	require.Greater(t, pages, 30)
}

// samePeerRules compares the conditional formats and validations and returns how many
// there are.
func samePeerRules(t *testing.T, f *excelize.File, sheet, mine string) (n int) {
	formats, err := f.GetConditionalFormats(sheet)
	if err != nil {
		return 0
	}
	for at, list := range formats {
		want := peerCells(at) + ": "
		require.GreaterOrEqual(t, strings.Count(mine, "\n"+want), len(list), "%s %s", sheet, at)
		for _, r := range list {
			if r.Type == "cell" {
				require.Contains(t, mine, want+"cell ")
			}
			if r.Type == "3_color_scale" {
				require.Contains(t, mine, want+"colour scale "+r.MinType+" ")
			}
		}
		n += len(list)
	}
	validations, err := f.GetDataValidations(sheet)
	require.NoError(t, err)
	for _, v := range validations {
		require.Contains(t, mine, "\n"+peerCells(v.Sqref)+": ")
	}
	return n + len(validations)
}

// peerCells writes a list of cells as a read does.
func peerCells(sqref string) string {
	return strings.ReplaceAll(cellref.FormatList(cellref.ParseList(sqref)), " ", ", ")
}

// samePeerPage compares the page set-up; 0 for a sheet without one.
func samePeerPage(t *testing.T, f *excelize.File, sheet, mine string) int {
	layout, err := f.GetPageLayout(sheet)
	if err != nil {
		return 0 // no worksheet
	}
	_, line, ok := strings.Cut(mine, "\nPage set-up: ")
	require.True(t, ok)
	orientation := "portrait"
	if layout.Orientation != nil && *layout.Orientation == "landscape" {
		orientation = "landscape"
	}
	require.True(t, strings.HasPrefix(line, orientation+", "), line)
	if layout.Size != nil && *layout.Size == 9 {
		require.Contains(t, line, ", A4, ")
	}
	margins, err := f.GetPageMargins(sheet)
	require.NoError(t, err)
	if margins.Left != nil && strings.Contains(line, "margins") {
		require.Contains(t, line, "left ")
	}
	return 1
}
