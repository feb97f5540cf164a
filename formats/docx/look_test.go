package docx

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// contract returns a document whose clauses are numbered, with an italic note
// in the list, as a lawyer writes it.
func contract(t testing.TB) formats.Source {
	t.Helper()
	clause := func(text string) string {
		return `<w:p><w:pPr><w:pStyle w:val="ListParagraph"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr><w:jc w:val="both"/></w:pPr><w:r><w:rPr><w:i/></w:rPr><w:t>` + text + `</w:t></w:r></w:p>`
	}
	return withLists(t, def(1, lvl(0, 1, "lowerLetter", "%1)", ""))+def(2, lvl(0, 1, "decimal", "%1.", ""))+num(1, 1, "")+num(2, 2, ""), "",
		styledPara("Heading1", "Terms")+styledPara("", "It is agreed:")+clause("rent")+clause("deposit")+clause("keys")+styledPara("", "Signed"))
}

func notes(rep formats.Report) string { return strings.Join(rep.Ops[0].Notes, "\n") }

// A paragraph takes style and list where it is told to, or from plain text; the
// answer says which.
func TestInsertedParagraphTakesNoListUnasked(t *testing.T) {
	src := contract(t)
	for _, c := range []struct{ op, address, look, note string }{
		{`"op":"insert_paragraph","at":"p4"`, "p5", "", `style Normal; no list (not as p4 beside it, which is [c) List Paragraph]: like: "p4" takes that)`},
		{`"op":"insert_paragraph","at":"p2","where":"before"`, "p2", "", `style Normal; no list (not as p3 beside it, which is [a) List Paragraph]: like: "p3" takes that)`},
		{`"op":"insert_paragraph","at":"p4","list":"continue"`, "p5", " d) List Paragraph", "style List Paragraph; list of p4, level 0; label d)"},
		{`"op":"insert_paragraph","at":"p2","where":"before","list":"continue"`, "p2", " a) List Paragraph", "style List Paragraph; list of p3, level 0; label a)"},
		{`"op":"insert_paragraph","at":"p1","list":"continue"`, "p2", " a) List Paragraph", "style List Paragraph; list of p3, level 0; label a)"},
		{`"op":"insert_paragraph","at":"p4","list":"continue","style":"Quote"`, "p5", " d) Quote", "style Quote; list of p4, level 0; label d)"},
		{`"op":"insert_paragraph","at":"p5","like":"p3"`, "p6", " d) List Paragraph", "style List Paragraph; list of p3, level 0; formatting of p3; label d)"},
		{`"op":"insert_paragraph","at":"p0","where":"before","like":"p3"`, "p0", " a) List Paragraph", "style List Paragraph; list of p4, level 0; formatting of p4; label a)"},
		{`"op":"insert_paragraph","at":"p5","like":"p3","list":"none"`, "p6", " List Paragraph", "style List Paragraph; no list; formatting of p3"},
		{`"op":"insert_paragraph","at":"p0"`, "p1", "", `style Normal; no list (not as p0 beside it, which is [Heading 1]: like: "p0" takes that)`},
		{`"op":"insert_paragraph","at":"p1"`, "p2", "", "style Normal; no list"},
		{`"op":"insert_paragraph","at":"p4","style":"List Number"`, "p5", " 1. List Number", "style List Number; list of the style, level 0; label 1."},
		{`"op":"insert_paragraph","at":"p4","style":"List Number","list":"none"`, "p5", " List Number", "style List Number; no list"},
		{`"op":"insert_paragraph","at":"p4","style":"Quote"`, "p5", " Quote", "style Quote; no list"},
		{`"op":"append_paragraph"`, "p6", "", "style Normal; no list"},
		{`"op":"append_paragraph","like":"p4"`, "p6", " d) List Paragraph", "style List Paragraph; list of p4, level 0; formatting of p4; label d)"},
	} {
		for _, more := range []string{"", `,"track_changes":true`} {
			out, rep := edited(t, src, `{`+c.op+`,"text":"NEW"`+more+`}`)
			require.Contains(t, "\n"+readWith(t, out, "", "addresses"), "\n["+c.address+c.look+"] NEW", c.op)
			require.Equal(t, c.note, notes(rep), c.op)
			require.Equal(t, c.address, rep.Ops[0].Made, c.op)
			runs := mainXML(t, out)
			runs = runs[:strings.Index(runs, ">NEW<")]
			runs = runs[strings.LastIndex(runs, "<w:r>"):]
			require.Equal(t, strings.Contains(c.op, "like"), strings.Contains(runs, "<w:i/>"), "italics come with like alone: %s", c.op)
			b, err := formats.ReadAll(out, 1<<24)
			require.NoError(t, err)
			formatstest.Validate(t, formatstest.Write(t, "out.docx", b), "")
		}
	}
}

