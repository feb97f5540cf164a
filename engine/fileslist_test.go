package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Pages of the list of files together are the whole list.
func TestFilesListPages(t *testing.T) {
	e, id, dir := guestRig(t, Options{}) // with a.txt
	for i := range 24 {
		path := filepath.Join(dir, fmt.Sprintf("d%d", i%3), fmt.Sprintf("f%02d.txt", i))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte("x"), 0o600))
	}
	all, err := e.filesList(t.Context(), FilesListParams{WorkbenchID: id})
	require.NoError(t, err)
	require.Len(t, all.Files, 25)
	require.False(t, all.More)
	var paged []FileInfo
	for p := (FilesListParams{WorkbenchID: id, Limit: 5}); ; {
		page, err := e.filesList(t.Context(), p)
		require.NoError(t, err)
		require.Len(t, page.Files, 5)
		paged = append(paged, page.Files...)
		if !page.More {
			break
		}
		p.After = page.Files[4].Path
	}
	require.Equal(t, all.Files, paged)
	_, err = e.filesList(t.Context(), FilesListParams{WorkbenchID: id, Limit: -1})
	require.ErrorContains(t, err, "limit cannot be negative")
}
