package docx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// Tracked changes of a person, as programs write them.
const personA = ` w:id="1" w:author="A" w:date="2026-01-01T00:00:00Z"`

func insA(content string) string { return "<w:ins" + personA + ">" + content + "</w:ins>" }

func delA(text string) string {
	return "<w:del" + personA + ">" + wrx("", "<w:delText>"+text+"</w:delText>") + "</w:del>"
}

// markA is paragraph properties whose mark was inserted or deleted.
func markA(what, more string) string {
	return wppr(more + "<w:rPr><w:" + what + personA + "/></w:rPr>")
}

// Each kind of tracked change, accepted and rejected, byte for byte (17.13.5).
func TestSettledBodies(t *testing.T) {
	for _, c := range []struct {
		name         string
		body         string
		hits         int    // changes met; those within what goes are not
		accept, back string // the body after accepting and after rejecting
	}{
		{"insertion", wp(wr("a"), insA(wrp(bold, "b")), wr("c")), 1, wp(wr("a"), wrp(bold, "b"), wr("c")), wp(wr("a"), wr("c"))},
		{"deletion", wp(wr("a"), delA("b"), wr("c")), 1, wp(wr("a"), wr("c")), wp(wr("a"), wr("b"), wr("c"))},
		{"insertion beside a deletion", wp(insA(wr("a")) + delA("b")), 2, wp(wr("a")), wp(wr("b"))},
		{"deleted field code", wp("<w:del"+personA+">"+wrx("", `<w:delInstrText>PAGE</w:delInstrText>`)+"</w:del>", wr("x")), 1, wp(wr("x")), wp(wrx("", `<w:instrText>PAGE</w:instrText>`), wr("x"))},
		{"moved text", wp("<w:moveFrom"+personA+">"+wr("m")+"</w:moveFrom>", wr("a")) + wp(wr("b"), "<w:moveTo"+personA+">"+wr("m")+"</w:moveTo>"), 2, wp(wr("a")) + wp(wr("b"), wr("m")), wp(wr("m"), wr("a")) + wp(wr("b"))},
		{"range marks of a move", wp(`<w:moveFromRangeStart w:id="5" w:name="m"/>`, wr("a"), `<w:moveFromRangeEnd w:id="5"/>`, insA(wr("b"))), 1, wp(wr("a"), wr("b")), wp(wr("a"))},
		{"a link whose text was inserted", wp(wr("a"), `<w:hyperlink w:anchor="x">`, insA(wr("b")), `</w:hyperlink>`), 1, wp(wr("a"), `<w:hyperlink w:anchor="x">`, wr("b"), `</w:hyperlink>`), wp(wr("a"))},
		{"formatting of text", wp(wrx(bold+`<w:rPrChange`+personA+`><w:rPr><w:i/></w:rPr></w:rPrChange>`, "<w:t>a</w:t>")), 1, wp(wrp(bold, "a")), wp(wrp(italic, "a"))},
		{"formatting of text that had none", wp(wrx(bold+`<w:rPrChange`+personA+`><w:rPr/></w:rPrChange>`, "<w:t>a</w:t>")), 1, wp(wrp(bold, "a")), wp("<w:r><w:rPr></w:rPr><w:t>a</w:t></w:r>")},
		{"layout; the section and the mark stay", wp(wppr(`<w:jc w:val="center"/><w:rPr>`+bold+`</w:rPr><w:sectPr/><w:pPrChange`+personA+`><w:pPr><w:keepNext/></w:pPr></w:pPrChange>`), wr("a")), 1,
			wp(wppr(`<w:jc w:val="center"/><w:rPr>`+bold+`</w:rPr><w:sectPr/>`), wr("a")), wp(wppr(`<w:keepNext/><w:rPr>`+bold+`</w:rPr><w:sectPr/>`), wr("a"))},
		{"a deleted mark joins", wp(markA("del", `<w:jc w:val="center"/>`), wr("a")) + wp(wppr(`<w:keepNext/>`), wr("b")), 1, wp(wppr(`<w:keepNext/>`), wr("a"), wr("b")), wp(wppr(`<w:jc w:val="center"/><w:rPr></w:rPr>`), wr("a")) + wp(wppr(`<w:keepNext/>`), wr("b"))},
		{"an inserted mark joins when it goes", wp(markA("ins", ""), wr("a")) + wp(wr("b")), 1, wp(wppr("<w:rPr></w:rPr>"), wr("a")) + wp(wr("b")), wp(wr("a"), wr("b"))},
		{"three paragraphs become one", wp(markA("del", ""), wr("a")) + wp(markA("del", ""), wr("b")) + wp(wr("c")), 2, wp(wr("a"), wr("b"), wr("c")), wp(wppr("<w:rPr></w:rPr>"), wr("a")) + wp(wppr("<w:rPr></w:rPr>"), wr("b")) + wp(wr("c"))},
		{"an inserted paragraph", wp(wr("a")) + wp(markA("ins", ""), insA(wr("b"))) + wp(wr("c")), 2, wp(wr("a")) + wp(wppr("<w:rPr></w:rPr>"), wr("b")) + wp(wr("c")), wp(wr("a")) + wp(wr("c"))},
		{"a deleted paragraph before a table", wp(markA("del", ""), delA("a")) + wtbl(1, wtr(wtc(wp(wr("b"))))) + wp(), 2, wtbl(1, wtr(wtc(wp(wr("b"))))) + wp(), wp(wppr("<w:rPr></w:rPr>"), wr("a")) + wtbl(1, wtr(wtc(wp(wr("b"))))) + wp()},
		{"the last paragraph of a cell stays", wtbl(1, wtr(wtc(wp(markA("del", ""), delA("a"))))) + wp(), 2, wtbl(1, wtr(wtc("<w:p></w:p>"))) + wp(), wtbl(1, wtr(wtc(wp(wppr("<w:rPr></w:rPr>"), wr("a"))))) + wp()},
		{"an inserted row", wtbl(1, wtr(wtc(wp(wr("a")))), wtrp("<w:ins"+personA+"/>", wtc(wp(wr("b"))))) + wp(), 1, wtbl(1, wtr(wtc(wp(wr("a")))), wtrp("", wtc(wp(wr("b"))))) + wp(), wtbl(1, wtr(wtc(wp(wr("a"))))) + wp()},
		{"a deleted row", wtbl(1, wtr(wtc(wp(wr("a")))), wtrp("<w:del"+personA+"/>", wtc(wp(wr("b"))))) + wp(), 1, wtbl(1, wtr(wtc(wp(wr("a"))))) + wp(), wtbl(1, wtr(wtc(wp(wr("a")))), wtrp("", wtc(wp(wr("b"))))) + wp()},
		{"a deleted table", wp(wr("x")) + wtbl(1, wtrp("<w:del"+personA+"/>", wtc(wp(wr("b"))))) + wp(), 1, wp(wr("x")) + wp(), wp(wr("x")) + wtbl(1, wtrp("", wtc(wp(wr("b"))))) + wp()},
		{"the set-up of a cell", wtbl(1, wtr(wtcp(`<w:noWrap/><w:tcPrChange`+personA+`><w:tcPr><w:hideMark/></w:tcPr></w:tcPrChange>`, wp(wr("a"))))) + wp(), 1, wtbl(1, wtr(wtcp(`<w:noWrap/>`, wp(wr("a"))))) + wp(), wtbl(1, wtr(wtcp(`<w:hideMark/>`, wp(wr("a"))))) + wp()},
		{"the set-up of a section; its headers stay", wp(wppr(`<w:sectPr><w:headerReference w:type="default"/><w:cols w:num="2"/><w:sectPrChange`+personA+`><w:sectPr><w:cols w:num="3"/></w:sectPr></w:sectPrChange></w:sectPr>`)) + wp(wr("a")), 1,
			wp(wppr(`<w:sectPr><w:headerReference w:type="default"/><w:cols w:num="2"/></w:sectPr>`)) + wp(wr("a")), wp(wppr(`<w:sectPr><w:headerReference w:type="default"/><w:cols w:num="3"/></w:sectPr>`)) + wp(wr("a"))},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := withBody(t, c.body)
			yes := checkEdit(t, src, editCase{op: `"op":"accept_changes"`, rep: hits(c.hits)})
			require.Equal(t, c.accept, bodyOf(t, yes), "accepted")
			no := checkEdit(t, src, editCase{op: `"op":"reject_changes"`, rep: hits(c.hits)})
			require.Equal(t, c.back, bodyOf(t, no), "rejected")
			require.Equal(t, otherPrefix(c.accept), editedInOtherPrefix(t, c.body, `{"op":"accept_changes"}`))
			require.Equal(t, otherPrefix(c.back), editedInOtherPrefix(t, c.body, `{"op":"reject_changes"}`))
			// A person who has no changes there changes nothing.
			other := checkEdit(t, src, editCase{op: `"op":"accept_changes","author":"B"`, rep: formats.OpReport{Unchanged: true, Warnings: []string{"there are no tracked changes by B"}}})
			require.Equal(t, c.body, bodyOf(t, other))
			// And nothing is left to settle.
			checkEdit(t, yes, editCase{op: `"op":"reject_changes"`, rep: formats.OpReport{Unchanged: true, Warnings: []string{"there are no tracked changes"}}})
		})
	}
}

