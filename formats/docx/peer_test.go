package docx

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// Each test here is a way in which the nearest products lose content.

func TestPeerReplaceCollapsesRuns(t *testing.T) {
	src := withBody(t, `<w:p><w:r><w:rPr><w:i/></w:rPr><w:t>in </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>20</w:t></w:r><w:r><w:t>24 we</w:t></w:r></w:p>`)
	out, rep := edited(t, src, `{"op":"replace_text","search":"2024","replace":"2025"}`)
	require.Equal(t, 1, rep.Ops[0].Hits)
	require.Contains(t, mainXML(t, out), `<w:r><w:rPr><w:i/></w:rPr><w:t>in </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>2025</w:t></w:r><w:r><w:t xml:space="preserve"> we</w:t></w:r>`)
}

func TestPeerReplaceDeletesInlineImages(t *testing.T) {
	src := made(t, `{"op":"append_paragraph","text":"x"}`)
	src, _ = edited(t, src, `{"op":"add_image","path":"a.png","at":"p0"}`, `{"op":"set_paragraph","at":"p1","text":"caption old"}`)
	drawing := func(s formats.Source) string {
		x := mainXML(t, s)
		return x[strings.Index(x, "<w:drawing>"):strings.Index(x, "</w:drawing>")]
	}
	before := drawing(src)
	out, _ := edited(t, src, `{"op":"replace_text","search":"old","replace":"new"}`)
	require.Equal(t, before, drawing(out))
	require.Equal(t, "x\ncaption new", read(t, out, ""))
}

func TestPeerReplaceSkipsNestedTablesBoxesAndNotes(t *testing.T) {
	p := func(s string) string { return `<w:p><w:r><w:t>` + s + `</w:t></w:r></w:p>` }
	cell := func(s string) string { return `<w:tbl><w:tr><w:tc>` + s + `</w:tc></w:tr></w:tbl>` }
	src := withBody(t, cell(cell(p("old"))+p("old"))+`<w:p><w:r><w:pict><w:txbxContent>`+p("old")+`</w:txbxContent></w:pict></w:r></w:p>`)
	src, _ = edited(t, src, `{"op":"add_comment","at":"p0","text":"old"}`, `{"op":"set_header","text":"old"}`)
	_, rep := edited(t, src, `{"op":"replace_text","search":"old","replace":"new"}`)
	require.Equal(t, 5, rep.Ops[0].Hits)
}

func TestPeerReportsSuccessOnNoMatch(t *testing.T) {
	_, rep := edited(t, made(t, sample), `{"op":"replace_text","search":"absent","replace":"x"}`)
	require.Zero(t, rep.Ops[0].Hits)
	require.Contains(t, rep.Ops[0].Warnings[0], "was not found")
}

func TestPeerSetParagraphsDropsTheDocument(t *testing.T) {
	src := made(t, sample, `{"op":"set_header","text":"top"}`, `{"op":"add_table","rows":[["x"]]}`)
	out, rep := edited(t, src, `{"op":"set_paragraphs","paragraphs":[{"text":"new"}]}`)
	require.Equal(t, "new", read(t, out, ""))
	require.Equal(t, "top", read(t, out, "h0"), "headers stay")
	require.Contains(t, mainXML(t, out), `<w:pgSz w:w="11906" w:h="16838"/>`, "so does the page")
	require.Contains(t, rep.Ops[0].Warnings[0], "1 tables", "what goes is said")
}

func TestPeerReadsTablesAfterAllText(t *testing.T) {
	src := made(t, sample, `{"op":"add_table","at":"p0","rows":[["in","place"]]}`)
	require.True(t, strings.HasPrefix(read(t, src, ""), "before\nin\tplace\nThe Title"))
}

// FuzzApply: whatever the document part is, operations give a part that can be
// parsed, or a typed error; never a panic.
func FuzzApply(f *testing.F) {
	f.Add(`<w:p><w:r><w:t>a b</w:t></w:r></w:p>`, "a", "p0", uint8(0))
	f.Add(`<w:tbl><w:tblGrid><w:gridCol w:w="9"/></w:tblGrid><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr><w:p/></w:tc></w:tr></w:tbl><w:p/>`, "x", "t0.r0.c0", uint8(7))
	f.Add(`<w:p><w:pPr><w:rPr><w:del w:id="1"/></w:rPr></w:pPr><w:ins w:id="2"><w:r><w:t>x</w:t></w:r></w:ins></w:p><w:p/>`, "x", "p0", uint8(14))
	f.Add(`<w:p><w:pPr><w:pPrChange><w:pPr/></w:pPrChange></w:pPr><w:del><w:r><w:delText>x</w:delText></w:r></w:del></w:p>`, "x", "p0", uint8(15))
	ops := []string{"replace_text", "set_paragraph", "insert_paragraph", "delete_paragraph", "format_paragraph", "format_text", "set_table_cell",
		"add_table_row", "delete_table_row", "add_table_column", "delete_table_column", "delete_table", "add_comment", "add_hyperlink", "accept_changes", "reject_changes", "set_paragraphs", "set_header"}
	f.Fuzz(func(t *testing.T, body, search, at string, pick uint8) {
		ed, main, err := blankDocument()
		require.NoError(t, err)
		ed.Set(main, []byte(`<w:document xmlns:w="`+nsW+`" xmlns:mc="`+nsMC+`"><w:body>`+body+`</w:body></w:document>`))
		e := &editing{document: &document{ed: ed, main: main, parsed: map[string]*part{}, styles: styles{}}, opt: formats.ApplyOptions{}}
		if _, err := e.body(ctx); err != nil {
			return
		}
		name := ops[int(pick)%len(ops)]
		op := map[string]any{"op": name, "at": at, "search": search, "replace": search, "url": "https://x.test", "cells": []string{search}, "text": search, "alignment": "center", "bold": true}
		if pick&0x40 != 0 {
			delete(op, "search")
		}
		if name == "set_paragraphs" {
			op["paragraphs"] = []map[string]any{{"text": search}}
		}
		for member := range op {
			if member != "op" && !slices.Contains(operations.Takes(name), member) {
				delete(op, member)
			}
		}
		raw, err := json.Marshal(op)
		require.NoError(t, err)
		call, err := operations.Decode(raw)
		require.NoError(t, err)
		e.opt.TrackChanges = pick&0x80 != 0
		if _, err := e.apply(ctx, call); err != nil {
			require.NotEmpty(t, formats.CodeOf(err), "%v", err)
			return
		}
		_, err = e.body(ctx)
		require.NoError(t, err, "%s", body)
	})
}
