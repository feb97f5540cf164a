package docx

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// factCase is a body before and after a change, with what a review says of it.
type factCase struct {
	name          string
	before, after string
	want          []string
}

// checkFacts compares the two bodies: the review says what it should, says as
// much of the way back, and says nothing of a body and itself.
func checkFacts(t *testing.T, cases []factCase) {
	t.Helper()
	for _, c := range cases {
		a, b := withBody(t, c.before), withBody(t, c.after)
		d := diff(t, a, b)
		assert.Equal(t, c.want, told(d), c.name)
		assert.Len(t, told(diff(t, b, a)), len(c.want), "%s, the other way round", c.name)
		require.Empty(t, told(diff(t, b, b)), c.name)
		for _, f := range d.Facts {
			assert.NotEqual(t, formats.FactPart, f.Kind, "%s: every element here has words", c.name)
		}
	}
}

// Text that changed, came or went, in each kind of place.
func TestFactsOfText(t *testing.T) {
	checkFacts(t, []factCase{
		{name: "a word", before: wp(wr("one two")), after: wp(wr("one 2")), want: []string{
			"body | p0 modified: one two → one 2",
		}},
		{name: "split over runs only", before: wp(wr("one two")), after: wp(wr("one "), wr("two"))},
		{name: "a paragraph between", before: wp(wr("one")) + wp(wr("two")), after: wp(wr("one")) + wp(wr("new")) + wp(wr("two")), want: []string{
			"body | p1 added:  → new",
		}},
		{name: "a paragraph moved", before: wp(wr("one")) + wp(wr("two")) + wp(wr("three")), after: wp(wr("three")) + wp(wr("one")) + wp(wr("two")), want: []string{
			"body | p0 added:  → three",
			"body | p2 removed: three → ",
		}},
		{name: "a tab for a blank", before: wp(wr("one two")), after: wp(wrx("", "<w:t>one</w:t><w:tab/><w:t>two</w:t>")), want: []string{
			"body | p0 modified: one two → one\ttwo",
		}},
		{name: "in a cell", before: wtbl(2, wtr(wtc(wp(wr("a"))), wtc(wp(wr("b"))))) + wp(), after: wtbl(2, wtr(wtc(wp(wr("a"))), wtc(wp(wr("c"))))) + wp(), want: []string{
			"body | t0.r0.c1 modified: b → c",
		}},
		{name: "in a table in a cell", before: wtbl(1, wtr(wtc(wtbl(1, wtr(wtc(wp(wr("a"))))), wp()))) + wp(), after: wtbl(1, wtr(wtc(wtbl(1, wtr(wtc(wp(wr("b"))))), wp()))) + wp(), want: []string{
			"body | t0.r0.c0 modified: a → b",
		}},
		{name: "a row", before: wtbl(1, wtr(wtc(wp(wr("a")))), wtr(wtc(wp(wr("b"))))) + wp(), after: wtbl(1, wtr(wtc(wp(wr("a"))))) + wp(), want: []string{
			"body | t0.r1 removed: b → ",
		}},
		{name: "a soft hyphen", before: wp(wr("software")), after: wp(wrx("", "<w:t>soft</w:t><w:softHyphen/><w:t>ware</w:t>")), want: []string{
			"body | p0 modified: software → soft\u00adware",
		}},
		{name: "two paragraphs joined", before: wp(wr("one")) + wp(wr("two")), after: wp(wr("one"), wr("two")), want: []string{
			"body | p0 modified: one → onetwo",
			"body | p1 removed: two → ",
		}},
	})
}