// Several paragraphs continue one list; what differs is said one by one.
func TestSeveralNewParagraphs(t *testing.T) {
	src := contract(t)
	out, rep := edited(t, src, `{"op":"insert_paragraph","at":"p4","list":"continue","paragraphs":[{"text":"one"},{"text":"two","alignment":"center"},{"text":"three"}]}`)
	require.Equal(t, "style List Paragraph; list of p4, level 0; labels d) to f)", notes(rep))
	require.Equal(t, "p5-p7", rep.Ops[0].Made)
	require.Equal(t, 1, strings.Count(mainXML(t, out), `w:val="center"`), "layout of one is not the next one's")
	_, rep = edited(t, src, `{"op":"insert_paragraph","at":"p4","paragraphs":[{"text":"Head","style":"Heading 2"},{"text":"d","list":"continue"},{"text":"n","style":"List Number"},{"text":"n2","list":"continue"},{"text":"l","like":"p3"}]}`)
	require.Equal(t, []string{"p5: style Heading 2; no list", "p6: style List Paragraph; list of p4, level 0; label d)", "p7: style List Number; list of the style, level 0; label 1.",
		"p8: style List Number; list of the paragraph before it, level 0; label 2.", "p9: style List Paragraph; list of p3, level 0; formatting of p3; label e)"}, rep.Ops[0].Notes)
	many := `{"op":"append_paragraph","paragraphs":[{"text":"x","style":"Quote"}` + strings.Repeat(`,{"text":"x"}`, 30) + `]}`
	_, rep = edited(t, src, many)
	require.Len(t, rep.Ops[0].Notes, maxNotes+1)
	require.Equal(t, "25 more paragraphs; read them with addresses", rep.Ops[0].Notes[maxNotes])
}

// set_paragraphs has nothing beside it; like is of the old content.
func TestSetParagraphsTakesLooks(t *testing.T) {
	src := contract(t)
	for _, more := range []string{"", `,"track_changes":true`} {
		_, rep := edited(t, src, `{"op":"set_paragraphs","paragraphs":[{"text":"a","style":"Heading 1"},{"text":"b"}]`+more+`}`)
		require.Empty(t, rep.Ops[0].Notes)
		out, rep := edited(t, src, `{"op":"set_paragraphs","paragraphs":[{"text":"Plain"},{"text":"as before","like":"p3"},{"text":"and on","list":"continue"},{"text":"list","style":"List Number"}]`+more+`}`)
		yes, _ := edited(t, out, `{"op":"accept_changes"}`)
		require.Equal(t, "[p0] Plain\n[p1 a) List Paragraph] as before\n[p2 b) List Paragraph] and on\n[p3 1. List Number] list", readWith(t, yes, "", "addresses"))
		require.Len(t, rep.Ops[0].Notes, 4)
		require.Contains(t, rep.Ops[0].Notes[1], "list of p3, level 0; formatting of p3; label ")
		good(t, out)
	}
	_, _, err := applyWith(t, src, options(t), `{"op":"set_paragraphs","paragraphs":[{"text":"a","list":"continue"}]}`)
	require.ErrorContains(t, err, "no list stands beside it")
}

