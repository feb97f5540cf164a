package docx

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/campaign"
)

// smallBody draws paragraphs of runs, some of them in links, with a table
// between; paras is how many stand outside tables.
func smallBody(rt *rapid.T) (body string, paras int) {
	text := rapid.SampledFrom([]string{"a", "b", "ab", "cat", "dog ", " x", "é", "&", "a b"})
	props := rapid.SampledFrom([]string{"", bold, italic, `<w:u w:val="single"/>`})
	layout := rapid.SampledFrom([]string{"", "", wppr(`<w:jc w:val="right"/>`), wppr(`<w:keepNext/><w:spacing w:after="40"/>`)})
	para := func(label string) string {
		content := []string{layout.Draw(rt, label+" layout")}
		for i := range rapid.IntRange(0, 4).Draw(rt, label+" runs") {
			run := wrp(props.Draw(rt, "properties"), text.Draw(rt, "text"))
			if i == 2 {
				run = `<w:hyperlink w:anchor="x">` + run + `</w:hyperlink>`
			}
			content = append(content, run)
		}
		return "<w:p>" + strings.Join(content, "") + "</w:p>"
	}
	paras = rapid.IntRange(1, 4).Draw(rt, "paragraphs")
	var sb strings.Builder
	for i := range paras {
		sb.WriteString(para(fmt.Sprint("p", i)))
		if i == 0 && paras > 1 && rapid.Bool().Draw(rt, "table") {
			sb.WriteString(wtbl(2, wtr(wtc(para("c0")), wtc(para("c1"))), wtr(wtc(para("c2")), wtc(para("c3")))))
		}
	}
	return sb.String(), paras
}

// opened is a document that is edited without being packed, which takes most of
// the time.
func opened(t require.TestingT, body string) *editing {
	e, err := begin(ctx, nil)
	require.NoError(t, err)
	e.opt = formats.ApplyOptions{Author: "Ana B", Now: editTime}
	e.ed.Set(e.main, []byte(`<w:document xmlns:w="`+nsW+`"><w:body>`+body+`<w:sectPr/></w:body></w:document>`))
	return e
}

// do applies operations in memory and returns their answers.
func (e *editing) do(t require.TestingT, ops ...string) (reports []formats.OpReport) {
	for _, raw := range ops {
		op, err := operations.Decode(json.RawMessage(raw))
		require.NoError(t, err, raw)
		rep, err := e.apply(ctx, op)
		require.NoError(t, err, raw)
		rep.Warnings = append(rep.Warnings, e.caveats()...)
		reports = append(reports, rep)
	}
	return reports
}

// bodyNow returns the content of the body without the last section.
func (e *editing) bodyNow(t require.TestingT) string {
	doc, err := e.ed.ReadXML(ctx, e.main)
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(doc), "<w:body>")
	return strings.TrimSuffix(rest, "<w:sectPr/></w:body></w:document>")
}

