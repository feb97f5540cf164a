package folderwatch_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"atelier/internal/folderwatch"
	"atelier/internal/need"
	"atelier/internal/sqlitedb"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const settle = 60 * time.Millisecond

// rig is a folder with a watcher on it.
type rig struct {
	t     *testing.T
	dir   string
	db    string
	store *folderwatch.Store
	w     *folderwatch.Watcher
	opt   folderwatch.Options

	mu    sync.Mutex
	notes []string
}

func newRig(t *testing.T, change func(*folderwatch.Options)) *rig {
	r := &rig{t: t, dir: t.TempDir(), db: filepath.Join(t.TempDir(), "state", "watch.db")}
	r.opt = folderwatch.Options{Dir: r.dir, Settle: settle, Refuse: func(rel string, dir bool) string {
		if dir {
			if filepath.Base(rel) == "skip" {
				return "skipped folders"
			}
			return ""
		}
		return folderwatch.Temporary(filepath.Base(rel))
	}, Told: func(n folderwatch.Note) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.notes = append(r.notes, n.Event+" "+n.Rel+" "+n.Text)
	}}
	if change != nil {
		change(&r.opt)
	}
	r.start("recipe")
	t.Cleanup(r.stop)
	return r
}

func (r *rig) start(recipe string) {
	r.t.Helper()
	var err error
	r.store, err = folderwatch.OpenStore(r.t.Context(), r.db, recipe)
	require.NoError(r.t, err)
	r.w, err = folderwatch.New(r.opt, r.store)
	require.NoError(r.t, err)
}

func (r *rig) stop() {
	if r.w != nil {
		require.NoError(r.t, r.w.Close())
		require.NoError(r.t, r.store.Close())
		r.w = nil
	}
}

func (r *rig) restart(recipe string) {
	r.stop()
	r.start(recipe)
}

func (r *rig) write(rel, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, filepath.FromSlash(rel))
	require.NoError(r.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(r.t, os.WriteFile(path, []byte(text), 0o644))
}

// next returns the files of the next answer, begun.
func (r *rig) next(most int) []folderwatch.File {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 10*time.Second)
	defer cancel()
	files, err := r.w.Next(ctx, most)
	require.NoError(r.t, err)
	require.NoError(r.t, r.store.Begin(r.t.Context(), files))
	return files
}

func (r *rig) end(f folderwatch.File, o folderwatch.Outcome) {
	r.t.Helper()
	at, err := r.store.End(r.t.Context(), f, o)
	require.NoError(r.t, err)
	require.Equal(r.t, o.Again && o.Failed != "", !at.IsZero())
}

// done does the next file and returns its name.
func (r *rig) done() string {
	r.t.Helper()
	files := r.next(1)
	r.end(files[0], folderwatch.Outcome{})
	return files[0].Rel
}

// nothing requires that nothing comes.
func (r *rig) nothing() {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 6*settle)
	defer cancel()
	files, err := r.w.Next(ctx, 1)
	require.ErrorIs(r.t, err, context.DeadlineExceeded, "%v", files)
}

func (r *rig) told(part string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, note := range r.notes {
		if strings.Contains(note, part) {
			n++
		}
	}
	return n
}

// What is there at the start, what comes, what changes and what is moved in is found
// once; what only got another date, or is done by an earlier process, is not.
func TestFindsWhatComes(t *testing.T) {
	for name, poll := range map[string]time.Duration{"events": 0, "polling": 30 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(o *folderwatch.Options) { o.Poll = poll })
			r.write("a.txt", "there before")
			require.Equal(t, "a.txt", r.done())
			r.nothing()
			r.write("new/deep/b.txt", "in a new folder")
			require.Equal(t, "new/deep/b.txt", r.done())
			r.write("a.txt", "changed")
			require.Equal(t, "a.txt", r.done())
			require.NoError(t, os.Rename(filepath.Join(r.dir, "new"), filepath.Join(r.dir, "moved")))
			require.Equal(t, "moved/deep/b.txt", r.done())
			r.nothing()
			r.write("moved/c.txt", "in the moved folder")
			require.Equal(t, "moved/c.txt", r.done())
			later := time.Now().Add(time.Hour)
			require.NoError(t, os.Chtimes(filepath.Join(r.dir, "a.txt"), later, later))
			r.nothing()
			r.restart("recipe")
			r.nothing()
			r.write("d.part", "unfinished")
			r.write("skip/e.txt", "in a refused folder")
			r.nothing()
			require.NoError(t, os.Rename(filepath.Join(r.dir, "d.part"), filepath.Join(r.dir, "d.txt")))
			require.Equal(t, "d.txt", r.done())
			r.restart("another recipe")
			got := map[string]bool{}
			for range 4 {
				got[r.done()] = true
			}
			require.Equal(t, map[string]bool{"a.txt": true, "moved/deep/b.txt": true, "moved/c.txt": true, "d.txt": true}, got)
		})
	}
}

// A file that is being written is not found before it settled.
func TestWaitsUntilItSettles(t *testing.T) {
	r := newRig(t, func(o *folderwatch.Options) { o.Settle = 200 * time.Millisecond })
	f, err := os.Create(filepath.Join(r.dir, "slow.txt"))
	require.NoError(t, err)
	written := make(chan time.Time, 1)
	go func() {
		for i := range 12 {
			fmt.Fprintf(f, "line %d\n", i)
			time.Sleep(50 * time.Millisecond)
		}
		written <- time.Now()
		f.Close()
	}()
	files := r.next(1)
	require.Len(t, written, 1, "it was found while it was written")
	require.EqualValues(t, 12*7+2, files[0].Size)
}

