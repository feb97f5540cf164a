package docx

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// withLists returns a document with definitions of lists, styles beside the
// usual ones, and a body.
func withLists(t testing.TB, lists, more, body string) formats.Source {
	t.Helper()
	ed, main, err := blankDocument()
	require.NoError(t, err)
	ed.Set(main, []byte(`<?xml version="1.0"?><w:document xmlns:w="`+nsW+`" xmlns:mc="`+nsMC+`"><w:body>`+body+`<w:sectPr/></w:body></w:document>`))
	ed.Set("word/numbering.xml", []byte(`<?xml version="1.0"?><w:numbering xmlns:w="`+nsW+`" xmlns:mc="`+nsMC+`">`+lists+`</w:numbering>`))
	st, err := ed.ReadXML(ctx, "word/styles.xml")
	require.NoError(t, err)
	ed.Set("word/styles.xml", []byte(strings.Replace(string(st), "</w:styles>", more+"</w:styles>", 1)))
	var out bytes.Buffer
	require.NoError(t, ed.Write(ctx, &out))
	return formats.FromBytes("lists.docx", out.Bytes())
}

// level is a w:lvl; more are members such as <w:isLgl/>, in schema order before
// the text.
func lvl(at, start int, format, text, more string) string {
	return fmt.Sprintf(`<w:lvl w:ilvl="%d"><w:start w:val="%d"/><w:numFmt w:val="%s"/>%s<w:lvlText w:val="%s"/><w:lvlJc w:val="left"/></w:lvl>`, at, start, format, more, text)
}

func def(id int, levels ...string) string {
	return fmt.Sprintf(`<w:abstractNum w:abstractNumId="%d"><w:multiLevelType w:val="multilevel"/>%s</w:abstractNum>`, id, strings.Join(levels, ""))
}

func num(id, def int, overrides string) string {
	return fmt.Sprintf(`<w:num w:numId="%d"><w:abstractNumId w:val="%d"/>%s</w:num>`, id, def, overrides)
}

// item returns a paragraph that names its list.
func item(numID, at int, text string) string {
	return fmt.Sprintf(`<w:p><w:pPr><w:numPr><w:ilvl w:val="%d"/><w:numId w:val="%d"/></w:numPr></w:pPr><w:r><w:t>%s</w:t></w:r></w:p>`, at, numID, text)
}

func styledPara(style, text string) string {
	if style != "" {
		style = `<w:pPr><w:pStyle w:val="` + style + `"/></w:pPr>`
	}
	return `<w:p>` + style + `<w:r><w:t>` + text + `</w:t></w:r></w:p>`
}

// listStyle returns a paragraph style; list is its numPr's content.
func listStyle(id, name, basedOn, list string) string {
	return `<w:style w:type="paragraph" w:styleId="` + id + `"><w:name w:val="` + name + `"/><w:basedOn w:val="` + basedOn + `"/><w:pPr><w:numPr>` + list + `</w:numPr></w:pPr></w:style>`
}

