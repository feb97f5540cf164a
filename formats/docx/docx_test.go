package docx

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/segment"
	"atelier/formats/tags"
)

var ctx = context.Background()

func apply(t testing.TB, src formats.Source, ops ...string) ([]byte, formats.Report, error) {
	t.Helper()
	var raw []json.RawMessage
	for _, o := range ops {
		raw = append(raw, json.RawMessage(o))
	}
	var out bytes.Buffer
	rep, err := Format().Editor.Apply(ctx, src, &out, raw, formats.ApplyOptions{})
	return out.Bytes(), rep, err
}

func made(t testing.TB, ops ...string) formats.Source {
	t.Helper()
	b, _, err := apply(t, nil, ops...)
	require.NoError(t, err)
	return formats.FromBytes("new.docx", b)
}

func read(t testing.TB, src formats.Source, section string) string {
	t.Helper()
	text, err := Format().Reader.Read(ctx, src, formats.Selector{Section: section})
	require.NoError(t, err)
	return text.Text
}

const sample = `{"op":"set_paragraphs","paragraphs":[{"text":"before"},{"text":"The Title","style":"Title"},{"text":"intro"},{"text":"Terms","style":"Heading 1"},{"text":"a & b\tc"},{"text":"Sub","style":"heading2"},{"text":"deep"},{"text":"point","style":"List Bullet"}]}`

// X-15, W-38, W-42: sections by heading in any case or by index.
func TestX15Sections(t *testing.T) {
	src := made(t, sample)
	require.Equal(t, "before\nThe Title\nintro\nTerms\na & b\tc\nSub\ndeep\npoint", read(t, src, ""))
	require.Equal(t, "before", read(t, src, "0"))
	require.Equal(t, "Terms\na & b\tc", read(t, src, "tERMS"))
	require.Equal(t, "Sub\ndeep\npoint", read(t, src, "3"))
	text, err := Format().Reader.Read(ctx, src, formats.Selector{Section: "Terms"})
	require.NoError(t, err)
	require.Equal(t, formats.ChunkInfo{ChunkIndex: 2, TotalChunks: 4, HasMore: true, Range: "section 2 of 4", Next: `section="3"`}, *text.Chunk)
	_, err = Format().Reader.Read(ctx, src, formats.Selector{Section: "Nope"})
	require.EqualError(t, err, "section not found: Nope")
	require.Equal(t, formats.CodeNotFound, formats.CodeOf(err))

	m, err := Format().Mapper.Map(ctx, src, formats.MapOptions{})
	require.NoError(t, err)
	mp := m.(*Map)
	require.Equal(t, []SectionMap{{Heading: "", CharCount: 6, At: "p0"}, {Heading: "The Title", CharCount: 15, At: "p1"}, {Heading: "Terms", Level: 1, CharCount: 13, At: "p3"}, {Heading: "Sub", Level: 2, CharCount: 14, At: "p5"}}, mp.Sections)
	require.Equal(t, 8, mp.Paragraphs)
	require.Equal(t, 48, mp.CharCount)
}

// a document made from nothing is whole; an unknown style is a warning.
func TestX33NewDocumentAndUnknownStyle(t *testing.T) {
	b, rep, err := apply(t, nil, sample, `{"op":"append_paragraph","text":"end","style":"Nonsense"}`)
	require.NoError(t, err)
	require.Contains(t, rep.Ops[1].Warnings[0], `no paragraph style "Nonsense"`)
	path := formatstest.Write(t, "new.docx", b)
	formatstest.Validate(t, path, "")
	formatstest.LibreOfficeOpens(t, path)
}

// find and search give the same file.
func TestX31FindIsSearch(t *testing.T) {
	src := made(t, sample)
	a, _, err := apply(t, src, `{"op":"replace_text","search":"TERMS","replace":"x<y"}`)
	require.NoError(t, err)
	b, _, err := apply(t, src, `{"op":"replace_text","find":"TERMS","replace":"x<y"}`)
	require.NoError(t, err)
	require.Equal(t, a, b)
	require.Contains(t, read(t, formats.FromBytes("a.docx", a), ""), "x<y")
}

