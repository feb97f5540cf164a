package workshop

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func (r *rig) outside(p, s string) {
	r.t.Helper()
	path := filepath.Join(r.dir, p)
	require.NoError(r.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(r.t, os.WriteFile(path, []byte(s), 0o644))
}

// K-02, W-62: whatever somebody does to published files while a draft is open,
// lists, reads, review and publish tell it, and nothing of theirs or ours is lost.
func TestK02OutsideChangesAreTold(t *testing.T) {
	r := newRig(t, map[string]string{"edited": "1", "deleted": "2", "renamed": "3", "replaced": "4", "same": "5", "free": "6", "gone": "7"})
	for _, p := range []string{"edited", "deleted", "renamed", "replaced", "same", "added"} {
		r.put(p, "draft of "+p)
	}
	require.NoError(t, r.draft().Remove(ctx, "gone"))
	file := func(p string) string { return filepath.Join(r.dir, p) }
	r.outside("edited", "theirs")
	require.NoError(t, os.Remove(file("deleted")))
	require.NoError(t, os.Rename(file("renamed"), file("renamed by them")))
	r.outside("tmp", "their 4") // as Excel saves
	require.NoError(t, os.Rename(file("tmp"), file("replaced")))
	r.outside("added", "their own")
	r.outside("free", "changed too")
	r.outside("gone", "they still use it")
	r.outside("same", "draft of same") // the same as the draft: no conflict
	disk := r.disk()

	want := map[string]string{"edited": "changed", "deleted": "deleted", "renamed": "deleted", "replaced": "changed", "added": "added", "gone": "changed"}
	cs, err := r.wb.Changes(ctx)
	require.NoError(t, err)
	got := map[string]string{}
	for _, c := range cs {
		require.Equal(t, c.Outside != "", c.Conflict)
		got[string(c.Path)] = c.Outside
	}
	require.Equal(t, want, got)
	es, err := r.draft().List(ctx, "", ListOptions{NoHash: true})
	require.NoError(t, err)
	for _, e := range es {
		require.Equal(t, want[string(e.Path)] != "", e.ChangedOutside, e.Path)
		st, err := r.draft().Stat(ctx, e.Path)
		require.NoError(t, err)
		require.Equal(t, e.ChangedOutside, st.ChangedOutside, e.Path)
	}
	require.Equal(t, "changed too", content(t, r.draft(), "free"), "what is not in the draft shows as it is")
	require.Equal(t, "3", content(t, r.draft(), "renamed by them"))
	require.Equal(t, "draft of edited", content(t, r.draft(), "edited"))

	_, err = r.wb.Publish(ctx, PublishOptions{})
	require.True(t, IsFault(err, Conflict), "%v", err)
	require.Equal(t, []string{"added", "deleted", "edited", "gone", "renamed", "replaced"}, AsFault(err).Paths)
	require.ErrorContains(t, err, "deleted was deleted, edited was changed")
	require.Equal(t, disk, r.disk())

	require.NoError(t, r.wb.Discard(ctx, []Path{"gone", "added"}))
	require.Equal(t, "their own", content(t, r.draft(), "added"))
	res := r.publish(PublishOptions{Force: []Path{"deleted", "edited", "renamed", "replaced"}})
	require.Equal(t, "draft of replaced", r.disk()["replaced"])
	_, err = r.wb.Restore(ctx, res.CheckpointID)
	require.NoError(t, err)
	require.Equal(t, disk, r.disk(), "what force replaced is kept")
}

// A change that keeps size and modification time is still seen.
func TestHashCacheIsNotFooled(t *testing.T) {
	old := time.Now().Add(-time.Hour)
	r := newRig(t, map[string]string{"in place": "aaaa", "replaced": "aaaa", "future": "aaaa"})
	file := func(p string) string { return filepath.Join(r.dir, p) }
	for _, p := range []string{"in place", "replaced"} {
		require.NoError(t, os.Chtimes(file(p), old, old))
	}
	require.NoError(t, os.Chtimes(file("future"), time.Now().Add(time.Hour), time.Now().Add(time.Hour)))
	future, err := os.Stat(file("future"))
	require.NoError(t, err)
	time.Sleep(racy + 100*time.Millisecond) // until hashes are kept
	first := tree(t, r.wb.Published())
	require.Equal(t, "aaaa", first["in place"])
	hash := func(p Path) string {
		e, err := r.wb.Published().Stat(ctx, p)
		require.NoError(t, err)
		return e.Hash
	}
	before := map[Path]string{"in place": hash("in place"), "replaced": hash("replaced"), "future": hash("future")}
	var n int
	require.NoError(t, r.wb.db.QueryRow(`SELECT count(*) FROM file_hashes`).Scan(&n))
	require.Equal(t, 2, n, "a file from the future is never old enough")
	r.outside("in place", "bbbb")
	require.NoError(t, os.Chtimes(file("in place"), old, old))
	r.outside("new", "bbbb")
	require.NoError(t, os.Chtimes(file("new"), old, old))
	require.NoError(t, os.Rename(file("new"), file("replaced")))
	r.outside("future", "bbbb")
	require.NoError(t, os.Chtimes(file("future"), future.ModTime(), future.ModTime()))
	for p, h := range before {
		require.NotEqual(t, h, hash(p), p)
	}
}

// The folder of an open workbench is moved, deleted, or replaced by another.
func TestFolderGoesWhileOpen(t *testing.T) {
	if onWindows {
		t.Skip("Windows does not move a folder that is open")
	}
	moved := func(r *rig) string { return r.dir + "-moved" }
	t.Run("moved", func(t *testing.T) {
		r := newRig(t, map[string]string{"a": "1"})
		r.put("a", "2")
		require.NoError(t, os.Rename(r.dir, moved(r)))
		r.publish(PublishOptions{}) // into the folder, wherever it is
		b, err := os.ReadFile(filepath.Join(moved(r), "a"))
		require.NoError(t, err)
		require.Equal(t, "2", string(b))
		require.NoDirExists(t, r.dir)
		id := r.wb.ID()
		r.dir = moved(r)
		r.reopen()
		require.Equal(t, id, r.wb.ID())
	})
	for name, replace := range map[string]bool{"deleted": false, "replaced": true} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, map[string]string{"a": "1"})
			r.put("a", "2")
			code := NotFound
			if replace {
				code = Conflict
				require.NoError(t, os.Rename(r.dir, moved(r)))
				require.NoError(t, os.Mkdir(r.dir, 0o755))
				r.outside("a", "another's")
			} else {
				require.NoError(t, os.RemoveAll(r.dir))
			}
			_, err := r.draft().List(ctx, "", ListOptions{})
			require.True(t, IsFault(err, code), "%v", err)
			_, err = r.wb.Publish(ctx, PublishOptions{})
			require.True(t, IsFault(err, code), "%v", err)
			require.ErrorContains(t, err, r.dir)
			_, err = r.draft().Put(ctx, "b", PutOptions{}, text("x"))
			require.True(t, IsFault(err, code), "%v", err)
			if replace {
				require.Equal(t, map[string]string{"a": "another's"}, r.disk())
			}
		})
	}
}
