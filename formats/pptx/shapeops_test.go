package pptx

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// pngOf returns a picture of that size in pixels.
func pngOf(t testing.TB, w, h int) []byte {
	t.Helper()
	var buf bytes.Buffer
	require.NoError(t, png.Encode(&buf, image.NewGray(image.Rect(0, 0, w, h))))
	return buf.Bytes()
}

type closing struct{ formats.Source }

func (closing) Close() error { return nil }

// editWith applies operations that may open the given files.
func editWith(t testing.TB, file []byte, files map[string][]byte, texts ...string) ([]byte, formats.Report, error) {
	t.Helper()
	var buf bytes.Buffer
	rep, err := editor{}.Apply(ctx, source(file), &buf, ops(texts...), formats.ApplyOptions{Open: func(_ context.Context, path string) (formats.SourceCloser, error) {
		data, ok := files[path]
		if !ok {
			return nil, formats.Errorf(formats.CodeNotFound, "file not found: %s", path)
		}
		return closing{formats.FromBytes(path, data)}, nil
	}})
	return buf.Bytes(), rep, err
}

// readWith returns the text of slide i with addresses.
func readWith(t testing.TB, file []byte, i int, include ...string) string {
	t.Helper()
	text, err := reader{}.Read(ctx, source(file), formats.Selector{SlideIndex: &i, Include: include})
	require.NoError(t, err)
	return text.Text
}

// A shape is found by id or name, also in groups; what is wrong is said with
// what there is.
func TestSetShapeText(t *testing.T) {
	deck := deckWith(t, sp(2, "Kasten", "", para("alt"))+group(sp(3, "Innen", "", `<a:p><a:r><a:rPr b="1"/><a:t>x</a:t></a:r></a:p>`))+table)
	out := edit(t, deck, `{"op":"set_shape_text","index":0,"shape_id":"2","text":"neu\n\tzwei"}`, `{"op":"set_shape_text","index":0,"shape_name":"innen","paragraphs":[{"text":"fett","alignment":"right"}]}`)
	s := part(t, out, slide1)
	require.Contains(t, s, para("neu")+`<a:p><a:pPr lvl="1"/><a:r><a:t>zwei</a:t></a:r></a:p>`)
	require.Contains(t, s, `<a:p><a:pPr algn="r"/><a:r><a:rPr b="1"/><a:t>fett</a:t></a:r></a:p>`)
	formatstest.SameParts(t, deck, out, slide1)
	for op, want := range map[string]string{
		`"shape_id":7,"text":"x"`:      `the slide has no shape with the id 7; it has 2 "Kasten", 90 "Gruppe", 3 "Innen", 8 "Tabelle"`,
		`"shape_name":"y","text":"x"`:  `the slide has no shape named "y"; it has 2 "Kasten", 90 "Gruppe", 3 "Innen", 8 "Tabelle"`,
		`"text":"x"`:                   `shape_id or shape_name is required`,
		`"shape_id":2`:                 `text or paragraphs is required`,
		`"shape_id":8,"text":"x"`:      `the shape "Tabelle" is a table and holds no text of its own; use set_table_cell`,
		`"shape_id":90,"text":"x"`:     `the shape "Gruppe" is a group and holds no text of its own; name one of the shapes in it`,
		`"shape_id":[1],"text":"x"`:    `shape_id: expected an integer, got [1]`,
		`"shape_name":true,"text":"x"`: `shape_name: expected a string, got bool`,
	} {
		_, _, err := tryEdit(deck, `{"op":"set_shape_text","index":0,`+op+`}`)
		require.EqualError(t, err, "operation 1 (set_shape_text): "+want)
	}
}

// A drawn shape that never had text gets some, in the middle.
func TestSetShapeTextWithoutBody(t *testing.T) {
	oval := `<p:sp><p:nvSpPr><p:cNvPr id="4" name="Oval"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr>` + xfrm + `<a:prstGeom prst="ellipse"><a:avLst/></a:prstGeom></p:spPr></p:sp>`
	out := edit(t, deckWith(t, oval), `{"op":"set_shape_text","index":0,"shape_id":4,"text":"Ziel"}`)
	require.Contains(t, part(t, out, slide1), `<p:txBody><a:bodyPr rtlCol="0" anchor="ctr"/><a:lstStyle/><a:p><a:pPr algn="ctr"/><a:r><a:t>Ziel</a:t></a:r></a:p></p:txBody></p:sp>`)
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
}

