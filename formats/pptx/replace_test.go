package pptx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/formatstest"
)

// peers.md: "no text replace" and "matches split over runs are skipped in
// silence": a text is replaced whatever runs it is split over, and takes the
// formatting of its first run.
func TestPeerSplitRuns(t *testing.T) {
	p := `<a:p><a:r><a:rPr b="1"/><a:t>Umsatz 20</a:t></a:r><a:r><a:rPr i="1"/><a:t>23 stieg</a:t></a:r><a:r><a:t> um 2023 %</a:t></a:r></a:p>`
	out, rep := editReport(t, deckWith(t, sp(2, "T", "", p)), `{"op":"replace_text","search":"2023","replace":"2024 & mehr"}`)
	require.Equal(t, 2, rep.Ops[0].Hits)
	require.Contains(t, part(t, out, slide1), `<a:p><a:r><a:rPr b="1"/><a:t>Umsatz 2024 &amp; mehr</a:t></a:r><a:r><a:rPr i="1"/><a:t> stieg</a:t></a:r><a:r><a:t> um 2024 &amp; mehr %</a:t></a:r></a:p>`)
}

// peers.md: groups, tables, charts, diagrams and notes are reached; comments
// are other people's. Text shown twice counts once.
func TestPeerTextEverywhere(t *testing.T) {
	file := deckOf1(t)
	for search, where := range map[string]string{"Gruppe": slide1, "Zelle": slide1, "Umsatz": "ppt/charts/c.xml", "vergessen": "ppt/notesSlides/n7.xml"} {
		out, rep := editReport(t, file, `{"op":"replace_text","search":"`+search+`","replace":"<neu>"}`)
		require.Equal(t, 1, rep.Ops[0].Hits, search)
		require.Contains(t, part(t, out, where), "&lt;neu&gt;")
		formatstest.SameParts(t, file, out, where)
	}
	out, rep := editReport(t, file, `{"op":"replace_text","find":"chef","replace":"Leitung"}`)
	require.Equal(t, 1, rep.Ops[0].Hits)
	require.Contains(t, part(t, out, "ppt/diagrams/data1.xml"), "Leitung")
	require.Contains(t, part(t, out, "ppt/diagrams/drawing1.xml"), "Leitung")
	out, rep = editReport(t, file, `{"op":"replace_text","search":"Mai","replace":"Juni"}`)
	require.Equal(t, []string{"1 of the texts are labels of charts; their data sheets still have the old ones"}, rep.Ops[0].Warnings)
	require.Equal(t, 2, strings.Count(part(t, out, "ppt/charts/c.xml"), "Juni"))
}

// peers.md: success on no match. No hit is a warning, and the file stays as it
// is, byte for byte.
func TestPeerSuccessOnNoMatch(t *testing.T) {
	file := deckOf1(t)
	for _, op := range []string{`"search":"Bitte"`, `"search":"vergessen","notes":false`, `"search":"titel","match_case":true`, `"search":"Tite","whole_word":true`, `"search":"^Titel","regex":true`} {
		out, rep := editReport(t, file, `{"op":"replace_text","replace":"x",`+op+`}`)
		require.Zero(t, rep.Ops[0].Hits, op)
		require.Contains(t, rep.Ops[0].Warnings[0], "was not found; nothing was replaced")
		require.Equal(t, file, out)
	}
}

func TestReplaceScopeAndRegex(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"A 10 €"}`, `{"op":"add_slide","title":"B 10 €"}`)
	require.Equal(t, "A 10 € B € 10", strings.ReplaceAll(titles(t, edit(t, deck, `{"op":"replace_text","search":"(\\d+) €","replace":"€ $1","regex":true,"slides":[1]}`)), "  ", " "))
	require.Equal(t, "A x B 10 €", titles(t, edit(t, deck, `{"op":"replace_text","search":"10 €","replace":"x","index":0}`)))
	for op, want := range map[string]string{
		`"replace":"x"`:                           "search is required",
		`"search":"x"`:                            `replace is required; use "" to delete the text`,
		`"search":"","replace":"x"`:               "search is empty",
		`"search":"(","replace":"x","regex":true`: "search cannot be used as a regular expression: error parsing regexp: missing closing ): `(?i)(`",
		`"search":"x","replace":"y","slides":[2]`: "invalid slide index",
	} {
		_, _, err := tryEdit(deck, `{"op":"replace_text",`+op+`}`)
		require.EqualError(t, err, "operation 1 (replace_text): "+want)
	}
	both := `<mc:AlternateContent xmlns:mc="` + nsMC + `"><mc:Choice Requires="a14" xmlns:a14="urn:x">` + sp(5, "A", "", para("eins")) + `</mc:Choice><mc:Fallback>` + sp(5, "A", "", para("eins")) + `</mc:Fallback></mc:AlternateContent>`
	out, rep := editReport(t, deckWith(t, both), `{"op":"replace_text","search":"eins","replace":"a\nb"}`)
	require.Equal(t, 1, rep.Ops[0].Hits)
	require.NotContains(t, part(t, out, slide1), "eins")
	require.Equal(t, "# Slide 1\na\nb", readSlide(t, out, 0))
}

// Replacing and replacing back gives the same text, and the same bytes where
// no match was split.
func TestReplaceThereAndBack(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var p strings.Builder
		for range rapid.IntRange(1, 5).Draw(r, "runs") {
			p.WriteString(rapid.SampledFrom([]string{`<a:r><a:rPr b="1"/><a:t>`, `<a:r><a:t>`}).Draw(r, "props") + rapid.StringMatching(`[ab ]{1,6}`).Draw(r, "text") + `</a:t></a:r>`)
		}
		deck := deckWith(t, sp(2, "T", "", "<a:p>"+p.String()+"</a:p>"))
		there := edit(t, deck, `{"op":"replace_text","search":"ab","replace":"Z"}`)
		require.NotContains(t, readSlide(t, there, 0), "ab")
		back := edit(t, there, `{"op":"replace_text","search":"Z","replace":"ab"}`)
		require.Equal(t, readSlide(t, deck, 0), readSlide(t, back, 0))
	})
}
