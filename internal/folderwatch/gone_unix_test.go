//go:build unix

package folderwatch_test

import (
	"os"
	"path/filepath"
	"testing"

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
