package pdf

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

func readMarked(t *testing.T, b []byte, pages string) formats.Text {
	t.Helper()
	got, err := shared.Reader.Read(context.Background(), formats.FromBytes("a.pdf", b), formats.Selector{Pages: pages, AsShown: true})
	require.NoError(t, err)
	return got
}

// Each page of several begins with its number; a text that looks like that is
// told apart by a note.
func TestPagesAreMarked(t *testing.T) {
	b := simple("one", "", "[page 9] three")
	got := readMarked(t, b, "")
	require.Equal(t, "[page 1]\none\n[page 2 has no text; it is empty]\n[page 3]\n[page 9] three", got.Text)
	require.Contains(t, got.Notes, "lines in the text of page 3 look like page marks")
	require.Equal(t, "[page 3]\n[page 9] three", readMarked(t, b, "3").Text)
	require.Equal(t, "one", readMarked(t, simple("one"), "").Text)
	unmarked, err := read(t, b, "1,3")
	require.NoError(t, err)
	require.Equal(t, "one\n[page 9] three", unmarked.Text)
	for _, note := range readMarked(t, simple("one"), "").Notes {
		require.False(t, canRender, note) // that build says what it does not do
		require.Contains(t, note, "does not recognise the tables")
	}
}

// The label that a page has in viewers is told when it is not its number.
func TestPageLabels(t *testing.T) {
	if !canRender {
		t.Skip("PDFium is needed, which a build with purepdf leaves out")
	}
	b := formatstest.PDFPage("", "BT /F1 12 Tf 20 500 Td (Preface) Tj ET", "/PageLabels << /Nums [0 << /S /r /St 4 >>] >>")
	require.Equal(t, "[page 1, labelled \"iv\"]\nPreface", readMarked(t, b, "").Text)
	b = formatstest.PDFPage("", "BT /F1 12 Tf 20 500 Td (Preface) Tj ET", "/PageLabels << /Nums [0 << /S /D >>] >>")
	require.Equal(t, "Preface", readMarked(t, b, "").Text)
}

// Images are named with their place, the largest first; a page with nothing
// else is a scan when they cover it.
func TestImagesAreNamed(t *testing.T) {
	if !canRender {
		t.Skip("PDFium is needed, which a build with purepdf leaves out")
	}
	const image = " cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x80 EI Q\n"
	words := "BT /F1 12 Tf 20 500 Td (Figure) Tj ET\n"
	b := formatstest.PDFPage("", words+"q 100 0 0 50 30 400"+image+"q 10 0 0 10 5 5"+image+"q 200 0 0 100 100 100"+image, "")
	require.Equal(t, "Figure\n[images of page 1, from its upper left; render shows them: 200×100 pt at 100,400; 100×50 pt at 30,150]", readMarked(t, b, "").Text)
	text, err := read(t, b, "")
	require.NoError(t, err)
	require.Equal(t, "Figure", text.Text)
	many := formatstest.PDFPage("", words+strings.Repeat("q 100 0 0 50 30 400"+image, 3000), "")
	got := readMarked(t, many, "").Text
	require.Contains(t, got, "; 2994 more]")
	require.Less(t, len(got), 400)
	scan := formatstest.PDFPage("", "q 400 0 0 600 0 0"+image, "")
	require.Equal(t, "[page 1 has no text; it is a scan]", readMarked(t, scan, "").Text)
	turned := formatstest.PDFPage("/Rotate 90", words+"q 100 0 0 50 30 400"+image, "")
	require.Contains(t, readMarked(t, turned, "").Text, "50×100 pt at 400,30]")
}

// Fields that are filled in or checked are named: their values are in the text, but not
// which is of which field, nor which boxes are checked.
func TestFilledFieldsAreNamed(t *testing.T) {
	if !canRender {
		t.Skip("PDFium is needed, which a build with purepdf leaves out")
	}
	const widget = "<< /Type /Annot /Subtype /Widget /P 3 0 R /DA (/Helv 12 Tf 0 g) "
	form := func(content string, more ...string) []byte {
		return formatstest.PDFPage("/Annots [5 0 R 6 0 R 7 0 R 8 0 R]", content, "/AcroForm << /Fields [5 0 R 6 0 R 7 0 R 8 0 R] /DA (/Helv 12 Tf) >>", more...)
	}
	state := func(s string) string {
		return widget + "/FT /Btn /T (box " + s + ") /V /" + s + " /AS /" + s + " /AP << /N << /Yes 4 0 R /Off 4 0 R >> >> /Rect [20 300 30 310] >>"
	}
	empty := widget + "/FT /Tx /T (given name) /Rect [20 450 200 470] >>"
	surname := widget + "/FT /Tx /T (surname) /V (Meyer) /Rect [20 400 200 420] >>"
	const words = "BT /F1 12 Tf 20 500 Td (Dear sir) Tj ET"
	b := form(words, surname, empty, state("Yes"), state("Off"))
	require.Contains(t, readMarked(t, b, "").Text, "\n[filled form fields of page 1: \"surname\" = \"Meyer\"; \"box Yes\" checked]")
	text, err := read(t, b, "")
	require.NoError(t, err)
	require.NotContains(t, text.Text, "filled form fields")
	require.NotContains(t, readMarked(t, form(words, empty, state("Off"), empty, empty), "").Text, "filled form fields")
	blank := readMarked(t, form("", empty, state("Yes"), empty, empty), "").Text
	require.Contains(t, blank, "[filled form fields of page 1: \"box Yes\" checked]")
}

// A table on a rotated page is read as it is shown.
func TestTablesOfRotatedPages(t *testing.T) {
	if !canRender {
		t.Skip("PDFium is needed, which a build with purepdf leaves out")
	}
	var up strings.Builder
	for r, row := range []string{"Item Units Price", "Valve 12 3.50", "Pump - 7.25", "Cable 9 1.10"} {
		for c, cell := range strings.Fields(row) {
			if cell != "-" {
				up.WriteString("BT /F1 12 Tf 0 1 -1 0 " + strconv.Itoa(100+20*r) + " " + strconv.Itoa(50+100*c) + " Tm (" + cell + ") Tj ET\n")
			}
		}
	}
	text, err := read(t, formatstest.PDFPage("/Rotate 90", up.String(), ""), "")
	require.NoError(t, err)
	require.Equal(t, "Item\tUnits\tPrice\nValve\t12\t3.50\nPump\t\t7.25\nCable\t9\t1.10", strings.TrimSpace(text.Text))
}
