package docx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

const (
	mainRels     = "word/_rels/document.xml.rels"
	contentTypes = "[Content_Types].xml"
	headerPart   = "word/header1.xml"
	footerPart   = "word/footer1.xml"
	commentsPart = "word/comments.xml"
	settingsPart = "word/settings.xml"
	stylesPart   = "word/styles.xml"
)

// storyOf returns the content of a header or footer.
func storyOf(t testing.TB, src formats.Source, part string) string {
	t.Helper()
	_, rest, ok := strings.Cut(partXML(t, src, part), xmlnsR+">")
	require.True(t, ok, part)
	return rest[:strings.LastIndex(rest, "</")]
}

const headerStyle = `<w:pPr><w:pStyle w:val="Header"/></w:pPr>`

// A header that is there is written anew; without one, the first section gets
// one.
func TestHeaderEdits(t *testing.T) {
	page := func(instr string) string {
		return `<w:fldSimple w:instr=" ` + instr + ` ">` + wr("1") + `</w:fldSimple>`
	}
	src := withBody(t, wp(wr("one")))
	made := checkEdit(t, src, editCase{
		op:   `"op":"set_header","text":"ACME & Co"`,
		rep:  formats.OpReport{Hits: 1, Made: "h0"},
		more: []string{headerPart, mainRels, contentTypes},
	})
	require.Equal(t, wp(headerStyle, wr("ACME & Co")), storyOf(t, made, headerPart))
	require.Contains(t, mainXML(t, made), wp(wr("one"))+`<w:sectPr><w:headerReference w:type="default" r:id="`)
	require.Contains(t, partXML(t, made, contentTypes), `/word/header1.xml`)

	for _, c := range []struct{ name, op, want string }{
		{"text", `"text":"New"`, wp(headerStyle, wr("New"))},
		{"fields", `"text":"{page}/{pages} {other}"`, wp(headerStyle, page("PAGE"), wr("/"), page("NUMPAGES"), wr(" {other}"))},
		{"formatted fields", `"runs":[{"text":"p. {page}","bold":true}]`, wp(headerStyle, wrp(`<w:b/><w:bCs/>`, "p. "), `<w:fldSimple w:instr=" PAGE ">`, wrp(`<w:b/><w:bCs/>`, "1"), `</w:fldSimple>`)},
		{"two paragraphs", `"paragraphs":[{"text":"a"},{"text":"b","alignment":"right"}]`, wp(headerStyle, wr("a")) + wp(wppr(`<w:pStyle w:val="Header"/><w:jc w:val="right"/>`), wr("b"))},
		{"a style", `"text":"x","style":"Quote"`, wp(wppr(`<w:pStyle w:val="Quote"/>`), wr("x"))},
		{"by its address", `"text":"x","at":"h0"`, wp(headerStyle, wr("x"))},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := checkEdit(t, made, editCase{op: `"op":"set_header",` + c.op, rep: hits(1), more: []string{headerPart}})
			require.Equal(t, c.want, storyOf(t, out, headerPart))
			require.Equal(t, mainXML(t, made), mainXML(t, out), "the body does not change")
		})
	}

	// The rest: the first page, even pages, footers, what was in it.
	first := checkEdit(t, made, editCase{op: `"op":"set_header","type":"First","text":"cover"`, rep: formats.OpReport{Hits: 1, Made: "h1"}, more: []string{"word/header2.xml", mainRels, contentTypes}})
	require.Contains(t, mainXML(t, first), `<w:headerReference w:type="first"`)
	require.Contains(t, mainXML(t, first), `<w:titlePg/></w:sectPr>`)
	even := checkEdit(t, made, editCase{op: `"op":"set_footer","type":"even","text":"left"`, rep: formats.OpReport{Hits: 1, Made: "f0"}, more: []string{footerPart, mainRels, contentTypes, settingsPart}})
	require.Contains(t, partXML(t, even, settingsPart), `<w:evenAndOddHeaders/>`)
	require.Equal(t, wp(`<w:pPr><w:pStyle w:val="Footer"/></w:pPr>`, wr("left")), storyOf(t, even, footerPart))
	again := checkEdit(t, even, editCase{op: `"op":"set_header","type":"even","text":"left"`, rep: formats.OpReport{Hits: 1, Made: "h1"}, more: []string{"word/header2.xml", mainRels, contentTypes}})
	require.Equal(t, 1, strings.Count(partXML(t, again, settingsPart), "evenAndOddHeaders"))

	full := changedParts(t, made, swap(t, headerPart, wr("ACME & Co"), wr("ACME")+`</w:p>`+wtbl(1, wtr(wtc(wp())))+`<w:p>`+wrx("", "<w:drawing/>")))
	checkEdit(t, full, editCase{op: `"op":"set_header","text":"New"`, rep: warned(1, "the replaced header also had 1 tables, 1 pictures or drawings, which are gone"), more: []string{headerPart}})
}

