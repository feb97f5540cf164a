package docx

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/internal/campaign"
)

// optionsWith are those of operations that can also open other.docx.
func optionsWith(t testing.TB, other formats.Source) formats.ApplyOptions {
	opt := options(t)
	open := opt.Open
	opt.Open = func(ctx context.Context, path string) (formats.SourceCloser, error) {
		if path == "other.docx" {
			return closer{other}, nil
		}
		return open(ctx, path)
	}
	return opt
}

func inserted(t testing.TB, src, other formats.Source, ops ...string) (formats.Source, formats.Report) {
	t.Helper()
	b, rep, err := applyWith(t, src, optionsWith(t, other), ops...)
	require.NoError(t, err)
	return formats.FromBytes("in.docx", b), rep
}

// otherDocument has lists, a picture, notes, a link, a bookmark with a reference,
// a table and a style of its own.
func otherDocument(t testing.TB) formats.Source {
	src, _ := edited(t, factStyles(t), `{"op":"set_paragraphs","paragraphs":[{"text":"Annex","style":"Heading 1"},{"text":"one"},{"text":"two"},{"text":"House text","style":"House"},{"text":"Second","style":"Heading 1"},{"text":"last"}]}`,
		`{"op":"set_list","at":"p1","count":2,"format":"upper_roman"}`, `{"op":"add_image","path":"a.png","alt":"logo","at":"p2"}`, `{"op":"add_footnote","at":"p1","text":"Their note."}`,
		`{"op":"add_hyperlink","search":"House","url":"https://example.com/house"}`, `{"op":"add_cross_reference","at":"p6","to":"p0","show":"text"}`, `{"op":"add_table","at":"p4","rows":[["a","b"]]}`, `{"op":"add_comment","at":"p0","text":"left behind"}`)
	return src
}

func TestInsertDocument(t *testing.T) {
	src, _ := edited(t, made(t, sample), `{"op":"add_footnote","at":"p0","text":"Our note."}`, `{"op":"set_list","at":"p4","format":"decimal"}`, `{"op":"add_cross_reference","at":"p0","to":"p3","show":"text"}`)
	out, rep := inserted(t, src, otherDocument(t), `{"op":"insert_document","path":"other.docx","page_break_before":true}`)
	good(t, out)
	text := readWith(t, out, "", "notes")
	for _, want := range []string{"Annex\none[fn2]\ntwo\n", "House text\na\tb\nSecond\nlastAnnex", "Our note.", "Their note."} {
		require.Contains(t, text, want)
	}
	labels := labelledLines(t, out)
	require.Contains(t, labels, "I. one")
	require.Contains(t, labels, "II. two")
	require.Equal(t, []string{"not brought along: 1 comment"}, rep.Ops[0].Warnings)
	require.Equal(t, []string{"brought along: 1 style, 1 list, 1 note, 1 part (pictures, charts and what belongs to them)", "1 bookmark has another name here, since it was taken"}, rep.Ops[0].Notes)
	xml := mainXML(t, out)
	require.Contains(t, xml, `<w:pStyle w:val="House"/>`)
	require.Equal(t, 2, strings.Count(xml, "_2"), "the reference names the bookmark as it is here")
	parts := formatstest.Parts(t, must(formats.ReadAll(out, 1<<22)))
	require.NotEmpty(t, parts["word/media/image1.png"])
	require.Contains(t, string(parts["word/_rels/document.xml.rels"]), "https://example.com/house")

	out, rep = inserted(t, src, otherDocument(t), `{"op":"insert_document","path":"other.docx","section":"second","at":"p0"}`)
	require.Equal(t, "p1", rep.Ops[0].Made)
	require.Equal(t, 2, rep.Ops[0].Hits)
	require.True(t, strings.HasPrefix(read(t, out, ""), "beforeTerms\nSecond\nlastAnnex\nThe Title"), read(t, out, ""))
	good(t, out)
}

// A style with the same name and another look is said; numbers of headings of
// both documents stay apart.
func TestInsertDocumentConflicts(t *testing.T) {
	other := changedParts(t, made(t, sample), swap(t, "word/styles.xml", `<w:color w:val="1F3864"/><w:sz w:val="32"/>`, `<w:color w:val="FF0000"/><w:sz w:val="40"/>`))
	out, rep := inserted(t, made(t, sample), other, `{"op":"insert_document","path":"other.docx"}`)
	require.Equal(t, []string{"styles that look different in the two documents; the inserted text has the look they have here: Heading 1"}, rep.Ops[0].Warnings)
	require.NotContains(t, string(formatstest.Parts(t, must(formats.ReadAll(out, 1<<22)))["word/styles.xml"]), "FF0000")
	out, rep = inserted(t, sixLines(t), clauses(t), `{"op":"insert_document","path":"other.docx","at":"p1","where":"before"}`)
	good(t, out)
	require.Len(t, rep.Ops[0].Warnings, 1, "the styles of the clauses are others")
	require.Contains(t, labelledLines(t, out), "2. Payment", "its headings keep the numbers that their style brought")
	for in, want := range map[string]string{
		`{"op":"insert_document"}`:                                         "path is required",
		`{"op":"insert_document","path":"none.docx"}`:                      "file not found",
		`{"op":"insert_document","path":"other.docx","section":"No such"}`: "section not found",
		`{"op":"insert_document","path":"other.docx","at":"p99"}`:          "there is no p99",
	} {
		_, _, err := applyWith(t, sixLines(t), optionsWith(t, clauses(t)), in)
		require.ErrorContains(t, err, want)
	}
}

