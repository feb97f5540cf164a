package pptx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
)

// Contents keep their proportion and the middle; placeholders follow their layouts.
func TestSetSlideSize(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"A","paragraphs":[{"text":"b","font_size":20}]}`, `{"op":"add_text_box","index":0,"text":"mitten","x":5.6665,"y":3,"width":2,"height":1,"font_size":18}`, `{"op":"add_table","index":0,"rows":[["a","b"]],"x":1,"y":5,"width":4}`)
	out, rep := editReport(t, deck, `{"op":"set_slide_size","size":"4:3"}`)
	require.Equal(t, []string{"contents of slides at 75%, with the sizes of text, lines and tables; masters and layouts fill the new size", "notes pages and handouts were not changed"}, rep.Ops[0].Notes)
	m := mapSlideOf(t, out, 0)
	require.Equal(t, []float64{10, 7.5}, []float64{m.Width, m.Height})
	require.Contains(t, part(t, out, newMain), `<p:sldSz cx="9144000" cy="6858000" type="screen4x3"/>`)
	was := mapSlideOf(t, deck, 0).Slides[0].Shapes
	now := m.Slides[0].Shapes
	require.InDeltaSlice(t, []float64{was[0].Position[0] * 0.75, was[0].Position[1], was[0].Position[2] * 0.75, was[0].Position[3]}, now[0].Position, 0.011, "the title is where its layout puts it")
	require.InDeltaSlice(t, []float64{4.25, 3.19, 1.5, 0.75}, now[2].Position, 0.011)
	s := part(t, out, slide1)
	require.Contains(t, s, `sz="1500"`)
	require.Contains(t, s, `sz="1350"`)
	require.Contains(t, s, `<a:gridCol w="1371600"/>`)
	require.Contains(t, part(t, out, newMaster), `<a:defRPr sz="3000" b="1" kern="1200">`)
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
	require.Contains(t, allSaid(diffOf(t, deck, out).Facts), "page_setup changed at presentation: slide size 33.87 × 19.05 cm → slide size 25.4 × 19.05 cm (screen4x3)")

	// Without scaling a size and the one before give the same slides.
	none, rep := editReport(t, deck, `{"op":"set_slide_size","width":10,"height":7.5,"scale":"none"}`)
	require.Equal(t, []string{"contents of slides keep their size; masters and layouts fill the new size", "notes pages and handouts were not changed"}, rep.Ops[0].Notes)
	require.Equal(t, []string{"contents leave the slide that did not before: slides 0"}, rep.Ops[0].Warnings)
	back := edit(t, none, `{"op":"set_slide_size","size":"16:9","scale":"none"}`)
	require.Equal(t, part(t, deck, slide1), part(t, back, slide1))
	require.Equal(t, part(t, deck, newMain), part(t, back, newMain))
	_, rep = editReport(t, deck, `{"op":"set_slide_size","size":"16:9"}`)
	require.True(t, rep.Ops[0].Unchanged)
	fill := edit(t, deck, `{"op":"set_slide_size","size":"4:3","scale":"fill"}`)
	require.Equal(t, []float64{4, 3, 2, 1}, mapSlideOf(t, fill, 0).Slides[0].Shapes[2].Position)
	for op, want := range map[string]string{
		`{"op":"set_slide_size"}`:                               "give size, or width and height",
		`{"op":"set_slide_size","size":"5:4"}`:                  `size must be 16:10, 16:9, 4:3, A3, A4, letter, not "5:4"`,
		`{"op":"set_slide_size","width":100,"height":5}`:        "1 to 56 inches",
		`{"op":"set_slide_size","size":"A4","scale":"perhaps"}`: "scale must be",
	} {
		_, _, err := tryEdit(deck, op)
		require.ErrorContains(t, err, want, op)
	}
	strict := edit(t, strictDeck(t), `{"op":"set_slide_size","size":"A4"}`)
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", strict), "")
}

// On masters pictures keep their proportion, and bars and turned shapes are stretched as
// they are seen.
func TestStretchedMasters(t *testing.T) {
	r := &resize{from: slideSize{w: 1000, h: 1000}, to: slideSize{w: 2000, h: 1000}, sx: 2, sy: 1}
	shapeOf := func(xml string) *shape {
		tr, err := parse(ctx, "x", []byte(`<p:spTree xmlns:p="`+nsP+`" xmlns:a="`+nsA+`">`+xml+`</p:spTree>`))
		require.NoError(t, err)
		return shapes(tr.Root, shown)[0]
	}
	pic := shapeOf(`<p:pic/>`)
	turned := shapeOf(`<p:sp><p:spPr><a:xfrm rot="5400000"/></p:spPr></p:sp>`)
	plain := shapeOf(`<p:sp/>`)
	require.Equal(t, frame{200, 0, 200, 50}, r.stretched(plain, frame{100, 0, 100, 50}))
	require.Equal(t, frame{250, 0, 100, 50}, r.stretched(pic, frame{100, 0, 100, 50}))
	require.Equal(t, frame{0, -500, 2000, 2000}, r.stretched(pic, frame{0, 0, 1000, 1000}))
	require.Equal(t, frame{250, -25, 100, 100}, r.stretched(turned, frame{100, 0, 100, 50}))
}

func TestCorpusSetSlideSize(t *testing.T) {
	counts := map[string]int{}
	defer func() { formatstest.Report(t, "pptx  sizes of real decks: %v", counts) }()
	corpus(t, func(t *testing.T, name string, file []byte) {
		for _, op := range []string{`"width":8,"height":8`, `"size":"A3","scale":"fill"`, `"size":"letter","scale":"none"`} {
			out, rep := editReport(t, file, `{"op":"set_slide_size",`+op+`}`)
			counts["slides"] += rep.Ops[0].Hits
			counts["warnings"] += len(rep.Ops[0].Warnings)
			now := formatstest.Parts(t, out)
			for part, data := range formatstest.Parts(t, file) {
				if !strings.Contains(part, "slides/slide") && !strings.Contains(part, "slideLayout") && !strings.Contains(part, "slideMaster") && !strings.HasSuffix(part, "presentation.xml") {
					require.Equal(t, data, now[part], part)
				}
			}
			for i := range mapOf(t, file).SlideCount {
				require.Equal(t, readSlide(t, file, i), readSlide(t, out, i))
			}
			validate(t, name, out)
			counts[fmt.Sprint(rep.Ops[0].Unchanged)]++
		}
	})
}
