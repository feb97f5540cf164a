package search

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

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