// Formatting that changed while the text stayed.
func TestFactsOfFormatting(t *testing.T) {
	checkFacts(t, []factCase{
		{name: "bold on a word", before: wp(wr("one two three")), after: wp(wr("one "), wrp(bold, "two"), wr(" three")), want: []string{
			"body | p0 formatting:  → one two three [bold added: “two”]",
		}},
		{name: "bold on everything", before: wp(wr("one two")), after: wp(wrp(bold, "one two")), want: []string{
			"body | p0 formatting:  → one two [bold added]",
		}},
		{name: "a colour and a size", before: wp(wr("one")), after: wp(wrp(`<w:color w:val="FF0000"/><w:sz w:val="40"/>`, "one")), want: []string{
			"body | p0 formatting:  → one [font colour → red; font size → 20 pt]",
		}},
		{name: "alignment", before: wp(wr("one")), after: wp(wppr(`<w:jc w:val="center"/>`), wr("one")), want: []string{
			"body | p0 formatting:  → one [alignment → centred]",
		}},
		{name: "a style", before: wp(wr("one")), after: styledPara("Heading1", "one"), want: []string{
			"body | p0 formatting:  → one [style → “heading 1”]",
		}},
		{name: "a list", before: wp(wr("one")), after: styledPara("ListBullet", "one"), want: []string{
			"body | p0 formatting:  → one [style → “List Bullet”]",
		}},
		{name: "the language only", before: wp(wrp(`<w:lang w:val="en-GB"/>`, "one")), after: wp(wrp(`<w:lang w:val="de-DE"/>`, "one")), want: []string{
			"body | p0 formatting:  → one [language en-GB → de-DE]",
		}},
		{name: "numbers of saving only", before: wp(wr("one")), after: `<w:p w:rsidR="00AA00AA"><w:r w:rsidRPr="00BB00BB"><w:t>one</w:t></w:r></w:p>`},
		{name: "marks of spelling only", before: wp(wr("one")), after: wp(`<w:proofErr w:type="spellStart"/>`, wr("one"), `<w:proofErr w:type="spellEnd"/>`)},
		{name: "where a page broke only", before: wp(wr("one")), after: wp(wrx("", `<w:lastRenderedPageBreak/><w:t>one</w:t>`))},
		{name: "text and formatting", before: wp(wr("one two")), after: wp(wr("one "), wrp(bold, "2")), want: []string{
			"body | p0 modified: one two → one 2 [bold added: “2”]",
		}},
		{name: "the same in many paragraphs", before: wp(wr("a")) + wp(wr("b")) + wp(wr("c")) + wp(wr("d")), after: wp(wrp(bold, "a")) + wp(wrp(bold, "b")) + wp(wrp(bold, "c")) + wp(wrp(bold, "d")), want: []string{
			"format changed | p0–p3:  → bold",
		}},
		{name: "the shading of a cell", before: wtbl(1, wtr(wtc(wp(wr("a"))))) + wp(), after: wtbl(1, wtr(wtcp(`<w:shd w:val="clear" w:fill="00FF00"/>`, wp(wr("a"))))) + wp(), want: []string{
			"table changed | t0.r0.c0:  → shading green",
		}},
		{name: "the height of a row", before: wtbl(1, wtr(wtc(wp(wr("a"))))) + wp(), after: wtbl(1, wtrp(`<w:trHeight w:val="567"/>`, wtc(wp(wr("a"))))) + wp(), want: []string{
			"table changed | t0.r0:  → row height 1 cm",
		}},
		{name: "the columns of a table", before: wtblw(2, 567, wtr(wtc(wp(wr("a"))), wtc(wp(wr("b"))))) + wp(), after: wtblw(2, 1134, wtr(wtc(wp(wr("a"))), wtc(wp(wr("b"))))) + wp(), want: []string{
			"table changed | t0: column widths 1 cm, 1 cm → column widths 2 cm, 2 cm",
		}},
	})
}

