package pptx

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
)

// linkedDeck has a title that is a link with a sound as a whole, and a body with
// a link on one word, a sound on hovering over another, and a paragraph whose
// link goes to a slide.
func linkedDeck(t *testing.T) []byte {
	t.Helper()
	title := `<a:p><a:r><a:rPr b="1"><a:hlinkClick r:id="rId21" tooltip="tip"><a:snd r:embed="rId22" name="click.wav"/></a:hlinkClick></a:rPr><a:t>All of </a:t></a:r>` +
		`<a:r><a:rPr i="1"><a:hlinkClick r:id="rId21" tooltip="tip"><a:snd r:embed="rId22" name="click.wav"/></a:hlinkClick></a:rPr><a:t>it</a:t></a:r></a:p>`
	body := `<a:p><a:r><a:t>see </a:t></a:r><a:r><a:rPr><a:hlinkClick r:id="rId23"/></a:rPr><a:t>here</a:t></a:r><a:r><a:rPr><a:hlinkMouseOver r:id="" action="ppaction://noaction"><a:snd r:embed="rId22" name="wind.wav"/></a:hlinkMouseOver></a:rPr><a:t> or there</a:t></a:r></a:p>` +
		`<a:p><a:r><a:rPr><a:hlinkClick r:id="rId24" action="ppaction://hlinksldjump"/></a:rPr><a:t>next</a:t></a:r></a:p>`
	deck := edit(t, nil, `{"op":"add_slide","layout":"blank"}`, `{"op":"add_slide","layout":"blank"}`)
	external := func(id, target string) string {
		return `<Relationship Id="` + id + `" Type="` + relHyperlink + `" Target="` + target + `" TargetMode="External"/>`
	}
	return with(t, deck, map[string]func(string) string{
		slide1: replace(t, `</p:spTree>`, sp(2, "Title", `type="title"`, title)+sp(3, "Body", `idx="1"`, body)+`</p:spTree>`),
		relsOf(slide1): replace(t, `</Relationships>`, external("rId21", "https://example.com/a")+external("rId23", "https://example.com/b")+
			rel(22, nsR+"/audio", "../media/click.wav")+rel(24, relSlide, "slide2.xml")+`</Relationships>`),
		"ppt/media/click.wav": always("RIFF"),
		"[Content_Types].xml": replace(t, `</Types>`, `<Default Extension="wav" ContentType="audio/x-wav"/></Types>`),
	})
}

// A text that was a link as a whole stays one, and a text of which only a part
// was says which links and sounds went with it; both are said.
func TestSetTextSaysWhatBecomesOfLinks(t *testing.T) {
	deck := linkedDeck(t)
	out, rep := editReport(t, deck, `{"op":"set_slide_text","index":0,"title":"New title","body":"Read\nfollowing"}`)
	require.Equal(t, []string{
		`the text keeps the link to https://example.com/a and the sound "click.wav"`,
		`dropped the link to https://example.com/b on "here"; it was a part of the text that was replaced`,
		`dropped the sound on hovering "wind.wav" on "or there"; it was a part of the text that was replaced`,
		`the text keeps the link to slide index 1`,
	}, rep.Ops[0].Warnings)
	xml := part(t, out, slide1)
	require.Contains(t, xml, `<a:rPr b="1"><a:hlinkClick r:id="rId21" tooltip="tip"><a:snd r:embed="rId22" name="click.wav"/></a:hlinkClick></a:rPr><a:t>New title</a:t>`)
	require.Contains(t, xml, `<a:p><a:r><a:t>Read</a:t></a:r></a:p>`)
	require.Contains(t, xml, `<a:hlinkClick r:id="rId24" action="ppaction://hlinksldjump"/></a:rPr><a:t>following</a:t>`)
	rels := part(t, out, relsOf(slide1))
	require.NotContains(t, rels, "example.com/b", "nothing leads there any more")
	require.Contains(t, rels, "example.com/a")
	formatstest.Validate(t, formatstest.Write(t, "links.pptx", out), "")

	// The same text keeps its links and says nothing; its own link takes the
	// place of the old one; an empty text keeps none.
	_, rep = editReport(t, deck, `{"op":"set_slide_text","index":0,"title":"All of it"}`)
	require.Empty(t, rep.Ops[0].Warnings)
	out, rep = editReport(t, deck, `{"op":"set_slide_text","index":0,"title_runs":[{"text":"Mine","url":"https://example.com/mine"}]}`)
	require.Equal(t, []string{
		`dropped the link to https://example.com/a and the sound "click.wav" on "All of"; it was a part of the text that was replaced`,
		`dropped the link to https://example.com/a and the sound "click.wav" on "it"; it was a part of the text that was replaced`,
	}, rep.Ops[0].Warnings)
	require.NotContains(t, part(t, out, relsOf(slide1)), "example.com/a")
	_, rep = editReport(t, deck, `{"op":"set_shape_text","index":0,"shape_id":2,"text":""}`)
	require.Len(t, rep.Ops[0].Warnings, 2)
}

// Formatting beside a text is that of the text.
func TestFontBesideText(t *testing.T) {
	out, rep := editReport(t, nil, `{"op":"add_slide","title":"T","body":"a\n\tb","font_size":20}`,
		`{"op":"add_text_box","index":0,"text":"note","bold":true,"font_color":"C00000","colour":"red"}`,
		`{"op":"set_slide_text","index":0,"paragraphs":[{"text":"x","italic":true},{"runs":[{"text":"y","bold":false},{"text":"z","size":3}],"bold":true}]}`)
	require.Equal(t, "ignored colour", ignoredNote(rep, 1))
	require.Equal(t, "ignored size in paragraphs.runs; it is set in paragraphs.runs.font_size", ignoredNote(rep, 2))
	xml := part(t, out, slide1)
	require.Regexp(t, `<a:rPr[^>]* b="1"[^>]*><a:solidFill><a:srgbClr val="C00000"/></a:solidFill></a:rPr><a:t>note</a:t>`, xml)
	require.Regexp(t, `<a:rPr[^>]* sz="2000"[^>]*/><a:t>T</a:t>`, xml)
	require.Regexp(t, `<a:rPr[^>]* i="1"[^>]*/><a:t>x</a:t>`, xml)
	require.Regexp(t, `<a:rPr[^>]* b="0"[^>]*/><a:t>y</a:t></a:r><a:r><a:rPr[^>]* b="1"[^>]*/><a:t>z</a:t>`, xml)
}
