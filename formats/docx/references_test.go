package docx

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/internal/campaign"
)

func TestAddFootnote(t *testing.T) {
	src := made(t, sample)
	out, rep := edited(t, src, `{"op":"add_footnote","search":"a & b","text":"first"}`, `{"op":"add_footnote","at":"p0","text":"second","bold":true}`, `{"op":"add_footnote","at":"p6","type":"endnote","text":"third"}`)
	require.Equal(t, []string{"fn1", "fn2", "en1"}, []string{rep.Ops[0].Made, rep.Ops[1].Made, rep.Ops[2].Made})
	good(t, out)
	text := readWith(t, out, "", "notes")
	for _, want := range []string{"a & b[fn1]\tc", "before[fn2]", "deep[en1]", "first", "second", "third"} {
		require.Contains(t, text, want)
	}
	out, _ = edited(t, out, `{"op":"set_paragraph","at":"fn1.p0","text":"changed"}`)
	require.Contains(t, readWith(t, out, "", "notes"), "changed")
	require.Contains(t, string(formatstest.Parts(t, must(formats.ReadAll(out, 1<<20)))["word/footnotes.xml"]), "<w:footnoteRef/>", "the note keeps its number")
	good(t, out)
	out, _ = edited(t, out, `{"op":"delete_footnote","at":"fn2"}`, `{"op":"delete_footnote","at":"fn1.p0"}`, `{"op":"delete_footnote","at":"en1"}`)
	good(t, out)
	require.Equal(t, mainXML(t, mustRuns(t, src, "p4", "p0", "p6")), mainXML(t, mustRuns(t, out, "p4", "p0", "p6")))
	require.Equal(t, read(t, src, ""), readWith(t, out, "", "notes"))

	tr, _ := edited(t, src, `{"op":"add_footnote","at":"p0","text":"note",`+tracked+`}`)
	require.Contains(t, mainXML(t, tr), "<w:ins ")
	good(t, tr)
	back, _ := edited(t, tr, `{"op":"reject_changes"}`)
	require.NotContains(t, mainXML(t, back), "footnoteReference")
	one, _ := edited(t, src, `{"op":"add_footnote","at":"p0","text":"note"}`)
	tr, _ = edited(t, one, `{"op":"delete_footnote","at":"fn1",`+tracked+`}`)
	good(t, tr)
	back, _ = edited(t, tr, `{"op":"reject_changes"}`)
	require.Equal(t, mainXML(t, one), mainXML(t, back))
	done, _ := edited(t, tr, `{"op":"accept_changes"}`)
	require.NotContains(t, mainXML(t, done), "footnoteReference")

	for in, want := range map[string]string{
		`{"op":"add_footnote","at":"p0"}`:                                 "text is required",
		`{"op":"add_footnote","at":"p0","text":"x","type":"side"}`:        "not footnote or endnote",
		`{"op":"delete_footnote","at":"p0"}`:                              "not the address of a note",
		`{"op":"delete_footnote","at":"fn7"}`:                             "there is no footnote 7",
		`{"op":"add_footnote","search":"nowhere to be found","text":"x"}`: "was not found",
	} {
		_, _, err := applyWith(t, src, options(t), in)
		require.ErrorContains(t, err, want)
	}
}

// mustRuns returns the document with the runs of paragraphs joined, as an
// insertion splits them.
func mustRuns(t testing.TB, src formats.Source, at ...string) formats.Source {
	for _, a := range at {
		text, err := Format().Reader.Read(ctx, src, formats.Selector{Section: a})
		require.NoError(t, err)
		src, _ = edited(t, src, fmt.Sprintf(`{"op":"set_paragraph","at":%q,"runs":[{"text":%q}]}`, a, text.Text))
	}
	return src
}

func TestAddCrossReference(t *testing.T) {
	src := clauses(t)
	out, rep := edited(t, src, `{"op":"add_cross_reference","search":"Clause 3","to":"p9"}`)
	require.Equal(t, []string{`shows "3"`}, rep.Ops[0].Notes)
	require.Contains(t, mainXML(t, out), "REF _Ref3 ", "the bookmark that is there is used")
	require.Contains(t, read(t, out, "p6"), "3 says how it ends")
	require.NotContains(t, read(t, out, "p6"), "Clause 3")
	good(t, out)
	out, rep = edited(t, src, `{"op":"add_cross_reference","at":"p10","to":"p4","show":"text"}`, `{"op":"add_cross_reference","at":"p10","to":"p4","show":"page"}`, `{"op":"add_cross_reference","at":"p10","to":"p4"}`)
	require.Equal(t, "The end.goods?(a)", read(t, out, "p10"))
	require.Contains(t, rep.Ops[1].Notes[1], "not known")
	require.Equal(t, 1, strings.Count(mainXML(t, out), `w:name="_Ref417`), "one bookmark for the three")
	good(t, out)

	tr, _ := edited(t, src, `{"op":"add_cross_reference","search":"Clause 3","to":"p9",`+tracked+`}`)
	good(t, tr)
	back, _ := edited(t, tr, `{"op":"reject_changes"}`)
	require.Equal(t, read(t, src, ""), read(t, back, ""))
	for in, want := range map[string]string{
		`"at":"p0","to":"p99"`:                 "there is no p99",
		`"at":"p10","to":"p6","show":"number"`: "no list number",
		`"at":"p10","to":"p6","show":"x"`:      "number, text or page",
		`"search":"nowhere at all","to":"p9"`:  "was not found",
	} {
		_, _, err := applyWith(t, src, options(t), `{"op":"add_cross_reference",`+in+`}`)
		require.ErrorContains(t, err, want, in)
	}
}

