package pptx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
)

// drawnShape returns a drawn shape in inches; xfrm are attributes of its a:xfrm.
func drawnShape(id int, form, xfrm string, x, y, w, h float64) string {
	e := func(v float64) int { return int(v * emuPerInch) }
	return fmt.Sprintf(`<p:sp><p:nvSpPr><p:cNvPr id="%d" name="Box %d"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm%s><a:off x="%d" y="%d"/><a:ext cx="%d" cy="%d"/></a:xfrm><a:prstGeom prst="%s"><a:avLst/></a:prstGeom><a:grpFill/></p:spPr></p:sp>`, id, id, xfrm, e(x), e(y), e(w), e(h), form)
}

// turnedGroup is a group that is scaled, mirrored and turned; it declares a namespace that
// a shape in it uses.
func turnedGroup(xfrm string) string {
	return `<p:grpSp xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main"><p:nvGrpSpPr><p:cNvPr id="10" name="Gruppe" descr="Alles"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm` + xfrm + `><a:off x="3657600" y="914400"/><a:ext cx="5486400" cy="3657600"/><a:chOff x="914400" y="914400"/><a:chExt cx="3657600" cy="1828800"/></a:xfrm><a:solidFill><a:srgbClr val="2F6FED"/></a:solidFill></p:grpSpPr>` +
		drawnShape(11, "rightArrow", "", 1, 1, 1.5, 0.5) + drawnShape(12, "rightArrow", ` rot="5400000"`, 3, 1, 1.5, 0.5) + drawnShape(13, "rtTriangle", ` flipV="1" rot="1200000"`, 2, 2, 1, 0.8) +
		strings.Replace(drawnShape(14, "pie", ` rot="2700000"`, 4, 2, 0.8, 0.8), `<a:grpFill/></p:spPr>`, `<a:grpFill/><a:extLst><a:ext uri="{91240B29-F687-4F45-9708-019B960494DF}"><a14:hiddenLine w="9525"><a:noFill/></a14:hiddenLine></a:ext></a:extLst></p:spPr>`, 1) + `</p:grpSp>`
}

// Shapes of a group stay where they are when it is taken apart, and the same comes back
// from grouping them again.
func TestGroupAndUngroup(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","layout":"blank"}`, `{"op":"add_text_box","index":0,"text":"a","x":1,"y":1,"width":2,"height":0.5}`, `{"op":"add_text_box","index":0,"text":"b","x":4,"y":2,"width":2,"height":0.5}`, `{"op":"add_text_box","index":0,"text":"c","x":6,"y":4,"width":2,"height":0.5}`)
	out, rep := editReport(t, deck, `{"op":"group_shapes","index":0,"shapes":[2,3],"shape_name":"Paar & mehr"}`)
	require.Equal(t, "slide index 0, shape 5", rep.Ops[0].Made)
	m := mapSlideOf(t, out, 0).Slides[0].Shapes
	require.Len(t, m, 2)
	require.Equal(t, []float64{1, 1, 5, 1.5}, m[0].Position)
	require.Equal(t, []float64{4, 2, 2, 0.5}, m[0].Shapes[1].Position)
	require.Equal(t, "# Slide 1\na\nb\nc", readSlide(t, out, 0))
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
	formatstest.SameParts(t, deck, out, slide1)
	require.Equal(t, []string{"shape added at slide 1, “Paar & mehr”: group of shapes", "shape changed at slide 1, “TextBox 1”: in the group “Paar & mehr”", "shape changed at slide 1, “TextBox 2”: in the group “Paar & mehr”"}, allSaid(diffOf(t, deck, out).Facts))
	back := edit(t, out, `{"op":"ungroup_shapes","index":0,"shape_name":"Paar & mehr"}`)
	formatstest.SameParts(t, deck, back)

	// The group is in front of what was between its shapes.
	out = edit(t, deck, `{"op":"group_shapes","index":0,"shapes":[4,2]}`)
	require.Equal(t, "# Slide 1\nb\na\nc", readSlide(t, out, 0))

	for op, want := range map[string]string{
		`{"op":"group_shapes","index":0,"shapes":[2]}`:   "two shapes or more",
		`{"op":"group_shapes","index":0}`:                "shapes is required",
		`{"op":"group_shapes","index":0,"shapes":[2,2]}`: "named twice",
		`{"op":"group_shapes","index":0,"shapes":[2,9]}`: "no shape with the id 9",
		`{"op":"ungroup_shapes","index":0,"shape_id":2}`: "is a text, not a group",
	} {
		_, _, err := tryEdit(deck, op)
		require.ErrorContains(t, err, want, op)
	}
	titled := edit(t, nil, `{"op":"add_slide","title":"A"}`, `{"op":"add_table","index":0,"rows":[["a"]],"x":1,"y":1,"width":1}`, `{"op":"add_text_box","index":0,"text":"b"}`)
	_, _, err := tryEdit(titled, `{"op":"group_shapes","index":0,"shapes":[2,5]}`)
	require.ErrorContains(t, err, "placeholders cannot be in a group")
	_, _, err = tryEdit(titled, `{"op":"group_shapes","index":0,"shapes":[4,5]}`)
	require.ErrorContains(t, err, "tables cannot be in a group")
}