// Each real document into another of ours and into the next real one: its text,
// labels and pictures are there, no schema error comes that neither had.
func TestCorpusInsertDocument(t *testing.T) {
	done, refused, agree := 0, 0, 0
	host := made(t, sample)
	for i, path := range formatstest.Sample(t, "docx") {
		b := must(os.ReadFile(path))
		src := formats.FromBytes(filepath.Base(path), b)
		if _, err := openDocument(ctx, src); err != nil {
			continue
		}
		for k, to := range []formats.Source{host, src} {
			got, _, err := applyWith(t, to, optionsWith(t, src), `{"op":"insert_document","path":"other.docx"}`)
			if err != nil {
				require.Contains(t, []formats.Code{formats.CodeUnsupported, formats.CodeInvalid}, formats.CodeOf(err), "%s: %v", path, err)
				t.Logf("%s: %v", filepath.Base(path), err)
				refused++
				continue
			}
			out := formats.FromBytes("in.docx", got)
			require.Equal(t, strings.Fields(read(t, to, "")+"\n"+read(t, src, "")), strings.Fields(read(t, out, "")), path)
			if k == 0 {
				theirs, all := labelledLines(t, src), labelledLines(t, out)
				require.Equal(t, strings.Join(theirs, "\n"), strings.Join(all[len(all)-len(theirs):], "\n"), "%s: the labels of the inserted text", path)
			}
			file := formatstest.Write(t, "in.docx", got)
			formatstest.Validate(t, file, path)
			if i%6 == 0 && campaign.Of(0, 1) == 1 {
				formatstest.LibreOfficeOpens(t, file)
				agree += labelsAgree(t, out, path)
			}
			done++
		}
	}
	require.Positive(t, done)
	formatstest.Report(t, "docx  %d real documents inserted, %d refused; %d labels as LibreOffice prints them", done, refused, agree)
}

// Thousands of notes come along in a time that grows with their number.
func TestInsertDocumentManyNotes(t *testing.T) {
	const notes = 3000
	var body, parts strings.Builder
	for i := range notes {
		fmt.Fprintf(&body, `<w:p><w:r><w:t>text %d</w:t></w:r><w:r><w:footnoteReference w:id="%d"/></w:r></w:p>`, i, i+1)
		fmt.Fprintf(&parts, `<w:footnote w:id="%d"><w:p><w:r><w:t>note %d</w:t></w:r></w:p></w:footnote>`, i+1, i)
	}
	other, _ := edited(t, withBody(t, wp(wr("x"))), `{"op":"add_footnote","at":"p0","text":"n"}`)
	e, err := begin(ctx, other)
	require.NoError(t, err)
	name, doc, err := e.related(ctx, "footnotes")
	require.NoError(t, err)
	i := bytes.Index(doc, []byte(`<w:footnote w:id="1">`))
	e.ed.Set(name, slices.Concat(doc[:i], []byte(parts.String()+"</w:footnotes>")))
	e.ed.Set(e.main, []byte(strings.Replace(string(must(e.ed.ReadXML(ctx, e.main))), mainXML(t, other)[strings.Index(mainXML(t, other), "<w:body>"):], "<w:body>"+body.String()+"<w:sectPr/></w:body></w:document>", 1)))
	var many bytes.Buffer
	require.NoError(t, e.ed.Write(ctx, &many))
	opt := options(t)
	opt.Open = func(context.Context, string) (formats.SourceCloser, error) {
		return closer{formats.FromBytes("many.docx", many.Bytes())}, nil
	}
	start := time.Now()
	out, rep, err := applyWith(t, sixLines(t), opt, `{"op":"insert_document","path":"many.docx","at":"p2"}`)
	require.NoError(t, err)
	require.Less(t, time.Since(start), 20*time.Second)
	require.Contains(t, rep.Ops[0].Notes, "brought along: 3000 notes")
	text := readWith(t, formats.FromBytes("o.docx", out), "", formats.IncludeNotes)
	require.Contains(t, text, "[fn3000] footnote:\nnote 2999")
}
