package paragraph

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/ooxml/xmlscan"
)

const drawingRoot = `<a:txBody xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">`

// drawingPart is a part with paragraphs of DrawingML.
func drawingPart(paragraphs ...string) []byte {
	return []byte(drawingRoot + strings.Join(paragraphs, "") + `</a:txBody>`)
}

func inner(doc []byte) string {
	return strings.TrimSuffix(strings.TrimPrefix(string(doc), drawingRoot), `</a:txBody>`)
}

// The language of runs, their fonts and the direction of paragraphs, for each
// kind of script; what is right already keeps its bytes.
func TestSetLanguage(t *testing.T) {
	run := func(pr, text string) string { return `<a:r>` + pr + `<a:t>` + text + `</a:t></a:r>` }
	for _, c := range []struct{ name, lang, align, in, want string }{
		{"Latin", "de", "", `<a:p>` + run(`<a:rPr lang="en-US" b="1"/>`, "x") + `</a:p>`, `<a:p>` + run(`<a:rPr lang="de-DE" b="1"/>`, "x") + `</a:p>`},
		{"already", "de-DE", "", `<a:p>` + run(`<a:rPr b='1' lang='de-DE'/>`, "x") + `</a:p>`, `<a:p>` + run(`<a:rPr b='1' lang='de-DE'/>`, "x") + `</a:p>`},
		{"a run without properties", "de", "", `<a:p>` + run(``, "x") + `</a:p>`, `<a:p>` + run(`<a:rPr lang="de-DE"/>`, "x") + `</a:p>`},
		{"the end of the paragraph", "fr", "", `<a:p>` + run(`<a:rPr lang="en-US"/>`, "x") + `<a:endParaRPr lang="en-US"/></a:p>`, `<a:p>` + run(`<a:rPr lang="fr-FR"/>`, "x") + `<a:endParaRPr lang="fr-FR"/></a:p>`},
		{"East Asian", "ja", "", `<a:p>` + run(`<a:rPr lang="en-US"/>`, "x") + run(``, "y") + `</a:p>`, `<a:p>` + run(`<a:rPr altLang="en-US" lang="ja-JP"/>`, "x") + run(`<a:rPr lang="ja-JP" altLang="en-US"/>`, "y") + `</a:p>`},
		{"East Asian with an alternative", "ja", "", `<a:p>` + run(`<a:rPr lang="en-US" altLang="fr-FR"/>`, "x") + `</a:p>`, `<a:p>` + run(`<a:rPr lang="ja-JP" altLang="fr-FR"/>`, "x") + `</a:p>`},
		{"right to left", "ar-SA", "", `<a:p>` + run(`<a:rPr lang="en-US"/>`, "x") + `</a:p>`, `<a:p><a:pPr rtl="1"/>` + run(`<a:rPr lang="ar-SA"/>`, "x") + `</a:p>`},
		{"right to left, aligned by itself", "he", "r", `<a:p><a:pPr algn="l" lvl="1"/>` + run(`<a:rPr lang="en-US"/>`, "x") + `</a:p>`, `<a:p><a:pPr rtl="1" algn="r" lvl="1"/>` + run(`<a:rPr lang="he-IL"/>`, "x") + `</a:p>`},
		{"right to left, aligned by its layout", "he", "l", `<a:p>` + run(`<a:rPr lang="en-US"/>`, "x") + `</a:p>`, `<a:p><a:pPr algn="r" rtl="1"/>` + run(`<a:rPr lang="he-IL"/>`, "x") + `</a:p>`},
		{"right to left, centred", "he", "l", `<a:p><a:pPr algn="ctr"/>` + run(`<a:rPr lang="en-US"/>`, "x") + `</a:p>`, `<a:p><a:pPr rtl="1" algn="ctr"/>` + run(`<a:rPr lang="he-IL"/>`, "x") + `</a:p>`},
		{"right to left already", "ar-SA", "", `<a:p><a:pPr algn="r" rtl="1"/>` + run(`<a:rPr lang="ar-SA"/>`, "x") + `</a:p>`, `<a:p><a:pPr algn="r" rtl="1"/>` + run(`<a:rPr lang="ar-SA"/>`, "x") + `</a:p>`},
		{"left to right again", "de", "", `<a:p><a:pPr algn="r" rtl="1"/>` + run(`<a:rPr lang="ar-SA"/>`, "x") + `</a:p>`, `<a:p><a:pPr algn="l" rtl="0"/>` + run(`<a:rPr lang="de-DE"/>`, "x") + `</a:p>`},
		{"a font for complex scripts", "ar-SA", "", `<a:p><a:pPr rtl="1"/>` + run(`<a:rPr lang="ar-SA"><a:latin typeface="Foo &amp; Co"/><a:ea typeface="x"/></a:rPr>`, "x") + `</a:p>`, `<a:p><a:pPr rtl="1"/>` + run(`<a:rPr lang="ar-SA"><a:latin typeface="Foo &amp; Co"/><a:ea typeface="x"/><a:cs typeface="Foo &amp; Co"/></a:rPr>`, "x") + `</a:p>`},
		{"the theme's font is enough", "ar-SA", "", `<a:p><a:pPr rtl="1"/>` + run(`<a:rPr lang="ar-SA"><a:latin typeface="+mn-lt"/></a:rPr>`, "x") + `</a:p>`, `<a:p><a:pPr rtl="1"/>` + run(`<a:rPr lang="ar-SA"><a:latin typeface="+mn-lt"/></a:rPr>`, "x") + `</a:p>`},
		{"a font for complex scripts that is there", "ar-SA", "", `<a:p><a:pPr rtl="1"/>` + run(`<a:rPr lang="ar-SA"><a:latin typeface="A"/><a:cs typeface="B"/></a:rPr>`, "x") + `</a:p>`, `<a:p><a:pPr rtl="1"/>` + run(`<a:rPr lang="ar-SA"><a:latin typeface="A"/><a:cs typeface="B"/></a:rPr>`, "x") + `</a:p>`},
		{"an empty paragraph", "ar", "", `<a:p/>`, `<a:p/>`},
	} {
		out, err := SetLanguage(drawingPart(c.in), func(int) bool { return true }, Setting{Language: c.lang, Align: func(int) string { return c.align }})
		require.NoError(t, err, c.name)
		require.Equal(t, c.want, inner(out), c.name)
		again, err := SetLanguage(out, func(int) bool { return true }, Setting{Language: c.lang, Align: func(int) string { return c.align }})
		require.NoError(t, err)
		require.Equal(t, string(out), string(again), "%s: a second time changes nothing", c.name)
	}
	// Only the paragraphs that were chosen.
	three := drawingPart(strings.Repeat(`<a:p>`+run(`<a:rPr lang="en-US"/>`, "x")+`</a:p>`, 3))
	out, err := SetLanguage(three, func(i int) bool { return i == 1 }, Setting{Language: "de"})
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(out), "de-DE"))
	require.Equal(t, 2, strings.Count(string(out), "en-US"))
	require.Greater(t, strings.Index(string(out), "de-DE"), strings.Index(string(out), "en-US"))
	_, err = SetLanguage([]byte(drawingRoot+`<a:p><a:r>`), func(int) bool { return true }, Setting{Language: "de"})
	require.Error(t, err)
}

