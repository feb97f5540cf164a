package workshop

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// I-07, K-08: a folder gets one workbench, however many ask at once.
func TestOneWorkbenchForAFolder(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	var homes []*Home // as processes have them
	for range 3 {
		h, err := OpenHome(home, Options{})
		require.NoError(t, err)
		defer h.Close()
		homes = append(homes, h)
	}
	errs := make([]error, 12)
	var wg sync.WaitGroup
	for n := range errs {
		wg.Go(func() { _, errs[n] = homes[n%3].Create(ctx, "w", dir) })
	}
	wg.Wait()
	made := 0
	for _, err := range errs {
		if err == nil {
			made++
			continue
		}
		require.True(t, IsFault(err, Conflict), "%v", err)
	}
	require.Equal(t, 1, made)
	all, err := homes[0].List(ctx)
	require.NoError(t, err)
	require.Len(t, all, 1)

	other := t.TempDir()
	ids := make([]string, 6)
	for n := range ids {
		wg.Go(func() {
			if wb, err := homes[0].OpenFolder(ctx, other); err == nil {
				ids[n] = wb.ID()
			}
		})
	}
	wg.Wait()
	for _, id := range ids {
		require.NotEmpty(t, id)
		require.Equal(t, ids[0], id)
	}
}

// K-01: a creation that was killed leaves nothing that is listed, and the next
// one removes it.
func TestK01KilledWhileAWorkbenchIsMade(t *testing.T) {
	h, err := OpenHome(t.TempDir(), Options{})
	require.NoError(t, err)
	defer h.Close()
	half := filepath.Join(h.Dir(), "workbenches", newPrefix+"half")
	require.NoError(t, os.MkdirAll(filepath.Join(half, "files"), 0o700))
	all, err := h.List(ctx)
	require.NoError(t, err)
	require.Empty(t, all)
	wb, err := h.Create(ctx, "whole", "")
	require.NoError(t, err)
	require.DirExists(t, wb.Root())
	require.NoDirExists(t, half)
}
