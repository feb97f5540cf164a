package pptx

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// mapSlideOf returns the map of one slide as a model sees it.
func mapSlideOf(t testing.TB, file []byte, i int) deckMap {
	t.Helper()
	m, err := mapper{}.Map(ctx, source(file), formats.MapOptions{SlideIndex: &i})
	require.NoError(t, err)
	b, err := json.Marshal(m)
	require.NoError(t, err)
	require.LessOrEqual(t, len(b), formats.MaxMap)
	var back deckMap
	require.NoError(t, json.Unmarshal(b, &back))
	return back
}

const xfrm = `<a:xfrm><a:off x="914400" y="457200"/><a:ext cx="1828800" cy="914400"/></a:xfrm>`

// W-33: one slide is mapped with places, those of placeholders being the
// layout's or the master's, those inside groups the slide's.
func TestMapOneSlide(t *testing.T) {
	file := edit(t, nil, `{"op":"add_slide","title":"Ä","body":"xyz"}`, `{"op":"add_slide","layout":"blank"}`)
	m := mapSlideOf(t, file, 0)
	require.Equal(t, 13.33, m.Width)
	require.Equal(t, 7.5, m.Height)
	require.Equal(t, 2, m.SlideCount)
	require.Equal(t, []shapeMap{
		{ID: 2, Name: "Title 1", Kind: "title", Chars: 1, Position: []float64{0.92, 0.5, 11.5, 1.25}},
		{ID: 3, Name: "Content Placeholder 2", Kind: "body", Chars: 3, Position: []float64{0.92, 2, 11.5, 4.76}},
	}, m.Slides[0].Shapes)

	inner := strings.Replace(sp(3, "B", "", para("b")), `<p:spPr/>`, `<p:spPr><a:xfrm><a:off x="1000" y="0"/><a:ext cx="500" cy="500"/></a:xfrm></p:spPr>`, 1)
	grp := strings.Replace(group(inner), `<p:grpSpPr/>`, `<p:grpSpPr><a:xfrm><a:off x="914400" y="914400"/><a:ext cx="914400" cy="1828800"/><a:chOff x="500" y="0"/><a:chExt cx="1000" cy="1000"/></a:xfrm></p:grpSpPr>`, 1)
	line := `<p:cxnSp><p:nvCxnSpPr><p:cNvPr id="6" name="Linie"/><p:cNvCxnSpPr/><p:nvPr/></p:nvCxnSpPr><p:spPr>` + xfrm + `</p:spPr></p:cxnSp>`
	movie := `<p:pic><p:nvPicPr><p:cNvPr id="7" name="Film" hidden="1"/><p:cNvPicPr/><p:nvPr><a:videoFile r:link="rId9"/></p:nvPr></p:nvPicPr><p:blipFill/><p:spPr>` + xfrm + `</p:spPr></p:pic>`
	file = deckWith(t, grp+line+movie+sp(8, "Oval", "", "<a:p/>"))
	m = mapSlideOf(t, file, 0)
	at := []float64{1, 0.5, 2, 1}
	require.Equal(t, []shapeMap{
		{ID: 90, Name: "Gruppe", Kind: "group", Position: []float64{1, 1, 1, 2}, Shapes: []shapeMap{{ID: 3, Name: "B", Kind: "text", Chars: 1, Position: []float64{1.5, 1, 0.5, 1}}}},
		{ID: 6, Name: "Linie", Kind: "line", Position: at},
		{ID: 7, Name: "Film", Kind: "media", Hidden: true, Position: at},
		{ID: 8, Name: "Oval", Kind: "shape"},
	}, m.Slides[0].Shapes)
	for _, i := range []int{-1, 1} {
		_, err := mapper{}.Map(ctx, source(file), formats.MapOptions{SlideIndex: &i})
		require.EqualError(t, err, "invalid slide_index")
	}
}

// The map of one slide is bounded too, and what is left out is counted.
func TestMapOneSlideIsBounded(t *testing.T) {
	var sb, in strings.Builder
	for i := range 300 {
		sb.WriteString(sp(i+2, fmt.Sprintf("Ein Name %d", i), "", para("x")))
		in.WriteString(sp(i+500, fmt.Sprintf("Ein Name %d", i), "", para("x")))
	}
	for _, objects := range []string{sb.String(), group(in.String()), sb.String() + group(in.String())} {
		m := mapSlideOf(t, deckWith(t, objects), 0)
		require.True(t, m.Truncated)
		require.Equal(t, strings.Count(objects, "<p:cNvPr "), countShapes(m.Slides[0].Shapes)+m.Slides[0].More)
		require.Greater(t, countShapes(m.Slides[0].Shapes), 30)
	}
}