func TestHeaderRefuses(t *testing.T) {
	// Two sections with a header each.
	src, _ := edited(t, withBody(t, wp(wppr(`<w:sectPr/>`))+wp(wr("one"))), `{"op":"set_header","text":"a"}`)
	src, _ = edited(t, changedParts(t, src, swap(t, blankMain, `<w:sectPr/></w:body>`, `<w:sectPr><w:headerReference w:type="default" r:id="rId99"`+xmlnsR+`/></w:sectPr></w:body>`)), `{"op":"set_footer","text":"f"}`)
	checkBadEdits(t, src, []badEdit{
		{`"op":"set_header"`, formats.CodeInvalid, "text is required (or runs, or paragraphs)"},
		{`"op":"set_header","type":"odd","text":"x"`, formats.CodeInvalid, `type "odd" is not one of default, first, even`},
		{`"op":"set_header","at":"f0","text":"x"`, formats.CodeInvalid, "f0 is not a header; addresses of those look like h0.p0"},
		{`"op":"set_footer","at":"h0","text":"x"`, formats.CodeInvalid, "h0 is not a footer; addresses of those look like f0.p0"},
		{`"op":"set_header","at":"h5","text":"x"`, formats.CodeNotFound, "there is no header 5"},
		{`"op":"set_header","text":"x","font_size":0`, formats.CodeInvalid, "font_size 0 is out of range"},
		{`"op":"set_footer","text":"x","paragraphs":[{"text":"y"}]`, formats.CodeInvalid, "give text or paragraphs, not both"},
	})
}

