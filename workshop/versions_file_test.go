package workshop

import (
	"io"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func (r *rig) versions(p string) []FileVersion {
	r.t.Helper()
	vs, err := r.wb.FileVersions(ctx, FileRef{Path: Path(p)})
	require.NoError(r.t, err)
	return vs
}

// contents of versions, "-" for a removal.
func (r *rig) contents(vs []FileVersion) []string {
	r.t.Helper()
	var out []string
	for _, v := range vs {
		if v.Hash == "" {
			out = append(out, "-")
			continue
		}
		_, src, err := r.wb.OpenFileVersion(ctx, FileRef{Path: v.Path}, v.ID)
		require.NoError(r.t, err)
		b, err := io.ReadAll(io.NewSectionReader(src, 0, src.Size()))
		require.NoError(r.t, err)
		require.NoError(r.t, src.Close())
		out = append(out, string(b))
	}
	return out
}

// a file's versions are what was published, the steps of drafts and what
// is on disk, each to be read by its id.
func TestFileVersions(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "on disk"})
	vs := r.versions("a.txt")
	require.Len(t, vs, 1)
	require.Equal(t, vs[0].Hash, vs[0].ID, "a content that nothing names goes by its hash")
	require.True(t, vs[0].Current)

	r.put("a.txt", "step 1")
	r.put("a.txt", "step 2")
	vs = r.versions("a.txt")
	require.Equal(t, []string{"step 2", "step 1", "on disk"}, r.contents(vs))
	require.True(t, vs[0].Current && vs[0].Step && vs[1].Step && !vs[1].Current && !vs[2].Step)

	r.publish(PublishOptions{})
	require.NoError(t, r.wb.LiveView(Cause{Author: "ann"}).Move(ctx, "a.txt", "b.txt"))
	vs = r.versions("b.txt")
	require.Equal(t, []string{"step 2", "step 2", "on disk", "step 1"}, r.contents(vs), "they go with the file; what was on disk was seen with the publish")
	require.Equal(t, Path("a.txt"), vs[1].Path)
	require.True(t, vs[0].Current)
	require.False(t, vs[0].Step)
	e, err := r.wb.Published().Stat(ctx, "b.txt")
	require.NoError(t, err)
	byID, err := r.wb.FileVersions(ctx, FileRef{ID: e.FileID})
	require.NoError(t, err)
	require.Equal(t, vs, byID)

	v, err := r.wb.FileVersion(ctx, FileRef{ID: e.FileID}, vs[2].ID)
	require.NoError(t, err)
	require.Equal(t, vs[2], v)
	v, err = r.wb.FileVersion(ctx, FileRef{ID: e.FileID}, vs[3].Hash[:10])
	require.NoError(t, err)
	require.Equal(t, vs[3], v)
	for _, id := range []string{"", "0", "nope", vs[0].Hash + "0"} {
		_, err = r.wb.FileVersion(ctx, FileRef{Path: "b.txt"}, id)
		require.True(t, IsFault(err, NotFound), "%q: %v", id, err)
	}
	_, err = r.wb.FileVersions(ctx, FileRef{Path: "no.txt"})
	require.True(t, IsFault(err, NotFound), "%v", err)
	_, err = r.wb.FileVersions(ctx, FileRef{ID: "no"})
	require.True(t, IsFault(err, NotFound), "%v", err)
}

// K-03, K-06: a version of one file comes back as one step of the draft, which
// can be undone; other files of the draft stay as they are.
func TestRestoreVersion(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "one", "other.txt": "x"})
	r.put("a.txt", "two")
	r.publish(PublishOptions{})
	r.put("a.txt", "three")
	r.put("other.txt", "y")
	r.say("u-1", TypeUser)
	before := r.versions("a.txt")
	require.Equal(t, []string{"three", "two", "one"}, r.contents(before))

	res, err := r.wb.RestoreVersion(ctx, Cause{Tool: "restore", Author: "user"}, FileRef{Path: "a.txt"}, before[2].ID)
	require.NoError(t, err)
	require.False(t, res.Unchanged)
	require.Equal(t, before[0].ID, res.Replaced)
	require.Equal(t, map[string]string{"a.txt": "one", "other.txt": "y"}, tree(t, r.draft()))
	require.Equal(t, map[string]string{"a.txt": "two", "other.txt": "x"}, r.disk(), "nothing is published")
	changes, err := r.wb.Changes(ctx)
	require.NoError(t, err)
	require.Len(t, changes, 2, "the review shows it")
	after := r.versions("a.txt")
	require.Equal(t, []string{"one", "three", "two", "one"}, r.contents(after))
	require.Equal(t, res.Entry.VersionID, after[0].ID)
	require.Equal(t, before[0].Current, after[0].Current)

	again, err := r.wb.RestoreVersion(ctx, Cause{}, FileRef{Path: "a.txt"}, before[2].ID)
	require.NoError(t, err)
	require.True(t, again.Unchanged, "it is so already")
	require.Empty(t, again.MessageID)
	require.Len(t, r.versions("a.txt"), 4)

	_, err = r.wb.UndoBefore(ctx, res.MessageID)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a.txt": "three", "other.txt": "y"}, tree(t, r.draft()))
	r.reopen()
	require.Equal(t, map[string]string{"a.txt": "three", "other.txt": "y"}, tree(t, r.draft()))
	require.Equal(t, []string{"u-1"}, r.ids(), "the messages stay")
	require.Equal(t, []string{"one", "three", "two", "one"}, r.contents(r.versions("a.txt")), "what was taken back is kept")
	require.Equal(t, "three", content(t, r.draft(), "a.txt"))
}

