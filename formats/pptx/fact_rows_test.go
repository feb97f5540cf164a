package pptx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// factsDeck returns a deck with a title, a body, a box, a picture, a table, a
// chart and notes on its first slide, and a second slide.
func factsDeck(t testing.TB) []byte {
	files := map[string][]byte{"a.png": pngOf(t, 40, 30)}
	deck, _, err := editWith(t, edit(t, nil, `{"op":"add_slide","title":"A","body":"b"}`), files,
		`{"op":"add_text_box","index":0,"text":"Box","x":1,"y":5,"width":3,"shape_name":"Box"}`,
		`{"op":"add_image","index":0,"path":"a.png","alt":"Logo","shape_name":"Logo","x":8,"y":1,"width":1,"height":1}`,
		`{"op":"add_table","index":0,"rows":[["a","b"],["c","d"]],"x":6,"y":5,"width":3,"shape_name":"Grid"}`,
		`{"op":"add_chart","index":0,"type":"column","categories":["x","y"],"series":[{"name":"S","values":[1,2]}],"title":"Sales","x":1,"y":1,"width":3,"height":2,"shape_name":"Chart"}`,
		`{"op":"set_notes","index":0,"text":"say it"}`, `{"op":"add_slide","title":"Second","body":"more"}`)
	require.NoError(t, err)
	return deck
}

// in changes the shape of that name only.
func in(t testing.TB, name, old, now string) func(string) string {
	return func(s string) string {
		i := strings.Index(s, `name="`+name+`"`)
		require.Positive(t, i, name)
		j := strings.Index(s[i:], old)
		require.GreaterOrEqual(t, j, 0, "%s in %s", old, s[i:min(len(s), i+900)])
		return s[:i+j] + now + s[i+j+len(old):]
	}
}

const box = "Box"

