package pdf

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// A page without text says so in its place, and a note says which pages these
// are; nothing of that is in what is searched.
func TestPageMarks(t *testing.T) {
	const picture = "q 100 0 0 100 10 10 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x80 EI Q"
	for content, want := range map[string]string{
		picture:                              "[page 1 has no text; it is a picture]",
		"10 10 m 90 90 l S":                  "[page 1 has no text; it is a drawing]",
		"":                                   "[page 1 has no text; it is empty]",
		"BT /F1 12 Tf 20 500 Td (   ) Tj ET": "[page 1 has no text; it is empty]",
	} {
		if !canRender && !strings.Contains(want, "empty") {
			continue // that build does not look at what is drawn
		}
		got, err := read(t, formatstest.PDFPage("", content, ""), "")
		require.NoError(t, err)
		require.Equal(t, want, got.Text, content)
		note := "page 1 has no text"
		if !strings.Contains(want, "empty") {
			note += "; what is written in pictures, such as scans, is not read"
		}
		require.Equal(t, []string{note}, got.Notes)
		require.NoError(t, shared.Reader.(formats.Parter).Parts(context.Background(), formats.FromBytes("a.pdf", formatstest.PDFPage("", content, "")), func(p formats.Part) error {
			require.Empty(t, strings.TrimSpace(p.Text))
			return nil
		}))
	}
	mixed, err := read(t, simple("one", "", "three", ""), "")
	require.NoError(t, err)
	require.Equal(t, "one\n[page 2 has no text; it is empty]\nthree\n[page 4 has no text; it is empty]", mixed.Text)
	require.Equal(t, []string{"pages 2,4 have no text"}, mixed.Notes)
	none, err := read(t, simple("", "", ""), "")
	require.NoError(t, err)
	require.Equal(t, []string{"no page of this PDF has text"}, none.Notes)
	one, err := read(t, simple("one", "", "three"), "3")
	require.NoError(t, err)
	require.Empty(t, one.Notes)
}

// As many pages as there is room for, at least one, and how to continue.
func TestReadFittingPages(t *testing.T) {
	b := numbered(9)
	at := func(pages string, room int) formats.Text {
		got, err := formats.ReadFitting(context.Background(), shared.Reader, formats.FromBytes("a.pdf", b), formats.Selector{Pages: pages, Limit: formats.TextLimit{Whole: room, Part: room}})
		require.NoError(t, err)
		return got
	}
	got := at("", 50)
	require.Equal(t, "Page number 1\nPage number 2\nPage number 3", got.Text)
	require.Equal(t, &formats.ChunkInfo{TotalChunks: 2, HasMore: true, Range: "pages 1-3", Next: "pages=4-9"}, got.Chunk)
	got = at("9,2,4", 20)
	require.Equal(t, "Page number 9", got.Text)
	require.Equal(t, "pages=2,4", got.Chunk.Next)
	require.Nil(t, at("", 1000).Chunk)
	got = at("7", 10)
	require.Equal(t, "Page numbe", got.Text)
	require.Equal(t, `pages="7" offset=10`, got.Chunk.Next)
	require.Equal(t, "pages 7, characters 1-10 of 13", got.Chunk.Range)
}