// A comment is anchored to its words, which keep their runs.
func TestCommentEdits(t *testing.T) {
	start, end := `<w:commentRangeStart w:id="0"/>`, `<w:commentRangeEnd w:id="0"/>`
	reference := wrx(`<w:rStyle w:val="CommentReference"/>`, `<w:commentReference w:id="0"/>`)
	more := []string{commentsPart, mainRels, contentTypes}
	made := formats.OpReport{Hits: 1, Made: "cm0"}
	checkEdits(t, []editCase{
		{
			name: "on a paragraph",
			body: wp(wrp(bold, "one"), wr(" two")),
			op:   `"op":"add_comment","at":"p0","text":"why?"`,
			want: wp(start, wrp(bold, "one"), wr(" two"), end, reference),
			rep:  made, more: more,
		},
		{
			name: "on words within a run",
			body: wp(wrp(bold, "one two three")),
			op:   `"op":"add_comment","search":"two","text":"why?"`,
			want: wp(wrp(bold, "one "), start, wrp(bold, "two"), end, reference, wrp(bold, " three")),
			rep:  made, more: more,
		},
		{
			name: "on words over runs; the first that are found",
			body: wp(wr("x")) + wp(wr("on"), wrp(bold, "e"), wr(" one")),
			op:   `"op":"add_comment","search":"ONE","text":"why?"`,
			want: wp(wr("x")) + wp(start, wr("on"), wrp(bold, "e"), end, reference, wr(" one")),
			rep:  made, more: more,
		},
		{
			name: "on an empty paragraph",
			body: wp(wppr(`<w:keepNext/>`)),
			op:   `"op":"add_comment","at":"p0","text":"why?"`,
			want: wp(wppr(`<w:keepNext/>`), start, end, reference),
			rep:  made, more: more,
		},
		{
			name: "in a cell",
			body: wtbl(1, wtr(wtc(wp(wr("one"))))) + wp(),
			op:   `"op":"add_comment","at":"t0.r0.c0","text":"why?"`,
			want: wtbl(1, wtr(wtc(wp(start, wr("one"), end, reference)))) + wp(),
			rep:  made, more: more,
		},
	})

	src := withBody(t, wp(wr("one")))
	out := checkEdit(t, src, editCase{op: `"op":"add_comment","at":"p0","author":"Zoë van Dyk","paragraphs":[{"text":"a & b"},{"text":"c"}]`, rep: made, more: more})
	style := wppr(`<w:pStyle w:val="CommentText"/>`)
	require.Contains(t, partXML(t, out, commentsPart), `<w:comment w:id="0" w:author="Zoë van Dyk" w:date="2026-01-02T03:04:05Z" w:initials="ZVD">`+
		wp(style, wrx(`<w:rStyle w:val="CommentReference"/>`, `<w:annotationRef/>`), wr("a & b"))+wp(style, wr("c"))+`</w:comment></w:comments>`)
	// The next one has the next number, and one that goes takes its anchor along.
	two := checkEdit(t, out, editCase{op: `"op":"add_comment","search":"n","text":"second"`, rep: formats.OpReport{Hits: 1, Made: "cm1"}, more: []string{commentsPart}})
	require.Equal(t, 2, strings.Count(partXML(t, two, commentsPart), "<w:comment "))
	for _, op := range []string{`"op":"delete_comment","id":1`, `"op":"delete_comment","at":"cm1"`, `"op":"delete_comment","at":"cm1.p0"`, `"op":"delete_comment","id":"1"`} {
		back := checkEdit(t, two, editCase{op: op, rep: hits(1), more: []string{commentsPart}})
		require.Equal(t, wp(start, wr("o"), wr("n"), wr("e"), end, reference), bodyOf(t, back))
		require.Equal(t, partXML(t, out, commentsPart), partXML(t, back, commentsPart))
	}
	checkBadEdits(t, two, []badEdit{
		{`"op":"add_comment","at":"p0"`, formats.CodeInvalid, "text is required (or runs, or paragraphs)"},
		{`"op":"add_comment","text":"x"`, formats.CodeInvalid, "at is required"},
		{`"op":"add_comment","at":"p8","text":"x"`, formats.CodeNotFound, "there is no p8"},
		{`"op":"add_comment","search":"zzz","text":"x"`, formats.CodeNotFound, `"zzz" was not found`},
		{`"op":"add_comment","search":"(","regex":true,"text":"x"`, formats.CodeInvalid, "not a valid expression"},
		{`"op":"add_comment","at":"cm0.p0","text":"x"`, formats.CodeInvalid, "comments can be made in the body only, not in a comment"},
		{`"op":"delete_comment"`, formats.CodeInvalid, "id is required: the number of the comment"},
		{`"op":"delete_comment","at":"p0"`, formats.CodeInvalid, "id is required"},
		{`"op":"delete_comment","id":9`, formats.CodeNotFound, "there is no comment 9"},
		{`"op":"delete_comment","id":"x"`, formats.CodeInvalid, "id"},
	})
}

// What newer programs say of a comment goes with it.
func TestDeletedCommentLeavesNoThread(t *testing.T) {
	out, _ := edited(t, withBody(t, wp(wr("one"))), `{"op":"add_comment","at":"p0","text":"a"}`, `{"op":"add_comment","at":"p0","text":"b"}`)
	const w14, w15 = "http://schemas.microsoft.com/office/word/2010/wordml", "http://schemas.microsoft.com/office/word/2012/wordml"
	n := 0
	src := changedParts(t, out, func(p map[string]string) {
		p[commentsPart] = opMemberless(p[commentsPart], "<w:p>", func() string { n++; return fmt.Sprintf(`<w:p xmlns:w14="%s" w14:paraId="0000000%d">`, w14, n) })
		p["word/commentsExtended.xml"] = `<w15:commentsEx xmlns:w15="` + w15 + `"><w15:commentEx w15:paraId="00000001"/><w15:commentEx w15:paraId="00000002" w15:done="1"/></w15:commentsEx>`
		p[contentTypes] = strings.Replace(p[contentTypes], "</Types>", `<Override PartName="/word/commentsExtended.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.commentsExtended+xml"/></Types>`, 1)
		p[mainRels] = strings.Replace(p[mainRels], "</Relationships>", `<Relationship Id="rIdX" Type="http://schemas.microsoft.com/office/2011/relationships/commentsExtended" Target="commentsExtended.xml"/></Relationships>`, 1)
	})
	back := checkEdit(t, src, editCase{op: `"op":"delete_comment","id":0`, rep: hits(1), more: []string{commentsPart, "word/commentsExtended.xml"}})
	require.Equal(t, `<w15:commentsEx xmlns:w15="`+w15+`"><w15:commentEx w15:paraId="00000002" w15:done="1"/></w15:commentsEx>`, partXML(t, back, "word/commentsExtended.xml"))
}