// Body text is what most text has, not only the default style.
func TestPlainTextBeside(t *testing.T) {
	own := `<w:style w:type="paragraph" w:styleId="Clause"><w:name w:val="Clause"/><w:basedOn w:val="Normal"/></w:style><w:style w:type="paragraph" w:styleId="Warn"><w:name w:val="Warn"/><w:basedOn w:val="Normal"/></w:style>`
	cell := func(text string) string {
		return `<w:tc><w:tcPr><w:tcW w:w="900" w:type="dxa"/></w:tcPr>` + text + `</w:tc>`
	}
	boxed := `<w:p><w:pPr><w:pBdr><w:top w:val="single"/></w:pBdr></w:pPr><w:r><w:t>box</w:t></w:r></w:p>`
	spaced := `<w:p><w:pPr><w:spacing w:after="40"/></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t>bold</w:t></w:r></w:p>`
	src := withLists(t, "", own, styledPara("Clause", "a")+styledPara("Clause", "b")+styledPara("Warn", "c")+boxed+spaced+styledPara("Quote", "q")+
		`<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w="900"/></w:tblGrid><w:tr>`+cell(styledPara("Warn", "w"))+`</w:tr></w:tbl>`+styledPara("", "end")+styledPara("Clause", "d")+styledPara("Clause", "e"))
	for at, want := range map[string]string{
		"p0":          "style Clause and layout of p0; no list",
		"p2":          `style Normal; no list (not as p2 beside it, which is [Warn]: like: "p2" takes that)`,
		"p3":          `style Normal; no list (not as p3 beside it, which is not plain text: like: "p3" takes that)`,
		"p4":          `style Normal and layout of p4; no list (not as p4 beside it, whose text has formatting of its own: like: "p4" takes that)`,
		"p5":          `style Normal; no list (not as p5 beside it, which is [Quote]: like: "p5" takes that)`,
		"t0":          "style Normal; no list",
		"t0.r0.c0.p0": "style Warn and layout of t0.r0.c0.p0; no list",
	} {
		_, rep := edited(t, src, `{"op":"insert_paragraph","at":"`+at+`","text":"NEW"}`)
		require.Equal(t, want, notes(rep), at)
	}
	out, rep := edited(t, src, `{"op":"insert_paragraph","at":"t0","text":"NEW"}`)
	require.Equal(t, "p6", rep.Ops[0].Made, "also beside a table")
	require.Equal(t, "NEW", read(t, out, "p6"))
}

// A header's look comes with text of the header; like may name it from the body.
func TestLikeOverParts(t *testing.T) {
	src := made(t, sample, `{"op":"set_header","text":"top","alignment":"right"}`)
	_, rep := edited(t, src, `{"op":"insert_paragraph","at":"h0.p0","text":"NEW"}`)
	require.Equal(t, "style Header and layout of h0.p0; no list", notes(rep))
	out, rep := edited(t, src, `{"op":"insert_paragraph","at":"p0","text":"NEW","like":"h0.p0"}`)
	require.Equal(t, "style Header; no list; formatting of h0.p0", notes(rep))
	require.Contains(t, mainXML(t, out), `<w:p><w:pPr><w:pStyle w:val="Header"/><w:jc w:val="right"/></w:pPr><w:r><w:t>NEW`)
	require.Equal(t, `<w:rPr><w:b w:val="0"/><w:sz w:val="2"></w:sz></w:rPr>`, carried(`<a:rPr><a:b a:val="0" x:y="1"/><w14:glow w14:rad="3"><w14:c/></w14:glow><a:sz a:val="2"></a:sz></a:rPr>`, "a:", "w:"))
}

func TestBadLooks(t *testing.T) {
	src := contract(t)
	for op, want := range map[string]string{
		`"op":"insert_paragraph","at":"p4","text":"x","list":"yes"`:                       "it is continue or none",
		`"op":"insert_paragraph","at":"p0","where":"before","text":"x","list":"continue"`: "no list stands beside it",
		`"op":"append_paragraph","text":"x","list":"continue"`:                            "no list stands beside it",
		`"op":"append_paragraph","text":"x","like":"p3","style":"Quote"`:                  "give like or style, not both",
		`"op":"append_paragraph","text":"x","like":"p3","list":"continue"`:                "not both",
		`"op":"append_paragraph","text":"x","like":"p99"`:                                 "there is no p99",
		`"op":"format_paragraph","at":"p5","list":"maybe"`:                                "it is continue or none",
		`"op":"format_paragraph","at":"p0","list":"continue"`:                             "no list stands beside p0",
	} {
		b, _, err := applyWith(t, src, options(t), "{"+op+"}")
		require.ErrorContains(t, err, want, op)
		require.Equal(t, formats.CodeInvalid == formats.CodeOf(err), want != "there is no p99", op)
		require.Empty(t, b)
	}
}

// format_paragraph puts paragraphs in the list beside them and takes them out.
func TestFormatParagraphLists(t *testing.T) {
	src := contract(t)
	out, rep := edited(t, src, `{"op":"format_paragraph","at":"p5","list":"continue"}`)
	require.Equal(t, "list of p4, level 0", notes(rep))
	require.Equal(t, "[p5 d)] Signed", readWith(t, out, "p5", "addresses"))
	out, rep = edited(t, out, `{"op":"format_paragraph","at":"p3","count":2,"list":"none",`+tracked+`}`)
	require.Equal(t, "no list", notes(rep))
	require.Contains(t, readWith(t, out, "", "addresses"), "[p3 List Paragraph] deposit\n[p4 List Paragraph] keys\n[p5 b)] Signed")
	good(t, out)
	no, _ := edited(t, out, `{"op":"reject_changes"}`)
	require.Contains(t, readWith(t, no, "", "addresses"), "[p3 b) List Paragraph] deposit\n[p4 c) List Paragraph] keys\n[p5 d)] Signed")
	styled, _ := edited(t, src, `{"op":"format_paragraph","at":"p5","style":"List Number"}`, `{"op":"format_paragraph","at":"p5","list":"none"}`)
	require.Contains(t, mainXML(t, styled), `<w:pStyle w:val="ListNumber"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="0"/></w:numPr>`)
}

