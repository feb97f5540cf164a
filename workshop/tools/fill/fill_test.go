package fill

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats/all"
	"atelier/formats/formatstest"
	"atelier/formats/template"
	"atelier/workshop"
	"atelier/workshop/tools"
)

// folder returns tools over a folder with these files.
func folder(t *testing.T, files map[string]string) (*workshop.Workbench, *tools.Env) {
	dir := t.TempDir()
	for name, content := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	home, err := workshop.OpenHome(t.TempDir(), workshop.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { home.Close() })
	wb, err := home.OpenFolder(t.Context(), dir)
	require.NoError(t, err)
	return wb, &tools.Env{View: wb.DraftView(workshop.Cause{}), Formats: all.Formats(all.Options{CacheDir: formatstest.Cache})}
}

// sheetTemplate is a workbook with a text in its first cell.
func sheetTemplate(t *testing.T, text string) string {
	f := excelize.NewFile()
	require.NoError(t, f.SetCellStr("Sheet1", "A1", text))
	b, err := f.WriteToBuffer()
	require.NoError(t, err)
	return b.String()
}

// Data comes from objects, texts with JSON, and files; numbers keep their digits, and
// all rows have all names.
func TestReadData(t *testing.T) {
	_, env := folder(t, map[string]string{
		"d.csv": "name,sum\nAnn,1.50\nBob,\n", "d.json": "\ufeff[{\"a\":12345678901234567890},{\"b\":[1]}]", "none.csv": "name\n", "no.txt": "x", "half.json": `[{"a":1}`,
		"d.xlsx": sheetTemplate(t, "just a cell"),
	})
	read := func(data any) []template.Record {
		t.Helper()
		got, err := readData(t.Context(), env, data, "")
		require.NoError(t, err)
		return got
	}
	require.Equal(t, []template.Record{{"name": "Ann", "sum": json.Number("1.5")}, {"name": "Bob", "sum": nil}}, read("d.csv"))
	long := []template.Record{{"a": json.Number("12345678901234567890"), "b": nil}, {"a": nil, "b": []any{json.Number("1")}}}
	require.Equal(t, long, read("d.json"))
	require.Equal(t, []template.Record{{"x": json.Number("1")}}, read(map[string]any{"x": 1}))
	require.Equal(t, []template.Record{{"x": "y"}}, read(` {"x":"y"}`))
	for data, want := range map[any]string{
		"none.csv": "has no rows", "no.txt": "no.txt has no data to fill in", "half.json": "data must be an object or an array of objects", "gone.csv": "gone.csv",
		"[1]": "item 1 is no object", "[]": "it is neither, or empty", "../x.csv": "SANDBOX", 7: "neither",
	} {
		_, err := readData(t.Context(), env, data, "")
		require.ErrorContains(t, err, want, "%v", data)
	}
	_, err := readData(t.Context(), env, "["+strings.Repeat(`{},`, template.MaxRecords)+"{}]", "")
	require.ErrorContains(t, err, "more than 10000 rows")
	_, err = readData(t.Context(), env, "d.csv", "Sheet1")
	require.ErrorContains(t, err, "sheet is of data that is a workbook")
	_, err = readData(t.Context(), env, "d.xlsx", "no such sheet")
	require.ErrorContains(t, err, "no such sheet")
}

// The names of many rows with many columns are not completed, since that takes their
// product.
func TestCompleteIsBounded(t *testing.T) {
	var rows []template.Record
	for i := range maxNames + 1 {
		rows = append(rows, template.Record{fmt.Sprintf("c%d", i): i})
	}
	complete(rows)
	require.Len(t, rows[0], 1)
	complete(rows[:maxNames])
	require.Len(t, rows[0], maxNames)
}

// A call makes all files or none: a row that fails leaves no file of the rows before.
func TestFillMakesAllOrNone(t *testing.T) {
	wb, env := folder(t, map[string]string{"t.xlsx": sheetTemplate(t, "{{when|d MMMM}} {{n}}"), "there.xlsx": sheetTemplate(t, "mine")})
	call := func(args string) (string, error) {
		var a fillArgs
		require.NoError(t, json.Unmarshal([]byte(args), &a))
		said, err := fillTemplate(t.Context(), env, a)
		return fmt.Sprint(said), err
	}
	for args, want := range map[string]string{
		`{"path":"t.xlsx","data":[{"when":"","n":1},{"when":"2026-01-02","n":2}],"target_path":"{n}.xlsx"}`:       "give the language",
		`{"path":"t.xlsx","data":[{"n":"a"},{"n":"there"}],"target_path":"{n}.xlsx"}`:                             "there.xlsx exists already; nothing was written",
		`{"path":"t.xlsx","data":[{"n":"a"},{"n":"b"},{"n":"A"}],"target_path":"{n}.xlsx"}`:                       "rows 1 and 3 would both be",
		`{"path":"t.xlsx","data":[` + strings.Repeat(`{"n":1},`, maxFiles) + `{"n":2}],"target_path":"{#}.xlsx"}`: "a call makes at most 500 files",
		`{"path":"t.xlsx","data":{"n":"` + strings.Repeat("x", 40_000) + `"},"target_path":"a.xlsx"}`:             "32,767",
		`{"path":"t.pdf","data":{"n":1},"target_path":"a.pdf"}`:                                                   "t.pdf is no template",
		`{"path":"t.xlsx","data":{"n":1},"target_path":"t.xlsx"}`:                                                 "is the template itself",
	} {
		_, err := call(args)
		require.ErrorContains(t, err, want, "%.90s", args)
		d, err := wb.Draft(t.Context())
		require.NoError(t, err)
		require.False(t, d.HasDraft, "%.90s", args)
	}
	said, err := call(`{"path":"t.xlsx","data":[{"when":"2026-01-02","n":1,"more":"x"},{"when":"2027-01-02","n":2}],"language":"en","target_path":"{n}.xlsx"}`)
	require.NoError(t, err)
	require.Contains(t, said, "Made 2 files from t.xlsx with 2 rows: 1.xlsx, 2.xlsx")
	require.Contains(t, said, "data that no placeholder uses: more")
}

// Pictures that the data names are files of the folder.
func TestFillPictures(t *testing.T) {
	var dot bytes.Buffer
	require.NoError(t, png.Encode(&dot, image.NewGray(image.Rect(0, 0, 8, 6))))
	_, env := folder(t, map[string]string{"t.xlsx": sheetTemplate(t, "{{photo|image:2cm}}"), "dot.png": dot.String()})
	_, err := fillTemplate(t.Context(), env, fillArgs{Path: "t.xlsx", Data: map[string]any{"photo": "dot.png"}, Target: "a.xlsx"})
	require.NoError(t, err)
	src, err := env.View.Open(t.Context(), "a.xlsx")
	require.NoError(t, err)
	defer src.Close()
	b, err := io.ReadAll(io.NewSectionReader(src, 0, src.Size()))
	require.NoError(t, err)
	require.Equal(t, dot.Bytes(), formatstest.Parts(t, b)["xl/media/image1.png"])
	for path, want := range map[string]string{"../dot.png": "SANDBOX", "none.png": "none.png", "t.xlsx": "png, jpeg and gif can be used"} {
		_, err = fillTemplate(t.Context(), env, fillArgs{Path: "t.xlsx", Data: map[string]any{"photo": path}, Target: "b.xlsx"})
		require.ErrorContains(t, err, want)
	}
}