// opMemberless replaces each old by what now makes.
func opMemberless(s, old string, now func() string) string {
	for at := 0; ; {
		i := strings.Index(s[at:], old)
		if i < 0 {
			return s
		}
		with := now()
		s = s[:at+i] + with + s[at+i+len(old):]
		at += i + len(with)
	}
}

// A link stands around the words and gives them its look.
func TestHyperlinkEdits(t *testing.T) {
	look := `<w:rStyle w:val="Hyperlink"/>`
	open := `<w:hyperlink w:anchor="there">`
	src := withBody(t, wp(wrp(bold, "one two"), wr(" three"))+wp(wr("four")))
	for _, c := range []struct{ name, op, want, made string }{
		{"on words", `"search":"two","url":"#there"`, wp(wrp(bold, "one "), open, wrp(look+bold, "two"), `</w:hyperlink>`, wr(" three")) + wp(wr("four")), "p0"},
		{"over runs", `"search":"two three","url":"#there"`, wp(wrp(bold, "one "), open, wrp(look+bold, "two"), wrp(look, " three"), `</w:hyperlink>`) + wp(wr("four")), "p0"},
		{"at the end of a paragraph", `"at":"p1","text":" more","url":"#there"`, wp(wrp(bold, "one two"), wr(" three")) + wp(wr("four"), open, wrp(look, " more"), `</w:hyperlink>`), ""},
		{"without text, with its target", `"at":"p1","url":"#there"`, wp(wrp(bold, "one two"), wr(" three")) + wp(wr("four"), open, wrp(look, "#there"), `</w:hyperlink>`), ""},
		{"runs and a font", `"at":"p1","url":"#there","italic":true,"runs":[{"text":"a"},{"text":"b","italic":false}]`, wp(wrp(bold, "one two"), wr(" three")) + wp(wr("four"), open, wrp(look+`<w:i/><w:iCs/>`, "a"), wrp(look+`<w:i w:val="0"/><w:iCs w:val="0"/>`, "b"), `</w:hyperlink>`), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := checkEdit(t, src, editCase{op: `"op":"add_hyperlink",` + c.op, rep: formats.OpReport{Hits: 1, Made: c.made}})
			require.Equal(t, c.want, bodyOf(t, out))
		})
	}
	out := checkEdit(t, src, editCase{op: `"op":"add_hyperlink","search":"four","url":"https://example.com/?a=1&b=2"`, rep: formats.OpReport{Hits: 1, Made: "p1"}, more: []string{mainRels}})
	require.Contains(t, partXML(t, out, mainRels), `Target="https://example.com/?a=1&amp;b=2" TargetMode="External"`)
	require.Regexp(t, `<w:p><w:hyperlink r:id="rId\d+" xmlns:r="[^"]*"><w:r><w:rPr><w:rStyle w:val="Hyperlink"/></w:rPr><w:t>four</w:t></w:r></w:hyperlink></w:p>`, bodyOf(t, out))
	tracked := checkEdit(t, src, editCase{op: `"op":"add_hyperlink","at":"p1","text":"x","url":"#there",` + tracked, rep: hits(1)})
	require.Contains(t, bodyOf(t, tracked), open+wins(1, wrp(look, "x"))+`</w:hyperlink>`)

	linked := withBody(t, wp(wr("one "), open, wr("two"), `</w:hyperlink>`, wr(" three")))
	checkBadEdits(t, linked, []badEdit{
		{`"op":"add_hyperlink","search":"one"`, formats.CodeInvalid, "url is required: where the link leads"},
		{`"op":"add_hyperlink","url":"#x"`, formats.CodeInvalid, "search is required: the text to link"},
		{`"op":"add_hyperlink","url":"javascript:alert(1)","search":"one"`, formats.CodeInvalid, "javascript"},
		{`"op":"add_hyperlink","url":"#x","search":"zzz"`, formats.CodeNotFound, `"zzz" was not found`},
		{`"op":"add_hyperlink","url":"#x","search":"two three"`, formats.CodeInvalid, "reaches over the edge of another link or a content control"},
		{`"op":"add_hyperlink","url":"#x","at":"p7"`, formats.CodeNotFound, "there is no p7"},
		{`"op":"add_hyperlink","url":"#x","at":"p0","text":"a","runs":[{"text":"b"}]`, formats.CodeInvalid, "give text or runs, not both"},
	})
}

