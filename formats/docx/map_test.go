package docx

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

func mapOf(t testing.TB, src formats.Source, opt formats.MapOptions) *Map {
	t.Helper()
	m, err := Format().Mapper.Map(ctx, src, opt)
	require.NoError(t, err)
	return m.(*Map)
}

// A map says how the pages of each section are set up, and which headers and
// footers they show.
func TestMapPages(t *testing.T) {
	src := withBody(t, `<w:p><w:r><w:t>one</w:t></w:r></w:p><w:tbl><w:tblPr/><w:tblGrid/><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>`+
		`<w:p><w:pPr><w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1440" w:right="720" w:bottom="1440" w:left="720"/><w:cols w:num="2"/></w:sectPr></w:pPr></w:p>`+
		`<w:p><w:r><w:t>two</w:t></w:r></w:p><w:p><w:pPr><w:sectPr><w:type w:val="continuous"/><w:pgSz w:w="15840" w:h="12240" w:orient="landscape"/></w:sectPr></w:pPr></w:p><w:p/>`)
	src, _ = edited(t, src, `{"op":"set_header","text":"Top"}`, `{"op":"set_header","text":"Cover","type":"first"}`, `{"op":"set_footer","text":"{page}"}`)
	m := mapOf(t, src, formats.MapOptions{})
	require.Equal(t, []PageMap{
		{Blocks: "p0-p1", Paper: "A4", Orientation: "portrait", Margins: "top 2.54 cm, right 1.27 cm, bottom 2.54 cm, left 1.27 cm", Columns: 2, Headers: map[string]string{"default": "h0", "first": "h1"}, Footers: map[string]string{"default": "f0"}},
		{Blocks: "p2-p3", Paper: "letter", Orientation: "landscape", Begins: "continuous", Headers: map[string]string{"default": "h0"}, Footers: map[string]string{"default": "f0"}},
		{Blocks: "p4", Paper: "not set", Orientation: "portrait", Headers: map[string]string{"default": "h0"}, Footers: map[string]string{"default": "f0"}},
	}, m.Pages)
	require.Equal(t, []StoryMap{{"h0", "Top", "default"}, {"h1", "Cover", "first"}}, m.Headers)

	unused, _ := edited(t, withBody(t, `<w:p/>`), `{"op":"set_header","text":"Even","type":"even"}`)
	require.Equal(t, []StoryMap{{"h0", "Even", "even"}}, mapOf(t, unused, formats.MapOptions{}).Headers)
	off := changedParts(t, unused, swap(t, "word/settings.xml", `<w:evenAndOddHeaders/>`, ``))
	require.Equal(t, []StoryMap{{"h0", "Even", "none"}}, mapOf(t, off, formats.MapOptions{}).Headers)
}

// A map counts the paragraphs of each list by level, and the uses of styles.
func TestMapLists(t *testing.T) {
	m := mapOf(t, kindsOfLists(t), formats.MapOptions{Detail: true})
	byID := map[string]ListMap{}
	for _, l := range m.Lists {
		byID[l.ID] = l
	}
	require.Equal(t, ListMap{ID: "1", Definition: "1", At: "p0", Paragraphs: 9, Levels: []ListLevelMap{{0, "1.", 4}, {1, "a)", 3}, {2, "i.", 2}}}, byID["1"])
	require.Equal(t, ListMap{ID: "11", Definition: "1", At: "p8", Paragraphs: 2, Levels: []ListLevelMap{{0, "1.", 2}}}, byID["11"])
	require.Equal(t, []ListLevelMap{{0, "Article I", 2}, {1, "1.1", 2}, {2, "I.1.1", 1}}, byID["2"].Levels)
	require.Equal(t, []ListLevelMap{{0, "•", 1}, {1, "o", 1}, {2, "–", 1}}, byID["5"].Levels)
	require.Equal(t, StyleMap{Style: "Normal", Count: 40}, m.Styles[0])
	require.Contains(t, m.Styles, StyleMap{Style: "Clause 1", Count: 5})
	require.Contains(t, m.Styles, StyleMap{Style: "Clause X", Count: 1})
	headings := withLists(t, def(1, lvl(0, 1, "decimal", "%1.", ""))+num(1, 1, ""), listStyle("Clause", "heading 1", "Normal", `<w:numId w:val="1"/>`), styledPara("Clause", "Scope")+styledPara("Clause", "Term"))
	require.Equal(t, "2.", mapOf(t, headings, formats.MapOptions{}).Sections[1].Label)
}

// Maps of real documents count what is there: paragraphs of lists as labels
// count them, sections as there are elements.
func TestCorpusMaps(t *testing.T) {
	for _, path := range formatstest.Corpus(t, "docx") {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		src := formats.FromBytes(filepath.Base(path), b)
		got, err := Format().Mapper.Map(ctx, src, formats.MapOptions{Detail: true})
		if err != nil {
			continue
		}
		m := got.(*Map)
		js, err := json.Marshal(m)
		require.NoError(t, err)
		require.LessOrEqual(t, len(js), formats.MaxMap)
		xml := mainXML(t, src)
		require.Equal(t, strings.Count(xml, "<w:sectPr ")+strings.Count(xml, "<w:sectPr>"), len(m.Pages)+m.PagesOmitted, path)
	}
}

// Documents with very many lists, definitions, sections and styles have a map
// that says what it leaves out.
func TestMapOfManyLists(t *testing.T) {
	var lists, body, more strings.Builder
	for i := 1; i <= 10_000; i++ {
		lists.WriteString(def(i, lvl(0, 1, "decimal", "%1.", ""), lvl(1, 1, "lowerLetter", "%2)", "")))
	}
	for i := 1; i <= 10_000; i++ {
		lists.WriteString(num(i, i, ""))
		fmt.Fprintf(&more, `<w:style w:type="paragraph" w:styleId="S%d"><w:name w:val="S%[1]d"/><w:basedOn w:val="S%[2]d"/></w:style>`, i, i-1)
	}
	for i := range 20_000 {
		fmt.Fprintf(&body, `<w:p><w:pPr><w:pStyle w:val="S%d"/><w:numPr><w:ilvl w:val="%d"/><w:numId w:val="%d"/></w:numPr></w:pPr><w:r><w:t>x</w:t></w:r></w:p>`, i%10_000+1, i%2, i%10_000+1)
	}
	for range 2000 {
		body.WriteString(`<w:p><w:pPr><w:sectPr/></w:pPr></w:p>`)
	}
	src := withLists(t, lists.String(), more.String(), body.String())
	m := mapOf(t, src, formats.MapOptions{Detail: true})
	js, err := json.Marshal(m)
	require.NoError(t, err)
	require.LessOrEqual(t, len(js), formats.MaxMap)
	require.Equal(t, 10_000, len(m.Lists)+m.ListsOmitted)
	require.Equal(t, 2001, len(m.Pages)+m.PagesOmitted)
	require.Equal(t, 10_001, len(m.Styles)+m.StylesOmitted)
	text, err := Format().Reader.Read(ctx, src, formats.Selector{AsShown: true, Chunked: true, Include: []string{formats.IncludeStyles}})
	require.NoError(t, err)
	require.Less(t, len(text.Text), 1<<20)
}
