package pptx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// Numbers, footers and dates come on every slide, as placeholders of the layout, and go again.
func TestSetFooters(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","layout":"title","title":"Deckblatt"}`, `{"op":"add_slide","title":"A","body":"b"}`, `{"op":"add_slide","layout":"title_only","title":"C"}`)
	out, rep := editReport(t, deck, `{"op":"set_footers","number":true,"footer":"Firma & Co","date":"May 2024","title_slides":false,"first_number":5}`)
	require.Equal(t, 2, rep.Ops[0].Hits)
	require.Equal(t, []string{"title slides without footers: 0", "1 master and 5 layouts changed too, for new slides"}, rep.Ops[0].Notes)
	require.Equal(t, "# Slide 1\nDeckblatt", readSlide(t, out, 0))
	require.Equal(t, "# Slide 2\nA\nb\nMay 2024\nFirma & Co", readSlide(t, out, 1))
	s2 := part(t, out, slide2)
	require.Contains(t, s2, `type="slidenum"`)
	require.Contains(t, s2, `<a:t>6</a:t>`)
	require.Contains(t, s2, `<p:ph type="ftr" sz="quarter" idx="11"/>`, "the placeholder of the layout places it")
	require.Contains(t, part(t, out, newMaster), `<p:hf hdr="0"/>`)
	require.Contains(t, part(t, out, newLayouts+"2.xml"), "Firma &amp; Co")
	require.NotContains(t, part(t, out, newLayouts+"1.xml"), "Firma")
	require.Contains(t, part(t, out, newMain), `firstSlideNum="5"`)
	require.Contains(t, part(t, out, newMain), `showSpecialPlsOnTitleSld="0"`)
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")

	same, rep := editReport(t, out, `{"op":"set_footers","number":true,"footer":"Firma & Co","date":"May 2024","title_slides":false,"first_number":5}`)
	require.True(t, rep.Ops[0].Unchanged)
	require.Equal(t, out, same)

	// One slide only; a field takes the place of a text and the reverse.
	one, rep := editReport(t, out, `{"op":"set_footers","slides":[1],"date":"auto","footer":"Neu"}`)
	require.Equal(t, 1, rep.Ops[0].Hits)
	formatstest.SameParts(t, out, one, slide2)
	require.Contains(t, part(t, one, slide2), `type="datetime1"`)
	back := edit(t, one, `{"op":"set_footers","slides":[1],"date":"May 2024","footer":"Firma & Co"}`)
	require.Equal(t, readSlide(t, out, 1), readSlide(t, back, 1))
	require.NotContains(t, part(t, back, slide2), `type="datetime1"`)

	gone := edit(t, out, `{"op":"set_footers","number":false,"footer":"","date":""}`)
	formatstest.SameParts(t, deck, gone, newMain, newMaster, newLayouts+"1.xml", newLayouts+"2.xml", newLayouts+"3.xml", newLayouts+"4.xml", newLayouts+"5.xml", newLayouts+"6.xml")
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", gone), "")
}

// A layout without a place gives the slide that of its master, one without master the edge.
func TestSetFootersWithoutPlace(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","layout":"title_only","title":"C"}`)
	noFooters := func(s string) string {
		return strings.NewReplacer(`type="dt"`, `type="pic"`, `type="ftr"`, `type="pic"`, `type="sldNum"`, `type="pic"`).Replace(s)
	}
	for _, parts := range []map[string]func(string) string{{newLayouts + "4.xml": noFooters}, {newLayouts + "4.xml": noFooters, newMaster: noFooters}} {
		out, rep := editReport(t, with(t, deck, parts), `{"op":"set_footers","number":true,"footer":"Firma"}`)
		require.Equal(t, []string{
			"no layout of slide 0 has a place for the footer; it got the place of the master or one at the edge",
			"no layout of slide 0 has a place for the number; it got the place of the master or one at the edge"}, rep.Ops[0].Warnings)
		require.Contains(t, part(t, out, slide1), `<a:pPr algn="r"/><a:fld`)
		require.Contains(t, part(t, out, slide1), `<a:xfrm>`)
		formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
	}
}

