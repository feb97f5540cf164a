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