// A version of a file that is gone brings the file back, with its id; where
// another file is by now, nothing happens.
func TestRestoreVersionOfARemovedFile(t *testing.T) {
	r := newRig(t, nil)
	live := r.wb.LiveView(Cause{Author: "ann"})
	e, err := live.Put(ctx, "d/a.txt", PutOptions{}, text("one"))
	require.NoError(t, err)
	_, err = live.Put(ctx, "d/a.txt", PutOptions{}, text("two"))
	require.NoError(t, err)
	require.NoError(t, live.Remove(ctx, "d/a.txt"))
	ref := FileRef{ID: e.FileID}
	vs, err := r.wb.FileVersions(ctx, ref)
	require.NoError(t, err)
	require.Equal(t, []string{"-", "two", "one"}, r.contents(vs))
	_, err = r.wb.RestoreVersion(ctx, Cause{}, ref, vs[0].ID)
	require.True(t, IsFault(err, NotFound), "a removal has no content: %v", err)

	res, err := r.wb.RestoreVersion(ctx, Cause{}, ref, vs[2].ID)
	require.NoError(t, err)
	require.Equal(t, e.FileID, res.Entry.FileID)
	require.Equal(t, map[string]string{"d/a.txt": "one"}, tree(t, r.draft()))
	_, err = r.wb.UndoBefore(ctx, res.MessageID)
	require.NoError(t, err)
	require.Empty(t, tree(t, r.draft()))

	_, err = live.Put(ctx, "d/a.txt", PutOptions{}, text("another file"))
	require.NoError(t, err)
	_, err = r.wb.RestoreVersion(ctx, Cause{}, ref, vs[2].ID)
	require.True(t, IsFault(err, Conflict), "%v", err)
	require.Equal(t, map[string]string{"d/a.txt": "another file"}, tree(t, r.draft()))
}

// A kept content that is damaged is not restored.
func TestRestoreVersionThatIsDamaged(t *testing.T) {
	r := newRig(t, nil)
	r.put("a.txt", "one")
	r.put("a.txt", "two")
	v := r.versions("a.txt")[1]
	path := r.wb.objects.path(v.Hash)
	require.NoError(t, os.Chmod(path, 0o600))
	require.NoError(t, os.WriteFile(path, []byte("onE"), 0o600))
	_, err := r.wb.RestoreVersion(ctx, Cause{}, FileRef{Path: "a.txt"}, v.ID)
	require.ErrorIs(t, err, ErrDamaged)
	require.Equal(t, map[string]string{"a.txt": "two"}, tree(t, r.draft()))
	require.Empty(t, r.ids())
}

// K-01: stopped in the middle, a restore has not happened, and undoing it is
// harmless.
func TestRestoreVersionStopped(t *testing.T) {
	r := newRig(t, nil)
	r.put("a.txt", "one")
	r.put("a.txt", "two")
	r.wb.failpoint = func(step string) error {
		if step == "restored" {
			return errBoom
		}
		return nil
	}
	_, err := r.wb.RestoreVersion(ctx, Cause{}, FileRef{Path: "a.txt"}, r.versions("a.txt")[1].ID)
	require.ErrorIs(t, err, errBoom)
	r.reopen()
	require.Equal(t, map[string]string{"a.txt": "two"}, tree(t, r.draft()))
	records, err := r.wb.Conversation().Records()
	require.NoError(t, err)
	require.Len(t, records, 1)
	_, err = r.wb.UndoBefore(ctx, records[0].MessageID)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a.txt": "two"}, tree(t, r.draft()))
}

// Versions are listed in the order in which they were made also where the clock was set back
// between them, or is behind on the machine that made the later one.
func TestFileVersionsWithOtherClocks(t *testing.T) {
	r := newRig(t, nil)
	for i, name := range []string{"one", "two", "three", "four"} {
		r.wb.now = func() time.Time { return time.Now().Add(time.Hour * []time.Duration{0, 2, 1, 3}[i]) }
		_, err := r.wb.LiveView(Cause{Author: "ann"}).Put(ctx, "a.txt", PutOptions{}, text(name))
		require.NoError(t, err)
	}
	require.Equal(t, []string{"four", "three", "two", "one"}, r.contents(r.versions("a.txt")))
	for i, name := range []string{"step 1", "step 2"} {
		r.wb.now = func() time.Time { return time.Now().Add(time.Hour * []time.Duration{6, 5}[i]) }
		r.put("a.txt", name)
	}
	require.Equal(t, []string{"step 2", "step 1", "four", "three", "two", "one"}, r.contents(r.versions("a.txt")))
}
