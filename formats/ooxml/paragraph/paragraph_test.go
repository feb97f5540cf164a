package paragraph

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/tags"
)

const w = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`

func one(t require.TestingT, inner string) *Paragraph {
	ps, err := Parse([]byte(`<w:p `+w+`>`+inner+`</w:p>`), Word)
	require.NoError(t, err)
	require.NotEmpty(t, ps)
	return ps[0]
}

func apply(t require.TestingT, p *Paragraph, s []xmlscan.Splice) *Paragraph {
	ps, err := Parse(xmlscan.Apply(p.doc, s), Word)
	require.NoError(t, err)
	return ps[0]
}

func r(props, text string) string {
	if props != "" {
		props = "<w:rPr>" + props + "</w:rPr>"
	}
	return `<w:r>` + props + `<w:t xml:space="preserve">` + xmlscan.Escape(text) + `</w:t></w:r>`
}

// a replacement works whatever runs the text is split over, and keeps
// the formatting of the first run it replaces.
func TestX32AnySplitGivesTheSameText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[ab<& é]{1,30}`).Draw(t, "text")
		needle := rapid.StringMatching(`[ab<& é]{1,3}`).Draw(t, "needle")
		with := rapid.StringMatching(`[xy&]{0,4}`).Draw(t, "with")
		var inner strings.Builder
		for rest := text; rest != ""; {
			runes := []rune(rest)
			n := rapid.IntRange(1, len(runes)).Draw(t, "cut")
			inner.WriteString(r(rapid.SampledFrom([]string{"", "<w:b/>", "<w:i/>"}).Draw(t, "props"), string(runes[:n])))
			rest = string(runes[n:])
		}
		p := one(t, inner.String())
		require.Equal(t, text, p.Text())
		var ranges []Range
		for pos := 0; ; {
			i := strings.Index(text[pos:], needle)
			if i < 0 {
				break
			}
			ranges = append(ranges, Range{pos + i, pos + i + len(needle), with})
			pos += i + len(needle)
		}
		require.Equal(t, strings.ReplaceAll(text, needle, with), apply(t, p, p.Replace(ranges)).Text())
	})
}

func TestReplaceLeavesOtherRunsAlone(t *testing.T) {
	p := one(t, r("<w:b/>", "one two")+r("", " three")+r("<w:i/>", " four"))
	out := string(xmlscan.Apply(p.doc, p.Replace([]Range{{4, 10, "2\t&"}})))
	require.Contains(t, out, `<w:rPr><w:b/></w:rPr><w:t>one 2</w:t><w:tab/><w:t>&amp;</w:t></w:r>`)
	require.Contains(t, out, `<w:t>ree</w:t>`)
	require.Contains(t, out, r("<w:i/>", " four"))
}

func TestTaggedShowsFormattingAndObjects(t *testing.T) {
	p := one(t, `<w:pPr><w:rPr><w:b/></w:rPr></w:pPr><w:r><w:drawing/></w:r>`+r("", "See ")+`<w:bookmarkStart w:id="1"/>`+r("<w:b/>", "the ")+r(`<w:b/><w:lang w:val="en"/>`, "rule")+
		`<w:hyperlink r:id="x">`+r("<w:u/>", "here")+`</w:hyperlink>`+r("", " and ")+`<w:r><w:footnoteReference w:id="2"/></w:r>`+r("", "more <x>")+
		`<w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins>`+r("", "!")+`</w:ins>`)
	require.Equal(t, "See the rulehere and more <x>!", p.Text())
	require.Equal(t, "See <1>the rule</1><2>here</2> and <3/>more &lt;x><4>!</4>", p.Tagged())
}

// TR-03: ends of comments and of bookmarks with text inside a paragraph are
// tags and stay around their words; what no one sees, smart tags and tracked
// formatting are none.
func TestTR03AnchorsAreTags(t *testing.T) {
	range_ := func(kind, id, attrs, inner string) string {
		return `<w:` + kind + `Start w:id="` + id + `"` + attrs + `/>` + inner + `<w:` + kind + `End w:id="` + id + `"/>`
	}
	p := one(t, range_("bookmark", "1", ` w:name="all"`, r("", "The ")+range_("bookmark", "2", ` w:name="_GoBack"`, r("", "big "))+
		range_("commentRange", "7", "", r(`<w:rPrChange w:id="9"><w:rPr><w:b/></w:rPr></w:rPrChange>`, "red "))+`<w:smartTag>`+r("", "house")+`</w:smartTag>`+range_("bookmark", "3", ` w:name="point"`, "")+r("", ".")))
	require.Equal(t, "The big <1/>red <2/>house.", p.Tagged())
	s, err := p.Retag("La casa <1/>roja <2/>grande.")
	require.NoError(t, err)
	q := apply(t, p, s)
	require.Equal(t, "La casa <1/>roja <2/>grande.", q.Tagged())
	require.Contains(t, string(q.doc), `<w:commentRangeStart w:id="7"/>`)
	_, err = p.Retag("<2/>La casa <1/>roja")
	require.ErrorContains(t, err, "must stay behind")
}