// What a group scales, mirrors and turns, its shapes do themselves afterwards.
func TestUngroupTransforms(t *testing.T) {
	for _, xfrm := range []string{"", ` rot="1800000"`, ` flipH="1"`, ` flipV="1" rot="5400000"`, ` flipH="1" flipV="1" rot="19800000"`} {
		deck := deckWith(t, turnedGroup(xfrm))
		out, rep := editReport(t, deck, `{"op":"ungroup_shapes","index":0,"shape_id":10}`)
		require.Equal(t, []string{`the alternative text of the group was removed: "Alles"`}, rep.Ops[0].Warnings)
		require.Equal(t, 4, rep.Ops[0].Hits)
		s := part(t, out, slide1)
		require.NotContains(t, s, "grpFill")
		require.NotContains(t, s, "<p:grpSp ")
		require.Contains(t, s, `<p:sp xmlns:a14=`)
		formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
	}
	// By hand: the group is 1.5 times as wide and twice as high as its space.
	out := edit(t, deckWith(t, turnedGroup("")), `{"op":"ungroup_shapes","index":0,"shape_id":10}`)
	m := mapSlideOf(t, out, 0).Slides[0].Shapes
	require.Equal(t, []float64{4, 1, 2.25, 1}, m[0].Position)
	require.Equal(t, []float64{6.63, 1.13, 3, 0.75}, m[1].Position, "turned by a quarter it is scaled as it is seen")
}

// Order, alignment and gaps.
func TestArrangeShapes(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","layout":"blank"}`, `{"op":"add_text_box","index":0,"text":"a","x":1,"y":1,"width":2,"height":0.5}`, `{"op":"add_text_box","index":0,"text":"b","x":4,"y":2,"width":1,"height":0.5}`, `{"op":"add_text_box","index":0,"text":"c","x":8,"y":4,"width":2,"height":1}`, `{"op":"add_text_box","index":0,"text":"d","x":0,"y":6,"width":1,"height":1}`)
	order := func(op string) string {
		return strings.Join(strings.Split(readSlide(t, edit(t, deck, op), 0), "\n")[1:], "")
	}
	for op, want := range map[string]string{
		`"shapes":[2],"order":"front"`: "bcda", `"shapes":[4,3],"order":"back"`: "bcad", `"shapes":[2,3],"order":"forward"`: "cabd",
		`"shapes":[5,4],"order":"backward"`: "acdb", `"shapes":[5],"order":"front"`: "abcd", `"shapes":[5,2,4],"order":"listed"`: "dbac",
	} {
		require.Equal(t, want, order(`{"op":"arrange_shapes","index":0,`+op+`}`), op)
	}
	require.Equal(t, deck, edit(t, deck, `{"op":"arrange_shapes","index":0,"shapes":[5],"order":"front"}`))
	formatstest.SameParts(t, deck, edit(t, deck, `{"op":"arrange_shapes","index":0,"shapes":[3],"order":"forward"}`, `{"op":"arrange_shapes","index":0,"shapes":[3],"order":"backward"}`))
	at := func(op string) (out [][]float64) {
		for _, s := range mapSlideOf(t, edit(t, deck, op), 0).Slides[0].Shapes {
			out = append(out, s.Position)
		}
		return out
	}
	require.Equal(t, [][]float64{{1, 1, 2, 0.5}, {1, 2, 1, 0.5}, {1, 4, 2, 1}, {0, 6, 1, 1}}, at(`{"op":"arrange_shapes","index":0,"shapes":[2,3,4],"align":"left"}`))
	require.Equal(t, [][]float64{{1, 4.5, 2, 0.5}, {4, 4.5, 1, 0.5}, {8, 4, 2, 1}, {0, 6, 1, 1}}, at(`{"op":"arrange_shapes","index":0,"shapes":[2,3,4],"align":"bottom"}`))
	require.Equal(t, [][]float64{{1, 1, 2, 0.5}, {5, 2, 1, 0.5}, {8, 4, 2, 1}, {0, 6, 1, 1}}, at(`{"op":"arrange_shapes","index":0,"shapes":[2,3,4],"distribute":"horizontally"}`))
	require.Equal(t, []float64{5.67, 1, 2, 0.5}, at(`{"op":"arrange_shapes","index":0,"shapes":[2],"align":"center"}`)[0])
	require.Equal(t, [][]float64{{1, 3.5, 2, 0.5}, {4, 3.5, 1, 0.5}}, at(`{"op":"arrange_shapes","index":0,"shapes":[2,3],"align":"middle","to":"slide"}`)[:2])
	require.Equal(t, [][]float64{{1, 2.17, 2, 0.5}, {4, 4.83, 1, 0.5}}, at(`{"op":"arrange_shapes","index":0,"shapes":[2,3],"distribute":"vertically","to":"slide"}`)[:2])
	for op, want := range map[string]string{
		`{"op":"arrange_shapes","index":0,"shapes":[2]}`:                             "nothing to do",
		`{"op":"arrange_shapes","index":0,"shapes":[2],"align":"up"}`:                "align must be left, center",
		`{"op":"arrange_shapes","index":0,"shapes":[2,3],"distribute":"vertically"}`: "distribute needs 3 shapes or more",
	} {
		_, _, err := tryEdit(deck, op)
		require.ErrorContains(t, err, want, op)
	}
	// A turned shape is aligned as it is seen.
	turned := deckWith(t, drawnShape(2, "rect", ` rot="5400000"`, 4, 3, 2, 1))
	out := edit(t, turned, `{"op":"arrange_shapes","index":0,"shapes":[2],"align":"left"}`)
	require.Equal(t, []float64{-0.5, 3, 2, 1}, mapSlideOf(t, out, 0).Slides[0].Shapes[0].Position)
}