// What a process began and did not end is found again, alone and after the others.
func TestInterruptedWork(t *testing.T) {
	r := newRig(t, nil)
	r.write("a.txt", "ends the process")
	require.Equal(t, "a.txt", r.next(1)[0].Rel)
	for n := range 3 {
		r.restart("recipe")
		r.write(fmt.Sprintf("b%d.txt", n), "fine")
		r.write(fmt.Sprintf("c%d.txt", n), "fine")
		time.Sleep(3 * settle)
		files := r.next(3)
		for len(files) > 0 && files[0].Interrupted == 0 {
			for _, f := range files {
				require.NotEqual(t, "a.txt", f.Rel)
				r.end(f, folderwatch.Outcome{})
			}
			files = r.next(3)
		}
		require.Len(t, files, 1)
		require.Equal(t, "a.txt", files[0].Rel)
		require.Equal(t, n+1, files[0].Interrupted)
	}
	begun := r.next // the fifth time it waits for a second after the start
	r.restart("recipe")
	start := time.Now()
	require.Equal(t, "a.txt", begun(1)[0].Rel)
	require.Greater(t, time.Since(start), 900*time.Millisecond)
}

// A failure is final until the file changes or, where its content is not the reason,
// until its time comes.
func TestFailures(t *testing.T) {
	r := newRig(t, nil)
	r.write("a.txt", "bad")
	r.end(r.next(1)[0], folderwatch.Outcome{Failed: "it is bad"})
	r.nothing()
	r.restart("recipe")
	r.nothing()
	r.write("a.txt", "better")
	require.Equal(t, "a.txt", r.done())
	r.write("b.txt", "good, but the endpoint is away")
	r.end(r.next(1)[0], folderwatch.Outcome{Failed: "no answer", Again: true})
	r.nothing()
	r.restart("recipe")
	r.nothing()
	require.NoError(t, os.Remove(filepath.Join(r.dir, "b.txt")))
	r.nothing()
	r.write("b.txt", "good, but the endpoint is away")
	require.Equal(t, "b.txt", r.done(), "it came back")
}

// A time to try again that was stored while the clock was wrong is not waited for.
func TestFailuresUnderAWrongClock(t *testing.T) {
	r := newRig(t, nil)
	r.write("a.txt", "good, but the endpoint is away")
	r.end(r.next(1)[0], folderwatch.Outcome{Failed: "no answer", Again: true})
	r.nothing()
	r.stop()
	db, err := sqlitedb.Open(r.db, sqlitedb.Options{Sync: "FULL"})
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), `UPDATE file SET retry_at = ?`, time.Now().AddDate(9, 0, 0).UnixNano())
	require.NoError(t, err)
	require.NoError(t, db.Close())
	r.start("recipe")
	require.Equal(t, "a.txt", r.done())
}

// More files than may wait are all found, and a file that is stopped is found again.
func TestBoundOfWaiting(t *testing.T) {
	r := newRig(t, func(o *folderwatch.Options) { o.Most = 7 })
	for i := range 40 {
		r.write(fmt.Sprintf("f%02d.txt", i), fmt.Sprint(i))
	}
	got := map[string]bool{}
	for range 40 {
		got[r.done()] = true
	}
	require.Len(t, got, 40)
	r.nothing()
	r.write("x.txt", "x")
	f := r.next(1)[0]
	r.end(f, folderwatch.Outcome{Undone: true})
	r.restart("recipe")
	require.Equal(t, 0, r.next(1)[0].Interrupted)
}

// What is ignored is told once for each kind.
func TestToldOnce(t *testing.T) {
	r := newRig(t, nil)
	for _, name := range []string{"~$a.docx", "~$b.docx", ".hidden", "x.part", "y.part", "z.crdownload"} {
		r.write(name, "x")
	}
	links := 0
	if need.TrySymlink(t, "nowhere", filepath.Join(r.dir, "link")) {
		links = 2
	}
	r.nothing()
	r.restart("recipe")
	r.nothing()
	require.Equal(t, 2, r.told("lock files of office programs"), "once for each process: %v", r.notes)
	require.Equal(t, 2, r.told("(.part)"))
	require.Equal(t, 2, r.told("(.crdownload)"))
	require.Equal(t, links, r.told("symbolic links"))
}

// One process at a time uses a store; a folder that is away is waited for.
func TestLockAndAbsence(t *testing.T) {
	r := newRig(t, nil)
	_, err := folderwatch.OpenStore(t.Context(), r.db, "recipe")
	require.ErrorIs(t, err, folderwatch.ErrLocked)
	r.write("a.txt", "a")
	require.Equal(t, "a.txt", r.done())
	away := r.dir + ".away"
	require.NoError(t, os.Rename(r.dir, away))
	r.opt.Look = 50 * time.Millisecond
	require.NoError(t, os.MkdirAll(r.dir, 0o755))
	r.restart("recipe")
	r.nothing()
	require.NoError(t, os.Remove(r.dir))
	if _, err := os.Stat(r.dir); err == nil {
		t.Skip("this system keeps a removed folder as long as it is watched, as Wine does")
	}
	r.nothing()
	require.Positive(t, r.told("unreadable"), "%v", r.notes)
	require.NoError(t, os.Rename(away, r.dir))
	r.restart("recipe")
	r.nothing()
}
