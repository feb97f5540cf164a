package pptx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// X-41, W-46, W-47: each kind of wrong operation has its message and code, and
// nothing is written.
func TestOperationFaults(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"A","body":"b"}`)
	for _, tc := range []struct{ op, want string }{
		{`{"op":"frobnicate"}`, `operation 1 (frobnicate): unsupported op: frobnicate`},
		{`{"op":"set_slide_text","index":1,"title":"x"}`, `operation 1 (set_slide_text): invalid slide index`},
		{`{"op":"set_slide_text","index":-1,"title":"x"}`, `operation 1 (set_slide_text): invalid slide index`},
		{`{"op":"append_bullets","slide_index":7,"bullets":["x"]}`, `operation 1 (append_bullets): invalid slide index`},
		{`{"op":"add_slide","at":2}`, `operation 1 (add_slide): invalid slide index`},
		{`{"op":"set_slide_text","title":"x"}`, `operation 1 (set_slide_text): index is required: the slide, counted from 0`},
		{`{"op":"set_slide_text","index":0}`, `operation 1 (set_slide_text): title or body is required`},
		{`{"op":"append_bullets","index":0}`, `operation 1 (append_bullets): bullets is required: a list of texts`},
		{`{"title":"x"}`, `operation 1: op is required: one of ` + strings.Join(operations.Names(), ", ")},
		{`[]`, `operation 1: an operation must be an object with a member op`},
		{`{"op":"set_slide_text","index":"x"}`, `operation 1 (set_slide_text): index: expected an integer, got "x"`},
		{`{"op":"set_slide_text","index":0,"title":5}`, `operation 1 (set_slide_text): title: expected a text or a list of texts, got 5`},
		{`{"op":"add_slide","layout":5}`, `operation 1 (add_slide): layout: expected a string, got number`},
	} {
		out, _, err := tryEdit(deck, tc.op)
		require.EqualError(t, err, tc.want)
		require.Equal(t, formats.CodeInvalid, formats.CodeOf(err), tc.op)
		require.Empty(t, out, tc.op)
	}
	_, _, err := tryEdit(deck, `{"op":"add_slide"}`, `{"op":"set_slide_text","index":9,"title":"x"}`, `{"op":"add_slide"}`)
	require.EqualError(t, err, "operation 2 (set_slide_text): invalid slide index")
}

// loose scalars, the legacy index, texts as lists.
func TestTolerantArguments(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide"}`, `{"op":"add_slide"}`)
	want := edit(t, deck, `{"op":"set_slide_text","index":1,"title":"T","body":"a\nb"}`)
	require.Equal(t, want, edit(t, deck, `{"op":"set_slide_text","slide_index":" 1 ","title":["T"],"body":["a","b"]}`))
	require.Equal(t, want, edit(t, deck, `{"op":"set_slide_text","slide_index":0,"index":1,"title":"T","body":"a\r\nb","zzz":1}`))
	require.Equal(t, edit(t, deck, `{"op":"append_bullets","index":1,"bullets":["a","b"]}`), edit(t, deck, `{"op":"append_bullets","index":1,"bullets":"a\nb"}`))
}

// peers.md: set_slide_text keeps run formatting, paragraph properties for each
// level, and everything else of the shape.
func TestPeerDropsRunFormatting(t *testing.T) {
	body := `<a:p><a:pPr algn="ctr"><a:buNone/></a:pPr><a:r><a:rPr lang="de-DE" sz="3200" b="1" dirty="0" err="1"><a:hlinkClick r:id="rId9"/></a:rPr><a:t>Alt </a:t></a:r><a:r><a:rPr i="1"/><a:t>text</a:t></a:r></a:p>` +
		`<a:p><a:pPr marL="742950" lvl="1" indent="-285750"/><a:r><a:rPr sz="1800"><a:solidFill><a:srgbClr val="FF0000"/></a:solidFill></a:rPr><a:t>unten</a:t></a:r></a:p>`
	deck := deckWith(t, sp(2, "Titel", `type="title"`, para("T"))+sp(3, "Inhalt", `idx="1"`, body))
	out := part(t, edit(t, deck, `{"op":"set_slide_text","index":0,"body":"Neu <1>\n\tzweite\n\t\tdritte\nvierte"}`), slide1)
	first := `<a:pPr algn="ctr"><a:buNone/></a:pPr><a:r><a:rPr lang="de-DE" sz="3200" b="1"/><a:t>`
	red := `<a:r><a:rPr sz="1800"><a:solidFill><a:srgbClr val="FF0000"/></a:solidFill></a:rPr><a:t>`
	require.Contains(t, out, `<a:p>`+first+`Neu &lt;1&gt;</a:t></a:r></a:p>`)
	require.Contains(t, out, `<a:p><a:pPr marL="742950" lvl="1" indent="-285750"/>`+red+`zweite</a:t></a:r></a:p>`)
	require.Contains(t, out, `<a:p><a:pPr lvl="2" algn="ctr"><a:buNone/></a:pPr>`)
	require.Contains(t, out, first+`vierte</a:t>`)
	require.Contains(t, out, para("T"), "the title was not asked for")
}

