package pptx

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// Texts and objects go into the places for them, whatever their order in the file.
func TestFillPlaceholders(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","layout":"title"}`, `{"op":"add_slide","layout":"two_content"}`, `{"op":"add_slide","layout":"two_content"}`, `{"op":"add_slide"}`)
	out, rep, err := editWith(t, deck, map[string][]byte{"a.png": pngOf(t, 40, 30)},
		`{"op":"fill_placeholders","index":0,"title":"Deckblatt","subtitle":"2024"}`,
		`{"op":"fill_placeholders","index":1,"title":"Zwei","right":"rechts","left":"links\n\tund mehr","footer":"Fuß"}`,
		`{"op":"fill_placeholders","index":2,"left":"Text","picture":"a.png","alt":"Bild"}`,
		`{"op":"fill_placeholders","index":3,"rows":[["a","b"],["c","d"]]}`)
	require.NoError(t, err)
	require.Equal(t, "# Slide 1\nDeckblatt\n2024", readSlide(t, out, 0))
	require.Equal(t, "# Slide 2\nZwei\nlinks\n\tund mehr\nrechts\nFuß", readSlide(t, out, 1))
	require.Equal(t, "# Slide 3\nText\n[Picture: Bild]", readSlide(t, out, 2))
	require.Equal(t, "# Slide 4\na\tb\nc\td", readSlide(t, out, 3))
	require.Equal(t, "slide index 2, shape 5", rep.Ops[2].Made)
	require.Greater(t, mapSlideOf(t, out, 2).Slides[0].Shapes[2].Position[0], 6.0, "the picture is in the right place, which is empty")
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
	chart := edit(t, deck, `{"op":"fill_placeholders","index":3,"chart":{"type":"pie","categories":["a","b"],"series":[{"values":[1,2]}]},"title":"T"}`)
	require.Contains(t, readSlide(t, chart, 3), "[Chart:")
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", chart), "")

	// A subtitle that somebody deleted comes back from the layout.
	gone := edit(t, out, `{"op":"delete_shape","index":0,"shape_name":"Subtitle 2"}`)
	require.Equal(t, "# Slide 1\nDeckblatt", readSlide(t, gone, 0))
	require.Equal(t, "# Slide 1\nDeckblatt\nneu", readSlide(t, edit(t, gone, `{"op":"fill_placeholders","index":0,"subtitle":"neu"}`), 0))

	for op, want := range map[string]string{
		`{"op":"fill_placeholders","index":3,"left":"x"}`:                             `the slide has no place for left; its placeholders are "Title 1" (title 2), "Content Placeholder 2" (body 3); set_layout gives it others`,
		`{"op":"fill_placeholders","index":1,"body":"x","left":"y"}`:                  "give body, or left and right",
		`{"op":"fill_placeholders","index":1}`:                                        "nothing to fill",
		`{"op":"fill_placeholders","index":1,"right_title":"x"}`:                      "no place for right_title",
		`{"op":"fill_placeholders","index":0,"rows":[["a"]]}`:                         "no place for a table",
		`{"op":"fill_placeholders","index":0,"subtitle":"a","footer":"b","chart":{}}`: "no place for a chart",
	} {
		_, _, err := tryEdit(deck, op)
		require.ErrorContains(t, err, want, op)
	}
}

// Comparisons have headings above their contents.
func TestFillComparison(t *testing.T) {
	file := formatstest.Corpus(t, "pptx")
	for _, name := range file {
		deck, err := os.ReadFile(name)
		require.NoError(t, err)
		out, rep, err := tryEdit(deck, `{"op":"add_slide","layout":"Vergleich","position":0}`, `{"op":"fill_placeholders","index":0,"title":"T","left_title":"L","right_title":"R","left":"l","right":"r"}`)
		if err != nil || len(rep.Ops[0].Warnings) > 0 {
			continue
		}
		at := map[string][]float64{}
		for _, s := range mapSlideOf(t, out, 0).Slides[0].Shapes {
			if len(s.Position) == 4 && s.Chars == 1 {
				at[fmt.Sprint(s.ID)] = s.Position
			}
		}
		require.Equal(t, "# Slide 1\nT\nL\nl\nR\nr", readSlide(t, out, 0))
		validate(t, name, out)
		return
	}
	t.Fatal("no deck has a comparison")
}

// On real decks each layout takes what it has places for, or an error says what it has.
func TestCorpusFillPlaceholders(t *testing.T) {
	counts := map[string]int{}
	defer func() { formatstest.Report(t, "pptx  filled placeholders on real decks: %v", counts) }()
	corpus(t, func(t *testing.T, name string, file []byte) {
		d, _, err := openDeck(ctx, source(file))
		require.NoError(t, err)
		layouts, err := d.allLayouts(ctx, nil)
		require.NoError(t, err)
		out := file
		for _, l := range layouts[:min(12, len(layouts))] {
			add := string(mustJSON(t, map[string]any{"op": "add_slide", "layout": l.name, "position": 0}))
			for _, fill := range []string{`"title":"T","subtitle":"S"`, `"left":"l","right":"r"`, `"body":"b"`, `"rows":[["a"]]`} {
				made, rep, err := tryEdit(out, add, `{"op":"fill_placeholders","index":0,`+fill+`}`)
				if err != nil {
					require.Equal(t, formats.CodeNotFound, formats.CodeOf(err), "%v", err)
					counts["refused"]++
					continue
				}
				counts["filled"]++
				require.Positive(t, rep.Ops[1].Hits)
				out = made
			}
		}
		validate(t, name, out)
	})
}