// TR-03: a hyphen that does not break is a character, and the base of a ruby is
// text, whose guide goes when the base is replaced and stays when it is not.
func TestTR03HyphensAndRuby(t *testing.T) {
	p := one(t, `<w:r><w:t>co</w:t><w:noBreakHyphen/><w:t>op </w:t><w:ruby><w:rubyPr/><w:rt><w:r><w:t>とう</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>東</w:t></w:r></w:rubyBase></w:ruby></w:r>`+r("<w:b/>", "x"))
	require.Equal(t, "co\u2011op 東<1>x</1>", p.Tagged())
	s, err := p.Retag("co\u2011op 東<1>y</1>")
	require.NoError(t, err)
	require.Contains(t, string(xmlscan.Apply(p.doc, s)), "とう")
	s, err = p.Retag("a\u2011b east<1>x</1>")
	require.NoError(t, err)
	out := string(xmlscan.Apply(p.doc, s))
	require.Contains(t, out, `<w:t>a</w:t><w:noBreakHyphen/><w:t>b east</w:t>`)
	require.NotContains(t, out, "ruby")
	out = string(xmlscan.Apply(p.doc, p.TrackDelete(&Revision{NextID: func() int { return 1 }})))
	require.Contains(t, out, `<w:rt><w:r><w:delText>とう</w:delText>`)
}

// TR-03: blanks are outside tags where they can, and are tagged where their
// formatting shows, as the line of a form does.
func TestTR03Blanks(t *testing.T) {
	p := one(t, r("", "a ")+r("<w:b/>", "b ")+r("", "c")+r("<w:i/>", " ")+r("<w:b/>", "d")+r("", " Name: ")+r(`<w:u w:val="single"/>`, "      "))
	require.Equal(t, "a <1>b</1> c <2>d</2> Name: <3>      </3>", p.Tagged())
	s, err := p.Retag("A <1>B</1> C <2>D</2> Nombre: <3>      </3>")
	require.NoError(t, err)
	q := apply(t, p, s)
	require.Equal(t, "A B C D Nombre:       ", q.Text())
	require.Contains(t, string(q.doc), r(`<w:u w:val="single"/>`, "      "))
	require.Contains(t, string(q.doc), `<w:b/></w:rPr><w:t>B</w:t>`)
}

// TR-03: words move out of and into content controls and nested containers;
// each control is written once.
// TR-03: a run of blanks in front of a text does not lend it its formatting.
func TestTR03TextKeepsItsOwnRun(t *testing.T) {
	p := one(t, r("", "see ")+"<w:hyperlink>"+r("<w:b/>", "here")+"</w:hyperlink>"+r("<w:sz w:val=\"40\"/>", " ")+r("", "the rest of it"))
	require.Equal(t, "see <1>here</1> the rest of it", p.Tagged())
	splices, err := p.Retag("siehe <1>hier</1> den Rest davon")
	require.NoError(t, err)
	after := apply(t, p, splices)
	require.Equal(t, "siehe <1>hier</1> den Rest davon", after.Tagged())
	require.Contains(t, string(after.doc), r("", " den Rest davon"))
}

func TestTR03MovesAroundControls(t *testing.T) {
	p := one(t, r("", "a ")+`<w:sdt><w:sdtPr><w:id w:val="5"/></w:sdtPr><w:sdtContent>`+r("", "b")+`</w:sdtContent></w:sdt>`+r("", " c ")+`<w:ins w:id="3"><w:hyperlink w:anchor="h">`+r("", "d")+`</w:hyperlink></w:ins>`)
	require.Equal(t, "a <1>b</1> c <2>d</2>", p.Tagged())
	s, err := p.Retag("<2>D</2> x <1>B</1>")
	require.NoError(t, err)
	q := apply(t, p, s)
	require.Equal(t, "D x B", q.Text())
	require.Contains(t, string(q.doc), `<w:sdt><w:sdtPr><w:id w:val="5"/></w:sdtPr><w:sdtContent><w:r><w:t>B</w:t></w:r></w:sdtContent></w:sdt>`)
	require.Contains(t, string(q.doc), `<w:ins w:id="3"><w:hyperlink w:anchor="h"><w:r>`)
}

