package consent

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/workshop"
	"atelier/workshop/search"
)

// TestFilesThatCameSinceAreHidden: whatever way a run looks, reads or writes.
func TestFilesThatCameSinceAreHidden(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	write("a.txt", "needle old")
	write("sub/b.txt", "needle old")
	h, err := workshop.OpenHome(t.TempDir(), workshop.Options{})
	require.NoError(t, err)
	defer h.Close()
	wb, err := h.OpenFolder(t.Context(), dir)
	require.NoError(t, err)
	known := NewKnown([]workshop.Path{"a.txt", "sub/b.txt"})
	v := known.Over(wb.DraftView(workshop.Cause{}))
	write("late.txt", "needle SECRET")
	write("sub/late.txt", "needle SECRET")
	write("new/late.txt", "needle SECRET")

	names := func() (out []workshop.Path) {
		list, err := v.List(t.Context(), "", workshop.ListOptions{Recursive: true, NoHash: true})
		require.NoError(t, err)
		for _, e := range list {
			if !e.IsDir {
				out = append(out, e.Path)
			}
		}
		return out
	}
	rearrange := func(kind workshop.EditKind, from, to workshop.Path) error {
		return workshop.Rearrange(t.Context(), v, workshop.Edit{Kind: kind, Path: from, To: to})
	}
	text := func(w io.Writer) error { _, err := io.WriteString(w, "needle mine"); return err }
	require.Equal(t, []workshop.Path{"a.txt", "sub/b.txt"}, names())
	for name, f := range map[string]func(p workshop.Path) error{
		"stat":   func(p workshop.Path) error { _, err := v.Stat(t.Context(), p); return err },
		"open":   func(p workshop.Path) error { _, err := v.Open(t.Context(), p); return err },
		"put":    func(p workshop.Path) error { _, err := v.Put(t.Context(), p, workshop.PutOptions{}, text); return err },
		"remove": func(p workshop.Path) error { return v.Remove(t.Context(), p) },
		"touch":  func(p workshop.Path) error { _, err := v.Touch(t.Context(), p); return err },
		"from":   func(p workshop.Path) error { return v.Move(t.Context(), p, "elsewhere.txt") },
		"to":     func(p workshop.Path) error { return v.Move(t.Context(), "a.txt", p) },
		"put all": func(p workshop.Path) error {
			_, err := v.(workshop.Batcher).PutAll(t.Context(), []workshop.Put{{Path: p, Write: text}})
			return err
		},
		"copy from": func(p workshop.Path) error { return rearrange(workshop.EditCopy, p, "elsewhere.txt") },
		"copy to":   func(p workshop.Path) error { return rearrange(workshop.EditCopy, "a.txt", p) },
		"delete":    func(p workshop.Path) error { return rearrange(workshop.EditRemove, p, "") },
	} {
		for _, p := range []workshop.Path{"late.txt", "sub/late.txt"} {
			err := f(p)
			require.True(t, workshop.IsFault(err, workshop.Forbidden), "%s %s: %v", name, p, err)
			require.ErrorContains(t, err, "was added after this run began")
		}
	}
	require.True(t, workshop.IsFault(v.Move(t.Context(), "new", "old"), workshop.Forbidden), "nor with its folder")
	require.True(t, workshop.IsFault(v.Remove(t.Context(), "new"), workshop.Forbidden))
	require.True(t, workshop.IsFault(rearrange(workshop.EditCopy, "new", "old"), workshop.Forbidden))
	require.True(t, workshop.IsFault(rearrange(workshop.EditRemove, "new", ""), workshop.Forbidden))

	found := func() (out []workshop.Path) {
		r, err := search.Grep(t.Context(), v, search.GrepOptions{Pattern: "needle"})
		require.NoError(t, err)
		for _, m := range r.Matches {
			out = append(out, m.Path)
			require.NotContains(t, m.Text, "SECRET")
		}
		return out
	}
	require.Equal(t, []workshop.Path{"a.txt", "sub/b.txt"}, found())

	// What the run makes, it sees, also when that is published meanwhile.
	_, err = v.Put(t.Context(), "made.txt", workshop.PutOptions{}, text)
	require.NoError(t, err)
	require.NoError(t, v.Move(t.Context(), "sub/b.txt", "moved.txt"))
	require.NoError(t, rearrange(workshop.EditCopy, "made.txt", "copied.txt"))
	require.Equal(t, []workshop.Path{"a.txt", "copied.txt", "made.txt", "moved.txt"}, names())
	require.NoError(t, rearrange(workshop.EditRemove, "copied.txt", ""))
	require.Equal(t, []workshop.Path{"a.txt", "made.txt", "moved.txt"}, names())
	_, err = wb.Publish(t.Context(), workshop.PublishOptions{})
	require.NoError(t, err)
	require.Equal(t, []workshop.Path{"a.txt", "made.txt", "moved.txt"}, names())
	require.Equal(t, []workshop.Path{"a.txt", "made.txt", "moved.txt"}, found())
	src, err := v.Open(t.Context(), "made.txt")
	require.NoError(t, err)
	require.NoError(t, src.Close())
}