// A picture is the only content of its paragraph, at most as wide as the text.
func TestImageEdits(t *testing.T) {
	src := withBody(t, wp(wr("one"))+wtbl(1, wtr(wtc(wp(wr("a")))))+wp(wr("two")))
	const media = "word/media/image1.png"
	for _, c := range []struct {
		name, op, made string
		cx, cy         string
		before         string // what stands right before the picture's paragraph
	}{
		{"after", `"at":"p0"`, "p1", "914400", "457200", wp(wr("one"))},
		{"before", `"at":"p1","where":"before","width":2`, "p1", "1828800", "914400", "</w:tbl>"},
		{"after a table", `"at":"t0","height":1`, "", "1828800", "914400", "</w:tbl>"},
		{"in a cell", `"at":"t0.r0.c0.p0","width":1,"height":1`, "t0.r0.c0.p1", "914400", "914400", wp(wr("a"))},
		{"at the end, with its own size", ``, "p2", "914400", "457200", wp(wr("two"))},
	} {
		t.Run(c.name, func(t *testing.T) {
			members := `"op":"add_image","path":"a.png","alt":"a \"grey\" <box>"`
			if c.op != "" {
				members += "," + c.op
			}
			out := checkEdit(t, src, editCase{op: members, rep: formats.OpReport{Hits: 1, Made: c.made}, more: []string{media, mainRels, contentTypes}})
			x := bodyOf(t, out)
			i := strings.Index(x, "<w:p><w:r><w:drawing>")
			require.Positive(t, i)
			require.True(t, strings.HasSuffix(x[:i], c.before), x[:i])
			require.Equal(t, 2, strings.Count(x, `cx="`+c.cx+`" cy="`+c.cy+`"`), "the extent and the shape: %s", x)
			require.Contains(t, x, `descr="a &quot;grey&quot; &lt;box&gt;"`)
			pic, err := formats.ReadAll(out, 1<<24)
			require.NoError(t, err)
			want, err := options(t).OpenFile(ctx, "a.png", 1<<20)
			require.NoError(t, err)
			require.Equal(t, want, formatstest.Parts(t, pic)[media])
		})
	}
	checkBadEdits(t, src, []badEdit{
		{`"op":"add_image"`, formats.CodeInvalid, "path is required: the picture file"},
		{`"op":"add_image","path":"b.png"`, formats.CodeNotFound, "file not found: b.png"},
		{`"op":"add_image","path":"a.png","width":0`, formats.CodeInvalid, "width is 0 inches; it must be more than 0 and at most 22"},
		{`"op":"add_image","path":"a.png","height":23`, formats.CodeInvalid, "height is 23 inches"},
		{`"op":"add_image","path":"a.png","at":"t0.r0"`, formats.CodeInvalid, "t0.r0 is no paragraph or table"},
		{`"op":"add_image","path":"a.png","at":"p9"`, formats.CodeNotFound, "there is no p9"},
		{`"op":"add_image","path":"a.png","at":"p0","where":"on"`, formats.CodeInvalid, `where is "on"`},
		{`"op":"copy_styles","styles":["Quote"]`, formats.CodeInvalid, "path is required: the document to copy styles from"},
		{`"op":"copy_styles","path":"a.png"`, formats.CodeInvalid, "styles is required"},
		{`"op":"copy_styles","path":"b.docx","styles":["Quote"]`, formats.CodeNotFound, "file not found: b.docx"},
		{`"op":"copy_styles","path":"a.png","styles":["Quote"]`, formats.CodeCorrupt, ""},
	})
}

