package pptx

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

func mustJSON(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return b
}

// a new deck is complete, valid, opens, and has its slides in order.
func TestNewDeck(t *testing.T) {
	empty := edit(t, nil)
	require.Equal(t, 0, mapOf(t, empty).SlideCount)
	formatstest.Validate(t, formatstest.Write(t, "empty.pptx", empty), "")
	deck := edit(t, nil,
		`{"op":"add_slide","layout":"title","title":"Titel","body":"Untertitel"}`,
		`{"op":"add_slide","title":"Inhalt","body":"a\n\tb"}`,
		`{"op":"add_slide","layout":"section_header","title":"Teil","body":"zwei"}`,
		`{"op":"add_slide","layout":"title_only","title":"Nur Titel"}`)
	path := formatstest.Write(t, "new.pptx", deck)
	formatstest.Validate(t, path, "")
	m := mapOf(t, deck)
	var layouts []string
	for _, s := range m.Slides {
		layouts = append(layouts, s.Layout+": "+s.Title)
	}
	require.Equal(t, []string{"Title Slide: Titel", "Title and Content: Inhalt", "Section Header: Teil", "Title Only: Nur Titel"}, layouts)
	for _, name := range []string{"docProps/core.xml", "docProps/app.xml", "ppt/presProps.xml", "ppt/viewProps.xml", "ppt/tableStyles.xml", "ppt/theme/theme1.xml"} {
		require.NotEmpty(t, part(t, deck, name))
	}
	formatstest.LibreOfficeOpens(t, path)
}

// The layout goes by its own name, its purpose, or the purpose's usual name;
// what is unknown becomes the default with a warning (never a fixed position).
func TestPeerFixedLayoutIndexes(t *testing.T) {
	deck := edit(t, nil)
	rename := with(t, deck, map[string]func(string) string{
		"ppt/slideLayouts/slideLayout2.xml": replace(t, `name="Title and Content"`, `name="Titel und Inhalt"`),
		"ppt/slideLayouts/slideLayout4.xml": func(s string) string { return strings.Replace(s, `type="titleOnly" `, "", 1) },
	})
	for _, tc := range []struct{ want, got, warning string }{
		{"", "Titel und Inhalt", ""},
		{"title_and_content", "Titel und Inhalt", ""},
		{"Title and Content", "Titel und Inhalt", ""},
		{"titel und inhalt", "Titel und Inhalt", ""},
		{"title_only", "Title Only", ""},
		{"section_header", "Section Header", ""},
		{"secHead", "Section Header", ""},
		{"blank", "Blank", ""},
		{"Leer", "Blank", ""},
		{"Nur Titel", "Title Only", ""}, // it has no type, but the places
		{"Diapositive de titre", "Title Slide", ""},
		{"セクション見出し", "Section Header", ""},
		{"twoObj", "Two Content", ""},
		{"Zwei Inhalte", "Two Content", ""},
		{"two_content", "Two Content", ""},
		{"comparison", "Titel und Inhalt", `the deck has no layout "comparison"; used "Titel und Inhalt" instead; it has "Title Slide", "Titel und Inhalt", "Section Header", "Title Only", "Blank", "Two Content"`},
	} {
		out, rep := editReport(t, rename, string(mustJSON(t, map[string]string{"op": "add_slide", "layout": tc.want})))
		require.Equal(t, tc.got, mapOf(t, out).Slides[0].Layout, tc.want)
		if tc.warning == "" {
			require.Empty(t, rep.Ops[0].Warnings, tc.want)
		} else {
			require.Equal(t, []string{tc.warning}, rep.Ops[0].Warnings)
		}
	}
}

func TestNoLayout(t *testing.T) {
	bare := with(t, edit(t, nil), map[string]func(string) string{newMaster: func(s string) string {
		return regexp.MustCompile(`(?s)<p:sldLayoutIdLst>.*</p:sldLayoutIdLst>`).ReplaceAllString(s, "")
	}})
	_, _, err := tryEdit(bare, `{"op":"add_slide"}`)
	require.Equal(t, formats.CodeUnsupported, formats.CodeOf(err))
}

// `at` puts the slide anywhere; file names say nothing about order.
func TestPeerAlwaysAppends(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"A"}`, `{"op":"add_slide","title":"B"}`, `{"op":"add_slide","at":0,"title":"C"}`, `{"op":"add_slide","at":1,"title":"D"}`, `{"op":"add_slide","at":"4","title":"E"}`)
	var titles []string
	for _, s := range mapOf(t, deck).Slides {
		titles = append(titles, s.Title)
	}
	require.Equal(t, []string{"C", "D", "A", "B", "E"}, titles)
	require.Contains(t, part(t, deck, slide1), ">A<")
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", deck), "")
}

// A deck with sections gets the slide into the section of the one before it.
func TestAddSlideToSection(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"A"}`, `{"op":"add_slide","title":"B"}`)
	deck = with(t, deck, map[string]func(string) string{newMain: replace(t, `</p:presentation>`, `<p:extLst><p:ext uri="{521415D9-36F7-43E2-AB2F-B90AF26B5E84}"><p14:sectionLst xmlns:p14="`+nsP14+`"><p14:section name="Eins" id="{00000000-0000-0000-0000-000000000001}"><p14:sldIdLst><p14:sldId id="256"/></p14:sldIdLst></p14:section><p14:section name="Zwei" id="{00000000-0000-0000-0000-000000000002}"><p14:sldIdLst><p14:sldId id="257"/></p14:sldIdLst></p14:section></p14:sectionLst></p:ext></p:extLst></p:presentation>`)})
	pres := func(op string) string { return part(t, edit(t, deck, op), newMain) }
	require.Contains(t, pres(`{"op":"add_slide"}`), `<p14:sldId id="257"/><p14:sldId id="258"/></p14:sldIdLst>`)
	require.Contains(t, pres(`{"op":"add_slide","at":1}`), `<p14:sldId id="256"/><p14:sldId id="258"/></p14:sldIdLst>`)
	require.Contains(t, pres(`{"op":"add_slide","at":0}`), `<p14:sldIdLst><p14:sldId id="258"/><p14:sldId id="256"/>`)
}

