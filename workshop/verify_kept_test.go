package workshop

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// flip changes one bit of a kept content, as a failing disk does.
func (r *rig) flip(hash string) {
	r.t.Helper()
	path := r.wb.objects.path(hash)
	b, err := os.ReadFile(path)
	require.NoError(r.t, err)
	b[len(b)/2] ^= 4
	require.NoError(r.t, os.Chmod(path, 0o600))
	require.NoError(r.t, os.WriteFile(path, b, 0o600))
	then := time.Now().Add(-time.Hour) // the clock's grain must not hide it
	require.NoError(r.t, os.Chtimes(path, then, then))
}

func hashText(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func (r *rig) write(p, s string) {
	r.t.Helper()
	require.NoError(r.t, os.WriteFile(filepath.Join(r.dir, p), []byte(s), 0o644))
}

// damagedFault is what every door says of a content that is damaged for good.
func damagedFault(t *testing.T, err error, p string) {
	t.Helper()
	require.ErrorIs(t, err, ErrDamaged)
	f := AsFault(err)
	require.Equal(t, Internal, f.Code)
	require.Equal(t, []string{p}, f.Paths)
	require.Contains(t, f.Message, p)
	require.Contains(t, f.Hint, "atelier doctor --in")
}

// A flipped bit of the draft is never published or read: the file is named, and
// the others can be published.
func TestKeptDamagedDraft(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "1", "b.txt": "2"})
	r.put("a.txt", "draft of a")
	r.put("b.txt", "draft of b")
	r.flip(hashText("draft of a"))
	_, err := r.wb.Publish(ctx, PublishOptions{})
	damagedFault(t, err, "a.txt")
	require.ErrorContains(t, err, "nothing was published")
	require.ErrorContains(t, err, "(the draft, ")
	require.Equal(t, map[string]string{"a.txt": "1", "b.txt": "2"}, r.disk())
	for _, open := range []func() (io.Closer, error){
		func() (io.Closer, error) { return r.draft().Open(ctx, "a.txt") },
		func() (io.Closer, error) { return r.wb.OpenVersion(ctx, "a.txt", "draft") },
		func() (io.Closer, error) {
			dir, err := r.draft().(Explorer).Explore(ctx, "")
			require.NoError(t, err)
			return dir.Open(ctx, dir.Items()[0])
		},
	} {
		_, err := open()
		damagedFault(t, err, "a.txt")
	}
	require.Error(t, r.draft().Move(ctx, "a.txt", "c.txt"))
	list, err := r.wb.Checkpoints(ctx)
	require.NoError(t, err)
	require.Empty(t, list)
	r.publish(PublishOptions{Paths: []Path{"b.txt"}})
	require.Equal(t, map[string]string{"a.txt": "1", "b.txt": "draft of b"}, r.disk())
	// What is written anew takes the place of the damaged content.
	_, err = r.draft().Put(ctx, "a.txt", PutOptions{Same: SameBytes{}}, text("draft of a"))
	require.NoError(t, err)
	r.verified()
	r.publish(PublishOptions{})
	require.Equal(t, "draft of a", r.disk()["a.txt"])
	require.Empty(t, r.wb.Told())
}

// A content that is gone is as good as a damaged one.
func TestKeptMissing(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "1"})
	r.put("a.txt", "draft")
	require.NoError(t, os.Remove(r.wb.objects.path(hashText("draft"))))
	_, err := r.wb.Publish(ctx, PublishOptions{})
	damagedFault(t, err, "a.txt")
	require.ErrorContains(t, err, "is missing")
	require.Equal(t, "1", r.disk()["a.txt"])
}

// Restore and undo replace nothing when a content they need is damaged, and name
// its version; nor is a version copied out.
func TestKeptDamagedVersion(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "old of a", "b.txt": "old of b"})
	r.say("u-1", TypeUser)
	r.put("a.txt", "new of a")
	r.put("b.txt", "new of b")
	res := r.publish(PublishOptions{})
	versions, err := r.wb.Versions(ctx, "b.txt")
	require.NoError(t, err)
	r.flip(hashText("old of b"))
	now := r.disk()
	_, err = r.wb.Restore(ctx, res.CheckpointID)
	damagedFault(t, err, "b.txt")
	require.ErrorContains(t, err, versions[1].ID)
	require.Equal(t, now, r.disk())
	_, err = r.wb.UndoBefore(ctx, "u-1")
	damagedFault(t, err, "b.txt")
	require.Equal(t, now, r.disk())
	_, err = r.wb.OpenVersionOf(ctx, "b.txt", versions[1].ID)
	damagedFault(t, err, "b.txt")
	src, err := r.wb.OpenVersionOf(ctx, "a.txt", hashText("old of a"))
	require.NoError(t, err)
	require.NoError(t, src.Close())
	// With the content in any published file, whatever its name, it is had from
	// there, told, and kept anew.
	r.write("found.txt", "old of b")
	_, err = r.wb.Restore(ctx, res.CheckpointID)
	require.NoError(t, err)
	require.Equal(t, "old of b", r.disk()["b.txt"])
	told := strings.Join(r.wb.Told(), "\n")
	require.Contains(t, told, "a published file holds the same content")
	require.Contains(t, told, "kept anew")
	require.Empty(t, r.wb.Told(), "told once")
	r.verified()
}

