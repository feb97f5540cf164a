package pptx

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"atelier/internal/campaign"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

const table = `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="8" name="Tabelle"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="0" y="0"/><a:ext cx="9" cy="9"/></p:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/table"><a:tbl><a:tblPr/><a:tblGrid><a:gridCol w="1"/><a:gridCol w="1"/></a:tblGrid>` +
	`<a:tr h="1"><a:tc><a:txBody><a:bodyPr/><a:lstStyle/><a:p><a:r><a:t>Kopf A</a:t></a:r></a:p></a:txBody></a:tc><a:tc><a:txBody><a:bodyPr/><a:lstStyle/><a:p><a:r><a:t>Kopf</a:t></a:r></a:p><a:p><a:r><a:t>B</a:t></a:r></a:p></a:txBody></a:tc></a:tr>` +
	`<a:tr h="1"><a:tc gridSpan="2"><a:txBody><a:bodyPr/><a:lstStyle/><a:p><a:r><a:t>Zelle &amp; mehr</a:t></a:r></a:p></a:txBody></a:tc><a:tc hMerge="1"><a:txBody><a:bodyPr/><a:lstStyle/><a:p/></a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`

func group(kids string) string {
	return `<p:grpSp><p:nvGrpSpPr><p:cNvPr id="90" name="Gruppe"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>` + kids + `</p:grpSp>`
}

// deckOf1 has one slide with every kind of object and notes.
func deckOf1(t testing.TB) []byte {
	pic := `<p:pic><p:nvPicPr><p:cNvPr id="7" name="Bild 1" descr="Ein Hund&#10;im Gras"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill/><p:spPr/></p:pic>`
	chart := `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="9" name="Diagramm 8"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm/><a:graphic><a:graphicData uri="` + nsC + `"><c:chart xmlns:c="` + nsC + `" r:id="rId2"/></a:graphicData></a:graphic></p:graphicFrame>`
	smart := `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="10" name="SmartArt"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm/><a:graphic><a:graphicData uri="` + nsDgm + `"><dgm:relIds xmlns:dgm="` + nsDgm + `" r:dm="rId4" r:lo="" r:qs="" r:cs=""/></a:graphicData></a:graphic></p:graphicFrame>`
	file := deckWith(t, sp(2, "Text 1", "", para("zuerst im Baum"))+group(group(sp(3, "Text 2", "", para("in der Gruppe"))))+sp(4, "Titel 3", `type="title"`, para("Der Titel"))+
		sp(5, "Nummer", `type="sldNum"`, `<a:p><a:fld id="{00000000-0000-0000-0000-000000000001}" type="slidenum"><a:t>77</a:t></a:fld></a:p>`)+table+pic+chart+smart)
	return with(t, file, map[string]func(string) string{
		relsOf(slide1):                   replace(t, `</Relationships>`, rel(2, relChart, "/ppt/charts/c.xml")+rel(3, relNotes, "../notesSlides/n7.xml")+rel(4, relDiagramData, "../diagrams/data1.xml")+rel(5, relDiagramDrawing, "../diagrams/drawing1.xml")+rel(6, relComments, "../comments/c1.xml")+`</Relationships>`),
		"ppt/charts/c.xml":               always(chartXML),
		"ppt/notesSlides/n7.xml":         always(`<p:notes xmlns:p="` + nsP + `" xmlns:a="` + nsA + `"><p:cSld><p:spTree><p:nvGrpSpPr/><p:grpSpPr/>` + sp(2, "Bild", `type="sldImg"`, "") + sp(3, "Notizen", `type="body" idx="1"`, para("Nicht vergessen")) + sp(4, "Nr", `type="sldNum"`, para("5")) + `</p:spTree></p:cSld></p:notes>`),
		"ppt/diagrams/data1.xml":         always(`<dgm:dataModel xmlns:dgm="` + nsDgm + `" xmlns:a="` + nsA + `"><dgm:ptLst><dgm:pt modelId="1"><dgm:t><a:bodyPr/>` + para("Chef") + `</dgm:t></dgm:pt><dgm:pt modelId="2"/></dgm:ptLst></dgm:dataModel>`),
		"ppt/diagrams/drawing1.xml":      always(`<dsp:drawing xmlns:dsp="http://schemas.microsoft.com/office/drawing/2008/diagram" xmlns:a="` + nsA + `"><dsp:spTree><dsp:sp><dsp:txBody><a:bodyPr/>` + para("Chef") + `</dsp:txBody></dsp:sp></dsp:spTree></dsp:drawing>`),
		"ppt/comments/c1.xml":            always(`<p:cmLst xmlns:p="` + nsP + `"><p:cm><p:text>Bitte prüfen</p:text></p:cm></p:cmLst>`),
		"ppt/slides/_rels/nobody.rels":   always(`<x/>`),
		"ppt/slides/slide99_orphan.xml":  always(`not XML at all`),
		"ppt/slideMasters/unrelated.bin": always("\x00\x01"),
	})
}

