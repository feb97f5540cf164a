package pptx

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

func changed(t testing.TB, in []byte, ops ...string) []byte {
	t.Helper()
	var raw []json.RawMessage
	for _, o := range ops {
		raw = append(raw, json.RawMessage(o))
	}
	var src formats.Source
	if in != nil {
		src = formats.FromBytes("a.pptx", in)
	}
	var out bytes.Buffer
	_, err := Format().Editor.Apply(context.Background(), src, &out, raw, formats.ApplyOptions{})
	require.NoError(t, err)
	return out.Bytes()
}

func diffOf(t testing.TB, a, b []byte) *formats.Diff {
	t.Helper()
	d, err := Format().Differ.Diff(context.Background(), formats.FromBytes("a.pptx", a), formats.FromBytes("b.pptx", b), formats.DiffOptions{})
	require.NoError(t, err)
	return d
}

// RV-03: slides aligned by id, shapes' text.
func TestRV03Diff(t *testing.T) {
	a := changed(t, nil, `{"op":"add_slide","title":"One","body":"first point"}`, `{"op":"add_slide","title":"Two","body":"second point"}`, `{"op":"add_slide","title":"Three","body":"third point"}`)
	require.Empty(t, diffOf(t, a, a).Groups)
	b := changed(t, a, `{"op":"set_slide_text","index":1,"body":"second point, revised"}`, `{"op":"move_slide","index":2,"position":0}`, `{"op":"add_slide","title":"New","body":"fourth"}`,
		`{"op":"set_notes","index":1,"text":"say hello"}`, `{"op":"hide_slide","index":2}`)
	d := diffOf(t, a, b)
	require.Equal(t, "2 texts on 2 slides, slide hidden, slide moved, note added, slide added, master added", d.Summary)
	names := map[string]formats.DiffGroup{}
	for _, g := range d.Groups {
		names[g.Name] = g
	}
	require.Equal(t, formats.Moved, names["slide 1: Three"].Change)
	require.Equal(t, "slide 3", names["slide 1: Three"].From)
	require.Equal(t, "say hello", names["slide 2: One"].Items[0].New)
	two := names["slide 3: Two"].Items
	require.Equal(t, "second point", two[0].Old)
	require.Equal(t, "second point, revised", two[0].New)
	require.Equal(t, []string{"slide 3: the slide is hidden now"}, d.Warnings)
	require.Equal(t, formats.Added, names["slide 4: New"].Change)
	bold := changed(t, a, `{"op":"set_slide_text","index":1,"title_runs":[{"text":"Two","bold":true}]}`)
	facts := diffOf(t, a, bold).Facts
	require.Len(t, facts, 1)
	require.Equal(t, "slide 2, “Title 1”, paragraph 1: no format of its own → bold", facts[0].At+": "+facts[0].Old+" → "+facts[0].New)
	gone := diffOf(t, b, a)
	require.Contains(t, gone.Summary, "slide removed")
}

func TestCorpusDiff(t *testing.T) {
	done := 0
	for _, path := range formatstest.Sample(t, "pptx") {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		src := formats.FromBytes("a.pptx", b)
		d, err := Format().Differ.Diff(context.Background(), src, src, formats.DiffOptions{})
		if err != nil {
			require.NotEmpty(t, formats.CodeOf(err), path)
			continue
		}
		require.Empty(t, d.Groups, path)
		require.Empty(t, d.Warnings, path)
		out := changed(t, b, `{"op":"add_slide","title":"A wholly new slide"}`)
		require.Equal(t, "slide added", diffOf(t, b, out).Summary, path)
		done++
	}
	formatstest.Report(t, "pptx  diffs of real documents: %d", done)
}
