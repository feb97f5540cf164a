package pptx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// Runs carry their formatting into title and body; what they leave open is as
// in the text before.
func TestTitleAndBodyRuns(t *testing.T) {
	out := edit(t, nil, `{"op":"add_slide","title_runs":[{"text":"Rot","font_color":"#ff0000","bold":"true"},{"text":" groß","font_size":44}],
		"body_runs":[{"text":"eins "},{"text":"kursiv\n\tzwei","italic":true,"underline":1,"font_name":"Georgia"}],"alignment":"center","space_before":6,"space_after":"3.5","line_spacing":1.5}`)
	s := part(t, out, slide1)
	ppr := `algn="ctr"><a:lnSpc><a:spcPct val="150000"/></a:lnSpc><a:spcBef><a:spcPts val="600"/></a:spcBef><a:spcAft><a:spcPts val="350"/></a:spcAft></a:pPr>`
	require.Contains(t, s, `<a:p><a:pPr `+ppr+`<a:r><a:rPr b="1"><a:solidFill><a:srgbClr val="FF0000"/></a:solidFill></a:rPr><a:t>Rot</a:t></a:r><a:r><a:rPr sz="4400"/><a:t> groß</a:t></a:r></a:p>`)
	font := `<a:rPr i="1" u="sng"><a:latin typeface="Georgia"/><a:ea typeface="Georgia"/><a:cs typeface="Georgia"/></a:rPr>`
	require.Contains(t, s, `<a:t>eins </a:t></a:r><a:r>`+font+`<a:t>kursiv</a:t></a:r></a:p><a:p><a:pPr lvl="1" `+ppr+`<a:r>`+font+`<a:t>zwei</a:t></a:r></a:p>`)
	require.Equal(t, "# Slide 1\nRot groß\neins kursiv\n\tzwei", readSlide(t, out, 0))
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
}

// Formatting is laid over that of the paragraph in whose place it goes, in the
// order the schema wants.
func TestFormattingOverOld(t *testing.T) {
	old := `<a:p><a:pPr algn="r"><a:spcAft><a:spcPts val="100"/></a:spcAft><a:buNone/><a:tabLst/></a:pPr><a:r><a:rPr lang="de-DE" b="1"><a:ln w="1"/><a:noFill/><a:effectLst/><a:latin typeface="X"/><a:sym typeface="Y"/></a:rPr><a:t>alt</a:t></a:r></a:p>`
	deck := deckWith(t, sp(3, "Inhalt", `idx="1"`, old))
	out := edit(t, deck, `{"op":"set_slide_text","index":0,"paragraphs":[{"runs":[{"text":"neu","bold":false,"font_color":"accent2","font_name":"Z & Y"}],"alignment":"left","line_spacing":12,"bullet":"–"},{"text":"drei","level":2,"bullet":"number"},"vier"]}`)
	s := part(t, out, slide1)
	require.Contains(t, s, `<a:p><a:pPr algn="l" marL="342900" indent="-342900"><a:lnSpc><a:spcPts val="1200"/></a:lnSpc><a:spcAft><a:spcPts val="100"/></a:spcAft><a:buFont typeface="Arial"/><a:buChar char="–"/><a:tabLst/></a:pPr>`+
		`<a:r><a:rPr lang="de-DE" b="0"><a:ln w="1"/><a:solidFill><a:schemeClr val="accent2"/></a:solidFill><a:effectLst/><a:latin typeface="Z &amp; Y"/><a:ea typeface="Z &amp; Y"/><a:cs typeface="Z &amp; Y"/><a:sym typeface="Y"/></a:rPr><a:t>neu</a:t></a:r></a:p>`)
	require.Contains(t, s, `lvl="2"`)
	require.Equal(t, "# Slide 1\nneu\n\t\tdrei\nvier", readSlide(t, out, 0))
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
	bare := edit(t, deck, `{"op":"append_bullets","index":0,"paragraphs":[{"text":"a\nb","bullet":"none"}],"level":1}`)
	require.Contains(t, part(t, bare, slide1), `marL="0" indent="0"><a:spcAft>`)
	require.Equal(t, "# Slide 1\nalt\n\ta\nb", readSlide(t, bare, 0))
}