// Real groups come apart with their shapes where they were; shapes of real slides are
// ordered and aligned without a schema error.
func TestCorpusGroups(t *testing.T) {
	counts := map[string]int{}
	defer func() { formatstest.Report(t, "pptx  groups of real decks: %v", counts) }()
	corpus(t, func(t *testing.T, name string, file []byte) {
		d, _, err := openDeck(ctx, source(file))
		require.NoError(t, err)
		out := file
		for i := range d.slides {
			var ids []int
			for _, s := range mapSlideOf(t, out, i).Slides[0].Shapes {
				ids = append(ids, s.ID)
				if s.Kind != "group" {
					continue
				}
				made, rep, err := tryEdit(out, fmt.Sprintf(`{"op":"ungroup_shapes","index":%d,"shape_id":%d}`, i, s.ID))
				if err != nil {
					counts["refused"]++
					continue
				}
				counts["ungrouped"]++
				counts["shapes"] += rep.Ops[0].Hits
				formatstest.SameParts(t, out, made, d.slides[i].part)
				was := map[int][]float64{}
				for _, k := range s.Shapes {
					was[k.ID] = k.Position
				}
				for _, k := range mapSlideOf(t, made, i).Slides[0].Shapes {
					if p := was[k.ID]; p != nil && !strings.Contains(part(t, out, d.slides[i].part), ` rot="`) && !strings.Contains(part(t, out, d.slides[i].part), ` flip`) {
						require.InDeltaSlice(t, p, k.Position, 0.011)
						counts["compared"]++
					}
				}
				out = made
			}
			if len(ids) < 2 {
				continue
			}
			for _, op := range []string{
				fmt.Sprintf(`{"op":"arrange_shapes","index":%d,"shapes":[%d],"order":"back"}`, i, ids[len(ids)-1]),
				fmt.Sprintf(`{"op":"arrange_shapes","index":%d,"shapes":[%d,%d],"align":"middle"}`, i, ids[0], ids[1]),
				fmt.Sprintf(`{"op":"group_shapes","index":%d,"shapes":[%d,%d]}`, i, ids[0], ids[len(ids)-1]),
			} {
				if made, _, err := tryEdit(out, op); err == nil {
					counts["arranged"]++
					out = made
				} else {
					counts["not arranged"]++
				}
			}
		}
		validate(t, name, out)
	})
}