func rel(n int, typ, target string) string {
	return fmt.Sprintf(`<Relationship Id="rId%d" Type="%s" Target="%s"/>`, n, typ, target)
}

const chartXML = `<c:chartSpace xmlns:c="` + nsC + `" xmlns:a="` + nsA + `"><c:chart><c:title><c:tx><c:rich><a:bodyPr/><a:p><a:r><a:t>Umsatz</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea>` +
	`<c:ser><c:tx><c:strRef><c:f>S!B1</c:f><c:strCache><c:pt idx="0"><c:v>Nord</c:v></c:pt></c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:f>S!A2:A3</c:f><c:strCache><c:pt idx="0"><c:v>Mai</c:v></c:pt><c:pt idx="1"><c:v>2024</c:v></c:pt></c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>5</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser>` +
	`<c:ser><c:tx><c:strRef><c:f>S!C1</c:f><c:strCache><c:pt idx="0"><c:v>Süd</c:v></c:pt></c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:f>S!A2:A3</c:f><c:strCache><c:pt idx="0"><c:v>Mai</c:v></c:pt><c:pt idx="1"><c:v>2024</c:v></c:pt></c:strCache></c:strRef></c:cat></c:ser>` +
	`<c:catAx><c:title><c:tx><c:rich><a:bodyPr/><a:p><a:r><a:t>Monat</a:t></a:r></a:p></c:rich></c:tx></c:title></c:catAx></c:plotArea></c:chart></c:chartSpace>`

// X-16, peers.md: title first, then each shape in order, groups, tables,
// charts, diagrams, pictures and notes.
func TestPeerCannotReadTablesGroupsNotes(t *testing.T) {
	file := deckOf1(t)
	require.Equal(t, strings.Join([]string{
		"# Slide 1", "Der Titel", "zuerst im Baum", "in der Gruppe",
		"Kopf A\tKopf B", "Zelle & mehr", "[Picture: Ein Hund im Gras]", "[Chart: Umsatz; series Nord, Süd; categories Mai, 2024; axes Monat]", "Chef", "Notes: Nicht vergessen"}, "\n"), readSlide(t, file, 0))
	m := mapOf(t, file)
	require.Equal(t, slideMap{Title: "Der Titel", Layout: "Blank", HasNotes: true, Comments: 1, ShapeCount: 8, Tables: 1, Charts: 1, Images: 1, Shapes: []shapeMap{
		{ID: 2, Name: "Text 1", Kind: "text", Chars: 14},
		{ID: 90, Name: "Gruppe", Kind: "group", Shapes: []shapeMap{{ID: 90, Name: "Gruppe", Kind: "group", Shapes: []shapeMap{{ID: 3, Name: "Text 2", Kind: "text", Chars: 13}}}}},
		{ID: 4, Name: "Titel 3", Kind: "title", Chars: 9},
		{ID: 5, Name: "Nummer", Kind: "slide_number", Chars: 2},
		{ID: 8, Name: "Tabelle", Kind: "table", Rows: 2, Cols: 2},
		{ID: 7, Name: "Bild 1", Kind: "picture", Alt: "Ein Hund im Gras"},
		{ID: 9, Name: "Diagramm 8", Kind: "chart", Title: "Umsatz"},
		{ID: 10, Name: "SmartArt", Kind: "diagram"},
	}}, m.Slides[0])
}