func TestSetAltText(t *testing.T) {
	deck := deckOf1(t)
	out := edit(t, deck, `{"op":"set_alt_text","index":0,"shape_id":7,"text":"Zwei \"Hunde\" & '1'"}`)
	require.Contains(t, readSlide(t, out, 0), `[Picture: Zwei "Hunde" & '1']`)
	formatstest.SameParts(t, deck, edit(t, out, `{"op":"set_alt_text","index":0,"shape_id":7,"text":"Ein Hund\nim Gras"}`))
	none := edit(t, deck, `{"op":"set_alt_text","index":0,"shape_id":7,"text":""}`)
	require.Contains(t, part(t, none, slide1), `<p:cNvPr id="7" name="Bild 1"/>`)
	formatstest.SameParts(t, deck, edit(t, none, `{"op":"set_alt_text","index":0,"shape_id":7,"text":"Ein Hund\nim Gras"}`))
}

// A shape goes with its relationships, their parts, its animations and the
// ends of the lines tied to it; nothing else changes.
func TestDeleteShape(t *testing.T) {
	line := `<p:cxnSp><p:nvCxnSpPr><p:cNvPr id="20" name="Linie"/><p:cNvCxnSpPr><a:stCxn id="9" idx="0"/><a:endCxn id="2" idx="0"/></p:cNvCxnSpPr><p:nvPr/></p:nvCxnSpPr><p:spPr/></p:cxnSp>`
	step := func(id string) string {
		return `<p:par><p:cTn id="5"><p:childTnLst><p:set><p:cBhvr><p:cTn id="6"/><p:tgtEl><p:spTgt spid="` + id + `"/></p:tgtEl></p:cBhvr></p:set></p:childTnLst></p:cTn></p:par>`
	}
	timing := func(steps, builds string) string {
		return `<p:timing><p:tnLst><p:par><p:cTn id="1" nodeType="tmRoot"><p:childTnLst><p:seq><p:cTn id="2" nodeType="mainSeq"><p:childTnLst>` + steps + `</p:childTnLst></p:cTn></p:seq></p:childTnLst></p:cTn></p:par></p:tnLst><p:bldLst>` + builds + `</p:bldLst></p:timing>`
	}
	build := func(id string) string { return `<p:bldGraphic spid="` + id + `" grpId="0"/>` }
	add := func(x string) []byte {
		return with(t, deckOf1(t), map[string]func(string) string{slide1: func(s string) string {
			s = strings.Replace(s, `</p:spTree>`, line+`</p:spTree>`, 1)
			return strings.Replace(s, `</p:sld>`, x+`</p:sld>`, 1)
		}})
	}
	deck := add(timing(step("9")+step("2"), build("9")+build("2")))
	out := edit(t, deck, `{"op":"delete_shape","index":0,"shape_id":9}`)
	s := part(t, out, slide1)
	require.NotContains(t, readSlide(t, out, 0), "Umsatz")
	require.Contains(t, s, `<p:cNvCxnSpPr><a:endCxn id="2" idx="0"/></p:cNvCxnSpPr>`)
	require.Contains(t, s, timing(step("2"), build("2")))
	require.NotContains(t, formatstest.Parts(t, out), "ppt/charts/c.xml")
	require.NotContains(t, part(t, out, relsOf(slide1)), "charts/c.xml")
	formatstest.SameParts(t, with(t, deck, map[string]func(string) string{}), out, slide1, relsOf(slide1), "ppt/charts/c.xml", "[Content_Types].xml")

	alone := part(t, edit(t, add(timing(step("9"), build("9"))), `{"op":"delete_shape","index":0,"shape_id":9}`), slide1)
	require.NotContains(t, alone, "p:timing")
	all := edit(t, deck, `{"op":"delete_shape","index":0,"shape_id":90}`)
	require.NotContains(t, readSlide(t, all, 0), "in der Gruppe")
	_, _, err := tryEdit(deck, `{"op":"delete_shape","index":0,"shape_id":9}`, `{"op":"delete_shape","index":0,"shape_id":9}`)
	require.Equal(t, formats.CodeNotFound, formats.CodeOf(err))
}

