package agent

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/workshop"
)

// W-31, W-65: the list of files and the manifest show no links and what else is
// never opened.
func TestNoLinksInLists(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows makes links for administrators only")
	}
	r := newRig(t, map[string]string{"a.md": "a"})
	dir := r.root
	require.NoError(t, os.Symlink("a.md", filepath.Join(dir, "link.md")))
	require.NoError(t, os.Symlink("/etc", filepath.Join(dir, "folder")))
	text, err := manifest(t.Context(), r.wb.DraftView(workshop.Cause{}), Names{})
	require.NoError(t, err)
	require.Contains(t, text, "a.md")
	require.NotContains(t, text, "link.md")
	require.NotContains(t, text, "folder")
	_, err = r.run(play(calls("list_files", "{}"), says("Done.")), "go")
	require.NoError(t, err)
	var listed []struct{ Path string }
	require.NoError(t, json.Unmarshal([]byte(r.results()[0]), &listed))
	require.Len(t, listed, 1)
	require.Equal(t, "a.md", listed[0].Path)
}