// Of several authors the one is settled that was named, with what the other's
// changes hold.
func TestSettledByAuthor(t *testing.T) {
	byB := strings.Replace(personA, `"A"`, `"B"`, 1)
	body := wp(insA(wr("a")), "<w:ins"+byB+">"+wr("b")+"</w:ins>", delA("c"), "<w:del"+byB+">"+wrx("", "<w:delText>d</w:delText>")+"</w:del>")
	for _, c := range []struct{ op, want string }{
		{`"op":"accept_changes","author":"A"`, wp(wr("a"), "<w:ins"+byB+">"+wr("b")+"</w:ins>", "<w:del"+byB+">"+wrx("", "<w:delText>d</w:delText>")+"</w:del>")},
		{`"op":"reject_changes","author":"A"`, wp("<w:ins"+byB+">"+wr("b")+"</w:ins>", wr("c"), "<w:del"+byB+">"+wrx("", "<w:delText>d</w:delText>")+"</w:del>")},
		{`"op":"accept_changes","author":"B"`, wp(insA(wr("a")), wr("b"), delA("c"))},
	} {
		out := checkEdit(t, withBody(t, body), editCase{op: c.op, rep: hits(2)})
		require.Equal(t, c.want, bodyOf(t, out), c.op)
	}
}

// Headers and comments are settled too, and no other part is written.
func TestSettledParts(t *testing.T) {
	src, _ := edited(t, withBody(t, wp(wr("one"))), `{"op":"set_header","text":"old"}`, `{"op":"add_comment","at":"p0","text":"why"}`)
	src, _ = edited(t, src, `{"op":"replace_text","search":"old","replace":"new",`+tracked+`}`, `{"op":"replace_text","search":"why","replace":"how",`+tracked+`}`)
	before := mainXML(t, src)
	for op, want := range map[string][2]string{"accept_changes": {"new", "how"}, "reject_changes": {"old", "why"}} {
		out := checkEdit(t, src, editCase{op: `"op":"` + op + `"`, rep: hits(4), more: []string{headerPart, commentsPart}})
		require.Equal(t, want[0], read(t, out, "h0"))
		require.Equal(t, want[1], read(t, out, "cm0"))
		require.Equal(t, before, mainXML(t, out))
	}
}
