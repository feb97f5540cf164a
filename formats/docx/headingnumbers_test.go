package docx

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/internal/campaign"
)

// chapters is a document with headings of three levels.
func chapters(t testing.TB) formats.Source {
	return withBody(t, styledPara("Heading1", "Alpha")+styledPara("Heading2", "Beta")+styledPara("Heading3", "Gamma")+wp(wr("text"))+styledPara("Heading2", "Delta")+styledPara("Heading1", "Epsilon")+styledPara("Heading2", "Zeta"))
}

func TestNumberHeadings(t *testing.T) {
	src := chapters(t)
	for in, want := range map[string]string{
		`"format":"decimal"`:                 "1 Alpha|1.1 Beta|1.1.1 Gamma|text|1.2 Delta|2 Epsilon|2.1 Zeta",
		`"format":"legal"`:                   "1. Alpha|1.1. Beta|1.1.1. Gamma|text|1.2. Delta|2. Epsilon|2.1. Zeta",
		`"format":"article"`:                 "Article I Alpha|Section 1.1 Beta|(a) Gamma|text|Section 1.2 Delta|Article II Epsilon|Section 2.1 Zeta",
		`"format":"section","start_at":5`:    "§ 5 Alpha|§ 5.1 Beta|§ 5.1.1 Gamma|text|§ 5.2 Delta|§ 6 Epsilon|§ 6.1 Zeta",
		`"format":"roman","level":2`:         "I. Alpha|A. Beta|Gamma|text|B. Delta|II. Epsilon|A. Zeta",
		`"labels":["Part %1","","%1-%2-%3"]`: "Part 1 Alpha|1.1 Beta|1-1-1 Gamma|text|1.2 Delta|Part 2 Epsilon|2.1 Zeta",
	} {
		out, rep := edited(t, src, `{"op":"number_headings",`+in+`}`)
		require.Equal(t, want, strings.Join(labelledLines(t, out), "|"), in)
		require.Contains(t, rep.Ops[0].Notes[len(rep.Ops[0].Notes)-1], "Alpha")
		require.Equal(t, mainXML(t, src), mainXML(t, out), "only styles and lists change")
		good(t, out)
		// Another form takes its place; none gives the styles that were.
		again, _ := edited(t, out, `{"op":"number_headings","format":"decimal"}`)
		require.Equal(t, "1 Alpha", labelledLines(t, again)[0])
		require.Equal(t, 1, strings.Count(partXML(t, again, "word/numbering.xml"), `<w:pStyle w:val="Heading1"/>`), "one list has the style")
		good(t, again)
		none, _ := edited(t, again, `{"op":"number_headings","format":"none"}`)
		require.Equal(t, labelledLines(t, src), labelledLines(t, none))
		require.Equal(t, partXML(t, src, stylesPart), partXML(t, none, stylesPart))
		require.NotEmpty(t, told(diff(t, src, out)))
		if campaign.Of(0, 1) == 1 && !strings.Contains(in, "article") { // LibreOffice does not know isLgl (17.9.4)
			labelsAgree(t, out, in)
		}
	}
}

// Headings with numbers of their own or in their text are named.
func TestNumberHeadingsTold(t *testing.T) {
	src, _ := edited(t, withBody(t, styledPara("Heading1", "1. Alpha")+styledPara("Heading1", "Beta")), `{"op":"set_list","at":"p1","format":"decimal"}`)
	_, rep := edited(t, src, `{"op":"number_headings","format":"decimal"}`)
	require.Contains(t, rep.Ops[0].Warnings, "1 heading is in a list of their own (p1), which stays; set_list with format none takes them out")
	require.Contains(t, rep.Ops[0].Warnings, "1 heading has a number in the text too (p0); set_paragraph takes it out")
	_, rep = edited(t, chapters(t), `{"op":"number_headings","format":"none"}`)
	require.Equal(t, []string{"no heading style was numbered", "no heading has a number"}, rep.Ops[0].Notes)
	require.True(t, rep.Ops[0].Unchanged)
	lines := told(diff(t, chapters(t), first(edited(t, chapters(t), `{"op":"number_headings","format":"decimal"}`))))
	require.Contains(t, strings.Join(lines, "\n"), "style changed | style “heading 2” (3 paragraphs):  → list “1.1”, level 2")
}

func TestNumberHeadingsFaults(t *testing.T) {
	checkBadEdits(t, chapters(t), []badEdit{
		{`"op":"number_headings"`, formats.CodeInvalid, "is not one of decimal"},
		{`"op":"number_headings","format":"x"`, formats.CodeInvalid, "is not one of decimal"},
		{`"op":"number_headings","format":"decimal","level":10`, formats.CodeInvalid, "1 to 9"},
		{`"op":"number_headings","format":"none","start_at":2`, formats.CodeInvalid, "takes no labels"},
		{`"op":"number_headings","format":"decimal","start_at":-1`, formats.CodeInvalid, "0 to 32767"},
		{`"op":"number_headings","labels":["x"]`, formats.CodeInvalid, "must have %1"},
		{`"op":"number_headings","labels":["%1 %2"]`, formats.CodeInvalid, "may have %1 to %1"},
	})
}

// Over the real documents: other parts keep their bytes, no schema error comes,
// and LibreOffice prints the same labels.
func TestCorpusNumberHeadings(t *testing.T) {
	done, agree := 0, 0
	for i, path := range formatstest.Sample(t, "docx") {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		src := formats.FromBytes(filepath.Base(path), b)
		d, err := openDocument(ctx, src)
		if err != nil {
			continue
		}
		out, _, err := applyWith(t, src, options(t), `{"op":"number_headings","format":"article"}`, `{"op":"number_headings","format":"decimal"}`)
		if err != nil {
			require.NotEmpty(t, formats.CodeOf(err), path)
			continue
		}
		styles, _, err := d.related(ctx, "styles")
		require.NoError(t, err)
		name, _, err := d.related(ctx, "numbering")
		require.NoError(t, err)
		except := []string{styles, name}
		if name == "" {
			except = append(except, "word/numbering.xml", "[Content_Types].xml", "word/_rels/document.xml.rels")
		}
		formatstest.SameParts(t, b, out, except...)
		formatstest.Validate(t, formatstest.Write(t, "headings.docx", out), path)
		done++
		if i%6 == 0 && campaign.Of(0, 1) == 1 {
			agree += labelsAgree(t, formats.FromBytes("l.docx", out), path)
		}
	}
	formatstest.Report(t, "docx  number_headings on %d real documents; %d labels as LibreOffice prints them", done, agree)
}