// DESIGN 4: a paragraph that says the same afterwards keeps its bytes, with
// all the formatting inside it; the very same text changes no byte at all.
func TestSetTextKeepsEqualParagraphs(t *testing.T) {
	mixed := `<a:p><a:r><a:rPr b="1"/><a:t>fett</a:t></a:r><a:r><a:rPr i="1"/><a:t> und schief</a:t></a:r><a:br/><a:r><a:t>Zeile</a:t></a:r></a:p>`
	deck := deckWith(t, sp(3, "Inhalt", `idx="1"`, para("eins")+mixed+para("drei")))
	same := edit(t, deck, `{"op":"set_slide_text","index":0,"body":"eins\nfett und schief\nZeile\ndrei"}`)
	require.Equal(t, deck, same)
	out := part(t, edit(t, deck, `{"op":"set_slide_text","index":0,"body":"neu\nfett und schief\nZeile"}`), slide1)
	require.Contains(t, out, para("neu")+mixed+`</p:txBody>`)
}

func TestSetTextEmptyAndBreaks(t *testing.T) {
	deck := deckWith(t, sp(2, "Titel", `type="ctrTitle"`, `<a:p><a:r><a:rPr sz="900"/><a:t>T</a:t></a:r></a:p>`)+sp(3, "U", `type="subTitle" idx="1"`, para("x")))
	out := edit(t, deck, `{"op":"set_slide_text","index":0,"title":"","body":"a\u000bb\u0000c"}`)
	require.Contains(t, part(t, out, slide1), `<a:p><a:endParaRPr sz="900"/></a:p>`)
	require.Contains(t, part(t, out, slide1), `<a:p><a:r><a:t>a</a:t></a:r><a:br></a:br><a:r><a:t>bc</a:t></a:r></a:p>`, "X-28: no control characters")
	require.Equal(t, "# Slide 1\na\nbc", readSlide(t, out, 0))
}

// append_bullets copies the last paragraph's formatting; an unfilled
// placeholder gets its first paragraph.
func TestAppendBullets(t *testing.T) {
	last := `<a:p><a:pPr lvl="1" marL="99"/><a:r><a:rPr b="1"/><a:t>zwei</a:t></a:r><a:endParaRPr/></a:p>`
	deck := deckWith(t, sp(3, "Inhalt", `idx="1"`, para("eins")+last))
	out := edit(t, deck, `{"op":"append_bullets","index":0,"bullets":["drei","\t\tvier"]}`)
	require.Contains(t, part(t, out, slide1), last+`<a:p><a:pPr lvl="1" marL="99"/><a:r><a:rPr b="1"/><a:t>drei</a:t></a:r></a:p><a:p><a:pPr lvl="2"/><a:r><a:rPr b="1"/><a:t>vier</a:t></a:r></a:p></p:txBody>`)
	empty := edit(t, nil, `{"op":"add_slide"}`, `{"op":"append_bullets","index":0,"bullets":["a","b"]}`)
	require.Equal(t, "# Slide 1\na\nb", readSlide(t, empty, 0))
	require.NotContains(t, part(t, empty, slide1), `<a:p/></p:txBody></p:sp></p:spTree>`)
}

