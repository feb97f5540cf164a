package xlsx

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// applyWith is apply with other files at hand.
func applyWith(t testing.TB, in []byte, files map[string][]byte, js string) ([]byte, formats.Report, error) {
	t.Helper()
	var s formats.Source
	if in != nil {
		s = src(in)
	}
	var out bytes.Buffer
	rep, err := Format().Editor.Apply(context.Background(), s, &out, ops(t, js), formats.ApplyOptions{Open: func(_ context.Context, path string) (formats.SourceCloser, error) {
		b, ok := files[path]
		if !ok {
			return nil, formats.Errorf(formats.CodeNotFound, "file not found: %s", path)
		}
		return closing{formats.FromBytes(path, b)}, nil
	}})
	return out.Bytes(), rep, err
}

type closing struct{ formats.Source }

func (closing) Close() error { return nil }

func picture(t testing.TB) []byte {
	m := image.NewRGBA(image.Rect(0, 0, 120, 60))
	for x := range 120 {
		for y := range 60 {
			m.Set(x, y, color.RGBA{uint8(x * 2), uint8(y * 4), 120, 255})
		}
	}
	var buf bytes.Buffer
	require.NoError(t, png.Encode(&buf, m))
	return buf.Bytes()
}

func TestAddTable(t *testing.T) {
	in := fixture(t, func(f *excelize.File) {
		for i, row := range [][]any{{"Year", 2024, "Year", nil}, {1, 2, 3, 4}, {5, 6, 7, 8}} {
			require.NoError(t, f.SetSheetRow("Sheet1", fmt.Sprintf("B%d", i+2), &row))
		}
	})
	out, rep := apply(t, in, `[{"op":"add_table","sheet":"Sheet1","range":"B2:E4","name":"Years","table_style":"TableStyleLight9"},{"op":"add_table","sheet":"Sheet1","range":"H1:I3","has_header":false},{"op":"ensure_sheet","sheet":"New"},{"op":"set_range","sheet":"New","start":"A1","values":[["a","b"],[1,2]]},{"op":"add_table","sheet":"New","range":"A:B"}]`)
	require.Equal(t, "table Years Sheet1!B2:E4", rep.Ops[0].Made)
	require.Equal(t, []string{`headers of a table must be different texts; these were set: C2 = "2024", D2 = "Year2", E2 = "Column4"`}, rep.Ops[0].Warnings)
	require.Equal(t, "table Table2 New!A1:B2", rep.Ops[4].Made)
	tabs, err := excel(t, out).GetTables("Sheet1")
	require.NoError(t, err)
	require.Len(t, tabs, 2)
	valid(t, out, in)
	for op, want := range map[string]string{
		`{"op":"add_table","sheet":"Sheet1","range":"E4:F9"}`:                        "overlap the table Years",
		`{"op":"add_table","sheet":"Sheet1","range":"L1:M9","name":"years"}`:         "the name years is taken",
		`{"op":"add_table","sheet":"Sheet1","range":"L1:M9","name":"A1"}`:            "looks like a cell",
		`{"op":"add_table","sheet":"Sheet1","range":"L1:M9","name":"my table"}`:      "invalid table name",
		`{"op":"add_table","sheet":"Sheet1","range":"L1:M1"}`:                        "needs a row below its header",
		`{"op":"add_table","sheet":"Sheet1","range":"L1:M9","table_style":"Pretty"}`: "unknown table style Pretty",
		`{"op":"add_table","sheet":"Sheet1","range":"Z:Z"}`:                          "is empty",
	} {
		_, _, err := tryApply(t, out, "["+op+"]")
		require.ErrorContains(t, err, want, op)
	}
	// A header written after the table was made is the column's name too.
	late, _ := apply(t, in, `[{"op":"add_table","sheet":"Sheet1","range":"B2:E4"},{"op":"set_cells","sheet":"Sheet1","cells":[{"cell":"B2","value":77}]}]`)
	require.Contains(t, part(t, late, "xl/tables/table1.xml"), `name="77"`)
	valid(t, late, in)
}