func TestFieldResultIsTextAndItsCodeIsNot(t *testing.T) {
	fld := func(k string) string { return `<w:r><w:fldChar w:fldCharType="` + k + `"/></w:r>` }
	p := one(t, r("", "Page ")+fld("begin")+`<w:r><w:instrText>PAGE</w:instrText></w:r>`+fld("separate")+r("", "7")+fld("end")+r("", " of"))
	require.Equal(t, "Page 7 of", p.Text())
	require.Equal(t, "Page <1>7</1> of", p.Tagged())
	for target, text := range map[string]string{"Seite <1>7</1> von": "Seite 7 von", "<1>8</1> a b": "8 a b", "x <1></1>": "x ", "<1>7</1>": "7"} {
		s, err := p.Retag(target)
		require.NoError(t, err)
		q := apply(t, p, s)
		require.Equal(t, text, q.Text())
		require.Regexp(t, `begin.*PAGE.*separate.*`+strings.Trim(tags.Plain(target[strings.Index(target, "<1>"):strings.Index(target, "</1>")+4]), " ")+`.*end`, string(q.doc))
	}

	// A field around a field, or around several formats, has tags of its own
	// at its edges, which must not cross.
	p = one(t, r("", "See ")+fld("begin")+`<w:r><w:instrText>HYPERLINK</w:instrText></w:r>`+fld("separate")+r("", "a ")+fld("begin")+`<w:r><w:instrText>PAGEREF</w:instrText></w:r>`+fld("separate")+r("", "7")+fld("end")+r("", " b")+fld("end")+r("", "."))
	require.Equal(t, "See <1/>a <2>7</2> b<3/>.", p.Tagged())
	_, err := p.Retag("<3/>a <2>7</2> b<1/>.")
	require.ErrorContains(t, err, "field")

	// All of the text is the result: no tags.
	p = one(t, fld("begin")+`<w:r><w:instrText>TITLE</w:instrText></w:r>`+fld("separate")+r("", "Title")+fld("end"))
	require.Equal(t, "Title", p.Tagged())
}

func TestTextBoxesAreParagraphsOfTheirOwn(t *testing.T) {
	ps, err := Parse([]byte(`<w:p `+w+` xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><w:r><w:t>out</w:t><mc:AlternateContent><mc:Choice><w:txbxContent><w:p>`+r("", "in")+`</w:p></w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent><w:p>`+r("", "in")+`</w:p></w:txbxContent></mc:Fallback></mc:AlternateContent></w:r></w:p>`), Word)
	require.NoError(t, err)
	require.Len(t, ps, 3)
	require.Equal(t, "out", ps[0].Text())
	require.Equal(t, []string{"in", "in"}, []string{ps[1].Text(), ps[2].Text()})
	require.True(t, ps[1].Anchored)
	require.Equal(t, "out", ps[0].Tagged(), "an object at the edge needs no tag")
}