// All branches of alternate content go together.
func TestDeleteAlternateContent(t *testing.T) {
	both := `<mc:AlternateContent xmlns:mc="` + nsMC + `"><mc:Choice Requires="a14" xmlns:a14="urn:x">` + sp(5, "A", "", para("eins")) + `</mc:Choice><mc:Fallback>` + sp(5, "A", "", para("zwei")) + `</mc:Fallback></mc:AlternateContent>`
	deck := deckWith(t, sp(6, "B", "", para("bleibt"))+both)
	require.Equal(t, part(t, deckWith(t, sp(6, "B", "", para("bleibt"))), slide1), part(t, edit(t, deck, `{"op":"delete_shape","index":0,"shape_name":"A"}`), slide1))
	out := edit(t, deck, `{"op":"set_shape_text","index":0,"shape_id":5,"text":"neu"}`)
	require.Equal(t, 2, strings.Count(part(t, out, slide1), para("neu")))
}

func TestAddTextBox(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"T","body":"b"}`)
	out, rep := editReport(t, deck, `{"op":"add_text_box","index":0,"text":"Hin & her\nzwei","x":1,"y":"5.5","width":4,"height":1,"shape_name":"Notiz <1>"}`, `{"op":"add_text_box","index":0,"paragraphs":[{"runs":[{"text":"rot","font_color":"red"}],"alignment":"center"}]}`)
	require.Equal(t, "slide index 0, shape 4", rep.Ops[0].Made)
	require.Equal(t, "slide index 0, shape 5", rep.Ops[1].Made)
	require.Contains(t, readWith(t, out, 0, "addresses"), "[shape 4 \"Notiz <1>\"]\nHin & her\nzwei\n[shape 5 \"TextBox 4\"]\nrot")
	require.Equal(t, []float64{1, 5.5, 4, 1}, mapSlideOf(t, out, 0).Slides[0].Shapes[2].Position)
	formatstest.SameParts(t, deck, out, slide1)
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
	formatstest.SameParts(t, deck, edit(t, edit(t, deck, `{"op":"add_text_box","index":0,"text":"x"}`), `{"op":"delete_shape","index":0,"shape_id":4}`))
	for member, want := range map[string]string{`"width":0`: "width must be 0.01 to 100 inches, not 0", `"x":1e9`: "x must be -100 to 100 inches, not 1e+09"} {
		_, _, err := tryEdit(deck, `{"op":"add_text_box","index":0,"text":"x",`+member+`}`)
		require.EqualError(t, err, "operation 1 (add_text_box): "+want)
	}
}

// A picture keeps its proportion, fills an empty placeholder or the room below
// the title, and the same picture is one part.
func TestPeerNoImages(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"T"}`, `{"op":"add_slide","title":"T","body":"voll"}`)
	files := map[string][]byte{"a.png": pngOf(t, 2000, 500), "b.png": pngOf(t, 96, 192), "c.txt": []byte("hello")}
	out, rep, err := editWith(t, deck, files, `{"op":"add_image","index":0,"path":"a.png","alt":"Ein \"Bild\""}`, `{"op":"add_image","index":1,"path":"a.png","alt":"x"}`, `{"op":"add_image","index":1,"path":"b.png","x":1,"y":2,"height":1}`)
	require.NoError(t, err)
	require.Empty(t, rep.Ops[0].Warnings)
	require.Equal(t, []string{"the picture has no alternative text; give alt"}, rep.Ops[2].Warnings)
	s := part(t, out, slide1)
	require.Contains(t, s, `descr="Ein &quot;Bild&quot;"`)
	require.Contains(t, s, `<p:nvPr><p:ph idx="1"/></p:nvPr></p:nvPicPr>`, "it fills the empty placeholder")
	require.NotContains(t, s, "Content Placeholder")
	m := mapSlideOf(t, out, 0).Slides[0].Shapes
	require.Equal(t, shapeMap{ID: 4, Name: "Picture 3", Kind: "picture", Alt: `Ein "Bild"`, Position: []float64{0.92, 2.94, 11.5, 2.88}}, m[1])
	require.Equal(t, []float64{1, 2, 0.5, 1}, mapSlideOf(t, out, 1).Slides[0].Shapes[3].Position)
	require.Equal(t, files["a.png"], formatstest.Parts(t, out)["ppt/media/image1.png"])
	require.Equal(t, files["b.png"], formatstest.Parts(t, out)["ppt/media/image2.png"])
	require.NotContains(t, formatstest.Parts(t, out), "ppt/media/image3.png")
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
	formatstest.LibreOfficeOpens(t, formatstest.Write(t, "x.pptx", out))
	for op, want := range map[string]string{
		`{"op":"add_image","index":0}`:                   "path is required: the picture file",
		`{"op":"add_image","index":0,"path":"none.png"}`: "file not found: none.png",
		`{"op":"add_image","index":0,"path":"c.txt"}`:    "the picture is damaged or of an unknown format",
	} {
		_, _, err := editWith(t, deck, files, op)
		require.ErrorContains(t, err, want)
	}
	_, _, err = tryEdit(deck, `{"op":"add_image","index":0,"path":"a.png"}`)
	require.Equal(t, formats.CodeUnsupported, formats.CodeOf(err))
}