// W-46, W-47 and the messages of bad operations.
func TestOperationsSayWhatIsWrong(t *testing.T) {
	src := made(t, sample)
	same, rep, err := apply(t, src)
	require.NoError(t, err)
	require.Empty(t, rep.Ops)
	orig, err := formats.ReadAll(src, 1<<20)
	require.NoError(t, err)
	require.Equal(t, orig, same, "no operations, the same bytes")
	b, rep, err := apply(t, src, `{"op":"replace_text","search":"","replace":"x"}`)
	require.NoError(t, err)
	require.Equal(t, orig, b)
	require.NotEmpty(t, rep.Ops[0].Warnings)
	_, rep, err = apply(t, src, `{"op":"replace_text","search":"terms","replace":"x","match_case":"TRUE"}`)
	require.NoError(t, err)
	require.Equal(t, 0, rep.Ops[0].Hits)
	require.Contains(t, rep.Ops[0].Warnings[0], "was not found")
	for op, want := range map[string]string{
		`{"op":"explode"}`:                         "operation 1 (explode): unsupported op: explode",
		`{"op":"append_paragraph"}`:                "text is required",
		`{"op":"set_paragraphs"}`:                  "paragraphs is required",
		`{"op":"replace_text","replace":"x"}`:      "search is required",
		`{"op":"replace_text","search":"x"}`:       "replace is required",
		`{"op":"append_paragraph","text":7}`:       "(append_paragraph): text: expected a string, got number",
		`{}`:                                       "op is required",
		`7`:                                        "operation 1: an operation must be an object with a member op",
		`{"op":"set_paragraphs","paragraphs":"x"}`: "(set_paragraphs): paragraphs: expected an array, got string",
	} {
		_, _, err := apply(t, src, op)
		require.ErrorContains(t, err, want, op)
		require.Equal(t, formats.CodeInvalid, formats.CodeOf(err), op)
	}
}

// withPart makes a docx with one part replaced.
func withBody(t testing.TB, body string) formats.Source {
	t.Helper()
	ed, main, err := blankDocument()
	require.NoError(t, err)
	ed.Set(main, []byte(`<?xml version="1.0"?><w:document xmlns:w="`+nsW+`" xmlns:mc="`+nsMC+`" xmlns:wp="urn:wp"><w:body>`+body+`<w:sectPr/></w:body></w:document>`))
	var out bytes.Buffer
	require.NoError(t, ed.Write(ctx, &out))
	return formats.FromBytes("t.docx", out.Bytes())
}

// tables stand where they stand, rows as lines, cells by tabs; nested
// tables and text boxes are read, the Fallback of a box is not read twice.
func TestX14TablesInPlace(t *testing.T) {
	p := func(s string) string { return `<w:p><w:r><w:t>` + s + `</w:t></w:r></w:p>` }
	tc := func(s string) string { return `<w:tc>` + s + `</w:tc>` }
	nested := `<w:tbl><w:tr>` + tc(p("n1")) + tc(p("n2")) + `</w:tr></w:tbl>` + p("tail")
	box := `<w:p><w:r><w:t>host</w:t><mc:AlternateContent><mc:Choice><w:txbxContent>` + p("box") + `</w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent>` + p("box") + `</w:txbxContent></mc:Fallback></mc:AlternateContent></w:r></w:p>`
	src := withBody(t, p("one")+`<w:tbl><w:tr>`+tc(p("a"))+tc(p("b")+p("c"))+`</w:tr><w:tr>`+tc(nested)+tc(`<w:p/>`)+`</w:tr></w:tbl>`+p("two")+box)
	require.Equal(t, "one\na\tb c\nn1\tn2 tail\t\ntwo\nbox\nhost", read(t, src, ""))

	segs, err := Format().Segmenter.Segments(ctx, src, formats.SegmentOptions{})
	require.NoError(t, err)
	targets := map[string]string{}
	for _, s := range segs {
		targets[s.ID] = "X" + s.Text
	}
	require.Len(t, segs, 10, "the box in the Fallback is not a segment of its own")
	var out bytes.Buffer
	require.NoError(t, Format().Segmenter.Replace(ctx, src, &out, targets, formats.ReplaceOptions{}))
	parts := formatstest.Parts(t, out.Bytes())
	require.Equal(t, 2, strings.Count(string(parts[blankMain]), "Xbox"), "both branches say the same")
	again, err := Format().Segmenter.Segments(ctx, formats.FromBytes("o.docx", out.Bytes()), formats.SegmentOptions{})
	require.NoError(t, err)
	for i, s := range again {
		require.Equal(t, segs[i].ID, s.ID, "ids stay")
		require.Equal(t, targets[s.ID], s.Text)
	}
}