// An edit and what takes it back leave the body as it was, byte for byte.
func TestEditAndInverse(t *testing.T) {
	campaign.Checks(t, 40)
	rapid.Check(t, func(rt *rapid.T) {
		body, n := smallBody(rt)
		at := rapid.IntRange(0, n-1).Draw(rt, "at")
		for _, c := range []struct{ do, undo string }{
			{fmt.Sprintf(`{"op":"insert_paragraph","at":"p%d","text":"new"}`, at), fmt.Sprintf(`{"op":"delete_paragraph","at":"p%d"}`, at+1)},
			{fmt.Sprintf(`{"op":"insert_paragraph","at":"p%d","where":"before","paragraphs":[{"text":"1"},{"text":"2"}]}`, at), fmt.Sprintf(`{"op":"delete_paragraph","at":"p%d","count":2}`, at)},
			{fmt.Sprintf(`{"op":"insert_page_break","at":"p%d"}`, at), fmt.Sprintf(`{"op":"delete_paragraph","at":"p%d"}`, at+1)},
			{`{"op":"append_paragraph","text":"new"}`, fmt.Sprintf(`{"op":"delete_paragraph","at":"p%d"}`, n)},
			{`{"op":"add_table","at":"p0","where":"before","rows":[["x"]]}`, `{"op":"delete_table","at":"t0"}`},
		} {
			e := opened(rt, body)
			e.do(rt, c.do)
			require.NotEqual(rt, body, e.bodyNow(rt), c.do)
			e.do(rt, c.undo)
			require.Equal(rt, body, e.bodyNow(rt), "%s, then %s", c.do, c.undo)
		}
		if strings.Contains(body, "<w:tbl>") {
			e := opened(rt, body)
			rep := e.do(rt, fmt.Sprintf(`{"op":"add_table_row","at":"t0.r%d","cells":["x","y"]}`, rapid.IntRange(0, 1).Draw(rt, "row")))
			e.do(rt, `{"op":"delete_table_row","at":"`+rep[0].Made+`"}`)
			require.Equal(rt, body, e.bodyNow(rt))
		}
	})
}

// A comment on any words that is deleted again leaves each character as it was;
// only the runs stay cut.
func TestCommentAndInverse(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		body, _ := smallBody(rt)
		e := opened(rt, body)
		before := markedDocument(e.bodyNow(rt))
		op := `{"op":"add_comment","at":"p0","text":"why"}`
		if strings.Contains(body, "<w:t>ab</w:t>") {
			op = `{"op":"add_comment","search":"b","text":"why","match_case":true}`
		}
		e.do(rt, op)
		require.Equal(rt, before, markedDocument(e.bodyNow(rt)), op)
		require.Equal(rt, 3, strings.Count(e.bodyNow(rt), "<w:comment"), "the range and the reference")
		e.do(rt, `{"op":"delete_comment","id":0}`)
		require.NotContains(rt, e.bodyNow(rt), "comment")
		require.Equal(rt, before, markedDocument(e.bodyNow(rt)))
	})
}

// anyEdit draws an operation on a body with n paragraphs outside tables, which
// is there before and after it.
func anyEdit(tb testing.TB, rt *rapid.T, n int, table bool) string {
	at := fmt.Sprintf("p%d", rapid.IntRange(0, n-1).Draw(rt, "at"))
	text := rapid.SampledFrom([]string{"", "new", "cat", "a b c", "x & y", "é dog"}).Draw(rt, "new text")
	ops := []map[string]any{
		{"op": "replace_text", "search": rapid.SampledFrom([]string{"a", "cat", "b", " ", "é"}).Draw(rt, "search"), "replace": text},
		{"op": "set_paragraph", "at": at, "text": text},
		{"op": "set_paragraph", "at": at, "runs": []any{map[string]any{"text": text, "bold": true}}},
		{"op": "format_paragraph", "at": at, "alignment": "center", "bold": true},
		{"op": "format_text", "search": "a", "italic": true},
		{"op": "insert_paragraph", "at": at, "text": text},
		{"op": "delete_paragraph", "at": at},
	}
	if table {
		ops = append(ops, map[string]any{"op": "set_table_cell", "at": "t0.r0.c1", "text": text}, map[string]any{"op": "add_table_row", "at": "t0", "cells": []string{text}}, map[string]any{"op": "delete_table_row", "at": "t0.r1"})
	}
	return opJSON(tb, ops[rapid.IntRange(0, len(ops)-1).Draw(rt, "op")])
}