// kindsOfLists returns a body whose paragraphs each say what label they have; =
// is none.
func kindsOfLists(t testing.TB) formats.Source {
	deep := def(1, lvl(0, 1, "decimal", "%1.", ""), lvl(1, 1, "lowerLetter", "%2)", ""), lvl(2, 1, "lowerRoman", "%3.", ""))
	legal := def(2, lvl(0, 1, "upperRoman", "Article %1", ""), lvl(1, 1, "decimal", "%1.%2", `<w:isLgl/>`), lvl(2, 1, "decimal", "%1.%2.%3", ""))
	starts := def(3, lvl(0, 5, "decimalZero", "%1", ""), lvl(1, 3, "upperLetter", "(%2)", ""))
	never := def(4, lvl(0, 1, "decimal", "%1.", ""), lvl(1, 1, "decimal", "%1.%2", `<w:lvlRestart w:val="0"/>`),
		lvl(2, 1, "lowerLetter", "%3)", `<w:lvlRestart w:val="1"/>`))
	bullets := def(5, lvl(0, 1, "bullet", "\uf0b7", ""), lvl(1, 1, "bullet", "o", ""), lvl(2, 1, "bullet", "–", ""))
	styled := def(6, lvl(0, 1, "decimal", "%1", `<w:pStyle w:val="Clause1"/>`), lvl(1, 1, "decimal", "%1.%2", `<w:pStyle w:val="Clause2"/>`))
	linked := `<w:abstractNum w:abstractNumId="7"><w:multiLevelType w:val="multilevel"/><w:numStyleLink w:val="Houses"/></w:abstractNum>`
	house := `<w:abstractNum w:abstractNumId="8"><w:multiLevelType w:val="multilevel"/><w:styleLink w:val="Houses"/>` + lvl(0, 1, "ordinal", "%1", "") + `</w:abstractNum>`
	none := def(9, lvl(0, 1, "none", "Note:", ""), lvl(1, 1, "decimal", "", ""))
	restart := `<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>`
	lists := deep + legal + starts + never + bullets + styled + linked + house + none +
		num(1, 1, "") + num(2, 2, "") + num(3, 3, "") + num(4, 4, "") + num(5, 5, "") + num(6, 6, "") + num(7, 7, "") + num(8, 8, "") + num(9, 9, "") +
		num(11, 1, restart) + num(12, 1, "") + num(13, 3, `<w:lvlOverride w:ilvl="0"><w:lvl w:ilvl="0"><w:start w:val="9"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1:"/></w:lvl></w:lvlOverride>`)
	more := listStyle("Clause1", "Clause 1", "Normal", `<w:numId w:val="6"/>`) + listStyle("Clause2", "Clause 2", "Clause1", `<w:ilvl w:val="1"/><w:numId w:val="6"/>`) +
		`<w:style w:type="paragraph" w:styleId="ClauseX"><w:name w:val="Clause X"/><w:basedOn w:val="Clause2"/></w:style>` +
		listStyle("Unlisted", "Unlisted", "Clause1", `<w:numId w:val="0"/>`) +
		`<w:style w:type="numbering" w:styleId="Houses"><w:name w:val="Houses"/><w:pPr><w:numPr><w:numId w:val="8"/></w:numPr></w:pPr></w:style>`
	cell := `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w="4000"/></w:tblGrid><w:tr><w:tc><w:tcPr><w:tcW w:w="4000" w:type="dxa"/></w:tcPr>` + item(1, 0, "5. in a cell") + `</w:tc></w:tr></w:tbl>`
	body := item(1, 0, "1. one") + item(1, 1, "a) under one") + item(1, 1, "b) under one again") + item(1, 2, "i. deep") + item(1, 2, "ii. deep again") +
		styledPara("", "=plain text does not interrupt") + item(1, 0, "2. two") + item(1, 1, "a) begins anew") +
		item(11, 0, "1. an instance with a start of its own") + item(11, 0, "2. goes on") + item(12, 0, "3. another instance of the definition") + item(1, 0, "4. and the first one") + cell +
		item(2, 0, "Article I first article") + item(2, 1, "1.1 legal") + item(2, 0, "Article II second") + item(2, 1, "2.1 legal") + item(2, 2, "II.1.1 not legal") +
		item(3, 0, "05 starts at five") + item(3, 1, "(C) starts at three") + item(3, 0, "06 next") + item(3, 1, "(C) anew") +
		item(4, 0, "1. outer") + item(4, 1, "1.1 kept") + item(4, 2, "a) third") + item(4, 1, "1.2 kept on") + item(4, 2, "b) restarts after the first level only") + item(4, 0, "2. outer") + item(4, 1, "2.3 never restarts") + item(4, 2, "a) restarted") +
		item(5, 0, "• bullet") + item(5, 1, "o bullet") + item(5, 2, "– bullet") +
		styledPara("Clause1", "1 styled") + styledPara("Clause2", "1.1 styled") + styledPara("ClauseX", "1.2 by inheritance") + styledPara("Unlisted", "=taken out") + styledPara("Clause1", "2 styled") + styledPara("Clause2", "2.1 styled") +
		item(0, 0, "=no list at all") + item(77, 0, "=a list that is not there") +
		item(7, 0, "1st through a style") + item(8, 0, "2nd by itself") +
		item(9, 0, "Note: no number") + item(9, 1, "=no text") +
		`<w:p><w:pPr><w:pStyle w:val="Clause1"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="0"/></w:numPr></w:pPr><w:r><w:t>=taken out of its style's list</w:t></w:r></w:p>` +
		`<w:p><w:pPr><w:pStyle w:val="Clause1"/></w:pPr></w:p>` + styledPara("Clause1", "4 behind an empty one") +
		item(13, 0, "VII: a definition of its own counts on")
	return withLists(t, lists, more, body)
}

