package pptx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
)

// Sections come, are renamed and moved with their ids, and go without a trace.
func TestSetSections(t *testing.T) {
	deck := lettered(t, 5)
	out, rep := editReport(t, deck, `{"op":"set_sections","sections":[{"name":"Schluss","slide":3},{"name":"Mitte & mehr","slide":1}]}`)
	require.Equal(t, []string{`the slides before the first section are in "Default Section"`}, rep.Ops[0].Notes)
	require.Equal(t, []sectionMap{{"Default Section", 0}, {"Mitte & mehr", 1}, {"Schluss", 3}}, mapOf(t, out).Sections)
	formatstest.SameParts(t, deck, out, newMain)
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
	require.Regexp(t, `id="\{[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-A[0-9A-F]{3}-[0-9A-F]{12}\}"`, part(t, out, newMain))
	said := allSaid(diffOf(t, deck, out).Facts)
	require.Contains(t, said, "section added at presentation: section “Mitte & mehr”, 2 slides")

	// New slides and moved ones stay in sections.
	require.Equal(t, []sectionMap{{"Default Section", 0}, {"Mitte & mehr", 1}, {"Schluss", 4}}, mapOf(t, edit(t, out, `{"op":"add_slide","title":"neu","position":2}`)).Sections)
	id := func(file []byte, name string) string {
		_, s, _ := strings.Cut(part(t, file, newMain), `name="`+name+`" id="`)
		return s[:38]
	}
	moved := edit(t, out, `{"op":"set_sections","sections":[{"name":"Anfang","slide":0},{"name":"Schluss","slide":2}]}`)
	require.Equal(t, id(out, "Schluss"), id(moved, "Schluss"))
	require.Contains(t, allSaid(diffOf(t, out, moved).Facts), "section changed at presentation: section “Schluss”, 2 slides → section “Schluss”, 3 slides")
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", moved), "")
	formatstest.SameParts(t, deck, edit(t, moved, `{"op":"set_sections","sections":[]}`))
	_, rep = editReport(t, moved, `{"op":"set_sections","sections":[{"name":"Anfang","slide":0},{"name":"Schluss","slide":2}]}`)
	require.True(t, rep.Ops[0].Unchanged)
	for op, want := range map[string]string{
		`{"op":"set_sections"}`: "sections is required",
		`{"op":"set_sections","sections":[{"name":"","slide":0}]}`:                         "section 0 needs a name",
		`{"op":"set_sections","sections":[{"name":"a"}]}`:                                  `section "a" needs slide`,
		`{"op":"set_sections","sections":[{"name":"a","slide":9}]}`:                        "0 to 4",
		`{"op":"set_sections","sections":[{"name":"a","slide":1},{"name":"b","slide":1}]}`: "begin at the same slide",
	} {
		_, _, err := tryEdit(deck, op)
		require.ErrorContains(t, err, want, op)
	}
	strict := edit(t, strictDeck(t), `{"op":"set_sections","sections":[{"name":"a","slide":0}]}`)
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", strict), "")
}

// A shape is found by its alternative text where none has that name.
func TestFindByAltText(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","layout":"blank"}`, `{"op":"add_text_box","index":0,"text":"a","shape_name":"Eins"}`, `{"op":"add_text_box","index":0,"text":"b","shape_name":"Zwei","x":1,"y":1,"width":1}`, `{"op":"set_alt_text","index":0,"shape_name":"Zwei","text":"Das  Diagramm"}`, `{"op":"set_alt_text","index":0,"shape_name":"Eins","text":"Zwei"}`)
	out := edit(t, deck, `{"op":"set_shape_text","index":0,"shape_name":"das diagramm","text":"neu"}`)
	require.Equal(t, "# Slide 1\na\nneu", readSlide(t, out, 0))
	out = edit(t, deck, `{"op":"set_shape_text","index":0,"shape_name":"Zwei","text":"neu"}`)
	require.Equal(t, "# Slide 1\na\nneu", readSlide(t, out, 0), "names go before alternative texts")
	_, _, err := tryEdit(deck, `{"op":"set_shape_text","index":0,"shape_name":"Diagramm","text":"neu"}`)
	require.ErrorContains(t, err, `no shape named "Diagramm"`)
}

func TestCorpusSetSections(t *testing.T) {
	corpus(t, func(t *testing.T, name string, file []byte) {
		d, _, err := openDeck(ctx, source(file))
		require.NoError(t, err)
		if len(d.slides) < 2 {
			return
		}
		out := edit(t, file, `{"op":"set_sections","sections":[{"name":"Zwei","slide":1}]}`)
		formatstest.SameParts(t, file, out, d.main)
		require.Len(t, mapOf(t, out).Sections, 2)
		validate(t, name, out)
		formatstest.SameParts(t, file, edit(t, out, `{"op":"set_sections","sections":[]}`), d.main)
	})
}