func TestFormattingFaults(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide"}`)
	for member, want := range map[string]string{
		`"alignment":"middle"`: `alignment must be left, center, right or justify, not "middle"`,
		`"level":9`:            `level must be 0 to 8, not 9`,
		`"space_before":-1`:    `space_before must be 0 to 1584, not -1`,
		`"line_spacing":"x"`:   `line_spacing: expected a number, got "x"`,
		`"bullet":"ab"`:        `bullet must be none, number or one character, not "ab"`,
		`"body_runs":[{"text":"a","font_color":"mauve-ish"}]`:     `"mauve-ish" is no colour; use RRGGBB or a theme colour such as accent1`,
		`"body_runs":[{"text":"a","font_size":0}]`:                `font_size must be 1 to 4000 points, not 0`,
		`"paragraphs":[{"text":"a","alignment":"up"}]`:            `alignment must be left, center, right or justify, not "up"`,
		`"paragraphs":[{"runs":[{"text":"a","font_size":5000}]}]`: `font_size must be 1 to 4000 points, not 5000`,
	} {
		_, _, err := tryEdit(deck, `{"op":"set_slide_text","index":0,"title":"x",`+member+`}`)
		require.EqualError(t, err, "operation 1 (set_slide_text): "+want, member)
		require.Equal(t, formats.CodeInvalid, formats.CodeOf(err))
	}
}

func TestColours(t *testing.T) {
	for in, want := range map[string]string{"FF0000": `srgbClr val="FF0000"`, "#0f8": `srgbClr val="00FF88"`, "80123456": `srgbClr val="123456"`, " Accent3 ": `schemeClr val="accent3"`, "Navy": `srgbClr val="000080"`} {
		got, err := solidFill(in)
		require.NoError(t, err)
		require.Contains(t, got, want)
	}
	for _, in := range []string{"", "12345", "GG0000", "#", "accent9"} {
		_, err := solidFill(in)
		require.Error(t, err, in)
	}
}

// Strict documents write percentages with their sign.
func TestLineSpacingStrict(t *testing.T) {
	one := func(b bool) string { return string(ParagraphFormat{LineSpacing: num(0.9)}.apply(nil, "a:pPr", b)) }
	require.Equal(t, `<a:pPr><a:lnSpc><a:spcPct val="90000"/></a:lnSpc></a:pPr>`, one(false))
	require.Equal(t, `<a:pPr><a:lnSpc><a:spcPct val="90%"/></a:lnSpc></a:pPr>`, one(true))
}

// Whatever formatting runs ask for, their text is read back and the slide is
// as before when the plain text is set again over plain text.
func TestRunsRoundTrip(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","body":"x"}`)
	rapid.Check(t, func(r *rapid.T) {
		var runs []map[string]any
		var text strings.Builder
		for range rapid.IntRange(1, 5).Draw(r, "n") {
			run := map[string]any{"text": rapid.StringMatching(`[a-z<&"]{1,6}( [a-z])?`).Draw(r, "text")}
			text.WriteString(run["text"].(string))
			for key, value := range map[string]any{"bold": true, "italic": false, "font_size": 12.5, "font_color": "00FF00", "font_name": "A<B"} {
				if rapid.Bool().Draw(r, key) {
					run[key] = value
				}
			}
			runs = append(runs, run)
		}
		out := edit(t, deck, string(mustJSON(t, map[string]any{"op": "set_slide_text", "index": 0, "body_runs": runs})))
		require.Equal(t, "# Slide 1\n"+text.String(), readSlide(t, out, 0))
	})
}