// W-39, W-42.
func TestReadSelector(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"A"}`, `{"op":"add_slide","title":"B"}`)
	deck = with(t, deck, map[string]func(string) string{slide2: replace(t, `<p:sld `, `<p:sld show="0" `)})
	all, err := reader{}.Read(ctx, source(deck), formats.Selector{Sheet: "ignored"})
	require.NoError(t, err)
	require.Equal(t, formats.Text{Text: "# Slide 1\nA\n\n# Slide 2 (hidden)\nB"}, all)
	for i, want := range []formats.ChunkInfo{{TotalChunks: 2, HasMore: true, Range: "slide 1 of 2", Next: "slide_index=1"}, {ChunkIndex: 1, TotalChunks: 2, Range: "slide 2 of 2"}} {
		text, err := reader{}.Read(ctx, source(deck), formats.Selector{SlideIndex: &i})
		require.NoError(t, err)
		require.Equal(t, want, *text.Chunk)
	}
	for _, i := range []int{-1, 2, 1 << 40} {
		_, err := reader{}.Read(ctx, source(deck), formats.Selector{SlideIndex: &i})
		require.EqualError(t, err, "invalid slide_index")
		require.Equal(t, formats.CodeInvalid, formats.CodeOf(err))
	}
	require.True(t, mapOf(t, deck).Slides[1].Hidden)
}

// Only the branch that a program shows is read.
func TestReadAlternateContent(t *testing.T) {
	deck := deckWith(t, `<mc:AlternateContent xmlns:mc="`+nsMC+`"><mc:Choice Requires="x">`+sp(5, "a", "", `<a:p><a14:m xmlns:a14="urn:x"><m:oMath xmlns:m="`+nsM+`"><m:r><m:t>x=1</m:t></m:r></m:oMath></a14:m><a:r><a:t><![CDATA[ & ]]>&lt;y</a:t></a:r></a:p>`)+`</mc:Choice><mc:Fallback>`+sp(5, "a", "", para("Bild"))+`</mc:Fallback></mc:AlternateContent>`)
	require.Equal(t, "# Slide 1\nx=1 & <y", readSlide(t, deck, 0))
}

// The map stays under its bound for any deck and says what it leaves out.
func TestPeerMapGrowsWithTheFile(t *testing.T) {
	campaign.Slow(t)
	for _, tc := range []struct {
		slides, title int
		note          string
	}{{9, 10, ""}, {60, 10, "the shapes"}, {100, 20, "layouts and contents"}, {500, 5, "only slides 0 to"}, {120, 200, "only slides 0 to"}} {
		var list []string
		for range tc.slides {
			list = append(list, fmt.Sprintf(`{"op":"add_slide","title":%q}`, strings.Repeat("ä", tc.title)))
		}
		m := mapOf(t, edit(t, nil, list...))
		require.Equal(t, tc.slides, m.SlideCount)
		require.Equal(t, tc.note != "", m.Truncated)
		require.Contains(t, m.Note, tc.note)
		require.Greater(t, len(m.Slides), min(30, tc.slides-1))
		require.Equal(t, len(m.Slides)-1, m.Slides[len(m.Slides)-1].Index)
	}
}

// Every content type of presentations is accepted, other documents are not.
func TestContentTypes(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"A"}`)
	as := func(typ string) []byte {
		return with(t, deck, map[string]func(string) string{"[Content_Types].xml": replace(t, mainTypes[0], typ)})
	}
	for _, typ := range mainTypes {
		require.Equal(t, "# Slide 1\nA", readSlide(t, as(typ), 0), typ)
	}
	_, err := mapper{}.Map(ctx, source(as("application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml")), formats.MapOptions{})
	require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err))
	require.ErrorContains(t, err, "not a pptx file")
}

// Damaged input gives typed errors, and a done context ends the work.
func TestDamage(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"A"}`)
	for name, bad := range map[string][]byte{
		"empty": {}, "text": []byte("hello"), "cut": deck[:len(deck)/2],
		"slide":   with(t, deck, map[string]func(string) string{slide1: always(`<p:sld`)}),
		"nothing": with(t, deck, map[string]func(string) string{slide1: always(``)}),
		"main":    with(t, deck, map[string]func(string) string{newMain: always(`<a/>`)}),
	} {
		_, err := mapper{}.Map(ctx, source(bad), formats.MapOptions{})
		require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err), name)
		_, err = reader{}.Read(ctx, source(bad), formats.Selector{})
		require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err), name)
		_, _, err = tryEdit(bad, `{"op":"set_slide_text","index":0,"title":"x"}`)
		require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err), name)
	}
	_, err := mapper{}.Map(ctx, formats.FromBytes("old.pptx", []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1xxxx")), formats.MapOptions{})
	require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err))
	// No shape tree: nothing to read, and an edit says why it cannot.
	bare := with(t, deck, map[string]func(string) string{slide1: always(`<p:sld xmlns:p="` + nsP + `"/>`)})
	require.Equal(t, "# Slide 1", readSlide(t, bare, 0))
	_, _, err = tryEdit(bare, `{"op":"set_slide_text","index":0,"title":"x"}`)
	require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err))
	done, cancel := context.WithCancel(ctx)
	cancel()
	_, err = reader{}.Read(done, source(deck), formats.Selector{})
	require.ErrorIs(t, err, context.Canceled)
}

// A slide list entry that leads nowhere is passed over.
func TestMissingSlidePart(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"A"}`, `{"op":"add_slide","title":"B"}`)
	deck = with(t, deck, map[string]func(string) string{newMain: replace(t, `<p:sldIdLst>`, `<p:sldIdLst><p:sldId id="300" r:id="rId77"/>`)})
	require.Equal(t, 2, mapOf(t, deck).SlideCount)
	out := edit(t, deck, `{"op":"add_slide","at":1,"title":"C"}`)
	require.Equal(t, "# Slide 2\nC", readSlide(t, out, 1))
}
