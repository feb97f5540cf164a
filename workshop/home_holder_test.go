package workshop

import (
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// K-08: which process has a workbench is known to others, and asking keeps
// nobody from opening it.
func TestHolder(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "docs")
	require.NoError(t, os.Mkdir(root, 0o755))
	h, err := OpenHome(filepath.Join(dir, "home"), Options{Address: "there"})
	require.NoError(t, err)
	defer h.Close()
	wb, err := h.OpenFolder(t.Context(), root)
	require.NoError(t, err)
	id := wb.ID()
	other, err := OpenHome(filepath.Join(dir, "home"), Options{})
	require.NoError(t, err)
	defer other.Close()
	end, err := wb.Begin(ActRun)
	require.NoError(t, err)
	for _, from := range []*Home{h, other} {
		who, held, err := from.Holder(id)
		require.NoError(t, err)
		require.True(t, held)
		require.WithinDuration(t, time.Now(), who.Since, time.Minute)
		require.Equal(t, Holder{strconv.Itoa(os.Getpid()), ActRun, "there", who.Since}, who)
	}
	end()
	require.NoError(t, h.CloseWorkbench(id))
	_, held, err := other.Holder(id)
	require.NoError(t, err)
	require.False(t, held)
	_, _, err = other.Holder("nope")
	require.True(t, IsFault(err, NotFound), "%v", err)

	var asking sync.WaitGroup
	stop := make(chan struct{})
	asking.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				_, _, _ = other.Holder(id)
			}
		}
	})
	for range 20 {
		_, err := h.Open(t.Context(), id)
		require.NoError(t, err)
		require.NoError(t, h.CloseWorkbench(id))
	}
	close(stop)
	asking.Wait()
}

// Has knows published files, those of the draft, and those that it removes.
func TestHas(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "docs")
	require.NoError(t, os.MkdirAll(filepath.Join(root, "a"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "a", "b.md"), []byte("b"), 0o644))
	h, err := OpenHome(filepath.Join(dir, "home"), Options{})
	require.NoError(t, err)
	defer h.Close()
	wb, err := h.OpenFolder(t.Context(), root)
	require.NoError(t, err)
	require.True(t, wb.Has(t.Context(), "a/b.md"))
	require.True(t, wb.Has(t.Context(), "a"))
	require.False(t, wb.Has(t.Context(), "c.md"))
	require.False(t, wb.Has(t.Context(), "../docs/a"))
	require.NoError(t, wb.DraftView(Cause{}).Remove(t.Context(), "a/b.md"))
	require.True(t, wb.Has(t.Context(), "a/b.md"))
}