// peers.md: charts, with type and title, are seen.
func TestMapCharts(t *testing.T) {
	typed := strings.Replace(chartXML, "<c:plotArea>", `<c:plotArea><c:barChart><c:barDir val="col"/></c:barChart><c:line3DChart/><c:barChart><c:barDir val="bar"/></c:barChart>`, 1)
	file := with(t, deckOf1(t), map[string]func(string) string{"ppt/charts/c.xml": always(typed)})
	require.Equal(t, []string{"column", "line", "bar"}, mapOf(t, file).Slides[0].Shapes[6].Chart)
	extended := `<cx:chartSpace xmlns:cx="` + nsCX + `"><cx:chart><cx:title><cx:tx><cx:txData><cx:v>Trichter</cx:v></cx:txData></cx:tx></cx:title><cx:plotArea><cx:plotAreaRegion><cx:series layoutId="funnel"><cx:tx><cx:txData><cx:v>Nord</cx:v></cx:txData></cx:tx></cx:series></cx:plotAreaRegion></cx:plotArea></cx:chart></cx:chartSpace>`
	file = with(t, file, map[string]func(string) string{"ppt/charts/c.xml": always(extended)})
	require.Equal(t, shapeMap{ID: 9, Name: "Diagramm 8", Kind: "chart", Title: "Trichter", Chart: []string{"funnel"}}, mapOf(t, file).Slides[0].Shapes[6])
	require.Contains(t, readSlide(t, file, 0), "[Chart: Trichter; series Nord]")
}

// Reading with addresses leads each shape by what operations call it, and
// comments name their authors, also in threads.
func TestReadAddressesAndComments(t *testing.T) {
	file := with(t, deckOf1(t), map[string]func(string) string{
		"ppt/comments/c1.xml": always(`<p:cmLst xmlns:p="` + nsP + `"><p:cm authorId="3"><p:text>Bitte
prüfen</p:text></p:cm></p:cmLst>`),
		"ppt/comments/m1.xml":    always(`<p188:cmLst xmlns:p188="` + nsModern + `" xmlns:a="` + nsA + `"><p188:cm authorId="{A}"><p188:replyLst><p188:reply authorId="{B}"><p188:txBody>` + para("Erledigt") + `</p188:txBody></p188:reply></p188:replyLst><p188:txBody>` + para("Quelle?") + `</p188:txBody></p188:cm></p188:cmLst>`),
		"ppt/commentAuthors.xml": always(`<p:cmAuthorLst xmlns:p="` + nsP + `"><p:cmAuthor id="3" name="Eva"/></p:cmAuthorLst>`),
		relsOf(slide1):           replace(t, `</Relationships>`, rel(16, relModernComments, "../comments/m1.xml")+`</Relationships>`),
		relsOf(newMain):          replace(t, `</Relationships>`, rel(66, relAuthors, "commentAuthors.xml")+`</Relationships>`),
	})
	zero := 0
	text, err := reader{}.Read(ctx, source(file), formats.Selector{SlideIndex: &zero, Include: []string{"comments", "addresses"}})
	require.NoError(t, err)
	require.Equal(t, strings.Join([]string{
		"# Slide 1", `[shape 4 "Titel 3"]`, "Der Titel", `[shape 2 "Text 1"]`, "zuerst im Baum", `[shape 90 "Gruppe", group]`, `[shape 90 "Gruppe", group]`, `[shape 3 "Text 2"]`, "in der Gruppe",
		`[shape 5 "Nummer", slide_number]`, "77", `[shape 8 "Tabelle", table]`, "Kopf A\tKopf B", "Zelle & mehr", `[shape 7 "Bild 1", picture]`, "[Picture: Ein Hund im Gras]",
		`[shape 9 "Diagramm 8", chart]`, "[Chart: Umsatz; series Nord, Süd; categories Mai, 2024; axes Monat]", `[shape 10 "SmartArt", diagram]`, "Chef", "Notes: Nicht vergessen",
		"[Comment by Eva: Bitte prüfen]", "[Comment: Quelle?]", "[Reply: Erledigt]",
	}, "\n"), text.Text)
	require.Equal(t, 3, mapOf(t, file).Slides[0].Comments)
	require.NotContains(t, readSlide(t, file, 0), "Eva")
}
