package pptx

import (
	"bytes"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// A picture prefers an empty place for pictures, a table one for tables, both
// take one for any content; filled ones and footers are left alone.
func TestEmptyPlaceholderIsFilled(t *testing.T) {
	at := func(id int, ph, text string) string {
		return fmt.Sprintf(`<p:sp><p:nvSpPr><p:cNvPr id="%d" name="P%d"/><p:cNvSpPr/><p:nvPr><p:ph %s/></p:nvPr></p:nvSpPr><p:spPr><a:xfrm><a:off x="%d" y="914400"/><a:ext cx="914400" cy="914400"/></a:xfrm></p:spPr><p:txBody><a:bodyPr/><a:lstStyle/>%s</p:txBody></p:sp>`, id, id, ph, id*914400, text)
	}
	empty := `<a:p><a:endParaRPr/></a:p>`
	deck := deckWith(t, at(2, `idx="1"`, para("voll"))+at(3, `idx="2"`, empty)+at(4, `type="pic" idx="3"`, empty)+at(5, `type="tbl" idx="4"`, empty)+at(6, `type="ftr" idx="5"`, empty))
	files := map[string][]byte{"a.png": pngOf(t, 10, 10)}
	do := func(file []byte, op string) []byte {
		out, _, err := editWith(t, file, files, op)
		require.NoError(t, err)
		return out
	}
	x := func(file []byte, kind string) (list []float64) {
		for _, m := range mapSlideOf(t, file, 0).Slides[0].Shapes {
			if m.Kind == kind && m.Chars == 0 && m.Name[0] != 'P' || m.Kind == kind && m.Name == "Picture 6" {
				list = append(list, m.Position[0])
			}
		}
		return list
	}
	picture := do(deck, `{"op":"add_image","index":0,"path":"a.png","alt":"x"}`)
	require.Contains(t, part(t, picture, slide1), `<p:ph type="pic" idx="3"/></p:nvPr></p:nvPicPr>`)
	table := do(deck, `{"op":"add_table","index":0,"rows":[["a"]]}`)
	require.Contains(t, part(t, table, slide1), `<p:ph type="tbl" idx="4"/></p:nvPr></p:nvGraphicFramePr>`)
	require.Equal(t, []float64{5}, x(table, "table"))
	second := do(table, `{"op":"add_table","index":0,"rows":[["a"]]}`)
	require.Equal(t, []float64{3, 5}, x(second, "table"), "then any content")
	require.Contains(t, part(t, second, slide1), para("voll"))
	require.Contains(t, part(t, second, slide1), `<p:ph type="ftr" idx="5"/>`)
	free := do(deck, `{"op":"add_table","index":0,"rows":[["a"]],"x":9}`)
	require.Contains(t, part(t, free, slide1), `name="P5"`, "a place that is asked for fills nothing")
}

// Every kind of picture that office programs show can be added, under its own
// media type; others are refused.
func TestPictureKinds(t *testing.T) {
	var jpg, gf bytes.Buffer
	require.NoError(t, jpeg.Encode(&jpg, image.NewGray(image.Rect(0, 0, 8, 4)), nil))
	require.NoError(t, gif.Encode(&gf, image.NewGray(image.Rect(0, 0, 4, 4)), nil))
	deck := edit(t, nil, `{"op":"add_slide","title":"T"}`)
	files := map[string][]byte{"a.jpeg": jpg.Bytes(), "b.gif": gf.Bytes(), "c.svg": []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>`), "d.png": pngOf(t, 4, 4)[:20]}
	out, _, err := editWith(t, deck, files, `{"op":"add_image","index":0,"path":"a.jpeg","alt":"x"}`, `{"op":"add_image","index":0,"path":"b.gif","alt":"y","x":1,"y":1,"width":2,"height":0.5}`)
	require.NoError(t, err)
	types := part(t, out, "[Content_Types].xml")
	require.Contains(t, types, `<Default Extension="jpg" ContentType="image/jpeg"/>`)
	require.Contains(t, types, `<Default Extension="gif" ContentType="image/gif"/>`)
	require.Equal(t, []float64{1, 1, 2, 0.5}, mapSlideOf(t, out, 0).Slides[0].Shapes[2].Position, "both given: the proportion is theirs")
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
	for _, path := range []string{"c.svg", "d.png"} {
		_, _, err := editWith(t, deck, files, `{"op":"add_image","index":0,"path":"`+path+`"}`)
		require.Equal(t, formats.CodeInvalid, formats.CodeOf(err), path)
	}
}
