package xlsx

import (
	"archive/zip"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats/libreoffice"
	"atelier/internal/need"
)

// shownView is the zoom of a sheet and whether it shows gridlines and headings,
// as excelize reads them.
func shownView(t *testing.T, book []byte, sheet string) []any {
	t.Helper()
	v, err := excel(t, book).GetSheetView(sheet, 0)
	require.NoError(t, err)
	zoom := 100.0
	if v.ZoomScale != nil && *v.ZoomScale != 0 {
		zoom = *v.ZoomScale
	}
	return []any{zoom, *v.ShowGridLines, *v.ShowRowColHeaders}
}

// Each member changes what it names and leaves the others, also beside panes
// and in a sheet of the same call.
func TestSetSheetView(t *testing.T) {
	in := fixture(t, func(f *excelize.File) {
		require.NoError(t, f.SetCellValue("Sheet1", "A1", 1))
		require.NoError(t, f.SetPanes("Sheet1", &excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}))
	})
	out, rep := apply(t, in, `[{"op":"set_sheet_view","sheet":"Sheet1","zoom":85,"gridlines":false},{"op":"ensure_sheet","sheet":"New"},{"op":"set_sheet_view","sheet":"New","headings":"false"}]`)
	require.Equal(t, []any{85.0, false, true}, shownView(t, out, "Sheet1"))
	require.Equal(t, []any{100.0, true, false}, shownView(t, out, "New"))
	panes, err := excel(t, out).GetPanes("Sheet1")
	require.NoError(t, err)
	require.True(t, panes.Freeze && panes.YSplit == 1, "%+v", panes)
	require.Empty(t, rep.Warnings)

	back, _ := apply(t, out, `[{"op":"set_sheet_view","sheet":"Sheet1","zoom":"100","gridlines":true},{"op":"set_sheet_view","sheet":"New","headings":true}]`)
	require.Equal(t, []any{100.0, true, true}, shownView(t, back, "Sheet1"))
	require.Equal(t, []any{100.0, true, true}, shownView(t, back, "New"))

	same, rep := apply(t, back, `[{"op":"set_sheet_view","sheet":"Sheet1","zoom":100,"gridlines":true,"headings":true}]`)
	require.Equal(t, back, same)
	require.True(t, rep.Ops[0].Unchanged)
	require.Equal(t, []string{`the view of the sheet "Sheet1" is so already; nothing was changed`}, rep.Ops[0].Warnings)

	bare, _ := apply(t, raw(t, nil, `<sheetData/>`), `[{"op":"set_sheet_view","sheet":"S1","zoom":40}]`)
	require.Equal(t, []any{40.0, true, true}, shownView(t, bare, "S1"))

	for op, want := range map[string]string{
		`{"op":"set_sheet_view","sheet":"Sheet1"}`:            "zoom, gridlines or headings is required",
		`{"op":"set_sheet_view","sheet":"Sheet1","zoom":401}`: "invalid zoom 401: expected 10 to 400 percent",
		`{"op":"set_sheet_view","sheet":"Nope","zoom":50}`:    "unknown sheet: Nope",
	} {
		_, _, err := tryApply(t, in, "["+op+"]")
		require.ErrorContains(t, err, want)
	}
}

// LibreOffice reads the same view. Without a window it keeps no zoom.
func TestSetSheetViewInLibreOffice(t *testing.T) {
	need.Program(t, "soffice", need.LibreOffice)
	if testing.Short() {
		t.Skip("LibreOffice is slow: left out with -short")
	}
	out, _ := apply(t, fixture(t, func(f *excelize.File) { require.NoError(t, f.SetCellValue("Sheet1", "A1", 1)) }),
		`[{"op":"set_sheet_view","sheet":"Sheet1","gridlines":false,"headings":false}]`)
	in := filepath.Join(t.TempDir(), "book.xlsx")
	require.NoError(t, os.WriteFile(in, out, 0o600))
	made, err := libreoffice.Convert(t.Context(), in, "ods", t.TempDir())
	require.NoError(t, err)
	z, err := zip.OpenReader(made)
	require.NoError(t, err)
	defer z.Close()
	settings, err := fs.ReadFile(z, "settings.xml")
	require.NoError(t, err)
	for _, item := range []string{"ShowGrid", "HasColumnRowHeaders"} {
		require.Contains(t, string(settings), `<config:config-item config:name="`+item+`" config:type="boolean">false</config:config-item>`)
	}
}
