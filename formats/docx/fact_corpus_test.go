package docx

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// Every real document is the same as itself: no item, no fact.
func TestFactsSelf(t *testing.T) {
	for _, path := range formatstest.Corpus(t, "docx") {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		src := formats.FromBytes("a.docx", b)
		start := time.Now()
		d, err := Format().Differ.Diff(ctx, src, src, formats.DiffOptions{})
		if err != nil {
			require.NotEmpty(t, formats.CodeOf(err), path)
			continue
		}
		t.Log(filepath.Base(path), time.Since(start))
		require.Empty(t, d.Groups, path)
		require.Empty(t, d.Facts, path)
		require.Empty(t, d.Warnings, path)
	}
}