// Things in the text that are no characters.
func TestFactsOfThings(t *testing.T) {
	link := func(anchor, text string) string {
		return `<w:hyperlink w:anchor="` + anchor + `">` + wr(text) + `</w:hyperlink>`
	}
	checkFacts(t, []factCase{
		{name: "a page break", before: wp(wr("one")), after: wp(wr("one"), wrx("", `<w:br w:type="page"/>`)), want: []string{
			"break added | p0:  → page break",
		}},
		{name: "a column break", before: wp(wr("one")), after: wp(wr("one"), wrx("", `<w:br w:type="column"/>`)), want: []string{
			"break added | p0:  → column break",
		}},
		{name: "a bookmark", before: wp(wr("one")), after: wp(`<w:bookmarkStart w:id="1" w:name="here"/>`, wr("one"), `<w:bookmarkEnd w:id="1"/>`), want: []string{
			"bookmark added | p0:  → “here”",
		}},
		{name: "a bookmark of the program only", before: wp(wr("one")), after: wp(`<w:bookmarkStart w:id="1" w:name="_GoBack"/>`, wr("one"), `<w:bookmarkEnd w:id="1"/>`)},
		{name: "a link", before: wp(wr("one")), after: wp(link("there", "one")), want: []string{
			"link added | p0:  → “one” → #there",
		}},
		{name: "the target of a link", before: wp(link("there", "one")), after: wp(link("here", "one")), want: []string{
			"link changed | p0: “one” → #there → “one” → #here",
		}},
		{name: "a field", before: wp(wr("one 7")), after: wp(wr("one "), wfield("PAGE", "7")), want: []string{
			"field added | p0:  → field PAGE",
		}},
		{name: "the code of a field", before: wp(wfield("REF a", "7")), after: wp(wfield("REF b", "7")), want: []string{
			"field changed | p0: field REF a → field REF b",
		}},
		{name: "a field that reaches out", before: wp(wr("7")), after: wp(wfield(`INCLUDETEXT "http://x.example/a"`, "7")), want: []string{
			"field added | p0:  → field INCLUDETEXT \"http://x.example/a\" ⚠ p0: new field that reaches out: INCLUDETEXT \"http://x.example/a\"",
		}},
		{name: "a symbol", before: wp(wr("one")), after: wp(wr("one"), wrx("", `<w:sym w:font="Wingdings" w:char="F04A"/>`)), want: []string{
			"symbol added | p0:  → symbol F04A of Wingdings",
		}},
		{name: "a control", before: wp(wr("one")), after: wp(`<w:sdt><w:sdtPr><w:tag w:val="name"/></w:sdtPr><w:sdtContent>`, wr("one"), `</w:sdtContent></w:sdt>`), want: []string{
			"control added | p0:  → content control: tag name",
		}},
		{name: "a lock on a control", before: wp(`<w:sdt><w:sdtPr><w:tag w:val="name"/></w:sdtPr><w:sdtContent>`, wr("one"), `</w:sdtContent></w:sdt>`), after: wp(`<w:sdt><w:sdtPr><w:tag w:val="name"/><w:lock w:val="contentLocked"/></w:sdtPr><w:sdtContent>`, wr("one"), `</w:sdtContent></w:sdt>`), want: []string{
			"control changed | p0: content control: tag name → content control: lock content locked, tag name",
		}},
		{name: "a section", before: wp(wr("one")) + wp(wr("two")), after: wp(wppr(`<w:sectPr><w:cols w:num="2"/></w:sectPr>`), wr("one")) + wp(wr("two")), want: []string{
			"section added | section 1, up to p0:  → section: columns 2",
		}},
		{name: "an empty paragraph", before: wp(wr("one")) + wp(wr("two")), after: wp(wr("one")) + wp() + wp(wr("two")), want: []string{
			"paragraphs added | p1:  → 1 empty paragraph",
		}},
		{name: "a table of nothing", before: wp(wr("one")) + wp(), after: wp(wr("one")) + wtbl(2, wtr(wtc(wp()), wtc(wp()))) + wp(), want: []string{
			"body | t0.r0 added:  → \t [an empty row]",
			"table added | t0:  → table of 1 row and 2 columns, column widths 1.76 cm, 1.76 cm",
		}},
		{name: "cells merged", before: wtbl(2, wtr(wtc(wp(wr("a"))), wtc(wp())), wtr(wtc(wp(wr("c"))), wtc(wp(wr("d"))))) + wp(), after: wtbl(2, wtr(wtcp(`<w:gridSpan w:val="2"/>`, wp(wr("a")))), wtr(wtc(wp(wr("c"))), wtc(wp(wr("d"))))) + wp(), want: []string{
			"body | t0.r0 modified: a\t → a",
			"merge added | t0.r0.c0:  → merged over columns: 2",
		}},
	})
}

