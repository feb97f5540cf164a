//go:build unix

package agent

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/workshop"
)

// W-31, W-65: the list of files and the manifest show no links, pipes and
// devices, which are never opened.
func TestNoLinksInLists(t *testing.T) {
	r := newRig(t, map[string]string{"a.md": "a"})
	dir := r.root
	require.NoError(t, os.Symlink("a.md", filepath.Join(dir, "link.md")))
	require.NoError(t, os.Symlink("/etc", filepath.Join(dir, "folder")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe.md"), 0o644))
	device := syscall.Mknod(filepath.Join(dir, "device.md"), syscall.S_IFCHR|0o644, 1<<8|3) // for root alone
	require.True(t, device == nil || errors.Is(device, syscall.EPERM), device)
	text, err := manifest(t.Context(), r.wb.DraftView(workshop.Cause{}), Names{})
	require.NoError(t, err)
	require.Contains(t, text, "a.md")
	require.NotContains(t, text, "link.md")
	require.NotContains(t, text, "folder")
	require.NotContains(t, text, "pipe.md")
	require.NotContains(t, text, "device.md")
	_, err = r.run(play(calls("list_files", "{}"), says("Done.")), "go")
	require.NoError(t, err)
	var listed []struct{ Path string }
	require.NoError(t, json.Unmarshal([]byte(r.results()[0]), &listed))
	require.Len(t, listed, 1)
	require.Equal(t, "a.md", listed[0].Path)
}