// markedDocument returns the text of the body with the formatting of each
// character and the layout of each paragraph; emptied properties are none.
func markedDocument(body string) string {
	doc := []byte(body)
	doc = regexp.MustCompile(`<w:(rPr|pPr|trPr)(/>|></w:(rPr|pPr|trPr)>)`).ReplaceAll(doc, nil)
	doc = regexp.MustCompile(`<w:(rPr|pPr|trPr)(/>|></w:(rPr|pPr|trPr)>)`).ReplaceAll(doc, nil)
	doc = []byte(`<w:body xmlns:w="` + nsW + `">` + string(doc) + `</w:body>`)
	var sb strings.Builder
	props, in := "", false
	sc := xmlscan.New(doc)
	for sc.Next() {
		tok := sc.Token()
		switch {
		case tok.Kind == xmlscan.Start && tok.Local == "r":
			props = ""
		case tok.Kind == xmlscan.Start && (tok.Local == "pPr" || tok.Local == "trPr" || tok.Local == "tcPr"):
			sb.WriteString(string(doc[tok.Start:sc.Skip()]) + "\n")
		case tok.Kind == xmlscan.Start && tok.Local == "rPr":
			props = string(doc[tok.Start:sc.Skip()])
		case tok.Kind == xmlscan.Start:
			in = tok.Local == "t"
			if slices.Contains([]string{"p", "tbl", "tr", "tc"}, tok.Local) {
				sb.WriteString("<" + tok.Local + ">\n")
			}
		case tok.Kind == xmlscan.End:
			in = false
		case tok.Kind == xmlscan.Text && in:
			for _, r := range xmlscan.Unescape(tok.Bytes()) {
				fmt.Fprintf(&sb, "%c%s\n", r, props)
			}
		}
	}
	return sb.String()
}

// Whatever edit is tracked: accepted it is the direct edit, rejected it is the
// document as it was, with formatting, layout and blocks.
func TestTrackedEditIsTheEdit(t *testing.T) {
	campaign.Checks(t, 60)
	rapid.Check(t, func(rt *rapid.T) {
		body, n := smallBody(rt)
		op := anyEdit(t, rt, n, strings.Contains(body, "<w:tbl>"))
		if strings.Contains(op, "delete_paragraph") && n == 1 {
			return // its properties stay when it is deleted at once
		}
		trackedOp := strings.TrimSuffix(op, "}") + `,` + tracked + `}`
		direct, yes, no := opened(rt, body), opened(rt, body), opened(rt, body)
		direct.do(rt, op)
		yes.do(rt, trackedOp, `{"op":"accept_changes"}`)
		no.do(rt, trackedOp, `{"op":"reject_changes"}`)
		require.Equal(rt, markedDocument(body), markedDocument(no.bodyNow(rt)), "rejected: %s on %s", op, body)
		require.Equal(rt, textsOf(t, direct.document), textsOf(t, yes.document), "accepted: %s on %s", op, body)
		for _, e := range []*editing{yes, no} {
			require.NotRegexp(rt, `<w:(ins|del|delText|\w+Change)\b|`+joinMark, e.bodyNow(rt))
		}
	})
}

// A replacement, over whatever runs, leaves each character that it does not
// touch with its formatting.
func TestReplacementKeepsFormattingOfTheRest(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		type char struct{ text, props string }
		var chars []char
		var content []string
		for range rapid.IntRange(1, 6).Draw(rt, "runs") {
			props := rapid.SampledFrom([]string{"", bold, italic}).Draw(rt, "props")
			text := rapid.StringMatching(`[abc é&]{1,4}`).Draw(rt, "text")
			content = append(content, wrp(props, text))
			for _, r := range text {
				chars = append(chars, char{string(r), props})
			}
		}
		search := rapid.StringMatching(`[abc é&]{1,3}`).Draw(rt, "search")
		with := rapid.StringMatching(`[XY<]{0,3}`).Draw(rt, "replace")
		// The oracle: characters of a match go, the new ones take the formatting
		// of the first of them.
		var want strings.Builder
		write := func(text, props string) {
			for _, r := range text {
				if props != "" {
					fmt.Fprintf(&want, "%c<w:rPr>%s</w:rPr>\n", r, props)
				} else {
					fmt.Fprintf(&want, "%c\n", r)
				}
			}
		}
		needle := []rune(search)
		for i := 0; i < len(chars); {
			n := 0
			for n < len(needle) && i+n < len(chars) && chars[i+n].text == string(needle[n]) {
				n++
			}
			if n < len(needle) {
				write(chars[i].text, chars[i].props)
				i++
				continue
			}
			write(with, chars[i].props)
			i += n
		}
		e := opened(rt, wp(content...))
		e.do(rt, opJSON(t, map[string]any{"op": "replace_text", "search": search, "replace": with, "match_case": true}))
		require.Equal(rt, want.String(), formattedXML(`<w:p xmlns:w="`+nsW+`">`+e.bodyNow(rt)+`</w:p>`))
	})
}

