package docx

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// TestCorpusOperations: each operation on each real document it applies to
// gives a document that reads, and parts it does not concern keep their bytes;
// what was tracked can be taken back. Validating takes long: each operation
// alone is validated on every twelfth document, all in a row on each.
func TestCorpusOperations(t *testing.T) {
	counts := map[string]int{}
	for i, path := range formatstest.Sample(t, "docx") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			src := formats.FromBytes(filepath.Base(path), b)
			d, err := openDocument(ctx, src)
			if err != nil {
				require.NotEmpty(t, formats.CodeOf(err))
				counts["refused"]++
				return
			}
			all := src
			for k, op := range corpusOperations(t, d) {
				out, rep, err := applyWith(t, src, options(t), op)
				if err != nil {
					require.NotEmpty(t, formats.CodeOf(err), "%s: %v", op, err)
					counts["typed error"]++
					continue
				}
				counts[rep.Ops[0].Op]++
				formatstest.SameParts(t, b, out, touched(t, d, out)...)
				if (i+k)%16 == 0 && !testing.Short() { // each file other operations
					formatstest.Validate(t, formatstest.Write(t, "out.docx", out), path)
				}
				if next, _, err := applyWith(t, all, options(t), op); err == nil && !strings.Contains(op, "set_paragraphs") {
					all = formats.FromBytes("all.docx", next)
				}
			}
			b, err = formats.ReadAll(all, 1<<30)
			require.NoError(t, err)
			produced := formatstest.Write(t, "all.docx", b)
			formatstest.Validate(t, produced, path)
			if i%8 == 0 {
				formatstest.LibreOfficeOpens(t, produced)
			}
			corpusTracked(t, src, path)
		})
	}
	formatstest.Report(t, "docx  operations on real documents: %v", counts)
}

// touched lists the parts that a text operation may change: those with text,
// and what new parts need.
func touched(t *testing.T, d *document, out []byte) []string {
	parts, err := d.textParts(ctx)
	require.NoError(t, err)
	names := []string{"[Content_Types].xml"}
	for _, p := range parts {
		names = append(names, p.name)
	}
	for name := range formatstest.Parts(t, out) {
		if strings.HasSuffix(name, ".rels") || !d.ed.Has(name) || strings.HasSuffix(name, "settings.xml") || strings.Contains(name, "comments") {
			names = append(names, name)
		}
	}
	return slices.Compact(names)
}

// corpusOperations are operations that fit a document.
func corpusOperations(t *testing.T, d *document) []string {
	p, err := d.body(ctx)
	require.NoError(t, err)
	ops := []string{`{"op":"append_paragraph","runs":[{"text":"a "},{"text":"b","bold":true}],"alignment":"center"}`,
		`{"op":"add_table","rows":[["1","2"],["3","4"]],"header_row":true}`,
		`{"op":"add_image","path":"a.png","alt":"x"}`,
		`{"op":"insert_page_break"}`, `{"op":"set_header","text":"head"}`, `{"op":"set_footer","type":"even","text":"{page}"}`,
		`{"op":"accept_changes"}`, `{"op":"reject_changes"}`, `{"op":"set_paragraphs","paragraphs":[{"text":"all new"}]}`}
	add := func(m map[string]any) {
		b, err := json.Marshal(m)
		require.NoError(t, err)
		ops = append(ops, string(b))
	}
	all := p.addresses(p.stories[0], "")
	var filled, cell string
	for _, n := range p.nodes {
		a, ok := all[n]
		if !ok {
			continue
		}
		if strings.TrimSpace(p.paras[n.para].Text()) != "" && filled == "" && !strings.Contains(a, ".") {
			filled = a
		}
		if cell == "" && n.parent.kind == cellNode {
			cell = all[n.parent]
		}
	}
	if filled != "" {
		add(map[string]any{"op": "set_paragraph", "at": filled, "text": "set & <done>"})
		add(map[string]any{"op": "set_paragraph", "at": filled, "runs": []any{map[string]any{"text": "r", "italic": true}}})
		add(map[string]any{"op": "insert_paragraph", "at": filled, "text": "inserted"})
		add(map[string]any{"op": "delete_paragraph", "at": filled})
		add(map[string]any{"op": "format_paragraph", "at": filled, "alignment": "right", "space_before": 6, "indent_left": 0.5, "bold": true})
		add(map[string]any{"op": "add_comment", "at": filled, "text": "comment"})
		add(map[string]any{"op": "add_hyperlink", "at": filled, "text": "link", "url": "https://example.com"})
		lines, err := (&view{}).lines(t.Context(), p, p.stories[0], "")
		require.NoError(t, err)
		word := strings.Fields((&view{}).joinLines(lines))[0]
		add(map[string]any{"op": "format_text", "search": word, "underline": true, "font_color": "00AA00"})
		add(map[string]any{"op": "add_hyperlink", "search": word, "url": "https://example.com"})
		add(map[string]any{"op": "replace_text", "search": word, "replace": "ω", "track_changes": true})
	}
	if cell != "" {
		table := cell[:strings.Index(cell, ".")]
		add(map[string]any{"op": "set_table_cell", "at": cell, "text": "cell"})
		add(map[string]any{"op": "add_table_row", "at": table, "cells": []string{"x"}})
		add(map[string]any{"op": "delete_table_row", "at": table + ".r0"})
		add(map[string]any{"op": "add_table_column", "at": cell, "cells": []string{"y"}})
		add(map[string]any{"op": "delete_table_column", "at": cell})
		add(map[string]any{"op": "delete_table", "at": table})
	}
	return ops
}

// corpusTracked edits with tracked changes and takes the changes back.
func corpusTracked(t *testing.T, src formats.Source, path string) {
	clean, _, err := applyWith(t, src, options(t), `{"op":"accept_changes"}`)
	require.NoError(t, err)
	base := formats.FromBytes("base.docx", clean)
	before := readWith(t, base, "", "notes", "headers")
	out, _, err := applyWith(t, base, options(t), `{"op":"replace_text","search":"[a-m]\\w+","regex":true,"replace":"«x»",`+tracked+`}`)
	require.NoError(t, err)
	formatstest.Validate(t, formatstest.Write(t, "tracked.docx", out), path)
	no, _, err := applyWith(t, formats.FromBytes("t.docx", out), options(t), `{"op":"reject_changes"}`)
	require.NoError(t, err)
	require.Equal(t, before, readWith(t, formats.FromBytes("no.docx", no), "", "notes", "headers"))
	all, _, err := applyWith(t, base, options(t), `{"op":"set_paragraphs","paragraphs":[{"text":"all new"}],`+tracked+`}`)
	require.NoError(t, err)
	formatstest.Validate(t, formatstest.Write(t, "all.docx", all), path)
	no, _, err = applyWith(t, formats.FromBytes("a.docx", all), options(t), `{"op":"reject_changes"}`)
	require.NoError(t, err)
	require.Equal(t, before, readWith(t, formats.FromBytes("no.docx", no), "", "notes", "headers"))
}