// RetagAll writes the paragraphs that were named and no other byte; a fault names
// the paragraph.
func TestRetagAll(t *testing.T) {
	para := func(text string) string {
		return `<a:p><a:r><a:rPr b="1"/><a:t>` + text + `</a:t></a:r><a:endParaRPr/></a:p>`
	}
	doc := drawingPart(para("one"), para("two"), para("three"))
	name := func(i int) string { return fmt.Sprintf("slide 1, paragraph %d", i) }
	out, changed, err := RetagAll(doc, Drawing, map[int]string{0: "eins", 1: "two", 2: "drei"}, name)
	require.NoError(t, err)
	require.Equal(t, map[int]bool{0: true, 2: true}, changed)
	require.Equal(t, para("eins")+para("two")+para("drei"), inner(out))
	out, changed, err = RetagAll(doc, Drawing, nil, name)
	require.NoError(t, err)
	require.Empty(t, changed)
	require.Equal(t, doc, out)
	_, _, err = RetagAll(doc, Drawing, map[int]string{1: "<1>zwei</1>"}, name)
	require.ErrorContains(t, err, `segment "slide 1, paragraph 1"`)
	_, _, err = RetagAll([]byte(drawingRoot+"<a:p>"), Drawing, map[int]string{0: "x"}, name)
	require.Error(t, err)
}

