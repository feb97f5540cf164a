package pptx

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/tags"
)

func segments(t testing.TB, file []byte) []formats.Segment {
	t.Helper()
	segs, err := segmenter{}.Segments(ctx, source(file), formats.SegmentOptions{})
	require.NoError(t, err)
	return segs
}

func retext(t testing.TB, file []byte, targets map[string]string) []byte {
	t.Helper()
	var buf bytes.Buffer
	require.NoError(t, segmenter{}.Replace(ctx, source(file), &buf, targets, formats.ReplaceOptions{}))
	return buf.Bytes()
}

// pseudo changes the letters of a tagged text and keeps its tags.
func pseudo(text string) string {
	tokens := tags.Parse(text)
	for i := range tokens {
		tokens[i].Text = strings.ToUpper(tokens[i].Text)
		if tokens[i].Kind == tags.Text && strings.TrimSpace(tokens[i].Text) != "" {
			tokens[i].Text += "µ"
		}
	}
	return tags.String(tokens)
}

// TR-02: every visible text of a slide has a segment with its place.
func TestSegmentPlaces(t *testing.T) {
	var got []string
	for _, s := range segments(t, deckOf1(t)) {
		got = append(got, s.Place+" = "+s.Text)
	}
	require.Equal(t, []string{
		"slide 1, Text 1 = zuerst im Baum",
		"slide 1, Text 2 = in der Gruppe",
		"slide 1, Titel 3 = Der Titel",
		"slide 1, table row 1 cell 1 = Kopf A",
		"slide 1, table row 1 cell 2 = Kopf",
		"slide 1, table row 1 cell 2 = B",
		"slide 1, table row 2 cell 1 = Zelle &amp; mehr",
		"slide 1, Bild 1, alternative text = Ein Hund\nim Gras",
		"slide 1, chart title = Umsatz",
		"slide 1, chart series = Nord",
		"slide 1, chart category = Mai",
		"slide 1, chart series = Süd",
		"slide 1, chart axis title = Monat",
		"slide 1, diagram = Chef",
		"slide 1 notes = Nicht vergessen",
		"slide 1 comment = Bitte prüfen",
	}, got)
}

// A chart repeats its categories for each series: one target changes all.
func TestReplaceChartLabels(t *testing.T) {
	file := deckOf1(t)
	var id string
	for _, s := range segments(t, file) {
		if s.Text == "Mai" {
			id = s.ID
			require.NotEmpty(t, s.Notes)
		}
	}
	out := retext(t, file, map[string]string{id: "May & June"})
	require.Equal(t, strings.ReplaceAll(chartXML, "Mai", "May &amp; June"), part(t, out, "ppt/charts/c.xml"))
	formatstest.SameParts(t, file, out, "ppt/charts/c.xml")
}

// TR-03: formatting is numbered tags; fields and breaks stay as they are.
func TestSegmentTags(t *testing.T) {
	p := `<a:p><a:pPr lvl="1"/><a:r><a:rPr lang="de-DE" dirty="0"/><a:t>Klick </a:t></a:r><a:r><a:rPr lang="en-US" b="1"/><a:t>hier</a:t></a:r><a:r><a:rPr lang="de-CH" err="1"/><a:t> auf Folie </a:t></a:r><a:fld id="{00000000-0000-0000-0000-000000000001}" type="slidenum"><a:rPr/><a:t>7</a:t></a:fld><a:r><a:rPr lang="de-DE"/><a:t> &lt; 9 genau</a:t></a:r><a:endParaRPr lang="de-DE"/></a:p>`
	file := deckWith(t, sp(2, "Text", "", p))
	segs := segments(t, file)
	require.Len(t, segs, 1)
	require.Equal(t, formats.Segment{ID: slide1 + "#p1", Place: "slide 1, Text", Part: "slide", Text: "Klick <1>hier</1> auf Folie <2/> &lt; 9 genau"}, segs[0])
	out := retext(t, file, map[string]string{segs[0].ID: "On <2/> press <1>this & that</1>"})
	x := part(t, out, slide1)
	require.Contains(t, x, `<a:p><a:pPr lvl="1"/>`)
	require.Contains(t, x, `<a:fld id="{00000000-0000-0000-0000-000000000001}" type="slidenum"><a:rPr/><a:t>7</a:t></a:fld>`)
	require.Contains(t, x, `b="1"/><a:t>this &amp; that</a:t>`)
	require.Contains(t, x, `<a:endParaRPr lang="de-DE"/></a:p>`)
	require.Equal(t, "# Slide 1\n\tOn 7 press this & that", readSlide(t, out, 0))
	require.Equal(t, segs[0].ID, segments(t, out)[0].ID)
}