// A slide that lacks the placeholder gets it: from its layout when there is
// one, else with a frame, and says so.
func TestMissingPlaceholder(t *testing.T) {
	bare := `<p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>`
	strip := func(file []byte) []byte {
		return with(t, file, map[string]func(string) string{slide1: func(s string) string {
			return s[:strings.Index(s, `<p:spTree>`)] + bare + s[strings.Index(s, `</p:spTree>`):]
		}})
	}
	deck := strip(edit(t, nil, `{"op":"add_slide"}`))
	out, rep := editReport(t, deck, `{"op":"set_slide_text","index":0,"body":"b","title":"t"}`)
	require.Empty(t, rep.Ops[0].Warnings)
	require.Equal(t, "# Slide 1\nt\nb", readSlide(t, out, 0))
	require.Contains(t, part(t, out, slide1), `<p:cNvPr id="3" name="Content Placeholder 2"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr><p:nvPr><p:ph idx="1"/></p:nvPr></p:nvSpPr><p:spPr></p:spPr>`)
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")

	out, rep = editReport(t, strip(edit(t, nil, `{"op":"add_slide","layout":"blank"}`)), `{"op":"append_bullets","index":0,"bullets":["b"]}`, `{"op":"set_slide_text","index":0,"title":"t"}`)
	require.Equal(t, []string{"the slide's layout has no free place for body text; a text box was added"}, rep.Ops[0].Warnings)
	require.Equal(t, "# Slide 1\nt\nb", readSlide(t, out, 0))
	require.Contains(t, part(t, out, slide1), `<a:off x="609600" y="1714500"/>`)
	require.NotContains(t, part(t, out, slide1), `idx="10"`, "the layout's date has that idx")
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
}

// The same placeholder in both branches of alternate content stays the same.
func TestSetTextInAlternateContent(t *testing.T) {
	both := `<mc:AlternateContent xmlns:mc="` + nsMC + `"><mc:Choice Requires="a14" xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main">` + sp(5, "Inhalt", `idx="1"`, para("alt")) + `</mc:Choice><mc:Fallback>` + sp(5, "Inhalt", `idx="1"`, para("Bild")) + `</mc:Fallback></mc:AlternateContent>`
	out, rep := editReport(t, deckWith(t, both), `{"op":"set_slide_text","index":0,"body":"neu"}`)
	require.Equal(t, 2, strings.Count(part(t, out, slide1), para("neu")))
	require.Equal(t, 1, rep.Ops[0].Hits)
}

// Any text that is set is read back; setting it again changes nothing.
func TestSetTextRoundTrip(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide"}`)
	rapid.Check(t, func(r *rapid.T) {
		line := rapid.StringMatching(`\t{0,3}[a-zäß&<>"' .,0-9]{0,12}[a-z]`)
		body := strings.Join(rapid.SliceOfN(line, 1, 6).Draw(r, "body"), "\n")
		again := strings.Join(rapid.SliceOfN(line, 1, 6).Draw(r, "again"), "\n")
		op := func(text string) string {
			return `{"op":"set_slide_text","index":0,"title":"T","body":` + string(mustJSON(t, text)) + `}`
		}
		once := edit(t, deck, op(body))
		require.Equal(t, "# Slide 1\nT\n"+body, readSlide(t, once, 0))
		require.Equal(t, once, edit(t, once, op(body)))
		twice := edit(t, once, op(again), op(body))
		require.Equal(t, "# Slide 1\nT\n"+body, readSlide(t, twice, 0))
	})
}

// A signature does not fit an edited file, and the result says so.
func TestSignedDeck(t *testing.T) {
	deck := with(t, lettered(t, 1), map[string]func(string) string{
		"_rels/.rels":                replace(t, `</Relationships>`, rel(99, relSignature, "_xmlsignatures/origin.sigs")+`</Relationships>`),
		"_xmlsignatures/origin.sigs": always(""),
	})
	_, rep := editReport(t, deck, `{"op":"set_slide_text","index":0,"title":"B"}`)
	require.Equal(t, []string{"the presentation is signed; the signature does not fit the edited presentation"}, rep.Warnings)
	_, rep = editReport(t, deck)
	require.Empty(t, rep.Warnings)
}
