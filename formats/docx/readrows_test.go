package docx

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
)

// everywhere is a document with text in each kind of place.
func everywhere(t testing.TB) formats.Source {
	t.Helper()
	box := wrx("", `<mc:AlternateContent><mc:Choice><w:txbxContent>`+wp(wr("in the box"))+wp(wr("second"))+`</w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent>`+wp(wr("in the box"))+wp(wr("second"))+`</w:txbxContent></mc:Fallback></mc:AlternateContent>`)
	src := withBody(t, wp(wr("before"))+
		styledPara("Heading1", "One")+
		wp(wr("noted"), wrx("", `<w:footnoteReference w:id="2"/>`), wrx("", `<w:endnoteReference w:id="3"/>`))+
		wtbl(2, wtr(wtc(wp(wr("a"))), wtc(wp(wr("b1")), wp(wr("b2")))), wtr(wtc(wtbl(1, wtr(wtc(wp(wr("in"))))), wp()), wtc(wp(wr("d")))))+
		styledPara("Heading2", "Two")+
		wp(box, wr("beside"))+
		wp(wr("kept "), delA("old"), insA(wr("new")))+
		wp(wppr(`<w:outlineLvl w:val="0"/>`), wr("Three"))+
		wp())
	src = changedParts(t, src, func(p map[string]string) {
		note := func(id int, kind, text string) string {
			if kind != "" {
				kind = ` w:type="` + kind + `"`
			}
			return fmt.Sprintf(`<w:%%[1]s%s w:id="%d">%s</w:%%[1]s>`, kind, id, wp(wr(text)))
		}
		for part, word := range map[string]string{"footnotes": "footnote", "endnotes": "endnote"} {
			p["word/"+part+".xml"] = `<w:` + part + ` xmlns:w="` + nsW + `">` + fmt.Sprintf(note(0, "separator", "---"), word) + fmt.Sprintf(note(2, "", word+" two"), word) + fmt.Sprintf(note(3, "", word+" three"), word) + `</w:` + part + `>`
			p[contentTypes] = strings.Replace(p[contentTypes], "</Types>", `<Override PartName="/word/`+part+`.xml" ContentType="`+typePrefix+part+`+xml"/></Types>`, 1)
			p[mainRels] = strings.Replace(p[mainRels], "</Relationships>", `<Relationship Id="r`+part+`" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/`+part+`" Target="`+part+`.xml"/></Relationships>`, 1)
		}
	})
	src, _ = edited(t, src, `{"op":"set_header","text":"top"}`, `{"op":"set_footer","paragraphs":[{"text":"left"},{"text":"right"}]}`, `{"op":"add_comment","at":"p0","text":"why?","author":"Bo"}`)
	return src
}

// What is read for each section, address and stretch.
func TestReadRows(t *testing.T) {
	src := everywhere(t)
	body := "before\nOne\nnoted\na\tb1 b2\nin\td\nTwo\nin the box\nsecond\nbeside\nkept new\nThree\n"
	for _, c := range []struct{ section, want string }{
		{"", body},
		{"0", "before"},
		{"one", "One\nnoted\na\tb1 b2\nin\td"},
		{"Two", "Two\nin the box\nsecond\nbeside\nkept new"},
		{"3", "Three\n"},
		{"p0", "before"},
		{" p2 ", "noted"},
		{"p1-p2", "One\nnoted"},
		{"p2-3", "noted\na\tb1 b2\nin\td\nTwo"},
		{"p1:p2", "One\nnoted"},
		{"p1–p2", "One\nnoted"},
		{"t0", "a\tb1 b2\nin\td"},
		{"t0.r0", "a\tb1 b2"},
		{"t0.r0.c1", "b1\nb2"},
		{"t0.r0.c1.p1", "b2"},
		{"t0.r1.c0.t0.r0.c0", "in"},
		{"h0", "top"},
		{"f0", "left\nright"},
		{"f0.p1", "right"},
		{"fn2", "footnote two"},
		{"en3.p0", "endnote three"},
		{"cm0", "why?"},
		{"x0", "in the box\nsecond"},
		{"x0.p1", "second"},
	} {
		require.Equal(t, c.want, read(t, src, c.section), c.section)
	}
	for section, code := range map[string]formats.Code{
		"Four": formats.CodeNotFound, "9": formats.CodeNotFound, "p99": formats.CodeNotFound, "t4": formats.CodeNotFound, "t0.r9": formats.CodeNotFound,
		"h7": formats.CodeNotFound, "fn9": formats.CodeNotFound, "x5": formats.CodeNotFound, "#00000001": formats.CodeNotFound, "t0.q1": formats.CodeInvalid,
	} {
		_, err := Format().Reader.Read(ctx, src, formats.Selector{Section: section})
		require.Equal(t, code, formats.CodeOf(err), "%s: %v", section, err)
	}
}