// In DrawingML text with line breaks, replaced at any place, reads as it should,
// and each run has one text element.
func TestDrawingReplaceAgainstStrings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		props := rapid.SampledFrom([]string{"", `<a:rPr b="1"/>`, `<a:rPr i="1"/>`})
		var sb strings.Builder
		for range rapid.IntRange(1, 5).Draw(t, "runs") {
			if rapid.IntRange(0, 4).Draw(t, "break") == 0 {
				sb.WriteString(`<a:br/>`)
			}
			sb.WriteString(`<a:r>` + props.Draw(t, "props") + `<a:t>` + xmlscan.Escape(rapid.StringMatching(`[ab& é]{0,4}`).Draw(t, "text")) + `</a:t></a:r>`)
		}
		ps, err := Parse(drawingPart(`<a:p>`+sb.String()+`</a:p>`), Drawing)
		require.NoError(t, err)
		p := ps[0]
		text := p.Text()
		if text == "" {
			return
		}
		ranges := drawRanges(t, text, false)
		for i := range ranges {
			ranges[i].New = strings.ReplaceAll(ranges[i].New, "\t", "\n")
		}
		out := xmlscan.Apply(p.doc, p.Replace(ranges))
		again, err := Parse(out, Drawing)
		require.NoError(t, err)
		require.Equal(t, replacedText2(text, ranges), again[0].Text(), "%v in %s", ranges, p.doc)
		require.Equal(t, strings.Count(string(out), "<a:r>"), strings.Count(string(out), "<a:t>"), "%s", out)
	})
}

// A paragraph with one text is replaced by a shorter way, to the same bytes.
func TestOnlyTextIsReplacedAsOthers(t *testing.T) {
	short := 0
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[ab& é"<]{0,6}|[ab ]{0,9}`).Draw(t, "text")
		ps, err := Parse(drawingPart(`<a:p><a:r><a:rPr b="1"/><a:t>`+xmlscan.Escape(text)+`</a:t></a:r></a:p>`), Drawing)
		require.NoError(t, err)
		p := ps[0]
		var ranges []Range
		for at := 0; at <= len(text) && rapid.Bool().Draw(t, "more"); {
			from := rapid.IntRange(at, len(text)).Draw(t, "from")
			to := rapid.IntRange(from, len(text)).Draw(t, "to")
			ranges = append(ranges, Range{from, to, rapid.SampledFrom([]string{"", "x", "long er", "&", "é", "a\nb", "\x7f"}).Draw(t, "new")})
			at = to + 1
		}
		var want []xmlscan.Splice
		if new, changed := replacedText(text, 0, ranges); changed && text != "" {
			want = append(want, p.rewriteItem(p.items[0], new))
		}
		before := []byte("kept")
		got, room := p.AppendReplace(nil, before, ranges)
		require.Equal(t, string(xmlscan.Apply(p.doc, want)), string(xmlscan.Apply(p.doc, got)), "%q %v", text, ranges)
		require.Equal(t, "kept", string(room[:4]))
		if len(room) > 4 {
			short++
		}
	})
	if !testing.Short() { // with few tries there may be none
		require.Positive(t, short)
	}
}

