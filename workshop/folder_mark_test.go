package workshop

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// K-10: a folder that the file system gives the inode of a removed one does not
// get that one's draft, conversation and publish.
func TestNewFolderWithTheInodeOfARemovedOne(t *testing.T) {
	if onWindows {
		t.Skip("NTFS does not use a number again; Wine, over other file systems, does")
	}
	r := newRig(t, map[string]string{"a.txt": "x"})
	r.put("a.txt", "draft of another folder")
	id := r.wb.ID()
	require.NoError(t, r.h.Close())
	was, err := markOf(r.dir)
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(r.dir))
	parent := filepath.Dir(r.dir)
	for i := range 200 {
		dir := filepath.Join(parent, "new")
		require.NoError(t, os.Mkdir(dir, 0o755))
		now, err := markOf(dir)
		require.NoError(t, err)
		if now.Inode != was.Inode {
			require.NoError(t, os.Remove(dir))
			if i == 199 {
				t.Skip("this file system does not use an inode again")
			}
			continue
		}
		h, err := OpenHome(r.home, Options{})
		require.NoError(t, err)
		defer h.Close()
		wb, err := h.OpenFolder(ctx, dir)
		if now.Birth == 0 {
			require.True(t, errors.Is(err, ErrOtherFolder), "without a time of birth it must be asked: %v", err)
			return
		}
		require.NoError(t, err)
		require.NotEqual(t, id, wb.ID())
		_, err = wb.Publish(ctx, PublishOptions{})
		require.NoError(t, err)
		_, err = os.Stat(filepath.Join(dir, "a.txt"))
		require.ErrorIs(t, err, os.ErrNotExist)
		return
	}
}

// K-10: a folder at the path of one that was moved away is refused, by path and
// by id, until a person decides; either way nothing is lost.
func TestStrangerAtTheOldPath(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "x"})
	r.put("a.txt", "draft")
	id := r.wb.ID()
	require.NoError(t, r.h.Close())
	moved := filepath.Join(t.TempDir(), "elsewhere")
	require.NoError(t, os.Rename(r.dir, moved))
	require.NoError(t, os.Mkdir(r.dir, 0o755))
	open := func() *Home {
		h, err := OpenHome(r.home, Options{})
		require.NoError(t, err)
		t.Cleanup(func() { h.Close() })
		return h
	}
	h := open()
	_, err := h.OpenFolder(ctx, r.dir)
	require.True(t, errors.Is(err, ErrOtherFolder) && IsFault(err, Conflict), "%v", err)
	_, err = h.Open(ctx, id)
	require.ErrorIs(t, err, ErrOtherFolder)
	_, err = h.Read(ctx, id)
	require.ErrorIs(t, err, ErrOtherFolder)
	_, err = h.Create(ctx, "x", r.dir)
	require.ErrorIs(t, err, ErrOtherFolder)

	// The stranger begins anew; the moved folder keeps its own.
	wb, err := h.CreateForAnother(ctx, "stranger", r.dir)
	require.NoError(t, err)
	require.NotEqual(t, id, wb.ID())
	own, err := h.OpenFolder(ctx, moved)
	require.NoError(t, err)
	require.Equal(t, id, own.ID())
	require.Equal(t, "draft", content(t, own.DraftView(Cause{}), "a.txt"))
	again, err := h.OpenFolder(ctx, r.dir)
	require.NoError(t, err)
	require.Equal(t, wb.ID(), again.ID())
	_, err = h.CreateForAnother(ctx, "twice", r.dir)
	require.True(t, IsFault(err, Conflict))
}

// K-10: a person may say that a folder made anew goes on with what is kept; a
// workbench whose folder was replaced can be deleted.
func TestAttach(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "x"})
	r.put("a.txt", "draft")
	id := r.wb.ID()
	_, err := r.h.Attach(ctx, id, r.dir)
	require.True(t, IsFault(err, Conflict), "it is open")
	require.NoError(t, r.h.Close())
	aside := r.dir + ".old"
	require.NoError(t, os.Rename(r.dir, aside))
	require.NoError(t, os.CopyFS(r.dir, os.DirFS(aside))) // as from a backup
	require.NoError(t, os.RemoveAll(aside))
	h, err := OpenHome(r.home, Options{})
	require.NoError(t, err)
	defer h.Close()
	_, err = h.OpenFolder(ctx, r.dir)
	require.ErrorIs(t, err, ErrOtherFolder)
	_, err = h.Attach(ctx, id, r.dir)
	require.NoError(t, err)
	wb, err := h.OpenFolder(ctx, r.dir)
	require.NoError(t, err)
	require.Equal(t, id, wb.ID())
	_, err = wb.Publish(ctx, PublishOptions{})
	require.NoError(t, err)
	b, err := os.ReadFile(filepath.Join(r.dir, "a.txt"))
	require.NoError(t, err)
	require.Equal(t, "draft", string(b))

	require.NoError(t, h.CloseWorkbench(id))
	require.NoError(t, os.Rename(r.dir, aside))
	require.NoError(t, os.Mkdir(r.dir, 0o755))
	require.NoError(t, h.Delete(ctx, id))
	_, found, err := h.FindFolder(ctx, r.dir)
	require.NoError(t, err)
	require.False(t, found)
}

// A workbench made before times of birth were kept remembers its folder's from
// the next opening on.
func TestMarkIsCompleted(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "x"})
	id := r.wb.ID()
	i, err := r.h.info(id)
	require.NoError(t, err)
	whole := i.folderMark
	if whole.Birth == 0 {
		t.Skip("this file system tells no time of birth")
	}
	require.NoError(t, r.h.Close())
	i.Birth = 0
	require.NoError(t, r.h.saveInfo(i))
	r.open()
	i, err = r.h.info(id)
	require.NoError(t, err)
	require.Equal(t, whole, i.folderMark)
	require.Equal(t, sameFolder, folderMark{Volume: 1, Inode: 2, Birth: 3}.compare(folderMark{Volume: 9, Inode: 2, Birth: 3}), "volumes are numbered anew")
	require.Equal(t, otherFolder, folderMark{Volume: 1, Inode: 2, Birth: 3}.compare(folderMark{Volume: 1, Inode: 2, Birth: 4}))
}
