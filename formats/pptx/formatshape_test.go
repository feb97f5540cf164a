package pptx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// Looks change and texts stay, in every run and paragraph.
func TestFormatShape(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"A","paragraphs":[{"runs":[{"text":"b","bold":true},{"text":"c","url":"https://example.com"}]},"d",""]}`, `{"op":"add_text_box","index":0,"text":"Kasten","shape_name":"K","x":1,"y":1,"width":2}`)
	out, rep := editReport(t, deck, `{"op":"format_shape","index":0,"shape_name":"K","fill":"accent2","line":"red","line_width":2.25,"rotation":30,"font_color":"FFFFFF","alignment":"center"}`)
	require.Equal(t, 1, rep.Ops[0].Hits)
	s := part(t, out, slide1)
	require.Contains(t, s, `<a:xfrm rot="1800000">`)
	require.Contains(t, s, `</a:prstGeom><a:solidFill><a:schemeClr val="accent2"/></a:solidFill><a:ln w="28575"><a:solidFill><a:srgbClr val="FF0000"/></a:solidFill></a:ln></p:spPr>`)
	require.Contains(t, s, `<a:p><a:pPr algn="ctr"/><a:r><a:rPr><a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill></a:rPr><a:t>Kasten</a:t></a:r></a:p>`)
	require.Equal(t, readSlide(t, deck, 0), readSlide(t, out, 0))
	formatstest.SameParts(t, deck, out, slide1)
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
	require.Contains(t, allSaid(diffOf(t, deck, out).Facts), "format changed at slide 1, “K”: fill: none → fill: accent2")
	_, rep = editReport(t, out, `{"op":"format_shape","index":0,"shape_name":"K","fill":"accent2","line":"red","line_width":2.25,"rotation":30,"font_color":"FFFFFF","alignment":"center"}`)
	require.True(t, rep.Ops[0].Unchanged)
	back := edit(t, out, `{"op":"format_shape","index":0,"shape_name":"K","fill":"none","line":"none","rotation":0}`)
	require.Contains(t, part(t, back, slide1), `</a:prstGeom><a:noFill/><a:ln w="28575"><a:noFill/></a:ln></p:spPr>`)
	require.NotContains(t, part(t, back, slide1), ` rot=`)

	// All runs get the font; bold words and links stay. A placeholder that is turned keeps its place.
	out = edit(t, deck, `{"op":"format_shape","index":0,"shape_id":3,"font_size":14,"space_after":6,"rotation":-10,"level":1}`)
	s = part(t, out, slide1)
	require.Contains(t, s, `<a:rPr b="1" sz="1400"/><a:t>b</a:t>`)
	require.Contains(t, s, `sz="1400"><a:hlinkClick`)
	require.Contains(t, s, `<a:endParaRPr sz="1400"/>`)
	require.Contains(t, s, `<a:xfrm rot="21000000">`)
	require.Contains(t, readSlide(t, out, 0), "\tbc\n\td")
	require.Equal(t, mapSlideOf(t, deck, 0).Slides[0].Shapes[1].Position, mapSlideOf(t, out, 0).Slides[0].Shapes[1].Position)
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")

	deck = edit(t, deck, `{"op":"add_table","index":0,"rows":[["a"]],"x":1,"y":5,"width":1}`)
	for op, want := range map[string]string{
		`"shape_name":"K"`:                    "nothing to set",
		`"shape_name":"K","fill":"bunt"`:      "is no colour",
		`"shape_name":"K","line_width":-1`:    "line_width must be",
		`"shape_name":"K","rotation":400`:     "rotation must be",
		`"shape_name":"Table 4","fill":"red"`: "is a table and takes no such format; use format_table",
		`"shape_name":"K","font_size":0.5`:    "font_size must be",
	} {
		_, _, err := tryEdit(deck, `{"op":"format_shape","index":0,`+op+`}`)
		require.ErrorContains(t, err, want, op)
	}
	_, rep = editReport(t, deck, `{"op":"add_slide","title":"B","body":"viele Wörter in einem Kasten\nund noch mehr davon","position":1}`, `{"op":"format_shape","index":1,"shape_id":3,"font_size":150}`)
	require.Contains(t, strings.Join(rep.Ops[1].Warnings, ""), "may not fit")
}

// Each shape of each real slide takes the format, or an error says why not; the texts stay.
func TestCorpusFormatShape(t *testing.T) {
	counts := map[string]int{}
	defer func() { formatstest.Report(t, "pptx  formatted shapes of real decks: %v", counts) }()
	corpus(t, func(t *testing.T, name string, file []byte) {
		d, _, err := openDeck(ctx, source(file))
		require.NoError(t, err)
		out := file
		var parts []string
		for i := range d.slides {
			parts = append(parts, d.slides[i].part)
			var ops []string
			for _, s := range mapSlideOf(t, out, i).Slides[0].Shapes {
				if s.ID == 0 {
					continue
				}
				for _, members := range []string{`"fill":"accent3","line":"none"`, `"font_size":11,"italic":true,"bullet":"–","line_spacing":1.2`, `"rotation":15,"line_width":3`} {
					op := fmt.Sprintf(`{"op":"format_shape","index":%d,"shape_id":%d,%s}`, i, s.ID, members)
					if len(ops) > 24 {
						break
					}
					if _, _, err := tryEdit(out, op); err != nil {
						require.NotEmpty(t, formats.CodeOf(err), "%v", err)
						counts["refused"]++
						continue
					}
					counts["formatted"]++
					ops = append(ops, op)
				}
			}
			if len(ops) > 0 {
				out = edit(t, out, ops...)
			}
			require.Equal(t, readSlide(t, file, i), readSlide(t, out, i))
		}
		formatstest.SameParts(t, file, out, parts...)
		validate(t, name, out)
	})
}