// A content that another folder's store has whole is had from there.
func TestKeptElsewhere(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "1"})
	r.put("a.txt", "draft")
	other, err := r.h.OpenFolder(ctx, t.TempDir())
	require.NoError(t, err)
	_, err = other.DraftView(Cause{}).Put(ctx, "x.txt", PutOptions{}, text("draft"))
	require.NoError(t, err)
	r.flip(hashText("draft"))
	require.Equal(t, "draft", content(t, r.draft(), "a.txt"))
	require.Contains(t, strings.Join(r.wb.Told(), ""), "another folder's store")
	r.verified()
	r.publish(PublishOptions{})
	require.Equal(t, "draft", r.disk()["a.txt"])
}

// A reader writes nothing, and has the content all the same.
func TestKeptElsewhereForReaders(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "1"})
	r.put("a.txt", "draft")
	r.flip(hashText("draft"))
	require.NoError(t, r.h.Close())
	r.write("copy.txt", "draft")
	h, err := OpenHome(r.home, Options{})
	require.NoError(t, err)
	defer h.Close()
	i, _, err := h.FindFolder(ctx, r.dir)
	require.NoError(t, err)
	wb, err := h.Read(ctx, i.ID)
	require.NoError(t, err)
	defer wb.Close()
	require.Equal(t, "draft", content(t, wb.DraftView(Cause{}), "a.txt"))
	require.NotEmpty(t, wb.Told())
	v, err := wb.Verify(ctx)
	require.NoError(t, err)
	require.NotEmpty(t, v.Problems, "the store is as it was")
}

// What is replaced is kept whole, also where a damaged file has the name of the
// content already.
func TestKeptAnewWhenReplaced(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "old"})
	_, err := r.wb.CreateCheckpoint(ctx, "first")
	require.NoError(t, err)
	r.flip(hashText("old"))
	_, err = r.wb.CreateCheckpoint(ctx, "second")
	require.NoError(t, err)
	r.verified()
	r.flip(hashText("old"))
	r.put("a.txt", "new")
	res := r.publish(PublishOptions{})
	r.verified()
	_, err = r.wb.Restore(ctx, res.CheckpointID)
	require.NoError(t, err)
	require.Equal(t, "old", r.disk()["a.txt"])
}

// A publish that was committed and interrupted, with a content damaged since: what
// was staged is used, and without it the files are wholly as before.
func TestKeptDamagedInRecovery(t *testing.T) {
	for _, staged := range []bool{true, false} {
		files := map[string]string{"a.txt": "1", "b.txt": "2", "gone.txt": "3"}
		r := newRig(t, files)
		r.put("a.txt", "draft of a")
		r.put("b.txt", "draft of b")
		require.NoError(t, r.draft().Remove(ctx, "gone.txt"))
		draft := tree(t, r.draft())
		swapped := 0
		r.wb.failpoint = func(step string) error {
			if step == "swap" {
				if swapped++; swapped == 2 {
					return errSimulatedCrash
				}
			}
			return nil
		}
		_, err := r.wb.Publish(ctx, PublishOptions{})
		require.ErrorIs(t, err, errSimulatedCrash)
		r.flip(hashText("draft of b"))
		if !staged {
			left, err := filepath.Glob(filepath.Join(r.dir, tempPrefix+"*"))
			require.NoError(t, err)
			require.Len(t, left, 1)
			require.NoError(t, os.Remove(left[0]))
		}
		r.reopen()
		recovered := strings.Join(r.wb.Recovered(), "\n")
		if staged {
			require.Contains(t, recovered, "was completed")
			require.Equal(t, map[string]string{"a.txt": "draft of a", "b.txt": "draft of b"}, r.disk())
			r.verified()
			continue
		}
		require.Contains(t, recovered, "was taken back")
		require.Contains(t, recovered, "b.txt")
		require.Equal(t, files, r.disk())
		require.Equal(t, draft["a.txt"], content(t, r.draft(), "a.txt"))
		_, err = r.draft().Open(ctx, "b.txt")
		damagedFault(t, err, "b.txt")
		r.reopen()
		require.Empty(t, r.wb.Recovered())
	}
}

// A content is hashed once while it looks the same, not at every open.
func TestKeptHashedOnce(t *testing.T) {
	r := newRig(t, nil)
	r.put("a.txt", strings.Repeat("draft ", 1000))
	r.reopen()
	e, err := r.draft().Stat(ctx, "a.txt")
	require.NoError(t, err)
	st, err := os.Stat(r.wb.objects.path(e.Hash))
	require.NoError(t, err)
	require.False(t, r.wb.objects.sound.knows(e.Hash, st), "another process's knowledge")
	require.NoError(t, r.wb.objects.check(ctx, e.Hash))
	require.True(t, r.wb.objects.sound.knows(e.Hash, st))
	done, cancel := context.WithCancel(ctx)
	cancel()
	require.NoError(t, r.wb.objects.check(done, e.Hash), "nothing is read")
	require.ErrorIs(t, r.wb.objects.copyTo(done, e.Hash, io.Discard), context.Canceled, "a copy is hashed each time")
	r.flip(e.Hash)
	require.ErrorIs(t, r.wb.objects.check(ctx, e.Hash), ErrDamaged)
}
