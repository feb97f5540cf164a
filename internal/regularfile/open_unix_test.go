//go:build unix

package regularfile_test

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/regularfile"
)

// A pipe without a writer, a device without an end and a folder are refused at once; files
// and links to them are read.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, syscall.Mkfifo(path("pipe"), 0o600))
	require.NoError(t, os.WriteFile(path("file"), []byte("text"), 0o600))
	require.NoError(t, os.Symlink("file", path("link")))
	require.NoError(t, os.Symlink("pipe", path("topipe")))
	for _, name := range []string{path("pipe"), path("topipe"), "/dev/zero", dir} {
		_, err := regularfile.Open(name)
		require.ErrorIs(t, err, regularfile.ErrNot, name)
	}
	for _, name := range []string{path("file"), path("link")} {
		f, err := regularfile.Open(name)
		require.NoError(t, err)
		b, err := io.ReadAll(f)
		require.NoError(t, err)
		require.Equal(t, "text", string(b))
		require.NoError(t, f.Close())
	}
	_, err := regularfile.Open(path("none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