func TestPeerNoTables(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"T"}`, `{"op":"add_slide","layout":"blank"}`)
	out, rep := editReport(t, deck, `{"op":"add_table","index":0,"rows":[["Ort","Umsatz <Mio>"],["Köln",3.5],["Ulm"],[null,true]]}`, `{"op":"add_table","index":1,"rows":[["a","b\nc"]],"x":2,"y":1,"width":3}`)
	require.Equal(t, "slide index 0, shape 4", rep.Ops[0].Made)
	require.Equal(t, 8, rep.Ops[0].Cells)
	require.Equal(t, "# Slide 1\nT\nOrt\tUmsatz <Mio>\nKöln\t3.5\nUlm\n\ttrue", readSlide(t, out, 0))
	require.Equal(t, "# Slide 2\na\tb c", readSlide(t, out, 1))
	m := mapSlideOf(t, out, 1).Slides[0].Shapes[0]
	require.Equal(t, shapeMap{ID: 2, Name: "Table 1", Kind: "table", Rows: 1, Cols: 2, Position: []float64{2, 1, 3, 0.41}}, m)
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
	formatstest.LibreOfficeOpens(t, formatstest.Write(t, "x.pptx", out))
	var many [][]string
	for range 30 {
		many = append(many, []string{"x"})
	}
	_, rep = editReport(t, deck, string(mustJSON(t, map[string]any{"op": "add_table", "index": 0, "rows": many})))
	require.Contains(t, rep.Ops[0].Warnings[0], "the table is higher than the slide")
	for rows, want := range map[string]string{`[]`: "rows is required", `[[]]`: "rows is required", `[[{}]]`: "expected a text, got {}", string(mustJSON(t, [][]json.RawMessage{make([]json.RawMessage, 1001)})): "1000 rows and columns at most"} {
		_, _, err := tryEdit(deck, `{"op":"add_table","index":0,"rows":`+rows+`}`)
		require.ErrorContains(t, err, want)
	}
}

// A table over the text of a slide is said, where the place was not asked for.
func TestCoveringIsSaid(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"T","body":"voll"}`)
	_, rep := editReport(t, deck, `{"op":"add_table","index":0,"rows":[["a"]]}`, `{"op":"add_table","index":0,"rows":[["a"]],"x":1,"y":2}`, `{"op":"add_text_box","index":0,"text":"x"}`)
	require.Equal(t, []string{`it lies over the shapes 3 "Content Placeholder 2"; give x, y, width and height, or another slide`}, rep.Ops[0].Warnings)
	require.Empty(t, rep.Ops[1].Warnings)
	require.Len(t, rep.Ops[2].Warnings, 1)
	_, rep = editReport(t, edit(t, nil, `{"op":"add_slide","title":"T"}`), `{"op":"add_table","index":0,"rows":[["a"]]}`)
	require.Empty(t, rep.Ops[0].Warnings)
}

