package search

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/workshop"
)

// walked returns what a walk gives, at most limit entries.
func walked(t *testing.T, v workshop.View, opt WalkOptions, limit int) []workshop.Entry {
	t.Helper()
	out := []workshop.Entry{}
	require.NoError(t, Walk(ctx, v, opt, func(w Walked) (bool, error) {
		e, err := w.Entry(ctx)
		out = append(out, e)
		return len(out) < limit, err
	}))
	return out
}

// A walk gives what List gives, in the same order, and continues behind any path.
func TestWalkIsList(t *testing.T) {
	files := map[string]string{"a.txt": "1", "a/b.txt": "2", "a/b/c.txt": "3", "a-b/x.md": "4", "a b/y": "5", "a!": "6", "b/z.bin": "\x00", "É/ü.txt": "7", "a/b-c": "8", "gone.txt": "9", "changed.txt": "10"}
	wb, dir := bench(t, files)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "empty"), 0o755))
	require.NoError(t, os.Symlink("a.txt", filepath.Join(dir, "a", "link")))
	v := wb.DraftView(workshop.Cause{})
	put(t, v, "a/new/deep.txt", "in the draft")
	put(t, v, "a.txt", "edited")
	put(t, v, "changed.txt", "edited")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "changed.txt"), []byte("outside"), 0o644))
	require.NoError(t, v.Remove(ctx, "gone.txt"))
	both(t, v, func(t *testing.T, v workshop.View) {
		for _, opt := range []WalkOptions{{}, {Recursive: true}, {Dir: "a", Recursive: true}, {Dir: "a"}} {
			want, err := v.List(ctx, opt.Dir, workshop.ListOptions{Recursive: opt.Recursive, NoHash: true})
			require.NoError(t, err)
			require.NotEmpty(t, want)
			require.Equal(t, want, walked(t, v, opt, 1000))
			for i, e := range want {
				opt.After = e.Path
				require.Equal(t, paths(want[i+1:]), paths(walked(t, v, opt, 1000)), "after %s", e.Path)
				if i+1 < len(want) {
					require.Equal(t, want[i+1:i+2], walked(t, v, opt, 1), "one after %s", e.Path)
				}
			}
		}
		require.True(t, workshop.IsFault(Walk(ctx, v, WalkOptions{Dir: "none"}, nil), workshop.NotFound))
	})
}

func TestWalkEndsWithItsContext(t *testing.T) {
	c, cancel := context.WithCancel(ctx)
	n := 0
	err := Walk(c, view(t, map[string]string{"a": "", "b": "", "c": ""}), WalkOptions{}, func(Walked) (bool, error) {
		n++
		cancel()
		return true, nil
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 1, n)
}

// A page of a large folder takes memory that does not follow the number of files.
func BenchmarkWalk(b *testing.B) {
	v := benchView(b, benchTree(b))
	for _, limit := range []int{100, 1 << 30} {
		b.Run(fmt.Sprint("limit-", limit), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				n := 0
				require.NoError(b, Walk(context.Background(), v, WalkOptions{Recursive: true, After: "area1"}, func(w Walked) (bool, error) {
					n++
					_, err := w.Entry(context.Background())
					return n < limit, err
				}))
			}
		})
	}
}

// A name that ends with something is found as a pattern finds it.
func TestNamesThatEndWith(t *testing.T) {
	for _, end := range []string{".md", "", "d", "{a,b}.md", "é", "]"} {
		direct, err := compileName("*" + end)
		require.NoError(t, err)
		pattern, err := compileName("**" + end)
		require.NoError(t, err)
		for _, name := range []string{"a.md", ".md", "md", "a.mdx", "x{a,b}.md", "xa.md", "é", "É", "", "a]"} {
			require.Equal(t, pattern(name), direct(name), "%q %q", end, name)
		}
	}
}
