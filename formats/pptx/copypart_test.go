package pptx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/ooxml/opc"
)

func TestCopyPattern(t *testing.T) {
	for in, want := range map[string]string{
		"ppt/slides/slide12.xml":                  "ppt/slides/slide%d.xml",
		"ppt/charts/chart.xml":                    "ppt/charts/chart%d.xml",
		"ppt/embeddings/Microsoft Excel 97%.xlsx": "ppt/embeddings/Microsoft Excel 97%%%d.xlsx",
		"ppt/embeddings/Arbeitsblatt1.2.xlsx":     "ppt/embeddings/Arbeitsblatt1.%d.xlsx",
		"ppt/2024/7.bin":                          "ppt/2024/%d.bin",
		"ppt/tags/tag":                            "ppt/tags/tag%d",
	} {
		require.Equal(t, want, copyPattern(in), in)
	}
}

func TestFreshID(t *testing.T) {
	slide := []byte(`<p:sld><p14:creationId xmlns:p14="x" val="4711"/></p:sld>`)
	a, b := freshID(slide, "ppt/slides/slide2.xml"), freshID(slide, "ppt/slides/slide3.xml")
	require.NotEqual(t, a, b)
	require.NotEqual(t, slide, a)
	require.Equal(t, a, freshID(slide, "ppt/slides/slide2.xml"), "the same edit gives the same bytes")
	require.Equal(t, []byte(`<p:sld/>`), freshID([]byte(`<p:sld/>`), "x"))
}

// A chart that a slide shows twice is one part in the copy too, and the copy
// of a copy is whole.
func TestCopyOfCopy(t *testing.T) {
	file := with(t, deckOf1(t), map[string]func(string) string{
		relsOf(slide1): replace(t, `</Relationships>`, rel(40, relChart, "../charts/c.xml")+`</Relationships>`),
	})
	out := edit(t, file, `{"op":"duplicate_slide","index":0}`, `{"op":"duplicate_slide","index":1}`)
	charts := 0
	for name := range formatstest.Parts(t, out) {
		if strings.HasPrefix(name, "ppt/charts/") {
			charts++
		}
	}
	require.Equal(t, 3, charts)
	want := strings.TrimPrefix(readSlide(t, out, 0), "# Slide 1")
	for i := range 3 {
		_, text, _ := strings.Cut(readSlide(t, out, i), "\n")
		require.Equal(t, strings.TrimPrefix(want, "\n"), text)
	}
}

// A link from a slide to itself leads, in the copy, to the copy; one to
// another slide leads there still.
func TestCopyOfLinks(t *testing.T) {
	file := with(t, lettered(t, 2), map[string]func(string) string{
		relsOf(slide1): replace(t, `</Relationships>`, rel(7, relSlide, "slide1.xml")+rel(8, relSlide, "slide2.xml")+`<Relationship Id="rId9" Type="`+nsR+`/hyperlink" Target="https://example.org/?a=1&amp;b=2" TargetMode="External"/></Relationships>`),
	})
	out := edit(t, file, `{"op":"duplicate_slide","index":0}`)
	d, _, err := openDeck(ctx, source(out))
	require.NoError(t, err)
	rels, err := d.Rels(ctx, d.slides[1].part)
	require.NoError(t, err)
	require.Equal(t, d.slides[1].part, relTarget(rels, "rId7"))
	require.Equal(t, slide2, relTarget(rels, "rId8"))
	require.Contains(t, part(t, out, opc.RelsName(d.slides[1].part)), `Target="https://example.org/?a=1&amp;b=2" TargetMode="External"`)
}

// A relationship that leads nowhere does not hinder a copy.
func TestCopyWithMissingParts(t *testing.T) {
	file := with(t, lettered(t, 1), map[string]func(string) string{relsOf(slide1): replace(t, `</Relationships>`, rel(7, relChart, "../charts/none.xml")+`</Relationships>`)})
	out := edit(t, file, `{"op":"duplicate_slide","index":0}`)
	require.Equal(t, "A A", titles(t, out))
	broken := with(t, file, map[string]func(string) string{relsOf(slide1): always(`<Relationships`)})
	_, _, err := tryEdit(broken, `{"op":"duplicate_slide","index":0}`)
	require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err))
}
