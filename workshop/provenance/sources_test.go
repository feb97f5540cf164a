package provenance_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/workshop"
	"atelier/workshop/provenance"
	"atelier/workshop/search"
)

var ctx = context.Background()

func draft(t *testing.T, files map[string]string) workshop.View {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
		require.NoError(t, os.WriteFile(p, []byte(text), 0o644))
	}
	home, err := workshop.OpenHome(t.TempDir(), workshop.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { home.Close() })
	wb, err := home.OpenFolder(ctx, dir)
	require.NoError(t, err)
	return wb.DraftView(workshop.Cause{})
}

func put(t *testing.T, v workshop.View, p workshop.Path, text string) {
	t.Helper()
	_, err := v.Put(ctx, p, workshop.PutOptions{}, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
	require.NoError(t, err)
}

// read opens files through the trail and gives what it noted.
func read(t *testing.T, trail *provenance.Trail, v workshop.View, paths ...workshop.Path) []string {
	t.Helper()
	set := &provenance.Set{}
	for _, p := range paths {
		src, err := trail.Over(v, set).Open(ctx, p)
		require.NoError(t, err)
		src.Close()
	}
	return set.List()
}

// What a run opens is a source under the name it had before the run; what the
// run made is none, until somebody else puts something in its place.
func TestTrail(t *testing.T) {
	v := draft(t, map[string]string{"a.txt": "alpha", "dir/b.txt": "beta", "dir/c.txt": "gamma"})
	trail := provenance.NewTrail()
	own := trail.Over(v, &provenance.Set{})
	require.Equal(t, []string{"a.txt"}, read(t, trail, v, "a.txt"))

	put(t, own, "made.txt", "mine")
	put(t, own, "made.txt", "mine, longer")
	require.Empty(t, read(t, trail, v, "made.txt"))
	require.NoError(t, own.Move(ctx, "made.txt", "moved.txt"))
	require.Empty(t, read(t, trail, v, "moved.txt"))
	require.Empty(t, trail.Name(ctx, v, "moved.txt"))
	put(t, v, "moved.txt", "somebody else's")
	require.Equal(t, []string{"moved.txt"}, read(t, trail, v, "moved.txt"))
	require.Equal(t, []string{"moved.txt"}, trail.Name(ctx, v, "moved.txt"))
	put(t, own, "moved.txt", "mine again, made of it")
	require.Equal(t, []string{"moved.txt"}, read(t, trail, v, "moved.txt"), "it was not the run's")

	_, err := own.Touch(ctx, "touched.txt")
	require.NoError(t, err)
	put(t, own, "touched.txt", "mine")
	require.Empty(t, read(t, trail, v, "touched.txt"))
	_, err = own.Touch(ctx, "a.txt")
	require.NoError(t, err)
	put(t, own, "a.txt", "edited")
	require.Equal(t, []string{"a.txt"}, read(t, trail, v, "a.txt"))
	require.NoError(t, own.Move(ctx, "a.txt", "plain.txt"))
	require.Equal(t, []string{"a.txt"}, read(t, trail, v, "plain.txt"))
	require.NoError(t, own.Move(ctx, "dir", "other"))
	require.NoError(t, own.Move(ctx, "other/b.txt", "b.txt"))
	require.Equal(t, []string{"dir/b.txt", "dir/c.txt"}, read(t, trail, v, "b.txt", "other/c.txt"))
	rearrange := func(kind workshop.EditKind, from, to workshop.Path) {
		require.NoError(t, workshop.Rearrange(ctx, own, workshop.Edit{Kind: kind, Path: from, To: to}))
	}
	rearrange(workshop.EditCopy, "other", "copies")
	require.Equal(t, []string{"dir/c.txt"}, read(t, trail, v, "copies/c.txt"))
	require.Equal(t, []string{"dir/c.txt"}, read(t, trail, v, "other/c.txt"))
	rearrange(workshop.EditCopy, "touched.txt", "copies/mine.txt")
	require.Empty(t, read(t, trail, v, "copies/mine.txt", "touched.txt"))
	rearrange(workshop.EditRemove, "copies", "")
	put(t, v, "copies/c.txt", "somebody else's")
	require.Equal(t, []string{"copies/c.txt"}, read(t, trail, v, "copies/c.txt"))
	require.NoError(t, own.Remove(ctx, "b.txt"))
	put(t, v, "b.txt", "somebody else's")
	require.Equal(t, []string{"b.txt"}, read(t, trail, v, "b.txt"))
}

// A search looks through all files; those it found something in are sources.
func TestSearches(t *testing.T) {
	v := draft(t, map[string]string{"a.txt": "needle", "b.txt": "hay"})
	trail, set := provenance.NewTrail(), &provenance.Set{}
	ctx := provenance.With(ctx, set)
	res, err := search.Grep(provenance.Aside(ctx), trail.Over(v, set), search.GrepOptions{Pattern: "needle"})
	require.NoError(t, err)
	require.Equal(t, 2, res.Files)
	require.Empty(t, set.List())
	provenance.Found(ctx, res.Matches[0].Path)
	provenance.AddDoc(ctx, "w/open.txt")
	provenance.Opened(provenance.Aside(ctx), "b.txt")
	set.Resolve(func(d workshop.DocPath) string { return "open: " + string(d) }, func(p workshop.Path) []string { return trail.Name(ctx, v, p) })
	require.Equal(t, []string{"a.txt", "open: w/open.txt"}, set.List())
	_, err = search.Grep(ctx, trail.Over(v, set), search.GrepOptions{Pattern: "nothing"})
	require.NoError(t, err)
	require.Equal(t, []string{"a.txt", "b.txt", "open: w/open.txt"}, set.List(), "one that does not say so reads them")

	var other provenance.Set
	other.Add("a.txt")
	require.Equal(t, []string{"b.txt", "open: w/open.txt"}, set.Without(&other))
	files, ok := provenance.Carried(provenance.Carrying(ctx, set.List()))
	require.True(t, ok)
	require.Len(t, files, 3)
	_, ok = provenance.Carried(ctx)
	require.False(t, ok)
}