// In every real document, at several places and in each way of taking a look:
// an insertion that is deleted again leaves the document as it was, byte for
// byte, and what it says of the list is what a read shows.
func TestCorpusInsertedParagraphs(t *testing.T) {
	counts := map[string]int{}
	for i, path := range formatstest.Sample(t, "docx") {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		src := formats.FromBytes(filepath.Base(path), b)
		if _, err := openDocument(ctx, src); err != nil {
			counts["refused"]++
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			places, cell := everyPlace(t, src)
			if cell != "" {
				places = append(places, cell+".p0")
			}
			all := src
			for _, at := range append(places, listedPlaces(t, src)...) {
				for _, how := range []map[string]any{{}, {"list": "none"}, {"list": "continue"}, {"like": at}, {"style": "List Bullet"}} {
					op := map[string]any{"op": "insert_paragraph", "at": at, "text": "INSERTED"}
					for k, v := range how {
						op[k] = v
					}
					raw, err := json.Marshal(op)
					require.NoError(t, err)
					out, rep, err := applyWith(t, src, options(t), string(raw))
					if err != nil {
						require.ErrorContains(t, err, "no list stands beside it", "%s", raw)
						counts["no list"]++
						continue
					}
					requireInsertion(t, src, b, out, rep, at)
					counts["inserted"]++
					if next, _, err := applyWith(t, all, options(t), string(raw)); err == nil {
						all = formats.FromBytes("all.docx", next)
					}
				}
			}
			if i%9 == 0 && !testing.Short() {
				b, err := formats.ReadAll(all, 1<<28)
				require.NoError(t, err)
				produced := formatstest.Write(t, "all.docx", b)
				formatstest.Validate(t, produced, path)
				formatstest.LibreOfficeOpens(t, produced)
			}
		})
	}
	formatstest.Report(t, "docx  paragraphs inserted and deleted again: %v", counts)
}

// requireInsertion holds if an insertion is where and what its report says, and
// goes without a trace.
func requireInsertion(t *testing.T, src formats.Source, before, after []byte, rep formats.Report, at string) {
	t.Helper()
	out := formats.FromBytes("out.docx", after)
	d, err := openDocument(ctx, out)
	require.NoError(t, err)
	pl, err := d.resolve(ctx, rep.Ops[0].Made)
	require.NoError(t, err)
	require.Equal(t, "INSERTED", pl.text(pl.node))
	formatstest.SameParts(t, before, after, pl.name)
	labels, err := d.listLabels(ctx)
	require.NoError(t, err)
	look, note := d.looks(labels)(line{part: pl.part, node: pl.node}), notes(rep)
	if _, label, ok := strings.Cut(note, "; label "); ok {
		require.True(t, strings.HasPrefix(look, label), "%s: %s", look, note)
		require.NotContains(t, note, "no list")
	}
	nb, err := d.numbering(ctx)
	require.NoError(t, err)
	_, listed := nb.listOf(d.styles, pl.style, pl.list)
	require.Equal(t, listed, strings.Contains(note, "; list of "), note)
	b, _, err := applyWith(t, out, options(t), `{"op":"delete_paragraph","at":"`+rep.Ops[0].Made+`"}`)
	require.NoError(t, err)
	formatstest.SameParts(t, before, b)
}

// listedPlaces returns the first and last items of lists in the body.
func listedPlaces(t testing.TB, src formats.Source) []string {
	t.Helper()
	d, err := openDocument(ctx, src)
	require.NoError(t, err)
	p, err := d.body(ctx)
	require.NoError(t, err)
	nb, err := d.numbering(ctx)
	require.NoError(t, err)
	all := p.addresses(p.stories[0], "")
	var out []string
	for _, n := range p.stories[0].kidsOf(paraNode) {
		if _, ok := nb.listOf(d.styles, n.style, n.list); ok {
			out = append(out, all[n])
		}
	}
	if len(out) > 2 {
		out = []string{out[0], out[len(out)-1]}
	}
	return out
}
