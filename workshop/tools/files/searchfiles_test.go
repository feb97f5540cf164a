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
	"atelier/formats/preview"
	"atelier/internal/need"
	"atelier/workshop"
	"atelier/workshop/doctext"
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
	ctx, cancel := context.WithTimeout(t.Context(), 1200*time.Millisecond)
	defer cancel()
	_, opt, err := SearchArgs{Query: "hit"}.options(ctx, env)
	require.NoError(t, err)
	require.LessOrEqual(t, opt.Budget, time.Second)
	got, err := search.Grep(ctx, env.View, opt)
	require.NoError(t, err)
	require.True(t, got.Late)
	require.Equal(t, workshop.Path("c.txt"), got.Last)
	require.Equal(t, []search.Skipped{{Path: "b.docx", Reason: "the time of the call was over before it was searched"}}, got.Skipped)
	require.Len(t, got.Matches, 2, "a document that takes long does not hold up what is behind it")
	require.NoError(t, ctx.Err())
}

// A document of which only the beginning is searched is told.
func TestDocumentsThatAreNotSearchedInFull(t *testing.T) {
	env := searchEnv(t, nil)
	extract := unitsOf(env, nil)
	wide := strings.Repeat("a\x00\n\x00", 17<<20/2)
	text, err := extract(t.Context(), formats.FromBytes("wide.txt", []byte("\xff\xfe"+wide)))
	require.Equal(t, search.Partial("only the beginning of its text was searched, which is longer than 16 MiB"), err)
	require.Len(t, text, 16<<20)
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

// One search has so many pages recognised; what is kept from before does not count.
func TestScansOfOneSearchAreCounted(t *testing.T) {
	need.Program(t, "tesseract", "tesseract-ocr")
	env := searchEnv(t, nil)
	env.Pages = preview.New(env.Formats, preview.Options{})
	page, err := env.Pages.Page(t.Context(), formats.FromBytes("a.txt", []byte("Invoice number 4711")), preview.Request{Scale: 2})
	require.NoError(t, err)
	src := formats.FromBytes("scan.png", page.PNG)
	s := newScans(env)
	s.left = 0
	_, err = s.document(t.Context(), src, doctext.Doc{})
	require.Equal(t, search.Partial("its text was not recognised: one search recognises 12 pages and images; search again, with the path of the file where there are many, to go on"), err)
	for _, left := range []int{1, 0} { // the second time it is kept
		s.left = left
		doc, err := s.document(t.Context(), src, doctext.Doc{})
		require.NoError(t, err)
		require.Contains(t, doc.Text, "4711")
		require.Zero(t, s.left)
	}
}
