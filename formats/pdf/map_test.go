package pdf

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

func infoOf(t testing.TB, b []byte) Info {
	t.Helper()
	m, err := shared.Mapper.Map(context.Background(), formats.FromBytes("a.pdf", b), formats.MapOptions{})
	require.NoError(t, err)
	js, err := json.Marshal(m)
	require.NoError(t, err)
	require.LessOrEqual(t, len(js), formats.MaxMap)
	return m.(Info)
}

func TestFormsAndAnnotations(t *testing.T) {
	b := formatstest.PDFPage("/Annots [5 0 R 6 0 R 7 0 R]", "BT /F1 12 Tf 20 500 Td (Dear sir) Tj ET",
		"/AcroForm << /Fields [5 0 R] /DA (/Helv 12 Tf) >>",
		"<< /Type /Annot /Subtype /Widget /FT /Tx /T (surname) /V (Meyer) /Rect [20 400 200 420] /P 3 0 R >>",
		"<< /Type /Annot /Subtype /Text /Contents (a note) /Rect [10 10 30 30] >>",
		"<< /Type /Annot /Subtype /Link /Rect [10 50 30 70] >>")
	m := infoOf(t, b)
	require.True(t, m.HasForms)
	require.True(t, m.HasAnnotations)
	require.Equal(t, 1, m.Links)
	require.Len(t, m.Fields, 1)
	f := m.Fields[0]
	require.Equal(t, []string{"surname", "text", "Meyer"}, []string{f.Name, f.Type, f.Value})
	require.Equal(t, "400×600 pt", m.PageSize)
	m = infoOf(t, formatstest.PDFPage("", "BT /F1 12 Tf 20 500 Td (Dear sir) Tj ET", ""))
	require.False(t, m.HasForms)
	require.False(t, m.HasAnnotations)
	require.Empty(t, m.Fields)
}

// TestFormValuesAreText: also where the file has a value and no drawing of it.
func TestFormValuesAreText(t *testing.T) {
	if !canRender {
		t.Skip("PDFium is needed, which a build with purepdf leaves out")
	}
	b := formatstest.PDFPage("/Annots [5 0 R]", "BT /F1 12 Tf 20 500 Td (Dear sir) Tj ET",
		"/AcroForm << /Fields [5 0 R] /DA (/Helv 12 Tf) >>",
		"<< /Type /Annot /Subtype /Widget /FT /Tx /T (surname) /V (Meyer) /DA (/Helv 12 Tf 0 g) /Rect [20 400 200 420] /P 3 0 R >>")
	text, err := read(t, b, "")
	require.NoError(t, err)
	require.Equal(t, "Dear sir\nMeyer", text.Text)
}

func TestFormOfTheCorpus(t *testing.T) {
	for _, path := range formatstest.Corpus(t, "pdf") {
		if filepath.Base(path) != "prefilled_f1040.pdf" || !canRender { // the other engine cannot open it
			continue
		}
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		m := infoOf(t, b)
		require.True(t, m.HasForms)
		require.Greater(t, len(m.Fields)+m.FieldsOmitted, 50)
		require.NotZero(t, m.FieldsOmitted)
		var filled []Field
		for _, f := range m.Fields { // the last of 240 is kept, since it is filled in
			if f.filled() {
				filled = append(filled, f)
			}
		}
		require.Equal(t, []Field{
			{Name: "topmostSubform[0].Page2[0].c1_01_0_[0]", Type: "checkbox", Checked: true, Page: 2},
			{Name: "topmostSubform[0].Page2[0].p2-t124[0]", Type: "text", Value: "foobar", Page: 2},
		}, filled)
	}
}

// TestRotatedPages: lines that stand upright on a rotated page are read from
// top to bottom as it is shown.
func TestRotatedPages(t *testing.T) {
	for rotate, lines := range map[int][2]string{
		0:   {"1 0 0 1 50 500", "1 0 0 1 50 480"},
		90:  {"0 1 -1 0 100 50", "0 1 -1 0 120 50"},
		180: {"-1 0 0 -1 380 100", "-1 0 0 -1 380 120"},
		270: {"0 -1 1 0 300 550", "0 -1 1 0 280 550"},
	} {
		b := formatstest.PDFPage(fmt.Sprintf("/Rotate %d", rotate), fmt.Sprintf("BT /F1 12 Tf %s Tm (First words) Tj %s Tm (second line) Tj ET", lines[0], lines[1]), "")
		text, err := read(t, b, "")
		require.NoError(t, err)
		require.Contains(t, text.Text, "First words", "rotated by %d", rotate)
		require.Less(t, strings.Index(text.Text, "First"), strings.Index(text.Text, "second"), "rotated by %d", rotate)
		want := "400×600 pt"
		if rotate%180 != 0 {
			want = "600×400 pt"
		}
		require.Equal(t, want, infoOf(t, b).PageSize)
	}
}