// Text that a reader cannot see, and tracked changes.
func TestFactsOfHiddenAndTracked(t *testing.T) {
	moved := func(name, text string) string { return "<w:" + name + personA + ">" + wr(text) + "</w:" + name + ">" }
	checkFacts(t, []factCase{
		{name: "hidden", before: wp(wr("one two")), after: wp(wr("one "), wrp(`<w:vanish/>`, "two")), want: []string{
			"body | p0 formatting:  → one two [hidden text added: “two”]",
			"hidden_text added | p0:  → text formatted as hidden: “two” ⚠ p0: text that cannot be seen, formatted as hidden: “two”",
		}},
		{name: "white on white", before: wp(wr("one two")), after: wp(wr("one "), wrp(`<w:color w:val="FFFFFF"/>`, "two")), want: []string{
			"body | p0 formatting:  → one two [font colour → white: “two”]",
			"hidden_text added | p0:  → text white on white: “two” ⚠ p0: text that cannot be seen, white on white: “two”",
		}},
		{name: "white on black is seen", before: wp(wr("one")), after: wp(wrp(`<w:color w:val="FFFFFF"/><w:shd w:val="clear" w:fill="000000"/>`, "one")), want: []string{
			"body | p0 formatting:  → one [font colour → white; text shading → black]",
		}},
		{name: "in a colour as its shade", before: wp(wr("one")), after: wp(wppr(`<w:shd w:val="clear" w:fill="FF0000"/>`), wrp(`<w:color w:val="FF0000"/>`, "one")), want: []string{
			"body | p0 formatting:  → one [shading → red; font colour → red]",
			"hidden_text added | p0:  → text of the colour of its background: “one” ⚠ p0: text that cannot be seen, of the colour of its background: “one”",
		}},
		{name: "of half a point", before: wp(wr("one")), after: wp(wrp(`<w:sz w:val="1"/>`, "one")), want: []string{
			"body | p0 formatting:  → one [font size → 0.5 pt]",
			"hidden_text added | p0:  → text of 0.5 pt: “one” ⚠ p0: text that cannot be seen, of 0.5 pt: “one”",
		}},
		{name: "an insertion", before: wp(wr("one")), after: wp(wr("one"), insA(wr(" two"))), want: []string{
			"body | p0 modified: one → one two",
			"tracked_change added | p0:  → tracked insertion by A: “ two”",
		}},
		{name: "an insertion accepted", before: wp(wr("one"), insA(wr(" two"))), after: wp(wr("one"), wr(" two")), want: []string{
			"tracked_change removed | p0: tracked insertion by A: “ two” → accepted ⚠ tracked changes by A were accepted",
		}},
		{name: "an insertion rejected", before: wp(wr("one"), insA(wr(" two"))), after: wp(wr("one")), want: []string{
			"body | p0 modified: one two → one",
			"tracked_change removed | p0: tracked insertion by A: “ two” → rejected ⚠ tracked changes by A were rejected",
		}},
		{name: "a deletion", before: wp(wr("one two")), after: wp(wr("one "), delA("two")), want: []string{
			"body | p0 modified: one two → one ",
			"tracked_change added | p0:  → tracked deletion by A: “two”",
		}},
		{name: "a deletion accepted", before: wp(wr("one "), delA("two")), after: wp(wr("one ")), want: []string{
			"tracked_change removed | p0: tracked deletion by A: “two” → accepted ⚠ tracked changes by A were accepted",
		}},
		{name: "a deletion rejected", before: wp(wr("one "), delA("two")), after: wp(wr("one two")), want: []string{
			"body | p0 modified: one  → one two",
			"tracked_change removed | p0: tracked deletion by A: “two” → rejected ⚠ tracked changes by A were rejected",
		}},
		{name: "a move", before: wp(wr("one")) + wp(wr("two")), after: wp(moved("moveFrom", "one")) + wp(wr("two"), moved("moveTo", "one")), want: []string{
			"body | p0 removed: one → ",
			"body | p1 modified: two → twoone",
			"paragraphs added | p0:  → 1 empty paragraph",
			"tracked_change added | p0:  → tracked move from here by A: “one”",
			"tracked_change added | p1:  → tracked move to here by A: “one”",
		}},
		{name: "a mark deleted", before: wp(wr("one")) + wp(wr("two")), after: wp(markA("del", ""), wr("one")) + wp(wr("two")), want: []string{
			"tracked_change added | p0:  → tracked deletion of a paragraph mark by A",
		}},
		{name: "formatting tracked", before: wp(wr("one")), after: wp(wrp(bold+`<w:rPrChange`+personA+`><w:rPr/></w:rPrChange>`, "one")), want: []string{
			"body | p0 formatting:  → one [bold added]",
			"tracked_change added | p0:  → tracked change of formatting by A",
		}},
		{name: "a row inserted", before: wtbl(1, wtr(wtc(wp(wr("a"))))) + wp(), after: wtbl(1, wtr(wtc(wp(wr("a")))), wtrp("<w:ins"+personA+"/>", wtc(wp(wr("b"))))) + wp(), want: []string{
			"body | t0.r1 added:  → b",
			"tracked_change added | t0.r1.c0.p0:  → tracked insertion of a row by A",
		}},
		{name: "another person", before: wp(insA(wr("one"))), after: wp(`<w:ins w:id="1" w:author="B" w:date="2026-01-01T00:00:00Z">` + wr("one") + `</w:ins>`), want: []string{
			"tracked_change removed | p0: tracked insertion by A: “one” → accepted ⚠ tracked changes by A were accepted",
			"tracked_change added | p0:  → tracked insertion by B: “one”",
		}},
	})
}