// What each thing to include adds.
func TestReadIncludes(t *testing.T) {
	src := everywhere(t)
	addressed := "[p0] before\n[p1 Heading 1] One\n[p2] noted\n[t0.r0] a\tb1 b2\n[t0.r1] in\td\n[p3 Heading 2] Two\n[x0.p0] in the box\n[x0.p1] second\n[p4] beside\n[p5] kept new\n[p6] Three\n[p7] "
	require.Equal(t, addressed, readWith(t, src, "", "addresses"))
	require.Equal(t, "[t0.r0.c1.p0] b1\n[t0.r0.c1.p1] b2", readWith(t, src, "t0.r0.c1", "addresses"))
	require.Contains(t, readWith(t, src, "", "changes"), "\nkept [-old-]{+new+}\n")
	require.Contains(t, readWith(t, src, "", "notes"), "\nnoted[fn2][en3]\n")
	require.Contains(t, readWith(t, src, "", "notes"), "\n\n[fn2] footnote:\nfootnote two\n\n[fn3] footnote:\nfootnote three\n\n[en2] endnote:\n")
	require.NotContains(t, readWith(t, src, "", "notes"), "---", "separators are no text")
	require.Contains(t, readWith(t, src, "", "headers"), "\n\n[h0] header 1:\ntop\n\n[f0] footer 1:\nleft\nright")
	require.Equal(t, "before[cm0]\n\n[cm0] comment by Bo, 2026-01-02T03:04:05Z:\nwhy?", readWith(t, src, "0", "comments"))
	require.NotContains(t, readWith(t, src, "one", "comments"), "why?", "of a section the comments that it refers to")
	require.NotContains(t, readWith(t, src, "one", "headers"), "top")
	text, err := Format().Reader.Read(ctx, src, formats.Selector{Section: "one"})
	require.NoError(t, err)
	require.Equal(t, formats.ChunkInfo{ChunkIndex: 1, TotalChunks: 4, HasMore: true, Range: "section 1 of 4", Next: `section="2"`}, *text.Chunk)
}

// The map of that document.
func TestMapRows(t *testing.T) {
	m, err := Format().Mapper.Map(ctx, everywhere(t), formats.MapOptions{})
	require.NoError(t, err)
	mp := m.(*Map)
	require.Equal(t, 8, mp.Paragraphs)
	require.Equal(t, []SectionMap{
		{Heading: "", Level: 0, CharCount: 6, At: "p0"},
		{Heading: "One", Level: 1, CharCount: len("One\nnoted\na\tb1 b2\nin\td"), At: "p1", HasTables: true},
		{Heading: "Two", Level: 2, CharCount: len("Two\nin the box\nsecond\nbeside\nkept new"), At: "p3"},
		{Heading: "Three", Level: 1, CharCount: len("Three\n"), At: "p6"},
	}, mp.Sections)
	require.Equal(t, []TableMap{{At: "t0", Rows: 2, Cols: 2, Header: []string{"a", "b1 b2"}}}, mp.Tables)
	require.Equal(t, []StoryMap{{At: "h0", Text: "top", Pages: "default"}}, mp.Headers)
	require.Equal(t, []StoryMap{{At: "f0", Text: "left right", Pages: "default"}}, mp.Footers)
	require.Equal(t, []CommentMap{{At: "cm0", Author: "Bo", Text: "why?"}}, mp.Comments)
	require.Equal(t, &ChangesMap{Insertions: 1, Deletions: 1, Authors: []string{"A"}}, mp.Changes)
	require.Equal(t, [3]int{2, 2, 1}, [3]int{mp.Footnotes, mp.Endnotes, mp.TextBoxes})
	require.False(t, mp.Protected || mp.Signed || mp.Macros)
	one, err := Format().Mapper.Map(ctx, everywhere(t), formats.MapOptions{Section: "one"})
	require.NoError(t, err)
	require.Len(t, one.(*Map).Sections, 1)
	_, err = Format().Mapper.Map(ctx, everywhere(t), formats.MapOptions{Section: "none"})
	require.Equal(t, formats.CodeNotFound, formats.CodeOf(err))
}

