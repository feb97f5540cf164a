//go:build unix

package folderwatch_test

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/folderwatch"
)

// A store whose file was deleted while it was open begins nothing: another process may
// have a new one, and what is recorded would be forgotten.
func TestStoreIsGone(t *testing.T) {
	r := newRig(t, nil)
	r.write("a.txt", "a")
	require.Equal(t, "a.txt", r.done())
	require.NoError(t, os.RemoveAll(filepath.Dir(r.db)))
	f := []folderwatch.File{{Rel: "b.txt"}}
	require.ErrorIs(t, r.store.Begin(t.Context(), f), folderwatch.ErrGone)
	other, err := folderwatch.OpenStore(t.Context(), r.db, "recipe")
	require.NoError(t, err)
	defer other.Close()
	require.NoError(t, other.Begin(t.Context(), f))
	require.ErrorIs(t, r.store.Begin(t.Context(), f), folderwatch.ErrGone)
}

// A pipe that takes the place of a file which waits behind others holds nothing up.
func TestPipeInThePlaceOfAFile(t *testing.T) {
	r := newRig(t, nil)
	r.write("a.txt", "a")
	r.write("b.txt", "b")
	first := r.next(1)[0]
	other := map[string]string{"a.txt": "b.txt", "b.txt": "a.txt"}[first.Rel]
	require.NoError(t, syscall.Mkfifo(filepath.Join(r.dir, ".pipe"), 0o600))
	require.NoError(t, os.Rename(filepath.Join(r.dir, ".pipe"), filepath.Join(r.dir, other)))
	r.end(first, folderwatch.Outcome{})
	r.write("c.txt", "c")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	came := make(chan string, 1)
	go func() {
		files, err := r.w.Next(ctx, 1)
		if err != nil || len(files) == 0 {
			came <- "nothing"
			return
		}
		came <- files[0].Rel
	}()
	select {
	case rel := <-came:
		require.Equal(t, "c.txt", rel)
	case <-time.After(10 * time.Second):
		t.Fatal("the watch waits for the writer of a pipe")
	}
}
