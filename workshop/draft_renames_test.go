package workshop

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func (r *rig) changes() (out []string) {
	r.t.Helper()
	cs, err := r.wb.Changes(ctx)
	require.NoError(r.t, err)
	for _, c := range cs {
		s := c.Type + " " + string(c.Path)
		if c.From != "" {
			s += " from " + string(c.From)
		}
		out = append(out, s)
	}
	return out
}

// A moved file is reviewed, published, discarded and undone as one rename.
func TestRenamesInDrafts(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "1", "dir/b.txt": "2", "dir/sub/c.txt": "3", "e1": "", "e2": ""})
	before := r.disk()
	r.say("u-1", TypeUser)
	require.NoError(t, r.draft().Move(ctx, "a.txt", "z.txt"))
	require.NoError(t, r.draft().Move(ctx, "dir", "neu"))
	require.NoError(t, r.draft().Move(ctx, "e1", "f1"))
	require.Equal(t, []string{"deleted e1", "added f1", "renamed neu/b.txt from dir/b.txt", "renamed neu/sub/c.txt from dir/sub/c.txt", "renamed z.txt from a.txt"},
		r.changes(), "empty files are told apart by nothing")
	src, err := r.wb.OpenVersion(ctx, "z.txt", "published")
	require.NoError(t, err, "the published side of a rename is the file under its old name")
	require.NoError(t, src.Close())

	require.NoError(t, r.wb.Discard(ctx, []Path{"z.txt"}))
	require.Equal(t, "1", content(t, r.draft(), "a.txt"), "half a rename would remove the file")
	require.NoError(t, r.wb.Discard(ctx, []Path{"e1", "f1"}))
	require.NoError(t, r.draft().Move(ctx, "a.txt", "y.txt"))
	res := r.publish(PublishOptions{Paths: []Path{"y.txt"}})
	require.Equal(t, []Path{"a.txt", "y.txt"}, res.Published)
	require.Equal(t, "1", r.disk()["y.txt"])
	require.NotContains(t, r.disk(), "a.txt")
	r.publish(PublishOptions{})
	require.Equal(t, map[string]string{"y.txt": "1", "neu/b.txt": "2", "neu/sub/c.txt": "3", "e1": "", "e2": ""}, r.disk())
	require.NoDirExists(t, r.dir+"/dir")

	e, err := r.wb.Published().Stat(ctx, "y.txt")
	require.NoError(t, err)
	require.NoError(t, r.draft().Move(ctx, "y.txt", "x.txt"))
	r.put("x.txt", "edited too")
	require.Equal(t, []string{"added x.txt", "deleted y.txt"}, r.changes(), "another content is no plain rename")
	r.publish(PublishOptions{})
	now, err := r.wb.Published().Stat(ctx, "x.txt")
	require.NoError(t, err)
	require.Equal(t, e.FileID, now.FileID)

	_, err = r.wb.UndoTo(ctx, "u-1")
	require.NoError(t, err)
	require.Equal(t, before, r.disk())
	r.verified()
}

// Which of several equal files was renamed is told by identity, then by name.
func TestRenamesOfEqualFiles(t *testing.T) {
	r := newRig(t, map[string]string{"a/one": "same", "a/two": "same"})
	require.NoError(t, r.draft().Move(ctx, "a/two", "b/two"))
	require.NoError(t, r.draft().Move(ctx, "a/one", "b/uno"))
	require.Equal(t, []string{"renamed b/two from a/two", "renamed b/uno from a/one"}, r.changes())
	r.publish(PublishOptions{})
	require.NoError(t, r.draft().Move(ctx, "b/two", "z"))
	require.NoError(t, r.draft().Move(ctx, "b/uno", "y"))
	require.Equal(t, []string{"renamed y from b/uno", "renamed z from b/two"}, r.changes())
}

// A folder takes a file's place, and a file a folder's.
func TestFilesAndFoldersChangePlaces(t *testing.T) {
	r := newRig(t, map[string]string{"f": "1", "d/x": "2"})
	require.NoError(t, r.draft().Remove(ctx, "f"))
	r.put("f/inner", "3")
	require.NoError(t, r.draft().Move(ctx, "d/x", "x"))
	require.NoError(t, r.draft().Remove(ctx, "d"))
	r.put("d", "4")
	want := tree(t, r.draft())
	for nth := 1; nth < 7; nth++ { // taken back from wherever it fails
		r.faulty("rename", nth, os.ErrPermission)
		_, err := r.wb.Publish(ctx, PublishOptions{})
		if err == nil {
			break
		}
		require.ErrorIs(t, err, ErrNotWritable)
		r.wb.diskFault = nil
		require.Equal(t, map[string]string{"f": "1", "d/x": "2"}, r.disk())
	}
	r.wb.diskFault = nil
	require.Equal(t, want, r.disk())
	require.Equal(t, map[string]string{"f/inner": "3", "x": "2", "d": "4"}, r.disk())
}
