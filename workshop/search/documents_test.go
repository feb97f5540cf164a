package search

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/all"
	"atelier/formats/formatstest"
	"atelier/workshop"
	"atelier/workshop/doctext"
)

// B9-05: real documents are searched by their text, together with text files.
func TestGrepDocuments(t *testing.T) {
	files := map[string]string{}
	docs, err := filepath.Glob("../../testdata/documents/*")
	require.NoError(t, err)
	for _, d := range docs {
		b, err := os.ReadFile(d)
		require.NoError(t, err)
		files[filepath.Base(d)] = string(b)
	}
	cache := doctext.NewCache(all.Formats(all.Options{CacheDir: formatstest.Cache}), doctext.CacheOptions{})
	for _, name := range []string{"contrato.docx", "presentacion.pptx", "sales.xlsx"} {
		// Each line of the text is found at its number.
		src, err := memory(files).Open(ctx, workshop.Path(name))
		require.NoError(t, err)
		text, err := cache.Text(ctx, src)
		require.NoError(t, err)
		want, err := naive(map[string]string{name: text}, GrepOptions{Pattern: "e", Before: 1, After: 1})
		require.NoError(t, err)
		require.NotEmpty(t, want)
		got, err := Grep(ctx, view(t, files), GrepOptions{Pattern: "e", PathPattern: name, Before: 1, After: 1, Extract: cache.Text})
		require.NoError(t, err)
		require.Len(t, got.Matches, len(want))
		for i := range want {
			want[i].Extracted = true
			require.Equal(t, want[i], got.Matches[i])
		}
	}
}

// B9-05: text in other encodings is searched by its characters, and a document of which only a part
// is read is searched as far as it is, and told.
func TestGrepEncodedAndPartialText(t *testing.T) {
	files := map[string]string{"latin.txt": "nothing\nel caf\xe9 est\xe1 aqu\xed\n", "utf8.txt": "el café\n", "part.docx": "-"}
	extract := doctext.NewCache(all.Formats(all.Options{CacheDir: formatstest.Cache}), doctext.CacheOptions{})
	got, err := Grep(ctx, view(t, files), GrepOptions{Pattern: "CAFÉ", After: 1, Extract: func(ctx context.Context, src formats.Source) (string, error) {
		if src.Name() == "part.docx" {
			return "un café\n", Partial("only half was read")
		}
		return extract.Text(ctx, src)
	}})
	require.NoError(t, err)
	require.Equal(t, []Match{{Path: "latin.txt", Line: 2, Text: "el café está aquí", Extracted: true}, {Path: "part.docx", Line: 1, Text: "un café", Extracted: true}, {Path: "utf8.txt", Line: 1, Text: "el café"}}, got.Matches)
	require.Equal(t, []Skipped{{"part.docx", "only half was read"}}, got.Skipped)
	require.Equal(t, 3, got.Files)
}