// Every address that is shown leads to the block with that text, and back.
func TestAddressesLeadBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		body, _ := smallBody(rt)
		e := opened(rt, body+wtbl(1, wtr(wtc(wtbl(1, wtr(wtc(wp(wr("deep"))))), wp(wr("outer")))))+wp())
		p, err := e.body(ctx)
		require.NoError(rt, err)
		all := p.addresses(p.stories[0], "")
		require.Len(rt, distinct(all), len(all), "no address twice")
		for n, address := range all {
			pl, err := e.resolve(ctx, address)
			require.NoError(rt, err, address)
			require.Equal(rt, n, pl.node, address)
			require.Equal(rt, address, e.addressOf(ctx, pl))
			shown, err := e.resolve(ctx, "["+address+" a) List Paragraph]")
			require.NoError(rt, err)
			require.Equal(rt, n, shown.node)
		}
	})
}

func distinct(all map[*node]string) map[string]bool {
	out := map[string]bool{}
	for _, a := range all {
		out[a] = true
	}
	return out
}

// A strict document (ISO/IEC 29500-1) stays one: no operation writes a name of
// the transitional form into it.
func TestStrictStaysStrict(t *testing.T) {
	strict := func(s string) string {
		return strings.NewReplacer(nsW, xmlscan.Strict(nsW), nsR, xmlscan.Strict(nsR)).Replace(s)
	}
	base := changedParts(t, withBody(t, wp(wr("one"))+wtbl(1, wtr(wtc(wp(wr("a")))))+wp(wr("two"))), func(p map[string]string) {
		for name := range p {
			p[name] = strict(p[name])
		}
	})
	require.Equal(t, "one\na\ntwo", read(t, base, ""))
	for _, c := range []struct{ op, want string }{
		{`{"op":"set_paragraph","at":"p0","text":"1","alignment":"left","indent_left":0.5,"indent_right":0.5}`, `<w:ind w:start="720" w:end="720"/><w:jc w:val="start"/>`},
		{`{"op":"format_paragraph","at":"p0","alignment":"right"}`, `<w:jc w:val="end"/>`},
		{`{"op":"add_table","at":"p0","rows":[["x"]]}`, `<w:t>x</w:t>`},
		{`{"op":"set_header","text":"top {page}"}`, `<w:headerReference`},
		{`{"op":"add_comment","at":"p0","text":"why"}`, `<w:commentReference`},
		{`{"op":"add_hyperlink","search":"one","url":"https://example.com"}`, `<w:hyperlink r:id=`},
		{`{"op":"add_image","at":"p0","path":"a.png"}`, `<w:drawing>`},
		{`{"op":"replace_text","search":"one","replace":"1",` + tracked + `}`, `<w:delText`},
	} {
		out, _ := edited(t, base, c.op)
		require.Contains(t, mainXML(t, out), c.want, c.op)
		b, err := formats.ReadAll(out, 1<<24)
		require.NoError(t, err)
		changedParts(t, formats.FromBytes("x.docx", b), func(p map[string]string) {
			for name, doc := range p {
				require.NotContains(t, doc, nsW, "%s in %s", c.op, name)
				if strings.HasPrefix(name, "word/") && !strings.Contains(name, "theme") {
					require.NotContains(t, doc, `"`+nsR+`"`, "%s in %s", c.op, name)
				}
			}
		})
		require.NotEmpty(t, read(t, out, ""))
	}
}

// The usage of each operation names members that it takes, and an example of
// each row of these tests can be decoded.
func TestUsageNamesMembers(t *testing.T) {
	zero, names := Format().Editor.Operation()
	require.NotNil(t, zero)
	for _, name := range names {
		usage := Format().Editor.Usage(name)
		require.NotEmpty(t, usage, name)
		for _, member := range operations.Takes(name) {
			raw := json.RawMessage(fmt.Sprintf(`{"op":%q,%q:null}`, name, member))
			call, err := operations.Decode(raw)
			require.NoError(t, err, "%s %s", name, member)
			require.Empty(t, call.Ignored, "%s %s", name, member)
		}
		call, err := operations.Decode(json.RawMessage(fmt.Sprintf(`{"op":%q,"no_such_member":1}`, name)))
		require.NoError(t, err)
		require.Equal(t, []formats.Ignored{{Name: "no_such_member"}}, call.Ignored, name)
	}
}
