package docx

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/tags"
)

// TR-02: segments are in the order of the document and name their place: cells
// of tables that are in no other, text boxes, attributes. What repeats, in the
// fallback of a text box too, follows the text that it repeats.
func TestTR02PlacesInTheBody(t *testing.T) {
	cell := func(content string) string { return `<w:tc>` + content + `</w:tc>` }
	box := func(element, a, b string) string {
		return `<` + element + `><w:txbxContent>` + para(a) + para(b) + `</w:txbxContent></` + element + `>`
	}
	src := withBody(t, para("One")+
		`<w:tbl><w:tblPr><w:tblCaption w:val="Caption"/></w:tblPr><w:tr>`+cell(para("A"))+cell(`<w:tbl><w:tr>`+cell(para("Inner"))+`</w:tr></w:tbl>`+para("B"))+`</w:tr><w:tr>`+cell(para("C"))+`</w:tr></w:tbl>`+
		`<w:p><w:r><mc:AlternateContent xmlns:mc="`+nsMC+`"><mc:Choice Requires="wps">`+box("w:drawing", "Box", "Box")+`</mc:Choice><mc:Fallback>`+box("w:pict", "Box", "Box")+`</mc:Fallback></mc:AlternateContent></w:r><w:r><w:t>Around</w:t></w:r></w:p>`+
		`<w:p><w:r><w:drawing><wp:docPr xmlns:wp="urn:wp" descr="A dog" title="Caption"/></w:drawing></w:r></w:p>`+
		`<w:tbl><w:tr>`+cell(para("D"))+`</w:tr></w:tbl>`+para("Two"))
	segs, err := Format().Segmenter.Segments(ctx, src, formats.SegmentOptions{})
	require.NoError(t, err)
	var got []string
	targets := map[string]string{}
	for i, s := range segs {
		got = append(got, strings.TrimPrefix(s.ID, "word/document.xml")+" "+s.Place+" ("+s.Part+"): "+tags.Plain(s.Text))
		targets[s.ID] = strings.Replace(s.Text, tags.Plain(s.Text), "new"+string(rune('a'+i)), 1)
	}
	require.Equal(t, []string{
		"#p0 paragraph 1 (body): One",
		"#s0 alt text (alt text): Caption",
		"#p1 table 1, row 1, cell 1 (table): A",
		"#p2 table 1, row 1, cell 2 (table): Inner",
		"#p3 table 1, row 1, cell 2 (table): B",
		"#p4 table 1, row 2, cell 1 (table): C",
		"#p5 paragraph 2 (body): Around",
		"#p6 text box (textbox): Box",
		"#p7 text box (textbox): Box",
		"#s1 alt text (alt text): A dog",
		"#p11 table 2, row 1, cell 1 (table): D",
		"#p12 paragraph 4 (body): Two",
	}, got)
	var out bytes.Buffer
	require.NoError(t, Format().Segmenter.Replace(ctx, src, &out, targets, formats.ReplaceOptions{}))
	x := string(formatstest.Parts(t, out.Bytes())["word/document.xml"])
	require.Equal(t, 2, strings.Count(x, ">newh<"), "each box of the fallback follows its own: "+x)
	require.Equal(t, 2, strings.Count(x, ">newi<"))
	require.Equal(t, 2, strings.Count(x, `"newb"`), "the title repeats the caption")
	require.NotContains(t, x, "Box")
}

// A target for a paragraph, attribute or part that there is not is refused.
func TestTR02UnknownTargets(t *testing.T) {
	for _, id := range []string{"word/document.xml#p999", "word/document.xml#s999", "word/document.xml#v1", "word/document.xml#p-1", "word/document.xml", "#p0", ""} {
		var out bytes.Buffer
		err := Format().Segmenter.Replace(ctx, withBody(t, para("One")), &out, map[string]string{id: "x"}, formats.ReplaceOptions{})
		require.ErrorContains(t, err, "no segment has the id", id)
		require.Equal(t, formats.CodeInvalid, formats.CodeOf(err))
		require.Zero(t, out.Len())
	}
}
