package search

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/workshop"
)

var ctx = context.Background()

// bench returns a workbench with the given files.
func bench(t testing.TB, files map[string]string) (*workshop.Workbench, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	h, err := workshop.OpenHome(t.TempDir(), workshop.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { h.Close() })
	wb, err := h.OpenFolder(ctx, dir)
	require.NoError(t, err)
	return wb, dir
}

func view(t testing.TB, files map[string]string) workshop.View {
	wb, _ := bench(t, files)
	return wb.DraftView(workshop.Cause{})
}

func put(t testing.TB, v workshop.View, p, s string) {
	t.Helper()
	_, err := v.Put(ctx, workshop.Path(p), workshop.PutOptions{}, func(w io.Writer) error { _, err := io.WriteString(w, s); return err })
	require.NoError(t, err)
}

// plainView hides that a view is an Explorer.
type plainView struct{ workshop.View }

// both runs a test on a view that is an Explorer and on one that is not.
func both(t *testing.T, v workshop.View, f func(*testing.T, workshop.View)) {
	t.Run("explorer", func(t *testing.T) { f(t, v) })
	t.Run("list and open", func(t *testing.T) { f(t, plainView{v}) })
}

func paths(es []workshop.Entry) []string {
	out := []string{}
	for _, e := range es {
		out = append(out, string(e.Path))
	}
	return out
}

func requireInvalid(t *testing.T, err error, field string) {
	t.Helper()
	require.Error(t, err)
	require.True(t, workshop.IsFault(err, workshop.Invalid), "%v", err)
	require.Equal(t, field, workshop.AsFault(err).Field)
}
