package docx

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

func diff(t testing.TB, a, b formats.Source) *formats.Diff {
	t.Helper()
	d, err := Format().Differ.Diff(ctx, a, b, formats.DiffOptions{})
	require.NoError(t, err)
	return d
}

// RV-03: paragraphs and cells are aligned, moved ones known, formatting named.
func TestRV03Diff(t *testing.T) {
	a := made(t, `{"op":"set_paragraphs","paragraphs":[{"text":"Contract","style":"Heading 1"},{"text":"The term is three years from signing."},{"text":"Payment is due in thirty days."},{"text":"This paragraph will move to the end."},{"text":"Stays as it is."},{"text":"Goes away altogether now."}]}`,
		`{"op":"add_table","rows":[["Item","Price"],["Tea","2"],["Milk","3"]]}`, `{"op":"set_header","text":"Draft one"}`)
	same := diff(t, a, a)
	require.Empty(t, same.Groups)
	require.Empty(t, same.Facts)
	b, _ := edited(t, a, `{"op":"delete_paragraph","at":"p5"}`, `{"op":"delete_paragraph","at":"p3"}`, `{"op":"insert_paragraph","at":"p3","text":"This paragraph will move to the end."}`,
		`{"op":"set_paragraph","at":"p1","text":"The term is five years from signing."}`, `{"op":"insert_paragraph","at":"p0","text":"A wholly new clause."}`,
		`{"op":"format_text","search":"thirty days","bold":true}`, `{"op":"set_table_cell","at":"t0.r1.c1","text":"2.50"}`, `{"op":"add_table_row","at":"t0","cells":["Rum","9"]}`,
		`{"op":"set_header","text":"Draft two"}`, `{"op":"add_hyperlink","search":"Stays","url":"https://evil.example/x"}`)
	d := diff(t, a, b)
	require.Equal(t, "4 paragraphs, 1 table cell, 1 table row, 1 moved, formatting of 2 paragraphs, link added", d.Summary)
	body := d.Groups[0]
	require.Equal(t, "body", body.Name)
	find := func(at string) formats.DiffItem {
		for _, it := range body.Items {
			if it.At == at {
				return it
			}
		}
		return formats.DiffItem{}
	}
	require.Equal(t, formats.DiffItem{Change: formats.Added, At: "p1", New: "A wholly new clause."}, find("p1"))
	require.Equal(t, formats.DiffItem{Change: formats.Modified, At: "p2", Old: "The term is three years from signing.", New: "The term is five years from signing."}, find("p2"))
	require.Equal(t, []string{"bold added: “thirty days”"}, find("p3").Notes)
	require.Equal(t, formats.Moved, find("p5").Change)
	require.Equal(t, "p3", find("p5").From)
	require.Equal(t, formats.DiffItem{Change: formats.Modified, At: "t0.r1.c1", Old: "2", New: "2.50"}, find("t0.r1.c1"))
	require.Equal(t, "Rum\t9", find("t0.r3").New)
	require.Equal(t, "header 1", d.Groups[1].Name)
	require.Equal(t, []string{"new external hyperlink: https://evil.example/x"}, d.Warnings)
	var gone formats.DiffItem
	for _, it := range body.Items {
		if it.Change == formats.Removed {
			gone = it
		}
	}
	require.Equal(t, "Goes away altogether now.", gone.Old)

	small, err := Format().Differ.Diff(ctx, a, b, formats.DiffOptions{MaxItems: 2})
	require.NoError(t, err)
	require.Equal(t, d.Summary, small.Summary)
	require.Positive(t, small.Omitted)
}

// RV-03: a document whose every word changed, as in a translation, is compared
// paragraph by paragraph and cell by cell.
func TestRV03Translated(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(formatstest.Root(t), "testdata", "documents", "contrato.docx"))
	require.NoError(t, err)
	src := formats.FromBytes("a.docx", b)
	segments, err := Format().Segmenter.Segments(ctx, src, formats.SegmentOptions{})
	require.NoError(t, err)
	targets := map[string]string{}
	for _, s := range segments {
		targets[s.ID] = regexp.MustCompile(`[\pL]{2,}`).ReplaceAllStringFunc(s.Text, func(w string) string { return "x" + w + "x" })
	}
	var out bytes.Buffer
	require.NoError(t, Format().Segmenter.Replace(ctx, src, &out, targets, formats.ReplaceOptions{}))
	d := diff(t, src, formats.FromBytes("b.docx", out.Bytes()))
	changed := 0
	for _, g := range d.Groups {
		for _, it := range g.Items {
			require.NotContains(t, []formats.Change{formats.Added, formats.Removed, formats.Moved}, it.Change, "%s %s", g.Name, it.At)
			changed++
		}
	}
	require.Greater(t, changed, 60)
}

// Every real document is the same as itself, and what an edit changed is found.
func TestCorpusDiff(t *testing.T) {
	for _, path := range formatstest.Sample(t, "docx") {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		src := formats.FromBytes("a.docx", b)
		d, err := Format().Differ.Diff(ctx, src, src, formats.DiffOptions{})
		if err != nil {
			require.NotEmpty(t, formats.CodeOf(err), path)
			continue
		}
		require.Empty(t, d.Groups, path)
		require.Empty(t, d.Warnings, path)
		out, _ := edited(t, src, `{"op":"append_paragraph","text":"a last clause that nobody wrote before"}`)
		d = diff(t, src, out)
		require.Equal(t, "1 paragraph", d.Summary, path)
	}
}
