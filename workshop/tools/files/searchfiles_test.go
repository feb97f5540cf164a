package files

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/all"
	"atelier/formats/docx"
	"atelier/formats/formatstest"
	"atelier/workshop"
	"atelier/workshop/search"
	"atelier/workshop/tools"
)

func searchEnv(t *testing.T, files map[string]string) *tools.Env {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	home, err := workshop.OpenHome(t.TempDir(), workshop.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { home.Close() })
	wb, err := home.OpenFolder(t.Context(), dir)
	require.NoError(t, err)
	return &tools.Env{View: wb.DraftView(workshop.Cause{}), Formats: all.Formats(all.Options{CacheDir: formatstest.Cache})}
}

func made(t *testing.T, ops ...string) string {
	t.Helper()
	var sb strings.Builder
	raw := make([]json.RawMessage, len(ops))
	for i, op := range ops {
		raw[i] = json.RawMessage(op)
	}
	_, err := docx.Format().Editor.Apply(t.Context(), nil, &sb, raw, formats.ApplyOptions{})
	require.NoError(t, err)
	return sb.String()
}

// slowView opens one file only when the call is over.
type slowView struct {
	workshop.View
	slow workshop.Path
}

func (v slowView) Open(ctx context.Context, p workshop.Path) (workshop.Source, error) {
	if p == v.slow {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return v.View.Open(ctx, p)
}

// W-11: a search ends before the time of its call is over, with what it has, and says so.
func TestW11SearchEndsInTime(t *testing.T) {
	env := searchEnv(t, map[string]string{"a.txt": "hit\n", "b.docx": "-", "c.txt": "hit\n"})
	env.View = slowView{env.View, "b.docx"}
	ctx, cancel := context.WithTimeout(t.Context(), 600*time.Millisecond)
	defer cancel()
	_, opt, err := SearchArgs{Query: "hit"}.options(ctx, env)
	require.NoError(t, err)
	require.Less(t, opt.Budget, 500*time.Millisecond)
	got, err := search.Grep(ctx, env.View, opt)
	require.NoError(t, err)
	require.True(t, got.Late)
	require.Equal(t, workshop.Path("a.txt"), got.Last)
	require.Len(t, got.Matches, 1)
	require.NoError(t, ctx.Err())
}

// A document that takes too long, or of which only the beginning is searched, is told.
func TestDocumentsThatAreNotSearchedInFull(t *testing.T) {
	env := searchEnv(t, nil)
	extract := unitsOf(env, nil)
	wide := strings.Repeat("a\x00\n\x00", 17<<20/2)
	text, err := extract(t.Context(), formats.FromBytes("wide.txt", []byte("\xff\xfe"+wide)))
	require.Equal(t, search.Partial("only the beginning of its text was searched, which is longer than 16 MiB"), err)
	require.Len(t, text, 16<<20)

	defer func(d time.Duration) { documentTime = d }(documentTime)
	documentTime = 0
	_, err = extract(t.Context(), formats.FromBytes("a.docx", []byte(made(t, `{"op":"append_paragraph","text":"x"}`))))
	require.ErrorContains(t, err, "its text could not be read within 0s")
}

// A hit whose document changed before its address was looked up has none.
func TestAddressesOfAChangedDocument(t *testing.T) {
	env := searchEnv(t, map[string]string{"a.docx": made(t, `{"op":"append_paragraph","text":"one hit"}`, `{"op":"append_paragraph","text":"two hit"}`)})
	ms := []search.Match{{Path: "a.docx", Line: 1, Text: "one hit", Extracted: true}, {Path: "a.docx", Line: 2, Text: "…hit…", Cut: true, Extracted: true}}
	require.Equal(t, []string{"p0", "p1"}, addressesIn(t.Context(), env, nil, ms))
	_, err := env.View.Put(t.Context(), "a.docx", workshop.PutOptions{}, func(w io.Writer) error {
		_, err := io.WriteString(w, made(t, `{"op":"append_paragraph","text":"new"}`, `{"op":"append_paragraph","text":"two hit"}`))
		return err
	})
	require.NoError(t, err)
	require.Equal(t, []string{"", "p1"}, addressesIn(t.Context(), env, nil, ms))
	require.NoError(t, env.View.Remove(t.Context(), "a.docx"))
	require.Equal(t, []string{"", ""}, addressesIn(t.Context(), env, nil, ms))
}
