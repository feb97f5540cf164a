package convert

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/all"
	"atelier/formats/formatstest"
	"atelier/formats/ooxml/opc"
	"atelier/workshop"
	"atelier/workshop/tools"
)

func folder(t *testing.T, files map[string][]byte) *tools.Env {
	t.Helper()
	dir := t.TempDir()
	for name, b := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), b, 0o600))
	}
	home, err := workshop.OpenHome(t.TempDir(), workshop.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { home.Close() })
	wb, err := home.OpenFolder(t.Context(), dir)
	require.NoError(t, err)
	return &tools.Env{View: wb.DraftView(workshop.Cause{}), Formats: all.Formats(all.Options{CacheDir: formatstest.Cache})}
}

func run(t *testing.T, env *tools.Env, args string) tools.Result {
	t.Helper()
	c, err := tools.NewCatalogue(tools.Style{Name: "test"}, tools.Direct("convert", Convert()))
	require.NoError(t, err)
	return c.Call(t.Context(), env, "convert", json.RawMessage(args))
}

func workbook(t *testing.T, cells map[string]any) []byte {
	t.Helper()
	f := excelize.NewFile()
	for at, v := range cells {
		require.NoError(t, f.SetCellValue("Sheet1", at, v))
	}
	var b bytes.Buffer
	require.NoError(t, f.Write(&b))
	return b.Bytes()
}

// Cells that are far apart, or a long table, do not fill the disk.
func TestCSVIsBounded(t *testing.T) {
	env := folder(t, map[string][]byte{"far.xlsx": workbook(t, map[string]any{"A1": 1, "XFD900": 2}), "wide.xlsx": workbook(t, map[string]any{"C3": 1, "XFD4": 2}),
		"long.tsv": []byte(strings.Repeat("abc\tdef\n", 10_000))})
	defer func(n int64) { maxCSV = n }(maxCSV)
	maxCSV = 1 << 16
	for _, name := range []string{"far.xlsx", "long.tsv"} {
		res := run(t, env, `{"path":"`+name+`","format":"csv"}`)
		require.Contains(t, res.Text, "table_export writes a part of the sheet")
	}
	_, err := env.View.Stat(t.Context(), "far.csv")
	require.True(t, workshop.IsFault(err, workshop.NotFound), "%v", err)
	res := run(t, env, `{"path":"wide.xlsx","format":"csv"}`)
	require.True(t, res.Success, res.Text)
	src, err := env.View.Open(t.Context(), "wide.csv")
	require.NoError(t, err)
	defer src.Close()
	b, err := io.ReadAll(io.NewSectionReader(src, 0, src.Size()))
	require.NoError(t, err)
	require.Equal(t, "1"+strings.Repeat(",", 16381)+"\n"+strings.Repeat(",", 16381)+"2\n", string(b))
}

// The totals of a table are values of the sheet too.
func TestCSVOfATableWithTotals(t *testing.T) {
	f := excelize.NewFile()
	for at, v := range map[string]any{"A1": "name", "B1": "n", "A2": "a", "B2": 1, "A3": "Total", "B3": 1} {
		require.NoError(t, f.SetCellValue("Sheet1", at, v))
	}
	require.NoError(t, f.AddTable("Sheet1", &excelize.Table{Range: "A1:B3", Name: "T"}))
	var b bytes.Buffer
	require.NoError(t, f.Write(&b))
	pkg, err := opc.OpenZip(formats.FromBytes("t.xlsx", b.Bytes()))
	require.NoError(t, err)
	table, err := pkg.ReadXML(t.Context(), "xl/tables/table1.xml")
	require.NoError(t, err)
	changed := bytes.Replace(table, []byte(`<autoFilter ref="A1:B3">`), []byte(`<autoFilter ref="A1:B2">`), 1)
	changed = bytes.Replace(changed, []byte(`ref="A1:B3">`), []byte(`ref="A1:B3" totalsRowCount="1">`), 1)
	require.NotEqual(t, string(table), string(changed))
	ed := pkg.Edit()
	ed.Set("xl/tables/table1.xml", changed)
	var with bytes.Buffer
	require.NoError(t, ed.Write(t.Context(), &with))
	env := folder(t, map[string][]byte{"t.xlsx": with.Bytes()})
	res := run(t, env, `{"path":"t.xlsx","format":"csv"}`)
	require.True(t, res.Success, res.Text)
	src, err := env.View.Open(t.Context(), "t.csv")
	require.NoError(t, err)
	defer src.Close()
	text, err := io.ReadAll(io.NewSectionReader(src, 0, src.Size()))
	require.NoError(t, err)
	require.Equal(t, "name,n\na,1\nTotal,1\n", string(text))
}
