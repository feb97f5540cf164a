package workshop

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/need"
)

func (r *rig) rearrange(kind EditKind, from, to string, replace bool) error {
	return Rearrange(ctx, Intercept(r.draft(), Hooks{}), Edit{Kind: kind, Path: Path(from), To: Path(to), Replace: replace})
}

// A folder is removed with everything in it by one change, which one undo, or the
// discard of a part, takes back.
func TestRemoveFolders(t *testing.T) {
	r := newRig(t, map[string]string{"old/a.txt": "1", "old/sub/b.txt": "2", "keep.txt": "3"})
	before := r.disk()
	r.put("old/new.txt", "draft only")
	r.say("u-1", TypeUser)
	require.NoError(t, r.rearrange(EditRemove, "old", "", false))
	require.Equal(t, []string{"deleted old/a.txt", "deleted old/sub/b.txt"}, r.changes())
	require.Equal(t, map[string]string{"keep.txt": "3"}, tree(t, r.draft()))
	require.Equal(t, before, r.disk())

	require.NoError(t, r.wb.Discard(ctx, []Path{"old/sub/b.txt"}))
	_, err := r.draft().Stat(ctx, "old/sub")
	require.NoError(t, err, "a folder stays with what stays in it")
	require.Equal(t, map[string]string{"keep.txt": "3", "old/sub/b.txt": "2"}, tree(t, r.draft()))

	_, err = r.wb.UndoTo(ctx, "u-1")
	require.NoError(t, err)
	require.Equal(t, map[string]string{"keep.txt": "3", "old/a.txt": "1", "old/sub/b.txt": "2", "old/new.txt": "draft only"}, tree(t, r.draft()))
	require.NoError(t, r.rearrange(EditRemove, "old", "", false))
	r.publish(PublishOptions{})
	require.Equal(t, map[string]string{"keep.txt": "3"}, r.disk())
	require.NoDirExists(t, filepath.Join(r.dir, "old"))
	require.True(t, IsFault(r.rearrange(EditRemove, "old", "", false), NotFound))
	require.True(t, IsFault(r.rearrange(EditRemove, "", "", false), Invalid))
	r.verified()
}

// What cannot be removed keeps its folder whole.
func TestRemoveFoldersInUse(t *testing.T) {
	r := newRig(t, map[string]string{"d/a.txt": "1", "d/sub/~$b.docx": "lock", "e/a.txt": "2"})
	require.ErrorContains(t, r.rearrange(EditRemove, "d", "", false), "another program keeps ~$b.docx in it")
	st, err := r.wb.Draft(ctx)
	require.NoError(t, err)
	require.False(t, st.HasDraft)
	need.Symlink(t, "..", filepath.Join(r.dir, "e", "link"))
	require.ErrorContains(t, r.rearrange(EditRemove, "e", "", false), "e/link cannot be removed")
	require.ErrorContains(t, r.rearrange(EditCopy, "e", "f", false), "e/link cannot be copied")
	st, err = r.wb.Draft(ctx)
	require.NoError(t, err)
	require.False(t, st.HasDraft)
}

// A copy has an identity of its own, names what it was copied from, and takes no
// second object.
func TestCopyFolders(t *testing.T) {
	r := newRig(t, map[string]string{"in/a.txt": "1", "in/sub/b.txt": "2"})
	r.put("in/c.txt", "draft")
	objects := r.objectCount()
	require.NoError(t, r.rearrange(EditCopy, "in/c.txt", "c2.txt", false))
	require.Equal(t, objects, r.objectCount())
	require.NoError(t, r.rearrange(EditCopy, "in", "out", false))
	require.Equal(t, objects+2, r.objectCount())
	require.Equal(t, []string{"added c2.txt", "added in/c.txt", "added out/a.txt", "added out/c.txt", "added out/sub/b.txt"}, r.changes())
	require.Equal(t, map[Path]string{"c2.txt": "in/c.txt=draft", "out/a.txt": "in/a.txt=1", "out/c.txt": "in/c.txt=draft", "out/sub/b.txt": "in/sub/b.txt=2"}, r.copiedFrom(r.wb))
	a, err := r.draft().Stat(ctx, "in/c.txt")
	require.NoError(t, err)
	b, err := r.draft().Stat(ctx, "out/c.txt")
	require.NoError(t, err)
	require.NotEqual(t, a.FileID, b.FileID)
	require.Equal(t, a.Hash, b.Hash)
	for _, to := range []string{"in", "in/deeper", ""} {
		require.Error(t, r.rearrange(EditCopy, "in", to, false), to)
	}
	r.publish(PublishOptions{})
	require.Equal(t, map[string]string{"in/a.txt": "1", "in/sub/b.txt": "2", "in/c.txt": "draft", "out/a.txt": "1", "out/sub/b.txt": "2", "out/c.txt": "draft", "c2.txt": "draft"}, r.disk())
	r.verified()
}

