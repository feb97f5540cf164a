package preview_test

import (
	"bytes"
	"encoding/json"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/libreoffice"
	"atelier/formats/preview"
	"atelier/formats/xlsx"
	"atelier/internal/need"
)

// workbook makes a workbook by operations.
func workbook(t *testing.T, ops string) formats.Source {
	t.Helper()
	var list []json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(ops), &list))
	var b bytes.Buffer
	_, err := xlsx.Format().Editor.Apply(ctx, nil, &b, list, formats.ApplyOptions{})
	require.NoError(t, err)
	return formats.FromBytes("book.xlsx", b.Bytes())
}

const colouredCells = `[{"op":"set_cells","sheet":"First","cells":[{"cell":"A1","value":"first"}]},
	{"op":"set_cells","sheet":"Plan","cells":[{"cell":"A1","value":"head"},{"cell":"B2","value":"in"},{"cell":"C2","value":"beside"},{"cell":"B9","value":"below"},{"cell":"D4","value":"edge"}]},
	{"op":"set_style","sheet":"Plan","range":"B2","style":{"fill_color":"FF0000"}},{"op":"set_style","sheet":"Plan","range":"C2","style":{"fill_color":"00FF00"}},
	{"op":"set_style","sheet":"Plan","range":"B9","style":{"fill_color":"0000FF"}},{"op":"hide_sheet","sheet":"Plan"}]`

// coloured counts the pixels of a picture that are mostly red, green and blue.
func coloured(t *testing.T, data []byte) (red, green, blue int) {
	img := picture(t, data)
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
			switch {
			case c.R > 200 && c.G < 60 && c.B < 60:
				red++
			case c.G > 200 && c.R < 60 && c.B < 60:
				green++
			case c.B > 200 && c.R < 60 && c.G < 60:
				blue++
			}
		}
	}
	return red, green, blue
}

// The picture of a range has the cells of the range and not their neighbours, of a
// hidden sheet too; the file stays as it is.
func TestCellsOfARange(t *testing.T) {
	need.Program(t, "soffice", need.LibreOffice)
	m := preview.New(set, preview.Options{CacheDir: t.TempDir()})
	src := workbook(t, colouredCells)
	before, err := formats.ReadAll(src, 1<<20)
	require.NoError(t, err)
	v, err := xlsx.ViewRange(ctx, src, formats.Selector{Sheet: "Plan", Range: "A1:B3"})
	require.NoError(t, err)
	p, err := m.Cells(ctx, src, v, preview.Request{Scale: 2})
	require.NoError(t, err)
	require.Equal(t, []any{preview.ByLibreOffice, 1, ""}, []any{p.Rendering, p.Count, p.Note})
	red, green, blue := coloured(t, p.PNG)
	require.Greater(t, red, 300)
	require.Zero(t, green+blue)
	size := picture(t, p.PNG).Bounds()
	require.Less(t, size.Dx()*size.Dy(), 300*300, "what is white around the cells is cut off")

	after, err := formats.ReadAll(src, 1<<20)
	require.NoError(t, err)
	require.Equal(t, before, after)

	// A part of the same picture, drawn larger from the pdf that is kept.
	part, err := m.Cells(ctx, src, v, preview.Request{Scale: 4, Area: &preview.Area{Left: 0, Top: 0, Right: 0.5, Bottom: 0.5}})
	require.NoError(t, err)
	require.InDelta(t, size.Dx(), picture(t, part.PNG).Bounds().Dx(), 80)
	require.Equal(t, preview.ByLibreOffice, part.Rendering)
	n, _, err := m.Clear(true)
	require.NoError(t, err)
	require.Equal(t, 1, n)
}

