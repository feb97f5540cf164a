package pptx

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// peers.md: "no notes". The first notes bring a notes master; later ones use
// it; nothing else changes.
func TestPeerNoNotes(t *testing.T) {
	deck := lettered(t, 3)
	out, rep := editReport(t, deck, `{"op":"set_notes","index":1,"text":"Erst <grüßen>\ndann beginnen"}`)
	require.Equal(t, 2, rep.Ops[0].Hits)
	require.Equal(t, "# Slide 2\nB\nNotes: Erst <grüßen>\ndann beginnen", readSlide(t, out, 1))
	require.Equal(t, []bool{false, true, false}, []bool{mapOf(t, out).Slides[0].HasNotes, mapOf(t, out).Slides[1].HasNotes, mapOf(t, out).Slides[2].HasNotes})
	master, page, theme := "ppt/notesMasters/notesMaster1.xml", "ppt/notesSlides/notesSlide1.xml", "ppt/theme/theme2.xml"
	formatstest.SameParts(t, deck, out, "[Content_Types].xml", newMain, relsOf(newMain), relsOf(slide2), master, relsOf(master), page, relsOf(page), theme)
	require.Equal(t, part(t, out, newTheme), part(t, out, theme))
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
	formatstest.LibreOfficeOpens(t, formatstest.Write(t, "x.pptx", out))

	more := edit(t, out, `{"op":"set_notes","index":2,"paragraphs":[{"runs":[{"text":"fett","bold":true}]}]}`)
	require.NotContains(t, formatstest.Parts(t, more), "ppt/notesMasters/notesMaster2.xml")
	require.Equal(t, "# Slide 3\nC\nNotes: fett", readSlide(t, more, 2))
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", more), "")
	changed := edit(t, more, `{"op":"set_notes","index":1,"text":"neu"}`)
	formatstest.SameParts(t, more, changed, page)
	cleared := edit(t, changed, `{"op":"set_notes","index":1,"text":""}`)
	require.Equal(t, "# Slide 2\nB", readSlide(t, cleared, 1))
	require.Equal(t, deck, edit(t, deck, `{"op":"set_notes","index":0,"text":""}`), "nothing to clear")
	_, _, err := tryEdit(deck, `{"op":"set_notes","index":0}`)
	require.Equal(t, formats.CodeInvalid, formats.CodeOf(err))
}

// A notes page without its placeholder gets one, and a copied slide has notes
// of its own.
func TestNotesWithoutPlaceholder(t *testing.T) {
	file := with(t, deckOf1(t), map[string]func(string) string{"ppt/notesSlides/n7.xml": replace(t, `type="body" idx="1"`, `type="dt"`)})
	out := edit(t, file, `{"op":"set_notes","index":0,"text":"x"}`)
	require.Contains(t, readSlide(t, out, 0), "Notes: x")
	two := edit(t, lettered(t, 1), `{"op":"set_notes","index":0,"text":"eins"}`, `{"op":"duplicate_slide","index":0}`, `{"op":"set_notes","index":1,"text":"zwei"}`)
	require.Contains(t, readSlide(t, two, 0), "Notes: eins")
	require.Contains(t, readSlide(t, two, 1), "Notes: zwei")
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", two), "")
}

// A strict deck gets strict notes.
func TestNotesStrict(t *testing.T) {
	out := edit(t, strictDeck(t), `{"op":"set_notes","index":0,"text":"x"}`)
	require.Contains(t, readSlide(t, out, 0), "Notes: x")
	for _, name := range []string{"ppt/notesSlides/notesSlide1.xml", "ppt/notesMasters/notesMaster1.xml", "ppt/theme/theme2.xml"} {
		require.NotContains(t, part(t, out, name), `"http://schemas.openxmlformats.org/`, name)
	}
}

// Whatever notes are set are read back.
func TestNotesRoundTrip(t *testing.T) {
	deck := lettered(t, 1)
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.StringMatching(`[a-zäß&<>"']{1,9}(\n[a-z ]{0,5}[a-z])?`).Draw(r, "text")
		op := string(mustJSON(t, map[string]any{"op": "set_notes", "index": 0, "text": text}))
		out := edit(t, deck, op)
		require.Equal(t, "# Slide 1\nA\nNotes: "+text, readSlide(t, out, 0))
		require.Equal(t, out, edit(t, out, op))
	})
}