// TR-03: whatever the runs, writing back what was read changes nothing, and a
// translation that keeps the tags keeps objects and formatting, also when it
// moves them.
func TestTR03RetagRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var inner strings.Builder
		blank := rapid.SampledFrom([]string{"", "", " "})
		n := rapid.IntRange(1, 8).Draw(t, "n")
		for i := range n {
			switch rapid.IntRange(0, 10).Draw(t, "kind") {
			case 5:
				fmt.Fprintf(&inner, `<w:commentRangeStart w:id="%[1]d"/>%[2]s<w:commentRangeEnd w:id="%[1]d"/>`, i, r("", "c"+fmt.Sprint(i)))
			case 10:
				char := func(k string) string { return `<w:r><w:fldChar w:fldCharType="` + k + `"/></w:r>` }
				inner.WriteString(char("begin") + `<w:r><w:instrText>REF x</w:instrText></w:r>` + char("separate") + r("", "f"+fmt.Sprint(i)) + char("end"))
			case 6:
				fmt.Fprintf(&inner, `<w:sdt><w:sdtPr><w:id w:val="%d"/></w:sdtPr><w:sdtContent>%s%s</w:sdtContent></w:sdt>`, i, r("<w:i/>", "s"+fmt.Sprint(i)), r(rapid.SampledFrom([]string{"<w:i/>", "<w:b/>"}).Draw(t, "in control"), "S"))
			case 7:
				fmt.Fprintf(&inner, `<w:r><w:ruby><w:rt><w:r><w:t>guide</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>r%d</w:t></w:r></w:rubyBase></w:ruby></w:r>`, i)
			case 8:
				fmt.Fprintf(&inner, `<w:ins w:id="%d"><w:smartTag>%s</w:smartTag><w:hyperlink>%s</w:hyperlink></w:ins>`, i, r("", "i"+fmt.Sprint(i)), r("<w:u/>", "j"))
			case 9:
				fmt.Fprintf(&inner, `<w:bookmarkStart w:id="%[1]d" w:name="n%[1]d"/>%[2]s<w:r><w:noBreakHyphen/><w:tab/></w:r><w:bookmarkEnd w:id="%[1]d"/>`, i, r("", "m"+fmt.Sprint(i)))
			case 0:
				fmt.Fprintf(&inner, `<w:r><w:footnoteReference w:id="%d"/></w:r>`, i)
			case 1:
				fmt.Fprintf(&inner, `<w:hyperlink w:anchor="a%d">%s</w:hyperlink>`, i, r("<w:u/>", "l"+fmt.Sprint(i)))
			case 2:
				inner.WriteString(r("<w:b/>", blank.Draw(t, "before")+"b"+fmt.Sprint(i)+blank.Draw(t, "behind")))
			case 3:
				inner.WriteString(r(rapid.SampledFrom([]string{"", "<w:b/>", `<w:u w:val="single"/>`}).Draw(t, "of blank"), " "))
			default:
				inner.WriteString(r("", blank.Draw(t, "before")+"t"+fmt.Sprint(i)+blank.Draw(t, "behind")))
			}
		}
		p := one(t, inner.String())
		tagged := p.Tagged()
		s, err := p.Retag(tagged)
		require.NoError(t, err)
		require.Empty(t, s)
		if tagged == "" {
			return
		}
		units := unitsOf2(tagged)
		units = rapid.Permutation(units).Draw(t, "order")
		target := strings.Join(units, " zz ")
		s, err = p.Retag(target)
		if err != nil { // the order of some cannot change, and it says so
			require.Regexp(t, "must stay behind|must keep their order|belongs to a field", err)
			return
		}
		q := apply(t, p, s)
		for _, once := range []string{"footnoteReference ", "<w:sdt>", "commentRangeStart ", "commentRangeEnd ", "bookmarkStart ", "bookmarkEnd ", "fldChar ", "instrText>"} {
			require.Equal(t, strings.Count(string(p.doc), once), strings.Count(string(q.doc), once), "%s in %s", once, q.doc)
		}
		require.Equal(t, strings.Join(strings.Fields(plainOf(target)), ""), strings.Join(strings.Fields(q.Text()), ""), "target %s\n%s", target, q.doc)
	})
}

// unitsOf2 splits a tagged text into pieces that can change places.
func unitsOf2(s string) []string {
	var out []string
	for s != "" {
		n := strings.IndexByte(s[1:], '<') + 1
		if s[0] == '<' {
			n = strings.IndexByte(s, '>') + 1
			if s[n-2] != '/' {
				n += strings.Index(s[n:], "</")
				n += strings.IndexByte(s[n:], '>') + 1
			}
		} else if n == 0 {
			n = len(s)
		}
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

func plainOf(s string) string {
	var sb strings.Builder
	in := false
	for _, c := range s {
		switch {
		case c == '<':
			in = true
		case c == '>':
			in = false
		case !in:
			sb.WriteRune(c)
		}
	}
	return sb.String()
}

func TestDrawingBreaksStandBesideRuns(t *testing.T) {
	ps, err := Parse([]byte(`<a:p xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:pPr/><a:r><a:rPr lang="en" b="1"/><a:t>one</a:t></a:r><a:br/><a:r><a:rPr lang="de" b="1" dirty="0"/><a:t>two</a:t></a:r><a:fld id="x"><a:t>3</a:t></a:fld><a:endParaRPr/></a:p>`), Drawing)
	require.NoError(t, err)
	p := ps[0]
	require.Equal(t, "one\ntwo", p.Text())
	s := p.Replace([]Range{{0, 3, "1\n1"}})
	require.Contains(t, string(xmlscan.Apply(p.doc, s)), `<a:t>1</a:t></a:r><a:br><a:rPr lang="en" b="1"/></a:br><a:r><a:rPr lang="en" b="1"/><a:t>1</a:t></a:r>`)
}