func TestAddImage(t *testing.T) {
	in := sales(t)
	files := map[string][]byte{"logo.png": picture(t), "bad.png": []byte("no picture")}
	out, rep, err := applyWith(t, in, files, `[{"op":"add_image","sheet":"Sheet1","cell":"E2","path":"logo.png","alt":"a <logo>"},{"op":"add_image","sheet":"Sheet1","cell":"E9","path":"logo.png","width":2}]`)
	require.NoError(t, err)
	require.Equal(t, "Picture 2 Sheet1!E2", rep.Ops[0].Made)
	pics, err := excel(t, out).GetPictures("Sheet1", "E9")
	require.NoError(t, err)
	require.Len(t, pics, 1)
	require.Equal(t, picture(t), pics[0].File)
	require.Contains(t, part(t, out, "xl/drawings/drawing1.xml"), `cx="1828800" cy="914400"`)
	valid(t, out, in)
	_, _, err = applyWith(t, in, files, `[{"op":"add_image","sheet":"Sheet1","cell":"E2","path":"bad.png"}]`)
	require.ErrorContains(t, err, "operation 1 (add_image): the picture is damaged")
	_, _, err = tryApply(t, in, `[{"op":"add_image","sheet":"Sheet1","cell":"E2","path":"logo.png"}]`)
	require.ErrorContains(t, err, "other files cannot be used here")
}

// everyChart makes one chart of each type below a table of sales.
func everyChart() string {
	var js []string
	for i, kind := range []string{"column", "bar", "line", "pie", "scatter", "area", "doughnut", "stacked_column", "stacked_bar"} {
		js = append(js, fmt.Sprintf(`{"op":"add_chart","sheet":"Sheet1","cell":"%s%d","type":%q,"title":"A %s & more","range":"A1:C4","x_title":"Fruit","y_title":"Amount"}`, []string{"E", "O"}[i%2], 2+i/2*20, kind, kind))
	}
	return strings.Join(js, ",")
}

func TestAddChart(t *testing.T) {
	in := sales(t)
	out, rep := apply(t, in, "["+everyChart()+`,{"op":"add_chart","sheet":"Sheet1","cell":"E110","type":"line","series":[{"name":"Q1","values":"B2:B4","categories":"Sheet1!$A$2:$A$4"},{"name":"=C1","values":"C:C"}]}]`)
	require.Equal(t, "Chart 2 Sheet1!E2", rep.Ops[0].Made)
	require.Contains(t, rep.Ops[3].Warnings[0], "a pie shows one series")
	valid(t, out, in)
	one := part(t, out, "xl/charts/chart1.xml")
	require.Contains(t, one, `<c:cat><c:strRef><c:f>'Sheet1'!$A$2:$A$4</c:f>`)
	require.Contains(t, one, `<c:f>'Sheet1'!$C$1</c:f><c:strCache><c:ptCount val="1"/><c:pt idx="0"><c:v>Sold</c:v></c:pt>`)
	require.Contains(t, part(t, out, "xl/charts/chart10.xml"), `<c:tx><c:v>Q1</c:v></c:tx>`)
	if dir := os.Getenv("XLSX_CHARTS"); dir != "" {
		require.NoError(t, os.WriteFile(dir, out, 0o600))
	}
	for op, want := range map[string]string{
		`{"op":"add_chart","sheet":"Sheet1","cell":"E2","type":"spider","range":"A1:C4"}`:                 `unknown chart type "spider"`,
		`{"op":"add_chart","sheet":"Sheet1","cell":"E2","type":"bar"}`:                                    "range (or series) is required",
		`{"op":"add_chart","sheet":"Sheet1","cell":"E2","type":"bar","series":[{"values":"Nope!A1:A3"}]}`: "series 1: unknown sheet: Nope",
		`{"op":"add_chart","sheet":"Sheet1","type":"bar","range":"A1:C4"}`:                                "cell is required",
		`{"op":"add_chart","sheet":"Sheet1","cell":"E2","type":"bar","range":"A1:C4","width":-1}`:         "invalid width",
	} {
		_, _, err := tryApply(t, in, "["+op+"]")
		require.ErrorContains(t, err, want, op)
	}
}

func TestLibreOfficeOpensObjects(t *testing.T) {
	out, _, err := applyWith(t, sales(t), map[string][]byte{"p": picture(t)}, `[{"op":"add_table","sheet":"Sheet1","range":"A1:C4"},{"op":"add_image","sheet":"Sheet1","cell":"A9","path":"p"},`+everyChart()+`]`)
	require.NoError(t, err)
	formatstest.LibreOfficeOpens(t, formatstest.Write(t, "objects.xlsx", out))
}

func TestCorpusTableChartImage(t *testing.T) {
	corpusOp(t, func(name string) bool {
		return strings.HasPrefix(name, "xl/drawings/") || strings.HasSuffix(name, ".rels") || name == "[Content_Types].xml"
	}, func(sheet string) string {
		return fmt.Sprintf(`[{"op":"add_table","sheet":%[1]s,"range":"ZA900:ZB903","has_header":false},{"op":"add_chart","sheet":%[1]s,"cell":"ZD900","type":"column","range":"A1:C9"}]`, sheet)
	})
}
