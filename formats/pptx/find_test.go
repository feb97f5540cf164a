package pptx

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// foundBy returns what an operation's members lead to: the id and name of the
// shape, or the error.
func foundBy(t testing.TB, file []byte, members, kind string) (string, []string) {
	t.Helper()
	op, err := operations.Decode([]byte(`{"op":"set_shape_text",` + members + `}`))
	require.NoError(t, err)
	d, _, err := openDeck(ctx, source(file))
	require.NoError(t, err)
	tr, err := d.tree(ctx, slide1)
	require.NoError(t, err)
	c := &call{r: &formats.OpReport{}}
	f, err := c.findShape(tr, op.Args.(setShapeTextArgs).shapeArgs, kind)
	if err != nil {
		return err.Error(), nil
	}
	return fmt.Sprintf("%s %s ×%d", f.cnv.Value("id"), f.name(), len(f.all)), c.r.Warnings
}

// A shape is named by its id, by its name in any case and spacing, or by both
// where ids are not unique.
func TestFindShape(t *testing.T) {
	deck := deckWith(t, sp(2, "Titel 1", "", para("a"))+sp(2, "Zweite", "", para("b"))+sp(3, "Zweite", "", para("c"))+group(sp(4, "Tief  innen", "", para("d"))))
	for _, tc := range []struct{ members, kind, want string }{
		{`"shape_id":3`, "", "3 Zweite ×1"},
		{`"shape_id":" 4 "`, "", "4 Tief  innen ×1"},
		{`"shape_name":"TIEF INNEN"`, "", "4 Tief  innen ×1"},
		{`"shape_id":2,"shape_name":"Zweite"`, "", "2 Zweite ×1"},
		{`"shape_id":3,"shape_name":"Titel 1"`, "", `the slide has no shape with the id 3; it has 2 "Titel 1", 2 "Zweite", 3 "Zweite", 90 "Gruppe", 4 "Tief innen"`},
		{`"shape_id":0`, "", `the slide has no shape with the id 0; it has 2 "Titel 1", 2 "Zweite", 3 "Zweite", 90 "Gruppe", 4 "Tief innen"`},
		{`"index":0`, "", "shape_id or shape_name is required"},
		{`"index":0`, "group", "90 Gruppe ×1"},
		{`"index":0`, "chart", `the slide has no chart; it has 2 "Titel 1", 2 "Zweite", 3 "Zweite", 90 "Gruppe", 4 "Tief innen"`},
	} {
		got, warnings := foundBy(t, deck, tc.members, tc.kind)
		require.Equal(t, tc.want, got, tc.members)
		require.Empty(t, warnings)
	}
	got, warnings := foundBy(t, deck, `"shape_name":"Zweite"`, "")
	require.Equal(t, "2 Zweite ×1", got)
	require.Equal(t, []string{"2 shapes are called so; the first was used"}, warnings)
	got, _ = foundBy(t, deckWith(t, ""), `"shape_id":1`, "")
	require.Equal(t, "the slide has no shape with the id 1; it has no shapes", got)
}

// Many shapes are named up to a dozen.
func TestShapeListIsBounded(t *testing.T) {
	objects := ""
	for i := range 40 {
		objects += sp(i+2, "Form", "", para("x"))
	}
	got, _ := foundBy(t, deckWith(t, objects), `"shape_id":99`, "")
	require.Contains(t, got, `13 "Form", 28 more`)
	require.Less(t, len(got), 300)
}

// The same shape in all branches of alternate content is one shape; shapes
// that only share an id are not.
func TestAlternativeShapes(t *testing.T) {
	both := `<mc:AlternateContent xmlns:mc="` + nsMC + `"><mc:Choice Requires="a14" xmlns:a14="urn:x">` + sp(5, "A", "", para("eins")) + `</mc:Choice><mc:Choice Requires="x">` + sp(5, "A", "", para("zwei")) + `</mc:Choice><mc:Fallback>` + sp(5, "A", "", para("drei")) + sp(6, "B", "", para("nur hier")) + `</mc:Fallback></mc:AlternateContent>`
	got, _ := foundBy(t, deckWith(t, both), `"shape_id":5`, "")
	require.Equal(t, "5 A ×3", got)
	got, _ = foundBy(t, deckWith(t, both), `"shape_id":6`, "")
	require.Contains(t, got, "has no shape with the id 6", "it is not shown")
	got, _ = foundBy(t, deckWith(t, sp(5, "A", "", para("x"))+sp(5, "B", "", para("y"))), `"shape_name":"A"`, "")
	require.Equal(t, "5 A ×1", got)
}

// What kind of thing each shape is, in the words of maps.
func TestKinds(t *testing.T) {
	frame := func(inner string) string {
		return `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" name="F"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm/><a:graphic><a:graphicData uri="x">` + inner + `</a:graphicData></a:graphic></p:graphicFrame>`
	}
	pic := func(nv string) string {
		return `<p:pic><p:nvPicPr><p:cNvPr id="4" name="P"/><p:cNvPicPr/><p:nvPr>` + nv + `</p:nvPr></p:nvPicPr><p:blipFill/><p:spPr/></p:pic>`
	}
	for in, want := range map[string]string{
		sp(2, "x", `type="title"`, ""):                 kindTitle,
		sp(2, "x", `type="ctrTitle"`, ""):              kindTitle,
		sp(2, "x", `type="subTitle"`, ""):              "subtitle",
		sp(2, "x", `idx="1"`, ""):                      kindBody,
		sp(2, "x", `type="ftr"`, ""):                   "footer",
		sp(2, "x", `type="dt"`, ""):                    "date",
		sp(2, "x", `type="pic"`, ""):                   kindPicture,
		sp(2, "x", `type="weird"`, "<a:p/>"):           kindShape,
		sp(2, "x", "", para("t")):                      kindText,
		sp(2, "x", "", "<a:p/>"):                       kindShape,
		sp(2, "x", "", `<a:p><a:fld id="{0}"/></a:p>`): kindText,
		frame(`<p:oleObj/>`):                           kindObject,
		frame(``):                                      kindObject,
		frame(`<a:tbl/>`):                              kindTable,
		pic(``):                                        kindPicture,
		pic(`<a:audioFile r:link="x"/>`):               kindMedia,
		group(``):                                      kindGroup,
	} {
		require.Equal(t, want, mapOf(t, deckWith(t, in)).Slides[0].Shapes[0].Kind, in)
	}
	box := mapOf(t, edit(t, nil, `{"op":"add_slide","layout":"blank"}`, `{"op":"add_text_box","index":0,"text":""}`))
	require.Equal(t, kindText, box.Slides[0].Shapes[0].Kind, "a text box is one without text too")
}
