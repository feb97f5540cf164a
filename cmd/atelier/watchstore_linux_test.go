package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/require"

	"atelier/internal/folderwatch"
	"atelier/internal/need"
	"atelier/workshop/translate"
)

// A document that comes while another job is at work below --out is tried again, and
// not only when it changes. A watch whose record was deleted ends, and is not to be
// started again by itself: it would do every document again.
func TestWatchSharesOut(t *testing.T) {
	in, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	w := startWatch(t, nil, in, out)
	w.until("watching", "", 1)
	lock := flock.New(filepath.Join(out, filepath.FromSlash(translate.LedgerName)) + ".lock")
	ok, err := lock.TryLock()
	require.NoError(t, err)
	require.True(t, ok)
	require.NoError(t, os.WriteFile(filepath.Join(in, "a.md"), []byte("This is a document.\n"), 0o644))
	failed := w.until("failed", "a.md", 1)
	require.Contains(t, failed.Text, "another job is at work")
	require.NotEmpty(t, failed.RetryAt)
	require.NoError(t, lock.Unlock())
	require.NoError(t, os.WriteFile(filepath.Join(in, "b.md"), []byte("Another one.\n"), 0o644))
	w.until("done", "b.md", 1)

	require.NoError(t, os.RemoveAll(out))
	require.NoError(t, os.WriteFile(filepath.Join(in, "c.md"), []byte("A third one.\n"), 0o644))
	require.Error(t, <-w.ended)
	require.Equal(t, exitPerson, w.cmd.ProcessState.ExitCode())
	require.Contains(t, w.erred.String(), "watch.db was deleted, replaced or unmounted")
	require.Empty(t, w.all("begun", "c.md"))
}

// While the disk of the record is full, a watch waits, says so once, and continues when
// there is room.
func TestWatchWaitsForRoom(t *testing.T) {
	defer func(was time.Duration) { roomEvery = was }(roomEvery)
	roomEvery = 10 * time.Millisecond
	dir := need.Mount(t, "-t", "tmpfs", "-o", "size=1m", "tmpfs")
	store, err := folderwatch.OpenStore(t.Context(), filepath.Join(dir, "watch.db"), "recipe")
	require.NoError(t, err)
	defer store.Close()
	said := &lockedBuffer{}
	ended := make(chan struct{})
	w := folderWork{store: store, out: dir, tell: watchPrinter{out: said}, ended: ended}
	pad, err := os.Create(filepath.Join(dir, "pad"))
	require.NoError(t, err)
	for n := 64 << 10; n > 0; {
		if _, err := pad.Write(make([]byte, n)); err != nil {
			n /= 2
		}
	}
	files := make([]folderwatch.File, 500) // more than the last page has room for
	for i := range files {
		files[i] = folderwatch.File{Rel: string(rune('a'+i%26)) + filepath.Join(t.Name(), time.Duration(i).String())}
	}
	done := make(chan error, 1)
	begin := func() { done <- w.patiently(dir, func() error { return store.Begin(t.Context(), files) }) }
	go begin()
	require.Eventually(t, func() bool { return said.String() != "" }, 10*time.Second, time.Millisecond)
	time.Sleep(5 * roomEvery)
	require.Empty(t, done)
	require.Contains(t, said.String(), "is full: free some space")
	require.NoError(t, pad.Truncate(0))
	require.NoError(t, <-done)
	n := len(said.String())

	for n := 64 << 10; n > 0; { // the first signal ends the wait
		if _, err := pad.Write(make([]byte, n)); err != nil {
			n /= 2
		}
	}
	for i := range files {
		files[i].Rel += "x"
	}
	go begin()
	require.Eventually(t, func() bool { return len(said.String()) > n }, 10*time.Second, time.Millisecond)
	close(ended)
	require.Error(t, <-done)
	require.NoError(t, pad.Close())
}