// A target with wrong tags or for no segment is refused and nothing written.
func TestReplaceRefuses(t *testing.T) {
	file := deckWith(t, sp(2, "Text", "", `<a:p><a:r><a:t>eins zwei </a:t></a:r><a:r><a:rPr b="1"/><a:t>drei</a:t></a:r></a:p>`))
	for target, want := range map[string]string{"uno": "the tag <1> is missing", "<1>u</1><2/>": "the tag <2/> is not in the source", "<1>u": "<1> is not closed"} {
		var buf bytes.Buffer
		err := segmenter{}.Replace(ctx, source(file), &buf, map[string]string{slide1 + "#p1": target}, formats.ReplaceOptions{})
		require.ErrorContains(t, err, want)
		require.Equal(t, formats.CodeInvalid, formats.CodeOf(err))
		require.Zero(t, buf.Len())
	}
	var buf bytes.Buffer
	err := segmenter{}.Replace(ctx, source(file), &buf, map[string]string{"ppt/slides/slide1.xml#p9": "x"}, formats.ReplaceOptions{})
	require.EqualError(t, err, `there is no segment "ppt/slides/slide1.xml#p9"`)
	require.Zero(t, buf.Len())
}

// Numbers, links and slides' own numbers are not segments; hidden slides and
// both branches of alternate content are.
func TestSegmentChoice(t *testing.T) {
	both := `<mc:AlternateContent xmlns:mc="` + nsMC + `"><mc:Choice Requires="a14" xmlns:a14="urn:x">` + sp(5, "A", "", para("eins")) + `</mc:Choice><mc:Fallback>` + sp(5, "A", "", para("zwei")) + `</mc:Fallback></mc:AlternateContent>`
	file := deckWith(t, sp(2, "N", "", para("1 234,5 %")+para("https://example.org/a")+para("{0}")+`<a:p/>`)+sp(3, "Nr", `type="sldNum"`, `<a:p><a:fld id="{0}" type="slidenum"><a:t>x</a:t></a:fld></a:p>`)+both)
	file = with(t, file, map[string]func(string) string{slide1: replace(t, "<p:sld ", `<p:sld show="0" `)})
	var ids, texts []string
	for _, s := range segments(t, file) {
		ids, texts = append(ids, strings.TrimPrefix(s.ID, slide1)), append(texts, s.Text)
	}
	require.Equal(t, []string{"eins", "zwei"}, texts)
	require.Equal(t, []string{"#p6", "#p7"}, ids)
}

// Replacing all segments of a real deck changes only parts that have some,
// keeps IDs, leaves no source text, adds no schema error; replacing them by
// themselves changes nothing.
func TestCorpusReplace(t *testing.T) {
	corpus(t, func(t *testing.T, path string, file []byte) {
		segs := segments(t, file)
		same, targets, touched := map[string]string{}, map[string]string{}, map[string]bool{}
		for _, s := range segs {
			require.NotContains(t, same, s.ID, "an ID stands twice")
			require.NotEmpty(t, s.Place)
			same[s.ID], targets[s.ID] = s.Text, pseudo(s.Text)
			name, _, _ := strings.Cut(s.ID, "#")
			touched[name] = true
		}
		require.Equal(t, file, retext(t, file, same))
		out := retext(t, file, targets)
		var except []string
		for name := range touched {
			except = append(except, name)
		}
		for name := range formatstest.Parts(t, file) {
			if strings.HasPrefix(name, "ppt/embeddings/") { // charts' data sheets follow
				except = append(except, name)
			}
		}
		formatstest.SameParts(t, file, out, except...)
		after := segments(t, out)
		require.Len(t, after, len(segs))
		for i, s := range after {
			require.Equal(t, segs[i].ID, s.ID)
			require.Equal(t, segs[i].Place, s.Place)
			require.Equal(t, tags.Plain(targets[s.ID]), tags.Plain(s.Text), s.ID)
		}
		validate(t, path, out)
	})
}

// Any translation of any paragraph is read back whole.
func TestReplaceRoundTrip(t *testing.T) {
	formats := []string{``, `<a:rPr b="1"/>`, `<a:rPr i="1"><a:latin typeface="Arial"/></a:rPr>`, `<a:rPr lang="de"/>`}
	rapid.Check(t, func(r *rapid.T) {
		var p strings.Builder
		p.WriteString(`<a:p>`)
		for range rapid.IntRange(1, 6).Draw(r, "runs") {
			switch rapid.IntRange(0, 5).Draw(r, "kind") {
			case 0:
				p.WriteString(`<a:br/>`)
			case 1:
				p.WriteString(`<a:fld id="{0}" type="slidenum"><a:t>3</a:t></a:fld>`)
			default:
				p.WriteString(`<a:r>` + rapid.SampledFrom(formats).Draw(r, "format") + `<a:t>` + rapid.StringMatching(`[a-z ]{0,6}`).Draw(r, "text") + `</a:t></a:r>`)
			}
		}
		file := deckWith(t, sp(2, "T", "", p.String()+`</a:p>`))
		segs := segments(t, file)
		if len(segs) == 0 {
			return
		}
		target := pseudo(segs[0].Text)
		out := retext(t, file, map[string]string{segs[0].ID: target})
		after := segments(t, out)
		require.Len(t, after, 1)
		require.Equal(t, tags.Plain(target), tags.Plain(after[0].Text))
		require.Equal(t, out, retext(t, out, map[string]string{segs[0].ID: after[0].Text}))
	})
}