func TestBookmarksLeadToPages(t *testing.T) {
	m := infoOf(t, formatstest.PDFPage("", "BT /F1 12 Tf 20 500 Td (text) Tj ET", "/Outlines 5 0 R",
		"<< /Type /Outlines /First 6 0 R /Last 6 0 R /Count 1 >>",
		"<< /Title (Part) /Parent 5 0 R /A << /S /GoTo /D [3 0 R /Fit] >> >>"))
	require.Len(t, m.Outline, 1)
	require.Equal(t, "Part", m.Outline[0].Title)
	if canRender {
		require.Equal(t, 1, m.Outline[0].Page)
	}
}

// TestColumns: text written column by column is read so.
func TestColumns(t *testing.T) {
	var sb strings.Builder
	for col := range 2 {
		for line := range 5 {
			fmt.Fprintf(&sb, "BT /F1 10 Tf %d %d Td (col%d line%d) Tj ET\n", 20+col*200, 500-line*14, col+1, line+1)
		}
	}
	text, err := read(t, formatstest.PDFPage("", sb.String(), ""), "")
	require.NoError(t, err)
	at := -1
	for col := 1; col <= 2; col++ {
		for line := 1; line <= 5; line++ {
			i := strings.Index(strings.ReplaceAll(text.Text, "\n", " "), fmt.Sprintf("col%d line%d", col, line))
			require.Greater(t, i, at, text.Text)
			at = i
		}
	}
}

func TestPagesWithoutText(t *testing.T) {
	m := infoOf(t, simple("one", "", "three", "", ""))
	require.True(t, m.HasText)
	require.Equal(t, "2,4-5", m.WithoutText)
	require.Equal(t, 1, m.ChunkCount)
	m = infoOf(t, numbered(23))
	require.Equal(t, []int{23, 20, 5, 5}, []int{m.PageCount, m.PagesExamined, m.ChunkPages, m.ChunkCount})
}

func TestPeerPDFMapIsBounded(t *testing.T) {
	var kids, objects []string
	for i := range 300 {
		kids = append(kids, fmt.Sprintf("%d 0 R", 5+i))
		objects = append(objects, fmt.Sprintf("<< /Type /Annot /Subtype /Widget /FT /Tx /T (field %d %s) /V (v) /Rect [20 400 200 420] /P 3 0 R >>", i, strings.Repeat("x", 150)))
	}
	list := strings.Join(kids, " ")
	m := infoOf(t, formatstest.PDFPage("/Annots ["+list+"]", "", "/AcroForm << /Fields ["+list+"] >>", objects...))
	require.Equal(t, 300, len(m.Fields)+m.FieldsOmitted)
	require.NotEmpty(t, m.Fields)
}

func TestRender(t *testing.T) {
	// A black square in the upper left of a page of 400 × 600.
	b := formatstest.PDFPage("", "0 0 0 rg 0 500 100 100 re f", "")
	src := formats.FromBytes("a.pdf", b)
	ctx := context.Background()
	pic, err := Render(ctx, shared, src, 1, 0.5)
	if !canRender {
		require.Equal(t, formats.CodeUnsupported, formats.CodeOf(err))
		return
	}
	require.NoError(t, err)
	require.False(t, pic.ScaledDown)
	img, err := png.Decode(bytes.NewReader(pic.PNG))
	require.NoError(t, err)
	require.Equal(t, image.Pt(200, 300), img.Bounds().Size())
	gray := func(x, y int) uint8 { return color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y }
	require.Less(t, gray(25, 25), uint8(20))
	require.Greater(t, gray(150, 250), uint8(235), "the rest is white")

	pic, err = Render(ctx, shared, src, 1, 20)
	require.NoError(t, err)
	require.True(t, pic.ScaledDown)
	require.Equal(t, 1, pic.Pages)
	c, err := png.DecodeConfig(bytes.NewReader(pic.PNG))
	require.NoError(t, err)
	require.LessOrEqual(t, c.Width*c.Height, maxPixels+10_000, "a page is never drawn larger")
	for _, bad := range []struct {
		page  int
		scale float64
	}{{0, 1}, {2, 1}, {1, 0}, {1, -1}, {1, 21}} {
		_, err := Render(ctx, shared, src, bad.page, bad.scale)
		require.NotEmpty(t, formats.CodeOf(err), "%v", bad)
	}
	_, err = Render(ctx, &formats.Format{Kind: formats.KindText}, src, 1, 1)
	require.Equal(t, formats.CodeUnsupported, formats.CodeOf(err))
}