// The words around the number of a layout come with it.
func TestSetFootersNumberWords(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"A"}`)
	deck = with(t, deck, map[string]func(string) string{newLayouts + "2.xml": func(s string) string {
		at := strings.Index(s, `type="slidenum"`)
		p := strings.LastIndex(s[:at], "<a:fld")
		return s[:p] + `<a:r><a:rPr lang="de-DE"/><a:t>Seite </a:t></a:r>` + s[p:]
	}})
	out := edit(t, deck, `{"op":"set_footers","number":true}`)
	require.Contains(t, readWith(t, out, 0, "addresses"), "Seite 1")
}

// Notes pages and the masters of notes and handouts have a header, too.
func TestSetFootersOfNotes(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"A"}`, `{"op":"add_slide","title":"B"}`, `{"op":"set_notes","index":0,"text":"Notiz"}`)
	out, rep := editReport(t, deck, `{"op":"set_footers","on":"notes","header":"Kopf","footer":"Fuß","date":"auto","number":true}`)
	require.Equal(t, []string{"1 slide without a notes page; pages that are made later take it from the notes master", "the presentation has no handout master; handouts stay as PowerPoint makes them"}, rep.Ops[0].Notes)
	notes := part(t, out, "ppt/notesSlides/notesSlide1.xml")
	for _, want := range []string{`type="hdr"`, "Kopf", "Fuß", `type="datetime1"`, `type="slidenum"`} {
		require.Contains(t, notes, want)
	}
	master := part(t, out, "ppt/notesMasters/notesMaster1.xml")
	require.Contains(t, master, "<p:hf/>")
	require.Contains(t, master, "Kopf")
	formatstest.SameParts(t, deck, out, "ppt/notesSlides/notesSlide1.xml", "ppt/notesMasters/notesMaster1.xml")
	require.Equal(t, readSlide(t, deck, 0), readSlide(t, out, 0), "reads give the notes themselves")
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
	gone := edit(t, out, `{"op":"set_footers","on":"notes","header":"","footer":"","date":"","number":false}`)
	require.NotContains(t, part(t, gone, "ppt/notesSlides/notesSlide1.xml"), `type="hdr"`)
}

func TestSetFootersErrors(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"A"}`)
	for op, want := range map[string]string{
		`{"op":"set_footers"}`:                                              "nothing to set",
		`{"op":"set_footers","number":true,"slides":[3]}`:                   "invalid slide index",
		`{"op":"set_footers","header":"x"}`:                                 "slides have no header",
		`{"op":"set_footers","number":true,"on":"cover"}`:                   "on must be slides or notes",
		`{"op":"set_footers","first_number":-1}`:                            "0 to 9999",
		`{"op":"set_footers","footer":"` + strings.Repeat("x", 3000) + `"}`: "too long",
	} {
		_, _, err := tryEdit(deck, op)
		require.ErrorContains(t, err, want, op)
	}
}

// On real decks: every slide shows its number and footer, the rest stays, no schema error
// is new, and taking them off leaves no footer.
func TestCorpusSetFooters(t *testing.T) {
	counts := map[string]int{}
	defer func() { formatstest.Report(t, "pptx  footers on real decks: %v", counts) }()
	corpus(t, func(t *testing.T, name string, file []byte) {
		d, _, err := openDeck(ctx, source(file))
		require.NoError(t, err)
		out, rep := editReport(t, file, `{"op":"set_footers","number":true,"footer":"Fußzeile <1>","date":"auto"}`)
		counts["slides"] += rep.Ops[0].Hits
		counts["warnings"] += len(rep.Ops[0].Warnings)
		var except []string
		for part := range formatstest.Parts(t, file) {
			if strings.Contains(part, "slides/slide") || strings.Contains(part, "slideLayout") || strings.Contains(part, "slideMaster") {
				except = append(except, part)
			}
		}
		formatstest.SameParts(t, file, out, except...)
		for i := range d.slides {
			read := readSlide(t, out, i)
			require.Contains(t, read, "Fußzeile <1>")
			require.Contains(t, part(t, out, d.slides[i].part), "slidenum")
		}
		validate(t, name, out)
		_, rep = editReport(t, out, `{"op":"set_footers","number":true,"footer":"Fußzeile <1>","date":"auto"}`)
		require.True(t, rep.Ops[0].Unchanged)
		gone := edit(t, out, `{"op":"set_footers","number":false,"footer":"","date":""}`)
		for i := range d.slides {
			for _, s := range mapSlideOf(t, gone, i).Slides[0].Shapes {
				require.NotContains(t, []string{"footer", "date", "slide_number"}, s.Kind)
			}
		}
		validate(t, name, gone)
		one, _, err := tryEdit(file, fmt.Sprintf(`{"op":"set_footers","on":"notes","footer":"x","slides":[%d]}`, len(d.slides)-1))
		require.True(t, err == nil || formats.CodeOf(err) != "", "%v", err)
		if err == nil {
			validate(t, name, one)
		}
	})
}
