package workshop

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What is kept already is kept once more, also while it is read, and without the wait for
// other programs that Windows needs: 30 times of that wait are a minute. What is damaged is
// replaced, although it is read-only.
func TestContentKeptAgain(t *testing.T) {
	o := newObjects(filepath.Join(t.TempDir(), "objects"))
	put := func(text string) string {
		hash, n, err := o.put(context.Background(), 100, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
		require.NoError(t, err)
		require.EqualValues(t, len(text), n)
		return hash
	}
	hash := put("a text")
	read, err := os.Open(o.path(hash))
	require.NoError(t, err)
	old := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(o.path(hash), old, old))
	begun := time.Now()
	var all sync.WaitGroup
	for range 30 {
		all.Go(func() { put("a text") })
	}
	all.Wait()
	require.Less(t, time.Since(begun), 30*time.Second)
	require.NoError(t, read.Close())
	st, err := os.Stat(o.path(hash))
	require.NoError(t, err)
	require.WithinRange(t, st.ModTime(), begun.Add(-time.Minute), time.Now().Add(time.Minute), "its time says that it is in use")

	require.NoError(t, os.Chmod(o.path(hash), 0o600))
	require.NoError(t, os.WriteFile(o.path(hash), []byte("b text"), 0o600))
	require.NoError(t, os.Chmod(o.path(hash), 0o400))
	require.Equal(t, hash, put("a text"))
	b, err := os.ReadFile(o.path(hash))
	require.NoError(t, err)
	require.Equal(t, "a text", string(b))
	left, err := filepath.Glob(filepath.Join(o.dir, "tmp-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}