// A paragraph that is rewritten and the text box in it are both translated.
func TestReplaceInsideAMovedParagraph(t *testing.T) {
	src := withBody(t, `<w:p><w:r><w:t>one </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>two</w:t></w:r><w:r><w:pict><w:txbxContent><w:p><w:r><w:t>inner</w:t></w:r></w:p></w:txbxContent></w:pict></w:r><w:r><w:t> three</w:t></w:r></w:p>`)
	segs, err := Format().Segmenter.Segments(ctx, src, formats.SegmentOptions{})
	require.NoError(t, err)
	require.Equal(t, "one <1>two</1><2/> three", segs[0].Text)
	var out bytes.Buffer
	require.NoError(t, Format().Segmenter.Replace(ctx, src, &out, map[string]string{segs[0].ID: "<2/><1>zwei</1> eins", segs[1].ID: "innen"}, formats.ReplaceOptions{}))
	require.Equal(t, "innen\nzwei eins", read(t, formats.FromBytes("o.docx", out.Bytes()), ""))
	err = Format().Segmenter.Replace(ctx, src, &out, map[string]string{segs[0].ID: "no tags"}, formats.ReplaceOptions{})
	require.Equal(t, formats.CodeInvalid, formats.CodeOf(err))
	require.ErrorContains(t, Format().Segmenter.Replace(ctx, src, &out, map[string]string{"x#p1": "y"}, formats.ReplaceOptions{}), "no segment")
}

// TestCorpus: every real document gives content or a typed error; each edit
// leaves the other parts byte for byte and adds no schema error.
func TestCorpus(t *testing.T) {
	read, typed := 0, 0
	for _, path := range formatstest.Sample(t, "docx") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			src := formats.FromBytes(filepath.Base(path), b)
			if _, err := Format().Mapper.Map(ctx, src, formats.MapOptions{}); err != nil {
				require.NotEmpty(t, formats.CodeOf(err), "%v", err)
				typed++
				return
			}
			read++
			m, err := Format().Mapper.Map(ctx, src, formats.MapOptions{})
			require.NoError(t, err)
			js, err := json.Marshal(m)
			require.NoError(t, err)
			require.LessOrEqual(t, len(js), formats.MaxMap)
			text, err := Format().Reader.Read(ctx, src, formats.Selector{})
			require.NoError(t, err)
			corpusEdits(t, path, b, src, text.Text)
		})
	}
	t.Logf("%d documents read, %d typed errors", read, typed)
}

func corpusEdits(t *testing.T, path string, orig []byte, src formats.Source, text string) {
	d, err := openDocument(ctx, src)
	require.NoError(t, err)
	parts, err := d.textParts(ctx)
	require.NoError(t, err)
	var names []string
	for _, p := range parts {
		names = append(names, p.name)
	}
	check := func(what string, out []byte, except ...string) {
		t.Helper()
		formatstest.SameParts(t, orig, out, except...)
		formatstest.Validate(t, formatstest.Write(t, what+".docx", out), path)
	}
	out, _, err := apply(t, src, `{"op":"append_paragraph","text":"Ünd <end>","style":"Heading1"}`)
	require.NoError(t, err)
	check("append", out, d.main)
	if words := strings.Fields(text); len(words) > 0 {
		word := words[len(words)/2]
		op, _ := json.Marshal(map[string]string{"op": "replace_text", "search": word, "replace": "Ω" + word})
		out, rep, err := apply(t, src, string(op))
		require.NoError(t, err)
		require.Positive(t, rep.Ops[0].Hits, word)
		check("replace", out, names...)
	}
	segs, err := Format().Segmenter.Segments(ctx, src, formats.SegmentOptions{})
	require.NoError(t, err)
	targets := map[string]string{}
	for _, s := range segs {
		targets[s.ID] = "«" + s.Text + "»"
	}
	var buf bytes.Buffer
	require.NoError(t, Format().Segmenter.Replace(ctx, src, &buf, targets, formats.ReplaceOptions{}))
	translated, err := d.segParts(ctx)
	require.NoError(t, err)
	for _, p := range translated {
		names = append(names, p.name)
	}
	for name := range formatstest.Parts(t, orig) {
		if strings.HasSuffix(name, ".xlsx") || strings.HasPrefix(name, "customXml/item") { // data of charts and controls follow
			names = append(names, name)
		}
	}
	formatstest.SameParts(t, orig, buf.Bytes(), names...) // TR-12 validates translations
	again, err := Format().Segmenter.Segments(ctx, formats.FromBytes("x.docx", buf.Bytes()), formats.SegmentOptions{})
	require.NoError(t, err)
	require.Len(t, again, len(segs))
	for i := range again {
		require.Equal(t, segs[i].ID, again[i].ID)
		require.Equal(t, tags.Plain(targets[again[i].ID]), tags.Plain(again[i].Text))
	}
	buf.Reset()
	same := map[string]string{}
	for _, s := range segs {
		same[s.ID] = s.Text
	}
	require.NoError(t, Format().Segmenter.Replace(ctx, src, &buf, same, formats.ReplaceOptions{}))
	require.True(t, bytes.Equal(orig, buf.Bytes()), "writing back what was read changes nothing")
}