// Sections keep what the operation does not set.
func TestPageSetupEdits(t *testing.T) {
	sect := func(content string) string { return `<w:sectPr>` + content + `</w:sectPr>` }
	margins := `<w:pgMar w:top="1000" w:right="1000" w:bottom="1000" w:left="1000" w:header="500" w:footer="500" w:gutter="0"/>`
	a4 := `<w:pgSz w:w="11906" w:h="16838"/>`
	for _, c := range []struct{ name, before, op, want string }{
		{"landscape", a4 + margins, `"orientation":"landscape"`, `<w:pgSz w:w="16838" w:h="11906" w:orient="landscape"/>` + margins},
		{"landscape already", `<w:pgSz w:w="16838" w:h="11906" w:orient="landscape"/>`, `"orientation":"Landscape"`, `<w:pgSz w:w="16838" w:h="11906" w:orient="landscape"/>`},
		{"upright again", `<w:pgSz w:w="16838" w:h="11906" w:orient="landscape"/>`, `"orientation":"portrait"`, a4},
		{"a paper keeps the orientation", `<w:pgSz w:w="16838" w:h="11906" w:orient="landscape"/>`, `"paper":"Letter"`, `<w:pgSz w:w="15840" w:h="12240" w:orient="landscape"/>`},
		{"a paper upright", `<w:pgSz w:w="16838" w:h="11906" w:orient="landscape"/>`, `"paper":"a5","orientation":"portrait"`, `<w:pgSz w:w="8391" w:h="11906"/>`},
		{"the printer's number goes with the paper", `<w:pgSz w:w="11906" w:h="16838" w:code="9"/>`, `"paper":"legal"`, `<w:pgSz w:w="12240" w:h="20160"/>`},
		{"one margin", a4 + margins, `"margin_left":1.5`, a4 + strings.Replace(margins, `w:left="1000"`, `w:left="2160"`, 1)},
		{"margins of nothing", margins, `"margin_top":0,"margin_bottom":0,"margin_left":0,"margin_right":0`, `<w:pgMar w:top="0" w:right="0" w:bottom="0" w:left="0" w:header="500" w:footer="500" w:gutter="0"/>`},
		{"in the order of the schema", `<w:type w:val="nextPage"/><w:cols w:num="2"/><w:titlePg/>`, `"paper":"A4"`, `<w:type w:val="nextPage"/>` + a4 + `<w:cols w:num="2"/><w:titlePg/>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := withBody(t, wp(wppr(sect(c.before)), wr("one"))+wp(wr("two")))
			rep := hits(1)
			rep.Unchanged = c.before == c.want
			out := checkEdit(t, src, editCase{op: `"op":"set_page_setup","at":"p0",` + c.op, rep: rep})
			require.Equal(t, wp(wppr(sect(c.want)), wr("one"))+wp(wr("two")), bodyOf(t, out), "the other section stays")
		})
	}
	src, _ := edited(t, withBody(t, wp(wr("one"))), `{"op":"set_header","text":"x"}`)
	checkBadEdits(t, src, []badEdit{
		{`"op":"set_page_setup"`, formats.CodeInvalid, "say what to set"},
		{`"op":"set_page_setup","paper":"B5"`, formats.CodeInvalid, `paper "B5" is not one of A3, A4, A5, letter, legal, tabloid`},
		{`"op":"set_page_setup","orientation":"across"`, formats.CodeInvalid, `orientation "across" is not portrait or landscape`},
		{`"op":"set_page_setup","margin_left":-1`, formats.CodeInvalid, "margin_left must be 0 to 22 inches, not -1"},
		{`"op":"set_page_setup","margin_top":22.5`, formats.CodeInvalid, "margin_top must be 0 to 22 inches"},
		{`"op":"set_page_setup","margin_left":4,"margin_right":4.3`, formats.CodeInvalid, "the margins leave no room for text"},
		{`"op":"set_page_setup","margin_top":6,"margin_bottom":6`, formats.CodeInvalid, "the margins leave no room for text"},
		{`"op":"set_page_setup","paper":"A4","at":"h0.p0"`, formats.CodeInvalid, "only the body has sections; h0.p0 is in header 1"},
		{`"op":"set_page_setup","paper":"A4","at":"p9"`, formats.CodeNotFound, "there is no p9"},
	})
}