// A new slide shows footer and number when the slide before it does.
func TestAddSlideFooters(t *testing.T) {
	deck := deckWith(t, sp(4, "Nummer", `type="sldNum" sz="quarter" idx="12"`, `<a:p><a:fld id="{00000000-0000-0000-0000-000000000001}" type="slidenum"><a:t>1</a:t></a:fld></a:p>`)+sp(5, "Fuß", `type="ftr" sz="quarter" idx="11"`, para("Firma &amp; Co")))
	out := edit(t, deck, `{"op":"add_slide","title":"T"}`)
	s := part(t, out, slide2)
	require.Contains(t, s, `<p:ph type="sldNum" sz="quarter" idx="12"/>`)
	require.Contains(t, s, `type="slidenum"><a:t>1</a:t></a:fld>`)
	require.Contains(t, s, para("Firma &amp; Co"))
	require.NotContains(t, s, `type="dt"`)
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
}

// strictDeck has one slide in the strict namespaces.
func strictDeck(t testing.TB) []byte {
	toStrict := func(s string) string {
		return strings.NewReplacer("http://schemas.openxmlformats.org/officeDocument/2006/", "http://purl.oclc.org/ooxml/officeDocument/",
			"http://schemas.openxmlformats.org/drawingml/2006/", "http://purl.oclc.org/ooxml/drawingml/",
			"http://schemas.openxmlformats.org/presentationml/2006/", "http://purl.oclc.org/ooxml/presentationml/").Replace(s)
	}
	file := edit(t, nil, `{"op":"add_slide","title":"A","body":"b"}`)
	changes := map[string]func(string) string{}
	for name := range formatstest.Parts(t, file) {
		changes[name] = toStrict
	}
	return with(t, file, changes)
}

// A strict deck gets strict parts.
func TestStrictDeck(t *testing.T) {
	strict := strictDeck(t)
	require.Equal(t, "# Slide 1\nA\nb", readSlide(t, strict, 0))
	out := edit(t, strict, `{"op":"add_slide","title":"C","body":"d"}`, `{"op":"set_slide_text","index":0,"body":"e\n\tf"}`)
	require.Equal(t, "# Slide 1\nA\ne\n\tf", readSlide(t, out, 0))
	require.Equal(t, "# Slide 2\nC\nd", readSlide(t, out, 1))
	for _, name := range []string{slide2, relsOf(slide2), relsOf(newMain)} {
		require.NotContains(t, strings.ReplaceAll(part(t, out, name), "http://schemas.openxmlformats.org/package/", ""), "schemas.openxmlformats.org", name)
	}
}

// Any prefixes do, also the default namespace, and an empty slide list.
func TestOddPrefixes(t *testing.T) {
	file := edit(t, nil, `{"op":"add_slide","title":"A","body":"b"}`)
	odd := func(s string) string {
		s = strings.NewReplacer("<p:", "<", "</p:", "</", "xmlns:p=", "xmlns=", "<a:", "<d:", "</a:", "</d:", "xmlns:a=", "xmlns:d=", "r:id=", "q:id=", "xmlns:r=", "xmlns:q=").Replace(s)
		return s
	}
	deck := with(t, file, map[string]func(string) string{slide1: odd, newMain: odd})
	out := edit(t, deck, `{"op":"add_slide","title":"C"}`, `{"op":"set_slide_text","index":0,"title":"neu","body":"e\n\tf"}`, `{"op":"append_bullets","index":0,"bullets":["g"]}`)
	require.Equal(t, "# Slide 1\nneu\ne\n\tf\n\tg", readSlide(t, out, 0))
	require.Equal(t, "# Slide 2\nC", readSlide(t, out, 1))
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")

	for _, list := range []string{"<p:sldIdLst/>", "<p:sldIdLst></p:sldIdLst>", ""} {
		none := with(t, edit(t, nil), map[string]func(string) string{newMain: replace(t, `</p:sldMasterIdLst>`, `</p:sldMasterIdLst>`+list)})
		out := edit(t, none, `{"op":"add_slide","title":"A"}`)
		require.Equal(t, "# Slide 1\nA", readSlide(t, out, 0), list)
		formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
	}
}