// A part of a page is drawn alone, and larger than whole pages are.
func TestAreaOfAPage(t *testing.T) {
	m := preview.New(set, preview.Options{NoLibreOffice: true})
	src := formats.FromBytes("a.txt", []byte("words at the top\n"))
	top, err := m.Page(ctx, src, preview.Request{Scale: 4, Area: &preview.Area{Left: 0, Top: 0, Right: 0.5, Bottom: 0.25}})
	require.NoError(t, err)
	b := picture(t, top.PNG).Bounds()
	require.Equal(t, []int{1190, 842}, []int{b.Dx(), b.Dy()})
	require.Positive(t, dark(picture(t, top.PNG)))
	low, err := m.Page(ctx, src, preview.Request{Scale: 4, Area: &preview.Area{Left: 0, Top: 0.5, Right: 1, Bottom: 1}})
	require.NoError(t, err)
	require.Zero(t, dark(picture(t, low.PNG)))
	for _, r := range []preview.Request{{Scale: 9, Area: &preview.Area{Right: 1, Bottom: 1}}, {Area: &preview.Area{Left: 0.5, Right: 0.5, Bottom: 1}}, {Area: &preview.Area{Right: 2, Bottom: 1}}} {
		_, err := m.Page(ctx, src, r)
		require.Equal(t, formats.CodeInvalid, formats.CodeOf(err))
	}
}

// Without LibreOffice the text of the block is drawn, and the note says why.
func TestCellsWithoutLibreOffice(t *testing.T) {
	m := preview.New(set, preview.Options{NoLibreOffice: true})
	src := workbook(t, colouredCells)
	v, err := xlsx.ViewRange(ctx, src, formats.Selector{Range: "Plan!A1:B3"})
	require.NoError(t, err)
	p, err := m.Cells(ctx, src, v, preview.Request{})
	require.NoError(t, err)
	require.Equal(t, preview.ByText, p.Rendering)
	require.Equal(t, "plain text view: LibreOffice is not installed", p.Note)
	require.Greater(t, dark(picture(t, p.PNG)), 50)
}

// LibreOffice shows #### in the cells of which ViewRange says so, and in no others.
func TestNarrowColumnsByLibreOffice(t *testing.T) {
	need.Program(t, "soffice", need.LibreOffice)
	number := `"value":1234567.891,"style":{"number_format":"#,##0.00"`
	src := workbook(t, `[{"op":"set_cells","sheet":"S","cells":[{"cell":"A1",`+number+`}},{"cell":"B1",`+number+`}},
		{"cell":"C1","value":"2026-11-25","type":"date","style":{"number_format":"dd/mm/yyyy"}},{"cell":"D1",`+number+`,"font_size":20}},{"cell":"E1","value":0.25,"style":{"number_format":"0%"}},{"cell":"F1","value":1234567.891}]},
		{"op":"set_column_widths","sheet":"S","columns":[{"column":"A","width":8},{"column":"B","width":14},{"column":"C","width":6},{"column":"D","width":14},{"column":"E","width":6},{"column":"F","width":6}]}]`)
	v, err := xlsx.ViewRange(ctx, src, formats.Selector{})
	require.NoError(t, err)
	require.Equal(t, "S!A1:F1", v.Name())
	require.Len(t, v.Facts, 3)
	for i, cell := range []string{"A1", "C1", "D1"} {
		require.Contains(t, v.Facts[i], cell+" shows ####")
	}
	dir := t.TempDir()
	in := filepath.Join(dir, "in.xlsx")
	f, err := os.Create(in)
	require.NoError(t, err)
	require.NoError(t, xlsx.CopyRange(ctx, src, f, v))
	require.NoError(t, f.Close())
	made, err := libreoffice.Convert(ctx, in, "pdf", dir)
	require.NoError(t, err)
	drawn, err := formats.OpenFile(made)
	require.NoError(t, err)
	defer drawn.Close()
	text, err := set.Kind(formats.KindPDF).Reader.Read(ctx, drawn, formats.Selector{})
	require.NoError(t, err)
	require.Equal(t, 3, strings.Count(text.Text, "###"), text.Text)
	require.Contains(t, text.Text, "1,234,567.89")
}
