package pptx

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
)

// Texts go into the new layout's placeholders; the layout and back gives the
// same text; only the slide and its relationships change.
func TestSetLayout(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"T","body":"a\n\tb"}`)
	out := edit(t, deck, `{"op":"set_layout","index":0,"layout":"section_header"}`)
	require.Equal(t, "Section Header", mapOf(t, out).Slides[0].Layout)
	require.Contains(t, part(t, out, slide1), `<p:ph type="body" idx="1"/>`)
	require.Equal(t, readSlide(t, deck, 0), readSlide(t, out, 0))
	formatstest.SameParts(t, deck, out, slide1, relsOf(slide1))
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
	formatstest.SameParts(t, deck, edit(t, out, `{"op":"set_layout","index":0,"layout":"Title and Content"}`))
	require.Equal(t, deck, edit(t, deck, `{"op":"set_layout","index":0,"layout":"title_and_content"}`))
	_, _, err := tryEdit(deck, `{"op":"set_layout","index":0,"layout":"Drei Spalten"}`)
	require.EqualError(t, err, `operation 1 (set_layout): the deck has no layout "Drei Spalten"; it has "Title Slide", "Title and Content", "Section Header", "Title Only", "Blank", "Two Content"`)
	_, _, err = tryEdit(deck, `{"op":"set_layout","index":0}`)
	require.EqualError(t, err, `operation 1 (set_layout): layout is required`)
}

// What has no place in the new layout stays where it was, when it says
// something; new places come.
func TestSetLayoutWithoutPlace(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"T","body":"bleibt"}`)
	before := mapSlideOf(t, deck, 0).Slides[0].Shapes
	out := edit(t, deck, `{"op":"set_layout","index":0,"layout":"blank"}`)
	require.Equal(t, before, mapSlideOf(t, out, 0).Slides[0].Shapes)
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
	empty := edit(t, nil, `{"op":"add_slide","title":"T"}`, `{"op":"set_layout","index":0,"layout":"title_only"}`)
	require.Len(t, mapSlideOf(t, empty, 0).Slides[0].Shapes, 1)
	back := edit(t, empty, `{"op":"set_layout","index":0,"layout":"title_and_content"}`, `{"op":"set_slide_text","index":0,"body":"neu"}`)
	require.Equal(t, "# Slide 1\nT\nneu", readSlide(t, back, 0))
	require.Len(t, mapSlideOf(t, back, 0).Slides[0].Shapes, 2)
}

// A slide of two columns: the first takes the body, the second is a shape.
func TestTwoContent(t *testing.T) {
	out := edit(t, nil, `{"op":"add_slide","layout":"two_content","title":"T","body":"links"}`, `{"op":"set_shape_text","index":0,"shape_id":4,"text":"rechts"}`, `{"op":"add_slide","layout":"two_content","body":"links"}`, `{"op":"add_table","index":1,"rows":[["a"]]}`)
	require.Equal(t, "# Slide 1\nT\nlinks\nrechts", readSlide(t, out, 0))
	m := mapSlideOf(t, out, 1).Slides[0].Shapes
	require.Equal(t, []float64{0.92, 2, 5.67, 4.76}, m[1].Position)
	require.Equal(t, "table", m[2].Kind, "the table fills the column that is empty")
	require.Equal(t, 6.75, m[2].Position[0])
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
}
