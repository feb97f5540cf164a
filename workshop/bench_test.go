package workshop

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"atelier/internal/campaign"

	"github.com/stretchr/testify/require"
)

// forest makes a folder of n small files, 100 in each folder, that look old.
func forest(b *testing.B, dir string, n int) {
	old := time.Now().Add(-time.Hour)
	for i := range n {
		path := filepath.Join(dir, leaf(i))
		if i%100 == 0 {
			require.NoError(b, os.MkdirAll(filepath.Dir(path), 0o755))
		}
		require.NoError(b, os.WriteFile(path, fmt.Appendf(nil, "file %d\n", i), 0o644))
		require.NoError(b, os.Chtimes(path, old, old))
	}
}

func leaf(i int) string { return fmt.Sprintf("d%04d/f%06d.txt", i/100, i) }

// BenchmarkScale is the cost of a workbench by the number of its files, with
// what git takes on the same tree:
//
//	go test ./workshop -run '^$' -bench Scale -benchtime 5x
func BenchmarkScale(b *testing.B) {
	for _, n := range []int{10, 100_000} {
		if testing.Short() && n > 10 {
			continue
		}
		b.Run(fmt.Sprint("files=", n), func(b *testing.B) { benchScale(b, n) })
	}
}

func benchScale(b *testing.B, n int) {
	r := &rig{t: b, home: b.TempDir(), dir: b.TempDir()}
	forest(b, r.dir, n)
	r.open()
	defer func() { r.h.Close() }()
	list := func(b *testing.B, opt ListOptions) {
		opt.Recursive = true
		es, err := r.draft().List(ctx, "", opt)
		require.NoError(b, err)
		require.GreaterOrEqual(b, len(es), n)
	}
	b.Run("open-new", func(b *testing.B) {
		for b.Loop() {
			h, err := OpenHome(b.TempDir(), Options{})
			require.NoError(b, err)
			_, err = h.OpenFolder(ctx, r.dir)
			require.NoError(b, err)
			require.NoError(b, h.Close())
		}
	})
	b.Run("open-again", func(b *testing.B) {
		for b.Loop() {
			r.reopen()
		}
	})
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			list(b, ListOptions{NoHash: true})
		}
	})
	b.Run("list-hashes-first", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			_, err := r.wb.db.Exec(`DELETE FROM file_hashes`)
			require.NoError(b, err)
			b.StartTimer()
			list(b, ListOptions{})
		}
	})
	b.Run("list-hashes-again", func(b *testing.B) {
		for b.Loop() {
			list(b, ListOptions{})
		}
	})
	edits := 0
	b.Run("draft-one-edit", func(b *testing.B) {
		for b.Loop() {
			edits++
			r.put(leaf(1), fmt.Sprint("edit ", edits))
			b.StopTimer()
			require.NoError(b, r.wb.Discard(ctx, nil))
			b.StartTimer()
		}
	})
	for _, k := range []int{1, 1000} {
		if k > n {
			continue
		}
		b.Run(fmt.Sprint("publish-", k), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				edits++
				for i := range k {
					r.put(leaf(i), fmt.Sprint("published ", edits, i))
				}
				b.StartTimer()
				r.publish(PublishOptions{})
			}
		})
	}
	b.Run("undo-of-1000", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			edits++
			r.say(fmt.Sprint("u-", edits), TypeUser)
			for i := range min(n, 1000) {
				r.put(leaf(i), fmt.Sprint("to undo ", edits, i))
			}
			r.publish(PublishOptions{})
			b.StartTimer()
			_, err := r.wb.UndoTo(ctx, fmt.Sprint("u-", edits))
			require.NoError(b, err)
		}
	})
	benchGit(b, r.dir, n)
}

// benchGit is the same with git, which syncs nothing by default; "fsync" has it
// keep the promise that a publish keeps.
func benchGit(b *testing.B, dir string, n int) {
	if _, err := exec.LookPath("git"); err != nil {
		b.Log("git is not there to compare with")
		return
	}
	git := func(b *testing.B, args ...string) {
		cmd := exec.Command("git", append([]string{"-c", "user.name=b", "-c", "user.email=b@example.org", "-c", "gc.auto=0", "-c", "core.autocrlf=false"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(b, err, string(out))
	}
	git(b, "init", "-q")
	begun := time.Now()
	git(b, "add", "-A")
	git(b, "commit", "-qm", "all")
	b.Logf("git's first add and commit of %d files: %s", n, time.Since(begun).Round(time.Millisecond))
	b.Run("git-status", func(b *testing.B) {
		for b.Loop() {
			git(b, "status", "--short")
		}
	})
	for _, k := range []int{1, 1000} {
		if k > n {
			continue
		}
		for _, sync := range []string{"none", "all"} {
			edits := 0
			b.Run(fmt.Sprint("git-commit-", k, "-fsync-", sync), func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					edits++
					for i := range k {
						require.NoError(b, os.WriteFile(filepath.Join(dir, leaf(i)), fmt.Appendf(nil, "git %s %d %d", sync, edits, i), 0o644))
					}
					b.StartTimer()
					git(b, "-c", "core.fsync="+sync, "add", "-A")
					git(b, "-c", "core.fsync="+sync, "commit", "-qm", "x")
				}
			})
		}
	}
	require.NoError(b, os.RemoveAll(filepath.Join(dir, ".git")))
}

// A file of 2 GB, sparse where the file system can: over the default limit it
// is listed and refused by name; with a higher limit it is read, edited around,
// published and undone.
func TestW65HugeFile(t *testing.T) {
	campaign.Slow(t)
	if testing.Short() {
		t.Skip("hashes 2 GB: left out with -short")
	}
	r := newRig(t, map[string]string{"a.txt": "1"})
	f, err := os.Create(filepath.Join(r.dir, "huge.bin"))
	require.NoError(t, err)
	require.NoError(t, f.Truncate(2<<30))
	require.NoError(t, f.Close())
	es, err := r.draft().List(ctx, "", ListOptions{})
	require.NoError(t, err)
	require.Equal(t, "size_limit", es[1].Refused)
	_, err = r.draft().Open(ctx, "huge.bin")
	require.True(t, IsFault(err, Invalid), "%v", err)
	r.put("a.txt", "2")
	r.publish(PublishOptions{})
	require.Equal(t, Path("huge.bin"), es[1].Path)

	r.wb.limits.FileBytes = 4 << 30
	src, err := r.draft().Open(ctx, "huge.bin")
	require.NoError(t, err)
	require.EqualValues(t, 2<<30, src.Size())
	require.Equal(t, "a7c744c13cc101ed66c29f672f92455547889cc586ce6d44fe76ae824958ea51", src.Hash())
	require.NoError(t, src.Close())
}
