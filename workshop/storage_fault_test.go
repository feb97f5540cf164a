package workshop

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/campaign"

	"github.com/stretchr/testify/require"
)

// faulty makes the nth change of the root of that kind fail, once.
func (r *rig) faulty(op string, nth int, err error) {
	r.wb.diskFault = func(o, name string) error {
		if o == op {
			if nth--; nth == 0 {
				return &fs.PathError{Op: op, Path: name, Err: err}
			}
		}
		return nil
	}
}

// K-07: whatever change of the user's folder fails, and wherever in a publish,
// the error has a type and everything is as before.
func TestK07AnyChangeOfTheFolderFails(t *testing.T) {
	campaign.Slow(t)
	files := map[string]string{"a.txt": "1", "b/b.txt": "2", "del.txt": "3", "old/x.txt": "4"}
	cases := 0
	for _, cause := range []struct {
		err, want error
	}{{fullErrnos[0], ErrDiskFull}, {fs.ErrPermission, ErrNotWritable}, {busyErrnos[0], ErrBusy}} {
		for _, op := range []string{"write", "rename", "remove", "mkdir"} {
			for nth := 1; ; nth++ {
				r := newRig(t, files)
				r.put("a.txt", "A")
				r.put("b/b.txt", "B")
				r.put("c/d/new.txt", "C")
				require.NoError(t, r.draft().Remove(ctx, "del.txt"))
				require.NoError(t, r.draft().Move(ctx, "old/x.txt", "moved/x.txt"))
				draft := tree(t, r.draft())
				r.faulty(op, nth, cause.err)
				_, err := r.wb.Publish(ctx, PublishOptions{})
				r.wb.diskFault = nil
				if err == nil {
					require.Greater(t, nth, 1, "%s is never called", op)
					break
				}
				cases++
				require.ErrorIs(t, err, cause.want, "%s %d", op, nth)
				require.ErrorContains(t, err, "nothing was published")
				require.NotEmpty(t, AsFault(err).Paths, "%s %d: %v", op, nth, err)
				if errors.Is(err, ErrBusy) {
					require.True(t, IsFault(err, Conflict))
				}
				require.Equal(t, files, r.disk(), "%s %d", op, nth)
				require.NoDirExists(t, filepath.Join(r.dir, "c"))
				require.NoDirExists(t, filepath.Join(r.dir, "moved"))
				require.Equal(t, draft, tree(t, r.draft()))
				list, err := r.wb.Checkpoints(ctx)
				require.NoError(t, err)
				require.Empty(t, list, "what was not published has no checkpoint")
				r.publish(PublishOptions{})
				require.Equal(t, draft, r.disk())
				r.verified()
			}
		}
	}
	require.Greater(t, cases, 15)
}

// When neither the publish nor taking it back works, the next change completes
// it: there is no third state.
func TestK07TakingBackFailsToo(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "1", "b.txt": "2"})
	r.put("a.txt", "A")
	r.put("b.txt", "B")
	n := 0
	r.wb.diskFault = func(op, name string) error {
		if op == "rename" {
			if n++; n >= 2 {
				return fs.ErrPermission
			}
		}
		return nil
	}
	_, err := r.wb.Publish(ctx, PublishOptions{})
	require.ErrorContains(t, err, "could not be taken back")
	_, err = r.draft().Put(ctx, "c.txt", PutOptions{}, text("C"))
	require.ErrorIs(t, err, ErrNotWritable, "nothing else may happen before it is repaired")
	r.wb.diskFault = nil
	r.put("c.txt", "C")
	require.Equal(t, map[string]string{"a.txt": "A", "b.txt": "B"}, r.disk())
	require.NoError(t, r.wb.Discard(ctx, nil))
	require.Equal(t, r.disk(), tree(t, r.draft()))
	r.reopen()
	require.Empty(t, r.wb.Recovered())
	r.verified()
}

// K-07: a file that was made read-only is not replaced or removed.
func TestK07ReadOnlyFile(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "1", "b.txt": "2"})
	require.NoError(t, os.Chmod(filepath.Join(r.dir, "b.txt"), 0o444))
	r.put("a.txt", "A")
	r.put("b.txt", "B")
	_, err := r.wb.Publish(ctx, PublishOptions{})
	require.ErrorIs(t, err, ErrNotWritable)
	require.Equal(t, []string{"b.txt"}, AsFault(err).Paths)
	require.Equal(t, map[string]string{"a.txt": "1", "b.txt": "2"}, r.disk())
	require.NoError(t, os.Chmod(filepath.Join(r.dir, "b.txt"), 0o644))
	r.publish(PublishOptions{})
	require.Equal(t, map[string]string{"a.txt": "A", "b.txt": "B"}, r.disk())
}

// verified makes sure that nothing the workbench keeps is missing or damaged.
func (r *rig) verified() {
	r.t.Helper()
	v, err := r.wb.Verify(ctx)
	require.NoError(r.t, err)
	require.Empty(r.t, v.Problems)
	left, err := filepath.Glob(filepath.Join(r.wb.Dir(), "objects", "tmp-*"))
	require.NoError(r.t, err)
	require.Empty(r.t, left)
}

// Verify finds a content that is missing and one that is damaged.
func TestVerifyFindsDamage(t *testing.T) {
	r := newRig(t, nil)
	r.put("a.txt", "one")
	r.put("b.txt", "two")
	r.verified()
	for p, damage := range map[Path]func(path string){
		"a.txt": func(path string) { require.NoError(t, os.Remove(path)) },
		"b.txt": func(path string) {
			require.NoError(t, os.Chmod(path, 0o600))
			require.NoError(t, os.WriteFile(path, []byte("too"), 0o600))
		},
	} {
		e, err := r.draft().Stat(ctx, p)
		require.NoError(t, err)
		damage(r.wb.objects.path(e.Hash))
	}
	v, err := r.wb.Verify(ctx)
	require.NoError(t, err)
	require.Len(t, v.Problems, 2)
	require.Contains(t, strings.Join(v.Problems, "\n"), "missing")
	require.Contains(t, strings.Join(v.Problems, "\n"), "damaged")
}

// A database whose maker was killed at the beginning is no damage: a reader says
// so, and the next to write makes it.
func TestHalfMadeDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "workbench.db")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	_, err := openDB(path, true)
	require.Equal(t, NotFound, AsFault(err).Code)
	db, err := openDB(path, false)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	db, err = openDB(path, true)
	require.NoError(t, err)
	require.NoError(t, db.Close())
}
