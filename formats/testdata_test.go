package formats_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
	"atelier/testdata/gen/docs"
)

// The generator still makes the committed documents, byte for byte.
func TestGeneratedDocuments(t *testing.T) {
	files, err := docs.All()
	require.NoError(t, err)
	root := filepath.Join(formatstest.Root(t), "testdata")
	total := 0
	for name, want := range files {
		have, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		require.NoError(t, err, "run: go run ./testdata/gen")
		require.True(t, string(want) == string(have), "%s differs from what the generator makes; run: go run ./testdata/gen", name)
		total += len(want)
	}
	require.Less(t, total, 400<<10)
	for _, dir := range []string{"documents", "bad"} {
		entries, err := os.ReadDir(filepath.Join(root, dir))
		require.NoError(t, err)
		for _, e := range entries {
			require.Contains(t, files, dir+"/"+e.Name(), "not made by the generator")
		}
	}
}

func TestDocumentsAreValid(t *testing.T) {
	for _, name := range []string{"sales.xlsx", "contrato.docx", "presentacion.pptx"} {
		path := filepath.Join(formatstest.Root(t), "testdata", "documents", name)
		t.Run(name, func(t *testing.T) {
			formatstest.Validate(t, path, "")
			formatstest.LibreOfficeOpens(t, path)
		})
	}
}
