package doctext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/docx"
	"atelier/formats/pptx"
)

func made(t *testing.T, name string, f *formats.Format, ops ...string) formats.Source {
	t.Helper()
	raw := make([]json.RawMessage, len(ops))
	for i, op := range ops {
		raw[i] = json.RawMessage(op)
	}
	var buf bytes.Buffer
	_, err := f.Editor.Apply(ctx, nil, &buf, raw, formats.ApplyOptions{})
	require.NoError(t, err)
	return formats.FromBytes(name, buf.Bytes())
}

func units(t *testing.T, src formats.Source) (d Doc, out []string) {
	t.Helper()
	d, err := Document(ctx, set(), src)
	require.NoError(t, err)
	check(t, d)
	for u := range d.Units() {
		require.NotContains(t, u.Text, "\n")
		out = append(out, u.At+" = "+u.Text)
	}
	return d, out
}

func TestUnits(t *testing.T) {
	_, got := units(t, made(t, "a.docx", docx.Format(), `{"op":"append_paragraph","text":"one\ntwo"}`, `{"op":"append_paragraph","text":""}`,
		`{"op":"append_paragraph","text":"Part","style":"Heading 1"}`, `{"op":"add_table","rows":[["a","b"],["c","d"]]}`, `{"op":"append_paragraph","text":"last"}`,
		`{"op":"set_header","text":"top"}`, `{"op":"add_comment","at":"p0","text":"why","author":"Ana"}`, `{"op":"add_comment","at":"p2","text":"how","author":"Bo"}`))
	require.Equal(t, []string{"p0 = one", "p0 = two", "p2 = Part", "t0.r0 = a\tb", "t0.r1 = c\td", "p4 = last", "h0.p0 = top"}, got[:7])
	require.Len(t, got, 11)
	for i, at := range []string{"cm0 = [cm0] comment by Ana", "cm0.p0 = why", "cm1 = [cm1] comment by Bo", "cm1.p0 = how"} {
		require.True(t, strings.HasPrefix(got[7+i], at), got[7+i])
	}

	_, got = units(t, made(t, "a.pptx", pptx.Format(), `{"op":"add_slide","title":"# Slide 2","body":"x\ny"}`, `{"op":"add_slide","title":"Second"}`, `{"op":"set_notes","index":1,"text":"say this\nthen that"}`))
	require.Equal(t, []string{"slide_index 0, shape_id 2 = # Slide 2", "slide_index 0, shape_id 3 = x", "slide_index 0, shape_id 3 = y",
		"slide_index 1, shape_id 2 = Second", "slide_index 1, notes = Notes: say this", "slide_index 1, notes = then that"}, got)

	f := excelize.NewFile()
	require.NoError(t, f.SetSheetName("Sheet1", "Net sales"))
	for cell, v := range map[string]any{"A1": "x, C1: y", "B1": "B2: no label", "C1": 5, "A2": "see, B2: there", "B2": "b", "AA7": "Sheet: Other\nComments:"} {
		require.NoError(t, f.SetCellValue("Net sales", cell, v))
	}
	require.NoError(t, f.AddComment("Net sales", excelize.Comment{Cell: "C1", Author: "Ana", Text: "why 5"}))
	_, err := f.NewSheet("Empty")
	require.NoError(t, err)
	var buf bytes.Buffer
	require.NoError(t, f.Write(&buf))
	d, got := units(t, formats.FromBytes("a.xlsx", buf.Bytes()))
	require.Equal(t, []string{`sheet "Net sales" = Net sales`, "'Net sales'!1:1 = A1: x, C1: y, B1: B2: no label, C1: 5", "'Net sales'!2:2 = A2: see, B2: there, B2: b",
		"'Net sales'!AA7 = Sheet: Other\\nComments:", "'Net sales'!C1 comment = (Ana): why 5", `sheet "Empty" = Empty`}, got, "rows that cannot be split keep their own address")
	require.Equal(t, "'Net sales'!AA7", d.AddressAt(4, 5))
	require.Equal(t, "'Net sales'!C1 comment", d.AddressAt(5, 9), "a line that shows structure has no address")
}

// The reader of the format finds the text of a unit at its address.
func TestUnitsAreWhereTheySay(t *testing.T) {
	for name, selected := range map[string]func(at string) formats.Selector{
		"contrato.docx": func(at string) formats.Selector {
			return formats.Selector{Section: at}
		},
		"sales.xlsx": func(at string) formats.Selector { return formats.Selector{Range: at} },
	} {
		src, err := formats.OpenFile(filepath.Join("../../testdata/documents", name))
		require.NoError(t, err)
		defer src.Close()
		d, err := Document(ctx, set(), src)
		require.NoError(t, err)
		f, err := set().Detect(ctx, src)
		require.NoError(t, err)
		n := 0
		for u := range d.Units() {
			if strings.HasPrefix(u.At, "sheet ") || strings.HasPrefix(u.At, "cm") || strings.HasSuffix(u.At, " comment") {
				continue
			}
			text, err := f.Reader.Read(ctx, src, selected(u.At))
			require.NoError(t, err, u.At)
			require.Contains(t, text.Text, u.Text, u.At)
			n++
		}
		require.Greater(t, n, 50, name)
	}
}

// Addresses survive the process, and those of a document that is cut are those of its
// lines.
func TestUnitsOnDisk(t *testing.T) {
	dir := t.TempDir()
	src := made(t, "a.docx", docx.Format(), `{"op":"append_paragraph","text":"one"}`, `{"op":"append_paragraph","text":"two"}`)
	for range 2 {
		d, err := NewCache(set(), CacheOptions{Dir: dir}).Document(ctx, src)
		require.NoError(t, err)
		require.Equal(t, "p0\np1", d.At)
		require.Equal(t, []Unit{{"p0", "one"}, {"p1", "two"}}, slices.Collect(d.Units()))
	}
	b := builder{}
	long := strings.Repeat("x", MaxText/4)
	err := b.addPart(formats.Part{Kind: "section", Text: strings.Join([]string{long, long, long, long, long}, "\n"), At: []string{"p0", "p1", "p2", "p3", "p4"}})
	require.ErrorIs(t, err, errFull)
	require.Equal(t, "p0\np1\np2\n", b.at.String())
	require.Equal(t, 3, b.line)
}

// A page without text counts as blank.
func TestBlankPages(t *testing.T) {
	var b builder
	for i, s := range []string{"", "text", "\n", "  \n"} {
		require.NoError(t, b.addPart(formats.Part{Kind: "page", Name: fmt.Sprint(i + 1), Text: s}))
	}
	require.Equal(t, 3, b.doc.Blank)
	d := b.doc
	d.Text = b.text.String()
	require.Equal(t, []Unit{{"page 2", "text"}}, slices.Collect(d.Units()))
}