// A file takes the place of a file only if that is asked for, a folder of nothing.
func TestRearrangeReplaces(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "1", "b.txt": "2", "c.txt": "3", "d/x": "4"})
	for _, kind := range []EditKind{EditMove, EditCopy} {
		require.True(t, IsFault(r.rearrange(kind, "a.txt", "b.txt", false), Conflict))
		require.True(t, IsFault(r.rearrange(kind, "a.txt", "d", true), Conflict))
		require.True(t, IsFault(r.rearrange(kind, "d", "a.txt", true), Conflict))
	}
	require.NoError(t, r.rearrange(EditMove, "a.txt", "b.txt", true))
	require.NoError(t, r.rearrange(EditCopy, "d/x", "c.txt", true))
	require.Equal(t, []string{"deleted a.txt", "modified b.txt", "modified c.txt"}, r.changes())
	r.publish(PublishOptions{})
	require.Equal(t, map[string]string{"b.txt": "1", "c.txt": "4", "d/x": "4"}, r.disk())
	r.verified()
}

// A folder that comes or goes empty is a change; one with files is told by them.
func TestChangesOfEmptyFolders(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "1"})
	require.NoError(t, os.MkdirAll(filepath.Join(r.dir, "hollow", "inner"), 0o755))
	_, err := r.draft().Mkdir(ctx, "x/y")
	require.NoError(t, err)
	r.put("z/file", "in a folder that was made")
	require.NoError(t, r.rearrange(EditRemove, "hollow", "", false))
	require.Equal(t, []string{"deleted hollow/inner", "added x/y", "added z/file"}, r.changes())
	require.Equal(t, []Path{"hollow/inner", "x/y", "z/file"}, r.publish(PublishOptions{}).Published)
	require.DirExists(t, filepath.Join(r.dir, "x", "y"))
	require.NoDirExists(t, filepath.Join(r.dir, "hollow"))
	require.NoError(t, r.draft().Move(ctx, "z", "w"))
	require.Equal(t, []string{"renamed w/file from z/file"}, r.changes())
	r.verified()
}

// A live view rearranges the published files at once, and a restore takes it back.
func TestRearrangeLive(t *testing.T) {
	r := newRig(t, map[string]string{"in/a.txt": "1", "in/sub/b.txt": "2", "c.txt": "3"})
	before := r.disk()
	first, err := r.wb.CreateCheckpoint(ctx, "test")
	require.NoError(t, err)
	live := func(kind EditKind, from, to string) {
		require.NoError(t, Rearrange(ctx, r.wb.LiveView(Cause{}), Edit{Kind: kind, Path: Path(from), To: Path(to), Replace: true}))
	}
	live(EditCopy, "in", "out")
	live(EditMove, "out/a.txt", "c.txt")
	require.Equal(t, map[string]string{"in/a.txt": "1", "in/sub/b.txt": "2", "c.txt": "1", "out/sub/b.txt": "2"}, r.disk())
	live(EditRemove, "in", "")
	require.Equal(t, map[string]string{"c.txt": "1", "out/sub/b.txt": "2"}, r.disk())
	require.NoDirExists(t, filepath.Join(r.dir, "in"))
	_, err = r.wb.Restore(ctx, first.ID)
	require.NoError(t, err)
	require.Equal(t, before, r.disk())
	r.verified()
}