// Issue "what it says is so", section 1: what the review of a presentation did
// not say. Each change is made in the file itself.
func TestFactsOfSlides(t *testing.T) {
	deck := factsDeck(t)
	rect := `<p:sp><p:nvSpPr><p:cNvPr id="90" name="Cover"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="12192000" cy="6858000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom><a:solidFill><a:srgbClr val="FF0000"/></a:solidFill></p:spPr></p:sp></p:spTree>`
	for _, c := range []struct {
		name, part string
		change     func(string) string
		want       []string // facts, warnings after ⚠
	}{
		{"alt text", slide1, in(t, "Logo", `descr="Logo"`, `descr="Our logo"`), []string{"shape changed at slide 1, “Logo”: alt text “Logo” → alt text “Our logo”"}},
		{"name", slide1, in(t, box, `name="Box"`, `name="Case"`), []string{"shape changed at slide 1, “Case”: name “Box” → name “Case”"}},
		{"hidden shape", slide1, in(t, box, `name="Box"`, `name="Box" hidden="1"`), []string{"hidden_shape added at slide 1, “Box”: text ⚠ slide 1, “Box”: it is hidden now: “Box”"}},
		{"outside", slide1, in(t, box, `<a:off x="914400"`, `<a:off x="91440000"`), []string{"shape changed at slide 1, “Box”: at 2.54 cm from the left, 12.7 cm from the top; 7.62 × 1.02 cm → at 254 cm from the left, 12.7 cm from the top; 7.62 × 1.02 cm, outside the slide ⚠ slide 1, “Box”: it lies outside the slide and is not seen"}},
		{"turned", slide1, in(t, box, `<a:xfrm>`, `<a:xfrm rot="2700000" flipH="1">`), []string{"shape changed at slide 1, “Box”: turned by 45°", "shape changed at slide 1, “Box”: flipped left to right"}},
		{"white on white", slide1, in(t, box, `<a:r>`, `<a:r><a:rPr><a:solidFill><a:schemeClr val="bg1"/></a:solidFill></a:rPr>`), []string{
			"hidden_text added at slide 1, “Box”: “Box”: white on white ⚠ slide 1, “Box”: text that cannot be seen, white on white: “Box”", "format changed at slide 1, “Box”, paragraph 1: no format of its own → colour the background colour"}},
		{"size 1", slide1, in(t, box, `<a:r>`, `<a:r><a:rPr sz="100" b="1"/>`), []string{
			"hidden_text added at slide 1, “Box”: “Box”: size 1 pt ⚠ slide 1, “Box”: text that cannot be seen, size 1 pt: “Box”", "format changed at slide 1, “Box”, paragraph 1: no format of its own → 1 pt, bold"}},
		{"macro", slide1, in(t, box, `/>`, `><a:hlinkClick xmlns:r="`+nsR+`" r:id="" action="ppaction://macro?name=Run"/></p:cNvPr>`), []string{"link added at slide 1, “Box”: runs the macro Run ⚠ slide 1, “Box”: a click runs a macro"}},
		{"locks", slide1, in(t, box, `<p:cNvSpPr txBox="1"/>`, `<p:cNvSpPr txBox="1"><a:spLocks noMove="1" noGrp="1"/></p:cNvSpPr>`), []string{"protection added at slide 1, “Box”: locked against: grouping, moving"}},
		{"cover", slide1, replace(t, `</p:spTree>`, rect), []string{
			"hidden_shape added at slide 1, “Title 1”: under “Cover” ⚠ slide 1, “Title 1”: it lies under “Cover” and is not seen: “A”",
			"hidden_shape added at slide 1, “Content Placeholder 2”: under “Cover” ⚠ slide 1, “Content Placeholder 2”: it lies under “Cover” and is not seen: “b”",
			"hidden_shape added at slide 1, “Box”: under “Cover” ⚠ slide 1, “Box”: it lies under “Cover” and is not seen: “Box”",
			"hidden_shape added at slide 1, “Logo”: under “Cover” ⚠ slide 1, “Logo”: it lies under “Cover” and is not seen",
			"hidden_shape added at slide 1, “Grid”: under “Cover” ⚠ slide 1, “Grid”: it lies under “Cover” and is not seen",
			"hidden_shape added at slide 1, “Chart”: under “Cover” ⚠ slide 1, “Chart”: it lies under “Cover” and is not seen",
			"shape added at slide 1, “Cover”: drawn shape"}},
		{"background", slide1, replace(t, `<p:cSld>`, `<p:cSld><p:bg><p:bgPr><a:solidFill><a:srgbClr val="00FF00"/></a:solidFill><a:effectLst/></p:bgPr></p:bg>`), []string{"format changed at slide 1: background: bright green"}},
		{"transition", slide1, replace(t, `</p:sld>`, `<p:transition spd="slow" advTm="3000"><p:fade/></p:transition></p:sld>`), []string{"transition added at slide 1: fade, slow, goes on after 3 s"}},
		{"animation", slide1, replace(t, `</p:sld>`, `<p:timing><p:tnLst><p:par><p:cTn presetClass="entr" presetID="1"><p:tgtEl><p:spTgt spid="2"/></p:tgtEl></p:cTn></p:par></p:tnLst></p:timing></p:sld>`), []string{"animation added at slide 1: 1 effect: “Title 1” comes"}},
		{"merge over text", slide1, func(s string) string {
			s = in(t, "Grid", `<a:tc>`, `<a:tc gridSpan="2">`)(s)
			return in(t, "Grid", `</a:tc><a:tc>`, `</a:tc><a:tc hMerge="1">`)(s)
		}, []string{"merge added at slide 1, “Grid”, row 1, column 1: 1 × 2 cells, covers “b” ⚠ slide 1, “Grid”, row 1, column 1: merged cells cover “b”"}},
		{"layout text", "ppt/slideLayouts/slideLayout1.xml", func(s string) string { return strings.Replace(s, "<a:t>", "<a:t>My ", 1) }, []string{"shape changed at layout “Title Slide”, “Title 1”: text “Click to edit the title” → text “My Click to edit the title”"}},
		{"slide size", newMain, func(s string) string { return strings.Replace(s, `cx="12192000"`, `cx="9144000"`, 1) }, []string{"page_setup changed at presentation: slide size 33.87 × 19.05 cm → slide size 25.4 × 19.05 cm"}},
		{"protection", newMain, replace(t, `</p:presentation>`, `<p:modifyVerifier cryptProviderType="rsaAES"/></p:presentation>`), []string{"protection added at presentation: a password is asked for before it is changed"}},
		{"theme colour", "ppt/theme/theme1.xml", func(s string) string {
			return strings.Replace(s, `<a:accent1><a:srgbClr val="2F6FED"/>`, `<a:accent1><a:srgbClr val="00FF00"/>`, 1)
		}, []string{"theme changed at theme of the master “Atelier”: accent1 2F6FED → accent1 00FF00"}},
		{"chart value", "ppt/charts/chart1.xml", func(s string) string { return strings.Replace(s, `<c:v>2</c:v>`, `<c:v>9</c:v>`, 1) }, []string{"chart changed at slide 1, “Chart”: series “S”, values 1, 2 → series “S”, values 1, 9"}},
		{"properties", "docProps/core.xml", func(s string) string {
			return strings.Replace(s, `</cp:coreProperties>`, `<dc:title>Plan</dc:title></cp:coreProperties>`, 1)
		}, []string{"property added at document properties: title “Plan”"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			now := with(t, deck, map[string]func(string) string{c.part: c.change})
			d := diffOf(t, deck, now)
			got := allSaid(d.Facts)
			require.Equal(t, strings.Join(c.want, "\n"), strings.Join(got, "\n"))
			back := diffOf(t, now, deck)
			require.Len(t, back.Facts, len(d.Facts))
		})
	}
}