// Labels are those that 17.9 gives, each paragraph says its own.
func TestLabels(t *testing.T) {
	list := bodyLabels(t, kindsOfLists(t))
	require.Len(t, list, 48)
	for _, l := range list {
		if strings.HasPrefix(l.text, "=") {
			require.Empty(t, l.label, l.text)
			continue
		}
		require.NotEmpty(t, l.label, l.text)
		require.True(t, strings.HasPrefix(l.text, l.label+" "), "%q: %q", l.text, l.label)
	}
}

// The same body as LibreOffice prints it, where it goes by the same rules.
func TestLabelsByLibreOffice(t *testing.T) {
	src := kindsOfLists(t)
	b, err := formats.ReadAll(src, 1<<24)
	require.NoError(t, err)
	path := formatstest.Write(t, "lists.docx", b)
	formatstest.Validate(t, path, "")
	txt, err := os.ReadFile(formatstest.LibreOffice(t, path, "txt:Text:UTF8"))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimPrefix(string(txt), "\ufeff"), "\n")
	var differ []string
	for _, l := range bodyLabels(t, src) {
		have, at := officeLabel(lines, 0, l.text)
		require.GreaterOrEqual(t, at, 0, l.text)
		if have != l.label && !l.bullet {
			differ = append(differ, fmt.Sprintf("%s: LibreOffice %q", l.text, have))
		}
	}
	// It does not know isLgl (17.9.4) nor lvlRestart (17.9.10).
	require.Equal(t, []string{`1.1 legal: LibreOffice "I.1"`, `2.1 legal: LibreOffice "II.1"`, `b) restarts after the first level only: LibreOffice "a)"`, `2.3 never restarts: LibreOffice "2.1"`}, differ)
}

// The level of a style is the one that names it, also where the style does not
// say so (17.9.23).
func TestLabelsOfStylesWithoutALevel(t *testing.T) {
	src := withLists(t, def(1, lvl(0, 1, "decimal", "%1", `<w:pStyle w:val="A"/>`), lvl(1, 1, "decimal", "%1.%2", `<w:pStyle w:val="B"/>`))+num(1, 1, ""),
		listStyle("A", "A", "Normal", `<w:numId w:val="1"/>`)+listStyle("B", "B", "A", `<w:numId w:val="1"/>`), styledPara("A", "x")+styledPara("B", "y")+styledPara("B", "z"))
	require.Equal(t, "[p0 1 A] x\n[p1 1.1 B] y\n[p2 1.2 B] z", readWith(t, src, "", "addresses"))
}

// A heading of a lower level that comes first counts the one above it, as Word
// does.
func TestLabelsOfLevelsPassedOver(t *testing.T) {
	src := withLists(t, def(1, lvl(0, 1, "decimal", "%1", ""), lvl(1, 1, "decimal", "%1.%2", ""))+num(1, 1, ""), "",
		item(1, 1, "1.1 first")+item(1, 1, "1.2 second")+item(1, 0, "2 third")+item(1, 1, "2.1 fourth"))
	for _, l := range bodyLabels(t, src) {
		require.True(t, strings.HasPrefix(l.text, l.label+" "), "%q: %q", l.text, l.label)
	}
}

func TestNumberFormats(t *testing.T) {
	for format, want := range map[string]string{
		"decimal": "1 4 9 10 28 99", "decimalZero": "01 04 09 10 28 99", "lowerLetter": "a d i j bb uuuu", "upperLetter": "A D I J BB UUUU",
		"lowerRoman": "i iv ix x xxviii xcix", "upperRoman": "I IV IX X XXVIII XCIX", "ordinal": "1st 4th 9th 10th 28th 99th", "none": "     ",
		"hex": "1 4 9 A 1C 63", "decimalEnclosedCircle": "① ④ ⑨ ⑩ 28 99", "chineseCounting": "一 四 九 十 二十八 九十九", "numberInDash": "- 1 - - 4 - - 9 - - 10 - - 28 - - 99 -",
		"hindiVowels": "#1 #4 #9 #10 #28 #99",
	} {
		var have []string
		for _, n := range []int{1, 4, 9, 10, 28, 99} {
			have = append(have, (&listLevel{format: format}).number(n, false))
		}
		require.Equal(t, want, strings.Join(have, " "), format)
	}
	require.Equal(t, "007", (&listLevel{format: "custom", pattern: "001, 002, 003, ..."}).number(7, false))
	require.Equal(t, "11th 12th 13th 21st 112th", strings.Join([]string{ordinal(11), ordinal(12), ordinal(13), ordinal(21), ordinal(112)}, " "))
	require.Equal(t, "#1000000", roman(1000000), "it is bounded")
	require.LessOrEqual(t, len(letters(1<<30, "ab")), 30)
}

