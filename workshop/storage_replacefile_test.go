package workshop

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file is replaced whole, for its owner only; when it cannot be, the old one
// stays and nothing is left beside it.
func TestReplaceFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state.json")
	require.NoError(t, ReplaceFile(path, []byte("one")))
	require.NoError(t, ReplaceFile(path, []byte("2")))
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "2", string(b))
	if runtime.GOOS != "windows" {
		st, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), st.Mode().Perm())
	}

	taken := filepath.Join(dir, "folder")
	require.NoError(t, os.MkdirAll(filepath.Join(taken, "x"), 0o700))
	require.Error(t, ReplaceFile(taken, []byte("no")))
	require.Error(t, ReplaceFile(filepath.Join(dir, "none", "a"), []byte("no")))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		require.False(t, strings.HasPrefix(e.Name(), "tmp-"), e.Name())
	}
	require.Len(t, entries, 2)
}

// K-01: what a kill left half-written in the state folder is gone once the
// workbench is open again; the user's own files are not looked at.
func TestK01TemporaryFilesAreSwept(t *testing.T) {
	r := newRig(t, map[string]string{"tmp-mine.txt": "mine"})
	managed, err := r.h.Create(ctx, "managed", "")
	require.NoError(t, err)
	ids := map[string]string{r.wb.ID(): r.wb.Dir(), managed.ID(): managed.Dir()}
	require.NoError(t, os.WriteFile(filepath.Join(managed.Root(), "tmp-own.txt"), nil, 0o600))
	var left []string
	for _, dir := range ids {
		for _, at := range []string{dir, filepath.Join(dir, "rpi"), filepath.Join(dir, "objects")} {
			require.NoError(t, os.MkdirAll(at, 0o700))
			left = append(left, filepath.Join(at, "tmp-123"))
			require.NoError(t, os.WriteFile(filepath.Join(at, "tmp-123"), []byte("half"), 0o600))
		}
	}
	r.reopen()
	for id := range ids {
		_, err := r.h.Open(ctx, id)
		require.NoError(t, err)
	}
	for _, path := range left {
		require.NoFileExists(t, path)
	}
	require.FileExists(t, filepath.Join(r.dir, "tmp-mine.txt"))
	require.FileExists(t, filepath.Join(managed.Root(), "tmp-own.txt"))
}