// A paragraph that a tracked insertion splits is one again when it is rejected;
// one whose deleted mark is accepted has the text of both.
func TestSplitAndJoin(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		body, n := smallBody(rt)
		marks := make([]bool, n)
		e := opened(rt, body)
		p, err := e.body(ctx)
		require.NoError(rt, err)
		texts := outsideTables(rt, e.document)
		story := p.stories[0]
		var splices []xmlscan.Splice
		for i, k := range story.kidsOf(paraNode) {
			at := slices.Index(story.kids, k)
			followed := at+1 < len(story.kids) && story.kids[at+1].kind == paraNode
			if marks[i] = followed && rapid.Bool().Draw(rt, "deleted mark"); marks[i] {
				props := paraProps(p.raw(k.props), "w:")
				props.Set("rPr", "<w:rPr><w:del"+personA+"/></w:rPr>")
				splices = append(splices, propsSplice(place{p, k}, props.Optional())...)
			}
		}
		e.document.splice(p, splices...)
		marked := e.bodyNow(rt)
		// The oracle joins the texts of paragraphs up to the next mark that stays.
		var want []string
		joined := ""
		for i, text := range texts {
			joined += text
			if !marks[i] {
				want = append(want, joined)
				joined = ""
			}
		}
		e.do(rt, `{"op":"accept_changes"}`)
		require.Equal(rt, want, outsideTables(rt, e.document), marked)
		back := opened(rt, marked)
		back.do(rt, `{"op":"reject_changes"}`)
		require.Equal(rt, texts, outsideTables(rt, back.document), marked)
	})
}

// outsideTables lists the texts of the paragraphs outside tables.
func outsideTables(t require.TestingT, d *document) (texts []string) {
	p, err := d.body(ctx)
	require.NoError(t, err)
	for _, k := range p.stories[0].kidsOf(paraNode) {
		texts = append(texts, p.text(k))
	}
	return texts
}

// Operations in one call are those in calls of their own, one after the other.
func TestOperationsInOneCall(t *testing.T) {
	for _, second := range []string{
		`{"op":"replace_text","search":"new","replace":"newer"}`, `{"op":"set_paragraph","at":"p1","text":"x"}`, `{"op":"delete_paragraph","at":"p1"}`,
		`{"op":"insert_paragraph","at":"p1","text":"y"}`, `{"op":"set_table_cell","at":"t0.r0.c1","text":"z"}`, `{"op":"add_comment","at":"p1","text":"why"}`,
	} {
		src := withBody(t, wp(wr("one"))+wtbl(2, wtr(wtc(wp(wr("a"))), wtc(wp(wr("b")))))+wp(wr("two")))
		first := `{"op":"insert_paragraph","at":"p0","text":"new"}`
		both, rep := edited(t, src, first, second)
		one, repOne := edited(t, src, first)
		two, repTwo := edited(t, one, second)
		require.Equal(t, bodyOf(t, two), bodyOf(t, both), second)
		repTwo.Ops[0].Index = 1
		require.Equal(t, append(repOne.Ops, repTwo.Ops...), rep.Ops, second)
	}
}