// Reads with addresses show label and style beside the address; other reads do
// not change.
func TestReadShowsLabelAndStyle(t *testing.T) {
	src := withLists(t, def(1, lvl(0, 1, "lowerLetter", "%1)", ""))+num(1, 1, ""), "",
		styledPara("", "plain")+styledPara("Heading2", "Terms")+
			`<w:p><w:pPr><w:pStyle w:val="ListParagraph"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>listed</w:t></w:r></w:p>`+
			item(1, 0, "listed too")+styledPara("Missing", "unknown style")+
			`<w:tbl><w:tr><w:tc>`+item(1, 0, "in a cell")+styledPara("Quote", "quoted")+`</w:tc></w:tr></w:tbl>`+styledPara("Caption", "Figure"))
	require.Equal(t, "[p0] plain\n[p1 Heading 2] Terms\n[p2 a) List Paragraph] listed\n[p3 b)] listed too\n[p4 Missing] unknown style\n[t0.r0] in a cell quoted\n[p5 Caption] Figure", readWith(t, src, "", "addresses"))
	require.Equal(t, "[t0.r0.c0.p0 c)] in a cell\n[t0.r0.c0.p1 Quote] quoted", readWith(t, src, "t0.r0.c0", "addresses"))
	require.Equal(t, "[p3 b)] listed too", readWith(t, src, "p3", "addresses"))
	require.Equal(t, "[p1 Heading 2] Terms\n[p2 a) List Paragraph] listed\n[p3 b)] listed too\n[p4 Missing] unknown style\n[t0.r0] in a cell quoted\n[p5 Caption] Figure", readWith(t, src, "Terms", "addresses"))
	require.Equal(t, "plain\nTerms\nlisted\nlisted too\nunknown style\nin a cell quoted\nFigure", read(t, src, ""))
	// An address may come back with what was shown beside it.
	out, _ := edited(t, src, `{"op":"set_paragraph","at":"[p2 a) List Paragraph]","text":"now"}`)
	require.Equal(t, "now", read(t, out, "p2"))
}

// A paragraph whose tracked deletion leaves nothing is not counted, as its text
// is not shown; one that is inserted is.
func TestLabelsOfTrackedChanges(t *testing.T) {
	src := withLists(t, def(1, lvl(0, 1, "decimal", "%1.", ""))+num(1, 1, ""), "", item(1, 0, "a")+item(1, 0, "b")+item(1, 0, "c"))
	out, _ := edited(t, src, `{"op":"delete_paragraph","at":"p1",`+tracked+`}`)
	require.Equal(t, "[p0 1.] a\n[p1] \n[p2 2.] c", readWith(t, out, "", "addresses"))
}

// Circles of styles and links end.
func TestLabelsOfBrokenDefinitions(t *testing.T) {
	src := withLists(t, `<w:abstractNum w:abstractNumId="1"><w:numStyleLink w:val="A"/></w:abstractNum><w:abstractNum w:abstractNumId="2"><w:numStyleLink w:val="B"/></w:abstractNum>`+num(1, 1, "")+num(2, 2, "")+
		`<w:num w:numId="3"><w:abstractNumId w:val="99"/></w:num>`+def(4, lvl(0, 1, "decimal", "%1%9%%", ""))+num(4, 4, `<w:lvlOverride w:ilvl="99"><w:startOverride w:val="-5"/></w:lvlOverride>`),
		`<w:style w:type="numbering" w:styleId="A"><w:name w:val="A"/><w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr></w:style><w:style w:type="numbering" w:styleId="B"><w:name w:val="B"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>`+
			listStyle("Loop1", "Loop 1", "Loop2", "")+listStyle("Loop2", "Loop 2", "Loop1", ""),
		item(1, 0, "a")+item(2, 0, "b")+item(3, 0, "c")+item(4, 0, "d")+item(4, 12, "e")+item(4, 8, "f")+styledPara("Loop1", "g"))
	require.Equal(t, "[p0] a\n[p1] b\n[p2] c\n[p3 1%%] d\n[p4 2%%] e\n[p5] f\n[p6 Loop 1] g", readWith(t, src, "", "addresses"))
}