func benchSource(b *testing.B) formats.Source {
	src, err := formats.OpenFile(formatstest.Bench(b, "doc_300p.docx"))
	require.NoError(b, err)
	b.Cleanup(func() { src.Close() })
	b.ReportAllocs()
	return src
}

func BenchmarkMap300p(b *testing.B) {
	src := benchSource(b)
	for b.Loop() {
		_, err := Format().Mapper.Map(ctx, src, formats.MapOptions{})
		require.NoError(b, err)
	}
}

func BenchmarkSection300p(b *testing.B) {
	src := benchSource(b)
	for b.Loop() {
		_, err := Format().Reader.Read(ctx, src, formats.Selector{Section: "3"})
		require.NoError(b, err)
	}
}

func BenchmarkReplace300p(b *testing.B) {
	src := benchSource(b)
	for b.Loop() {
		var out bytes.Buffer
		rep, err := Format().Editor.Apply(ctx, src, &out, []json.RawMessage{json.RawMessage(`{"op":"replace_text","search":"dolor","replace":"DOLOR"}`)}, formats.ApplyOptions{})
		require.NoError(b, err)
		require.Positive(b, rep.Ops[0].Hits)
	}
}

func BenchmarkInsert300p(b *testing.B) {
	src := benchSource(b)
	for b.Loop() {
		var out bytes.Buffer
		_, err := Format().Editor.Apply(ctx, src, &out, []json.RawMessage{json.RawMessage(`{"op":"insert_paragraph","at":"p5","text":"new"}`)}, formats.ApplyOptions{})
		require.NoError(b, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`<w:p xmlns:w="` + nsW + `"><w:r><w:t>x</w:t></w:r></w:p>`))
	f.Add([]byte(`<w:p xmlns:w="` + nsW + `"><w:pPr><w:sectPr/></w:pPr><w:hyperlink w:tooltip='t'><w:r><w:rPr><w:b/></w:rPr><w:t>x</w:t></w:r></w:hyperlink><w:bookmarkStart w:id="1"/></w:p>`))
	f.Add([]byte(`<w:tbl xmlns:w="` + nsW + `"><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		opt := wordOptions("body")
		opt.ID = func(s segment.Series, n int, _ string) string { return fmt.Sprintf("%c%d", s, n) }
		l, err := segment.Scan(ctx, doc, opt)
		if err != nil {
			return
		}
		if p, err := parsePart(ctx, textPart{dialect: paragraph.Word}, doc); err == nil {
			for _, story := range p.stories {
				lines, err := (&view{}).lines(t.Context(), p, story, "")
				require.NoError(t, err)
				_ = fmt.Sprint(sections(lines))
			}
		}
		same, targets := map[string]string{}, map[string]string{}
		var paras []*paragraph.Paragraph
		for _, u := range l.Texts {
			same[u.ID] = u.Tagged()
			if u.Para == nil {
				targets[u.ID] = tags.Escape(u.Plain + "\"<&'\n")
			} else {
				paras = append(paras, u.Para)
			}
		}
		out, err := l.Replace(same)
		require.NoError(t, err)
		require.Equal(t, doc, out.Doc)
		out, err = l.Replace(targets)
		require.NoError(t, err)
		opt = wordOptions("body")
		opt.ID = func(s segment.Series, n int, _ string) string { return fmt.Sprintf("%c%d", s, n) }
		again, err := segment.Scan(ctx, out.Doc, opt)
		require.NoError(t, err)
		require.Len(t, again.Texts, len(l.Texts))
		for _, tag := range []string{"ar", "ja", "es"} {
			out, err := newLocalizer(tag).localize(doc, func(int) bool { return true })
			require.NoError(t, err)
			after, err := paragraph.Parse(out, paragraph.Word)
			require.NoError(t, err)
			require.Len(t, after, len(paras))
			for i, p := range after {
				require.Equal(t, paras[i].Text(), p.Text())
			}
		}
	})
}
