package workshop

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func (r *rig) live() View { return r.wb.LiveView(Cause{Tool: "test", Author: "ann"}) }

// bothViews runs a test on a draft and on a live view: a tool cannot tell them
// apart.
func bothViews(t *testing.T, files map[string]string, f func(t *testing.T, r *rig, v View)) {
	for name, view := range map[string]func(*rig) View{"draft": (*rig).draft, "live": (*rig).live} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, files)
			f(t, r, view(r))
		})
	}
}

func TestA03ViewsBehaveAlike(t *testing.T) {
	bothViews(t, map[string]string{"disk.txt": "on disk", "d/in.txt": "x"}, func(t *testing.T, r *rig, v View) {
		e, err := v.Put(ctx, "a/b/new.txt", PutOptions{CreateOnly: true, Type: "plan"}, text("one"))
		require.NoError(t, err)
		require.True(t, e.Synced)
		require.Equal(t, "plan", e.Type)
		got, err := v.Stat(ctx, "a/b/new.txt")
		require.NoError(t, err)
		require.Equal(t, e.Identity, got.Identity)

		edited, err := v.Put(ctx, "a/b/new.txt", PutOptions{BaseHash: e.Hash}, text("two"))
		require.NoError(t, err)
		require.Equal(t, e.FileID, edited.FileID, "an edit keeps the id")
		require.NotEqual(t, e.VersionID, edited.VersionID)
		require.Equal(t, "plan", edited.Type, "and the type")
		_, err = v.Put(ctx, "a/b/new.txt", PutOptions{BaseHash: e.Hash}, text("three"))
		require.True(t, IsFault(err, Conflict), "%v", err)

		require.NoError(t, v.Move(ctx, "a/b", "moved"))
		got, err = v.Stat(ctx, "moved/new.txt")
		require.NoError(t, err)
		require.Equal(t, e.FileID, got.FileID, "a move keeps the id")
		require.Equal(t, "two", content(t, v, "moved/new.txt"))
		_, err = v.Stat(ctx, "a/b/new.txt")
		require.True(t, IsFault(err, NotFound), "%v", err)

		disk, err := v.Stat(ctx, "disk.txt")
		require.NoError(t, err)
		require.False(t, disk.Synced)
		require.Empty(t, disk.FileID)
		disk, err = v.Touch(ctx, "disk.txt") // B7-03
		require.NoError(t, err)
		require.True(t, disk.Synced)
		require.NotEmpty(t, disk.FileID)

		require.True(t, IsFault(v.Remove(ctx, "d"), Conflict), "not empty")
		require.NoError(t, v.Remove(ctx, "d/in.txt"))
		require.NoError(t, v.Remove(ctx, "d"))
		list, err := v.List(ctx, "", ListOptions{Recursive: true})
		require.NoError(t, err)
		var paths []string
		for _, e := range list {
			paths = append(paths, string(e.Path))
		}
		require.Equal(t, []string{"a", "disk.txt", "moved", "moved/new.txt"}, paths)
	})
}

// A-07, B-05: an edit of a file that only the disk knew makes two versions.
func TestB05EditImports(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "before"})
	e, err := r.live().Put(ctx, "a.txt", PutOptions{}, text("after"))
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a.txt": "after"}, r.disk())
	vs, err := r.wb.Versions(ctx, "a.txt")
	require.NoError(t, err)
	require.Len(t, vs, 2)
	require.Equal(t, e.VersionID, vs[0].ID)
	require.Equal(t, []string{"ann", "user"}, []string{vs[0].Author, vs[1].Author})
	for i, want := range []string{"after", "before"} {
		src, err := r.wb.OpenVersionOf(ctx, "a.txt", vs[i].ID)
		require.NoError(t, err)
		b := make([]byte, src.Size())
		_, err = src.ReadAt(b, 0)
		require.NoError(t, err)
		require.Equal(t, want, string(b))
		src.Close()
	}
	r.reopen()
	got, err := r.live().Stat(ctx, "a.txt")
	require.NoError(t, err)
	require.Equal(t, e.Identity, got.Identity)

	// Somebody else's content is no version of ours.
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, "a.txt"), []byte("outside!"), 0o644))
	got, err = r.live().Stat(ctx, "a.txt")
	require.NoError(t, err)
	require.Equal(t, e.FileID, got.FileID)
	require.Empty(t, got.VersionID)
	_, err = r.live().Put(ctx, "a.txt", PutOptions{BaseHash: got.Hash}, text("third"))
	require.NoError(t, err)
	vs, err = r.wb.Versions(ctx, "a.txt")
	require.NoError(t, err)
	require.Len(t, vs, 4, "what was there is kept")
}