// A shape moves and back with the same bytes; a placeholder gets its own place.
func TestMoveShape(t *testing.T) {
	box := strings.Replace(sp(5, "Kasten", "", para("x")), `<p:spPr/>`, `<p:spPr>`+strings.Replace(xfrm, `<a:xfrm>`, `<a:xfrm rot="5400000" flipH="1">`, 1)+`<a:prstGeom prst="rect"/></p:spPr>`, 1)
	deck := deckWith(t, box+table+group(sp(3, "Innen", "", para("y"))))
	out := edit(t, deck, `{"op":"move_shape","index":0,"shape_id":5,"x":3,"height":"1.5"}`)
	require.Equal(t, []float64{3, 0.5, 2, 1.5}, mapSlideOf(t, out, 0).Slides[0].Shapes[0].Position)
	require.Contains(t, part(t, out, slide1), `<a:xfrm rot="5400000" flipH="1">`)
	formatstest.SameParts(t, deck, edit(t, out, `{"op":"move_shape","index":0,"shape_id":5,"x":1,"height":1}`))
	require.Equal(t, []float64{1, 1, 4, 2}, mapSlideOf(t, edit(t, deck, `{"op":"move_shape","index":0,"shape_id":8,"x":1,"y":1,"width":4,"height":2}`), 0).Slides[0].Shapes[1].Position)

	ph := edit(t, nil, `{"op":"add_slide","title":"T","body":"b"}`)
	moved := edit(t, ph, `{"op":"move_shape","index":0,"shape_id":3,"width":5}`)
	require.Equal(t, []float64{0.92, 2, 5, 4.76}, mapSlideOf(t, moved, 0).Slides[0].Shapes[1].Position)
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", moved), "")
	for op, want := range map[string]string{
		`"shape_id":5`:                    "x, y, width or height is required, in inches",
		`"shape_id":3,"x":1`:              `the shape "Innen" is part of a group; move the group`,
		`"shape_id":90,"x":1`:             `the shape "Gruppe" has no place yet; give x, y, width and height`,
		`"shape_id":5,"width":-2,"x":0`:   "width must be 0.01 to 100 inches, not -2",
		`"shape_id":77,"width":2,"x":"a"`: `x: expected a number, got "a"`,
	} {
		_, _, err := tryEdit(deck, `{"op":"move_shape","index":0,`+op+`}`)
		require.EqualError(t, err, "operation 1 (move_shape): "+want)
	}
}

// peers.md: inherited formatting and everything else of a slide survives each
// operation on a shape beside it, byte for byte.
func TestPeerLosesNeighbours(t *testing.T) {
	odd := `<p:sp  macro="x"><!-- Hinweis --><p:nvSpPr><p:cNvPr id='30' name='Alt&#x20;er'/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr><a:effectLst/></p:spPr><p:txBody><a:bodyPr/><a:p><a:r><a:rPr kern="0"/><a:t xml:space="preserve">  zwei  </a:t></a:r></a:p></p:txBody><p:extLst><p:ext uri="{0}"/></p:extLst></p:sp>`
	deck := deckWith(t, odd+sp(2, "Kasten", "", para("alt"))+table)
	files := map[string][]byte{"a.png": pngOf(t, 3, 3)}
	for _, op := range []string{
		`{"op":"set_shape_text","index":0,"shape_id":2,"text":"neu"}`, `{"op":"set_alt_text","index":0,"shape_id":2,"text":"neu"}`, `{"op":"move_shape","index":0,"shape_id":2,"x":1,"y":1,"width":1,"height":1}`,
		`{"op":"delete_shape","index":0,"shape_id":2}`, `{"op":"set_table_cell","index":0,"row":0,"column":0,"text":"x"}`, `{"op":"add_table_row","index":0}`, `{"op":"add_text_box","index":0,"text":"x"}`,
		`{"op":"add_image","index":0,"path":"a.png"}`, `{"op":"add_table","index":0,"rows":[["a"]]}`, `{"op":"replace_text","search":"alt","replace":"neu"}`, `{"op":"hide_slide","index":0}`, `{"op":"set_layout","index":0,"layout":"title_only"}`, `{"op":"set_slide_text","index":0,"title":"T"}`,
	} {
		out, _, err := editWith(t, deck, files, op)
		require.NoError(t, err, op)
		require.Contains(t, part(t, out, slide1), odd, op)
	}
}