// Changes and objects as they are shown to a reader.
func TestRenderRows(t *testing.T) {
	deleted := func(text string) string {
		return `<w:del w:id="1"><w:r><w:delText>` + text + `</w:delText></w:r></w:del>`
	}
	inserted := func(content string) string { return `<w:ins w:id="2">` + content + `</w:ins>` }
	note := `<w:r><w:footnoteReference w:id="2"/></w:r>`
	for _, c := range []struct{ inner, text, marked, noted string }{
		{r("", "a"), "a", "a", "a"},
		{r("", "a ") + deleted("b") + r("", " c"), "a  c", "a [-b-] c", "a  c"},
		{inserted(r("", "a")+r("<w:b/>", "b")) + r("", "c"), "abc", "{+ab+}c", "abc"},
		{deleted("a") + inserted(r("", "b")), "b", "[-a-]{+b+}", "b"},
		{deleted("a") + deleted("b"), "", "[-ab-]", ""},
		{`<w:moveFrom w:id="1">` + r("", "m") + `</w:moveFrom>` + r("", "a") + `<w:moveTo w:id="1">` + r("", "m") + `</w:moveTo>`, "am", "[-m-]a{+m+}", "am"},
		{r("", "a") + note + r("", "b"), "ab", "ab", "a[object]b"},
		{inserted(r("", "a") + note), "a", "{+a+}", "a[object]"},
		{`<w:del w:id="1"><w:r><w:delText>a</w:delText><w:tab/><w:br/><w:delText>b &amp; c</w:delText></w:r></w:del>`, "", "[-a\t\nb & c-]", ""},
		{`<w:hyperlink w:anchor="x">` + inserted(r("", "a")) + r("", "b") + `</w:hyperlink>`, "ab", "{+a+}b", "ab"},
	} {
		p := one(t, c.inner)
		require.Equal(t, c.text, p.Text(), c.inner)
		require.Equal(t, c.marked, p.Marked(), c.inner)
		require.Equal(t, c.noted, p.Render(func(xml []byte) string {
			require.Contains(t, string(xml), "footnoteReference")
			return "[object]"
		}, false), c.inner)
	}
}

// A target that does not have the tags of its source is refused in words.
func TestRetagRefuses(t *testing.T) {
	p := one(t, r("", "a ")+r("<w:b/>", "b")+`<w:r><w:drawing/></w:r>`+r("", "c"))
	require.Equal(t, "a <1>b</1><2/>c", p.Tagged())
	for _, target := range []string{"", "a b c", "a <1>b</1>c", "a <1>b</1><2/><2/>c", "a <1>b<2/>c", "a <3>b</3><2/>c", "<2/>a <1>b</1><1>c</1>"} {
		out, err := p.Retag(target)
		require.Error(t, err, target)
		require.Nil(t, out)
	}
	_, err := one(t, `<w:r><w:drawing/></w:r>`).Retag("x")
	require.EqualError(t, err, "the paragraph has no text to replace")
}

// Text as the content of a run, in both vocabularies, and the properties that new
// text takes over.
func TestContentAndFirstProperties(t *testing.T) {
	for _, c := range []struct{ text, word, drawing string }{
		{"", ``, `<a:t></a:t>`},
		{"a & <b>", `<w:t>a &amp; &lt;b&gt;</w:t>`, `<a:t>a &amp; &lt;b&gt;</a:t>`},
		{" a", `<w:t xml:space="preserve"> a</w:t>`, `<a:t> a</a:t>`},
		{"a\tb", `<w:t>a</w:t><w:tab/><w:t>b</w:t>`, "<a:t>a\tb</a:t>"},
		{"\t\n", `<w:tab/><w:br/>`, "<a:t>\t</a:t></a:r><a:br></a:br><a:r><a:t></a:t>"},
		{"a\u2011b\u00adc", `<w:t>a</w:t><w:noBreakHyphen/><w:t>b</w:t><w:softHyphen/><w:t>c</w:t>`, "<a:t>a\u2011b\u00adc</a:t>"},
	} {
		require.Equal(t, c.word, Content(Word, "w:", c.text), "%q", c.text)
		require.Equal(t, c.drawing, Content(Drawing, "a:", c.text), "%q", c.text)
	}
	for content, want := range map[string]string{
		"":                                 "",
		r("", "a") + r("<w:b/>", "b"):      "",
		r("<w:b/>", "") + r("<w:i/>", "b"): "<w:rPr><w:i/></w:rPr>",
		`<w:r><w:rPr><w:b/></w:rPr></w:r>`: "<w:rPr><w:b/></w:rPr>",
		`<w:ins>` + r("<w:u/>", "a") + `</w:ins>`: "<w:rPr><w:u/></w:rPr>",
	} {
		require.Equal(t, want, one(t, content).FirstProperties(), content)
	}
}