// H-21: a removed file comes back with its id; an occupied path is a conflict.
func TestH21Undelete(t *testing.T) {
	r := newRig(t, nil)
	e, err := r.live().Put(ctx, "x/a.txt", PutOptions{Type: "document"}, text("one"))
	require.NoError(t, err)
	require.NoError(t, r.live().Remove(ctx, "x/a.txt"))
	require.Empty(t, r.disk())
	trash, err := r.wb.Trash(ctx)
	require.NoError(t, err)
	require.Len(t, trash, 1)
	require.Equal(t, e.FileID, trash[0].FileID)

	other, err := r.live().Put(ctx, "x/a.txt", PutOptions{}, text("two"))
	require.NoError(t, err)
	require.NotEqual(t, e.FileID, other.FileID, "the path can be used again (B5-02)")
	_, err = r.wb.Undelete(ctx, Cause{}, e.FileID)
	require.True(t, IsFault(err, Conflict), "%v", err)
	require.Equal(t, map[string]string{"x/a.txt": "two"}, r.disk())

	require.NoError(t, r.live().Move(ctx, "x/a.txt", "x/b.txt"))
	back, err := r.wb.Undelete(ctx, Cause{}, e.FileID)
	require.NoError(t, err)
	require.Equal(t, e.FileID, back.FileID)
	require.Equal(t, map[string]string{"x/a.txt": "one", "x/b.txt": "two"}, r.disk())
	_, err = r.wb.Undelete(ctx, Cause{}, e.FileID)
	require.True(t, IsFault(err, NotFound), "%v", err)
	p, err := r.wb.FileByID(ctx, other.FileID)
	require.NoError(t, err)
	require.Equal(t, Path("x/b.txt"), p)
}

// C-08: a publish turns draft changes into versions with the ids the draft gave.
func TestC08PublishKeepsIdentity(t *testing.T) {
	r := newRig(t, map[string]string{"old.txt": "x"})
	e, err := r.draft().Put(ctx, "new.txt", PutOptions{Type: "plan"}, text("one"))
	require.NoError(t, err)
	require.NoError(t, r.draft().Move(ctx, "old.txt", "older.txt"))
	moved, err := r.draft().Stat(ctx, "older.txt")
	require.NoError(t, err)
	r.publish(PublishOptions{})
	got, err := r.live().Stat(ctx, "new.txt")
	require.NoError(t, err)
	require.Equal(t, e.Identity, got.Identity)
	got, err = r.live().Stat(ctx, "older.txt")
	require.NoError(t, err)
	require.Equal(t, moved.Identity, got.Identity)

	// Undoing a rename gives the file its name back, not another file.
	require.NoError(t, r.live().Move(ctx, "new.txt", "n.txt"))
	live, err := r.wb.checkpoints(ctx, "reason='"+ReasonLive+"'")
	require.NoError(t, err)
	_, err = r.wb.Restore(ctx, live[0].ID)
	require.NoError(t, err)
	require.Len(t, live, 1)
	got, err = r.live().Stat(ctx, "new.txt")
	require.NoError(t, err)
	require.Equal(t, e.FileID, got.FileID)
}

// of many edits on the same base one succeeds.
func TestA14OneEditWins(t *testing.T) {
	bothViews(t, map[string]string{"a.txt": "0"}, func(t *testing.T, r *rig, v View) {
		e, err := v.Stat(ctx, "a.txt")
		require.NoError(t, err)
		var won, conflicts atomic.Int32
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() {
				_, err := v.Put(ctx, "a.txt", PutOptions{BaseHash: e.Hash}, text(fmt.Sprint("edit ", i)))
				switch {
				case err == nil:
					won.Add(1)
				case IsFault(err, Conflict):
					conflicts.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		require.Equal(t, []int32{1, 49}, []int32{won.Load(), conflicts.Load()})
	})
}

// A folder in which a document is open elsewhere is not removed.
func TestB503LockFilesKeepAFolder(t *testing.T) {
	bothViews(t, map[string]string{"d/~$plan.docx": "lock", "e/.DS_Store": "x"}, func(t *testing.T, r *rig, v View) {
		err := v.Remove(ctx, "d")
		require.True(t, IsFault(err, Conflict), "%v", err)
		require.ErrorContains(t, err, "~$plan.docx")
		require.NoError(t, v.Remove(ctx, "e"), "what a file manager made is no content")
	})
}