func TestAddTableOfContents(t *testing.T) {
	src := made(t, sample)
	out, rep := edited(t, src, `{"op":"add_table_of_contents","at":"p0","text":"Contents"}`)
	require.Equal(t, 2, rep.Ops[0].Hits)
	require.Equal(t, "the former p1 is now p4, and so on", rep.Ops[0].Moved)
	require.Equal(t, "before\nContents\nTerms\nSub\nThe Title", read(t, out, "p0-p4"))
	require.Contains(t, rep.Ops[0].Notes[0], "without page numbers")
	require.Empty(t, rep.Effects, "it is as the headings are")
	good(t, out)
	styles := string(formatstest.Parts(t, must(formats.ReadAll(out, 1<<20)))["word/styles.xml"])
	require.Contains(t, styles, `<w:name w:val="toc 2"/>`)
	gone, _ := edited(t, out, `{"op":"delete_paragraph","at":"p1","count":3}`)
	require.Equal(t, read(t, src, ""), read(t, gone, ""))
	require.NotContains(t, mainXML(t, gone), "fldChar")

	numbered := clauses(t)
	out, _ = edited(t, numbered, `{"op":"add_table_of_contents","at":"p3","where":"before","level":1}`)
	require.Contains(t, read(t, out, ""), "1.\tScope\n2.\tPayment\n3.\tTerm")
	good(t, out)

	tr, _ := edited(t, src, `{"op":"add_table_of_contents","at":"p0","text":"Contents",`+tracked+`}`)
	good(t, tr)
	back, _ := edited(t, tr, `{"op":"reject_changes"}`)
	require.Equal(t, read(t, src, ""), read(t, back, ""))
	for in, want := range map[string]string{`"at":"p0","level":0`: "1 to 9", `"at":"p99"`: "there is no p99", ``: "at is required"} {
		_, _, err := applyWith(t, src, options(t), strings.Replace(`{"op":"add_table_of_contents",`+in+`}`, ",}", "}", 1))
		require.ErrorContains(t, err, want)
	}
	_, _, err := applyWith(t, sixLines(t), options(t), `{"op":"add_table_of_contents","at":"p0"}`)
	require.ErrorContains(t, err, "no headings")
}

// LibreOffice shows the notes, the references and the table of contents.
func TestReferencesInLibreOffice(t *testing.T) {
	campaign.Slow(t)
	out, _ := edited(t, clauses(t), `{"op":"add_footnote","at":"p10","text":"A note below."}`, `{"op":"add_footnote","at":"p10","type":"endnote","text":"A note at the end."}`, `{"op":"add_cross_reference","at":"p10","to":"p4"}`, `{"op":"add_table_of_contents","at":"p3","where":"before","text":"Contents"}`)
	good(t, out)
	odt := string(must(os.ReadFile(formatstest.LibreOffice(t, formatstest.Write(t, "notes.docx", must(formats.ReadAll(out, 1<<20))), "fodt"))))
	for _, want := range []string{`text:note-class="footnote"`, `text:note-class="endnote"`, "A note below.", "A note at the end.", "text:bookmark-ref", "<text:table-of-content "} {
		require.Contains(t, odt, want)
	}
}

// Over the real documents: a note, a reference and a table of contents leave
// other parts as they were and add no schema error.
func TestCorpusReferences(t *testing.T) {
	done, contents := 0, 0
	for i, path := range formatstest.Sample(t, "docx") {
		b := must(os.ReadFile(path))
		src := formats.FromBytes(filepath.Base(path), b)
		d, err := openDocument(ctx, src)
		if err != nil {
			continue
		}
		p, err := d.body(ctx)
		require.NoError(t, err)
		at := slices.IndexFunc(p.stories[0].kidsOf(paraNode), func(n *node) bool { return strings.TrimSpace(p.paras[n.para].Text()) != "" })
		if at < 0 {
			continue
		}
		ops := []string{
			fmt.Sprintf(`{"op":"add_footnote","at":"p%d","text":"a note"}`, at),
			fmt.Sprintf(`{"op":"add_footnote","at":"p%d","text":"a note","type":"endnote",%s}`, at, tracked),
			fmt.Sprintf(`{"op":"add_cross_reference","at":"p%d","to":"p%d","show":"text"}`, at, at),
		}
		contentsOp := fmt.Sprintf(`{"op":"add_table_of_contents","at":"p%d","where":"before"}`, at)
		if _, _, err := applyWith(t, src, options(t), contentsOp); err == nil {
			ops = append(ops, contentsOp)
			contents++
		} else {
			require.ErrorContains(t, err, "no headings", path)
		}
		out, _, err := applyWith(t, src, options(t), ops...)
		require.NoError(t, err, path)
		except := []string{d.main}
		for name := range formatstest.Parts(t, out) {
			if strings.Contains(name, "notes") || strings.HasSuffix(name, "settings.xml") || strings.HasSuffix(name, "styles.xml") || strings.Contains(name, "_rels") || strings.HasPrefix(name, "[Content") {
				except = append(except, name)
			}
		}
		formatstest.SameParts(t, b, out, except...)
		file := formatstest.Write(t, "references.docx", out)
		formatstest.Validate(t, file, path)
		if i%8 == 0 {
			formatstest.LibreOfficeOpens(t, file)
		}
		done++
	}
	require.Positive(t, done)
	formatstest.Report(t, "docx  notes and references in %d real documents, tables of contents in %d", done, contents)
}
