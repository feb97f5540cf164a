package pptx

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// The format can do all five things, and its operation has a schema in which
// every member is described.
func TestFormat(t *testing.T) {
	f := Format()
	require.Equal(t, formats.KindPptx, f.Kind)
	require.NotNil(t, f.Mapper)
	require.NotNil(t, f.Reader)
	require.NotNil(t, f.Segmenter)
	zero, names := f.Editor.Operation()
	require.Subset(t, names, []string{"add_slide", "set_slide_text", "append_bullets"}, "X-40")
	schema, err := jsonschema.ForType(reflect.TypeOf(zero), nil)
	require.NoError(t, err)
	require.Equal(t, []string{"op"}, schema.Required)
	plain := []string{"bold", "italic", "underline", "font_name"} // their names say all
	for name, s := range schema.Properties {
		if !slices.Contains(plain, name) {
			require.NotEmpty(t, s.Description, name)
		}
	}
	b, err := json.Marshal(schema)
	require.NoError(t, err)
	for _, want := range []string{`"integer"`, `"string"`, `"array"`} {
		require.Contains(t, string(b), want)
	}
}

// A slide in the default namespace that lacks its placeholders gets them in
// prefixes that are bound there.
func TestPlaceholderInDefaultNamespace(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide"}`)
	bare := with(t, deck, map[string]func(string) string{slide1: always(`<sld xmlns="` + nsP + `"><cSld><spTree><nvGrpSpPr><cNvPr id="1" name=""/><cNvGrpSpPr/><nvPr/></nvGrpSpPr><grpSpPr/><extLst><ext uri="{0}"/></extLst></spTree></cSld></sld>`)})
	out := edit(t, bare, `{"op":"set_slide_text","index":0,"title":"t","body":"a\n\tb"}`)
	require.Equal(t, "# Slide 1\nt\na\n\tb", readSlide(t, out, 0))
	require.Contains(t, part(t, out, slide1), `<sp xmlns:a="`+nsA+`">`)
	require.True(t, strings.HasSuffix(part(t, out, slide1), `</sp><extLst><ext uri="{0}"/></extLst></spTree></cSld></sld>`))
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
}

// A text body without paragraphs, which no program writes, still takes text.
func TestBodyWithoutParagraphs(t *testing.T) {
	for _, body := range []string{`<p:txBody/>`, `<p:txBody></p:txBody>`, `<p:txBody><a:bodyPr/></p:txBody>`} {
		deck := deckWith(t, strings.Replace(sp(3, "B", `idx="1"`, ""), `<p:txBody><a:bodyPr/><a:lstStyle/></p:txBody>`, body, 1))
		require.Equal(t, "# Slide 1\na", readSlide(t, edit(t, deck, `{"op":"append_bullets","index":0,"bullets":["a"]}`), 0), body)
		require.Equal(t, "# Slide 1\na\nb", readSlide(t, edit(t, deck, `{"op":"set_slide_text","index":0,"body":"a\nb"}`), 0), body)
	}
}

// Names of series that come from no cell, extended charts and drawings inside
// charts have segments too; nested values, which are not charts, do no harm.
func TestSegmentsOfOddCharts(t *testing.T) {
	file := deckWith(t, "")
	file = with(t, file, map[string]func(string) string{
		relsOf(slide1):             replace(t, `</Relationships>`, rel(2, relChart, "../charts/a.xml")+rel(3, relChartEx, "../charts/b.xml")+`</Relationships>`),
		"ppt/charts/a.xml":         always(`<c:chartSpace xmlns:c="` + nsC + `"><c:chart><c:ser><c:tx><c:v>Reihe</c:v></c:tx><c:cat><c:strLit><c:pt idx="0"><c:v/></c:pt><c:pt idx="1"><c:v>x<c:v>Kind</c:v></c:v></c:pt></c:strLit></c:cat></c:ser></c:chart></c:chartSpace>`),
		relsOf("ppt/charts/a.xml"): always(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + rel(1, relChartShapes, "../drawings/d.xml") + `</Relationships>`),
		"ppt/drawings/d.xml":       always(`<c:userShapes xmlns:c="` + nsC + `" xmlns:a="` + nsA + `">` + para("Pfeil") + `</c:userShapes>`),
		"ppt/charts/b.xml":         always(`<cx:chartSpace xmlns:cx="` + nsCX + `"><cx:strDim><cx:lvl><cx:pt idx="0">Stufe</cx:pt></cx:lvl></cx:strDim><cx:txData><cx:v>Name</cx:v></cx:txData></cx:chartSpace>`),
	})
	targets, texts := map[string]string{}, []string{}
	for _, s := range segments(t, file) {
		texts = append(texts, s.Place+" = "+s.Text)
		targets[s.ID] = pseudo(s.Text)
	}
	require.Equal(t, []string{"slide 1, chart series = Reihe", "slide 1, chart category = Kind", "slide 1, chart drawing = Pfeil", "slide 1, chart = Stufe", "slide 1, chart = Name"}, texts)
	out := retext(t, file, targets)
	require.Contains(t, part(t, out, "ppt/charts/a.xml"), `<c:v>REIHEµ</c:v>`)
	require.Contains(t, part(t, out, "ppt/charts/b.xml"), `<cx:pt idx="0">STUFEµ</cx:pt>`)
	require.Contains(t, part(t, out, "ppt/drawings/d.xml"), para("PFEILµ"))
	// An ID of a value without letters works, too.
	out = retext(t, file, map[string]string{"ppt/charts/a.xml#v2": "neu"})
	require.Contains(t, part(t, out, "ppt/charts/a.xml"), `<c:v>neu</c:v>`)
}
