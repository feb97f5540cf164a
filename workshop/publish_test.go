package workshop

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A-08, W-19, W-60, W-61: a draft shows over the published files, which stay as
// they are until it is published or discarded.
func TestDraftPublishDiscard(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "one", "sub/b.txt": "two", "gone.txt": "x", "same.txt": "s"})
	before := r.disk()
	st, err := r.wb.Draft(ctx)
	require.NoError(t, err)
	require.False(t, st.HasDraft)
	r.put("a.txt", "ONE")
	r.put("new/dir/c.txt", "three")
	r.put("same.txt", "s")
	require.NoError(t, r.draft().Remove(ctx, "gone.txt"))
	require.NoError(t, r.draft().Move(ctx, "sub/b.txt", "sub/moved.txt"))
	require.Equal(t, before, r.disk())
	st, err = r.wb.Draft(ctx)
	require.NoError(t, err)
	require.True(t, st.HasDraft)
	require.Equal(t, "workshop", st.SourceKind)
	require.Equal(t, "agent", st.SourceRef)
	want := map[string]string{"a.txt": "ONE", "new/dir/c.txt": "three", "same.txt": "s", "sub/moved.txt": "two"}
	require.Equal(t, want, tree(t, r.draft()))
	require.Equal(t, before, tree(t, r.wb.Published()))
	cs, err := r.wb.Changes(ctx)
	require.NoError(t, err)
	var got []string
	for _, c := range cs {
		got = append(got, c.Type+" "+string(c.Path))
	}
	require.Equal(t, []string{"modified a.txt", "deleted gone.txt", "added new/dir/c.txt", "renamed sub/moved.txt"}, got)

	r.reopen() // W-54, K-04: the draft outlives the process
	require.Equal(t, want, tree(t, r.draft()))
	var events []Event
	defer r.wb.Subscribe(func(e Event) { events = append(events, e) })()
	res := r.publish(PublishOptions{})
	require.Len(t, res.Published, 5)
	require.Equal(t, want, r.disk())
	require.Equal(t, "files", events[0].Kind)
	require.Equal(t, []string{"new/dir/c.txt", "sub/moved.txt"}, events[0].Added)
	st, _ = r.wb.Draft(ctx)
	require.False(t, st.HasDraft)

	r.put("a.txt", "again")
	require.NoError(t, r.wb.Discard(ctx, nil))
	require.Equal(t, want, r.disk())
	require.Equal(t, want, tree(t, r.draft()))
}

// K-02: a publish over an outside change is refused whole; force keeps what it
// replaces as an object.
func TestK02Conflict(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "one", "b.txt": "two"})
	r.put("a.txt", "A")
	r.put("b.txt", "B")
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, "a.txt"), []byte("outside"), 0o644))
	disk := r.disk()
	_, err := r.wb.Publish(ctx, PublishOptions{})
	require.True(t, IsFault(err, Conflict), "%v", err)
	require.Equal(t, []string{"a.txt"}, AsFault(err).Paths)
	require.Equal(t, disk, r.disk())
	require.Equal(t, "A", content(t, r.draft(), "a.txt"))
	cs, err := r.wb.Changes(ctx)
	require.NoError(t, err)
	require.True(t, cs[0].Conflict)
	r.publish(PublishOptions{Force: []Path{"a.txt"}})
	require.Equal(t, map[string]string{"a.txt": "A", "b.txt": "B"}, r.disk())
	kept, err := r.wb.objects.open(ctx, cs[0].OldHash, "a.txt")
	require.NoError(t, err)
	defer kept.Close()
	require.EqualValues(t, len("outside"), kept.Size())
}

// K-02: a draft file that was changed back is no change, so what another program
// made of it since is neither in conflict with it nor replaced by it.
func TestK02ChangedBack(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "one", "b.txt": "two", "c.txt": "three"})
	for _, p := range []string{"a.txt", "b.txt"} {
		r.put(p, "other")
	}
	r.put("a.txt", "one")
	r.put("b.txt", "two")
	r.put("c.txt", "ours")
	r.outside("a.txt", "theirs")
	require.NoError(t, os.Remove(filepath.Join(r.dir, "b.txt")))
	cs, err := r.wb.Changes(ctx)
	require.NoError(t, err)
	require.Len(t, cs, 1)
	require.EqualValues(t, "c.txt", cs[0].Path)
	res := r.publish(PublishOptions{})
	require.Equal(t, []Path{"c.txt"}, res.Published)
	require.Equal(t, map[string]string{"a.txt": "theirs", "c.txt": "ours"}, r.disk())
	st, err := r.wb.Draft(ctx)
	require.NoError(t, err)
	require.False(t, st.HasDraft)
	require.Equal(t, "theirs", content(t, r.draft(), "a.txt"))
}

// K-03: a subset is published or discarded, the rest stays open; a path that is
// not in the draft is named and nothing happens.
func TestK03Subset(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "1", "d/b.txt": "2", "d/c.txt": "3"})
	for _, p := range []string{"a.txt", "d/b.txt", "d/c.txt"} {
		r.put(p, "new")
	}
	_, err := r.wb.Publish(ctx, PublishOptions{Paths: []Path{"a.txt", "nope.txt"}})
	require.True(t, IsFault(err, NotFound))
	require.Equal(t, "1", r.disk()["a.txt"])
	res := r.publish(PublishOptions{Paths: []Path{"d"}})
	require.Equal(t, []Path{"d/b.txt", "d/c.txt"}, res.Published)
	require.Equal(t, map[string]string{"a.txt": "1", "d/b.txt": "new", "d/c.txt": "new"}, r.disk())
	require.True(t, IsFault(r.wb.Discard(ctx, []Path{"d/b.txt"}), NotFound))
	require.NoError(t, r.wb.Discard(ctx, []Path{"a.txt"}))
	st, _ := r.wb.Draft(ctx)
	require.False(t, st.HasDraft, "an empty draft is no draft")
}

// K-01: a crash after any step of a publish leaves, once reopened, everything
// as before or everything as after, with the draft to match.
func TestK01CrashAtEveryStep(t *testing.T) {
	files := map[string]string{"a.txt": "1", "b/b.txt": "2", "del.txt": "3"}
	after := map[string]string{"a.txt": "A", "b/b.txt": "B", "c/new.txt": "C"}
	for _, step := range []string{"intent", "staged", "committed", "swap"} {
		for nth := 1; nth <= 4; nth++ {
			if step != "swap" && nth > 1 {
				continue
			}
			t.Run(fmt.Sprint(step, nth), func(t *testing.T) {
				r := newRig(t, files)
				r.put("a.txt", "A")
				r.put("b/b.txt", "B")
				r.put("c/new.txt", "C")
				require.NoError(t, r.draft().Remove(ctx, "del.txt"))
				seen := 0
				r.wb.failpoint = func(s string) error {
					if s == step {
						if seen++; seen == nth {
							return errSimulatedCrash
						}
					}
					return nil
				}
				_, err := r.wb.Publish(ctx, PublishOptions{})
				require.ErrorIs(t, err, errSimulatedCrash)
				r.reopen()
				require.NotEmpty(t, r.wb.Recovered())
				st, err := r.wb.Draft(ctx)
				require.NoError(t, err)
				if step == "intent" || step == "staged" {
					require.Equal(t, files, r.disk())
					require.True(t, st.HasDraft)
					r.publish(PublishOptions{})
				}
				require.Equal(t, after, r.disk())
				st, _ = r.wb.Draft(ctx)
				require.False(t, st.HasDraft)
				r.reopen()
				require.Empty(t, r.wb.Recovered(), "what was repaired stays repaired")
			})
		}
	}
}

// K-07: a rename that fails half-way is taken back; the error says so.
func TestK07FailureIsTakenBack(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "1", "b.txt": "2"})
	r.put("a.txt", "A")
	r.put("b.txt", "B")
	n := 0
	r.wb.failpoint = func(s string) error {
		if s == "swap" {
			if n++; n == 1 {
				return errBoom
			}
		}
		return nil
	}
	_, err := r.wb.Publish(ctx, PublishOptions{})
	require.ErrorIs(t, err, errBoom)
	require.ErrorContains(t, err, "nothing was published")
	require.Equal(t, map[string]string{"a.txt": "1", "b.txt": "2"}, r.disk())
	require.Equal(t, "A", content(t, r.draft(), "a.txt"))
	r.wb.failpoint = nil
	r.publish(PublishOptions{})
	require.Equal(t, map[string]string{"a.txt": "A", "b.txt": "B"}, r.disk())
}

// An outside edit after a crash is left alone and said.
func TestRecoveryLeavesOthersWorkAlone(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "1"})
	r.put("a.txt", "A")
	r.wb.failpoint = func(s string) error {
		if s == "committed" {
			return errSimulatedCrash
		}
		return nil
	}
	_, err := r.wb.Publish(ctx, PublishOptions{})
	require.Error(t, err)
	require.NoError(t, r.h.Close())
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, "a.txt"), []byte("theirs"), 0o644))
	r.open()
	require.Equal(t, "theirs", r.disk()["a.txt"])
	require.Contains(t, r.wb.Recovered()[0], "a.txt was changed outside")
}

// K-09, K-10: odd names survive every operation; a user's own _x.csv stays.
func TestK09Names(t *testing.T) {
	long := ""
	for len(long) < 251 {
		long += "x"
	}
	names := []string{"_x.csv", "report..final.txt", "con espacios y ñ.txt", "🙂 emoji.txt", long + ".txt", "caf\u00e9.txt", "cafe\u0301.txt", "a,b;c'd.txt", "-dash"}
	files := map[string]string{"_mine.csv": "keep"}
	for _, n := range names {
		files[n] = "old"
	}
	r := newRig(t, files)
	want := maps.Clone(files)
	for _, n := range names {
		p, err := ParseStrict(n)
		require.NoError(t, err)
		require.Equal(t, Path(n), p)
		r.put(n, "new "+n)
		want[n] = "new " + n
	}
	r.reopen()
	r.publish(PublishOptions{})
	require.Equal(t, want, r.disk())
	require.Equal(t, want, tree(t, r.draft()))
}

// Permission bits of a replaced file stay.
func TestModeStays(t *testing.T) {
	r := newRig(t, map[string]string{"a.sh": "1"})
	require.NoError(t, os.Chmod(filepath.Join(r.dir, "a.sh"), 0o750))
	r.put("a.sh", "2")
	r.publish(PublishOptions{})
	st, err := os.Stat(filepath.Join(r.dir, "a.sh"))
	require.NoError(t, err)
	want := os.FileMode(0o750)
	if onWindows {
		want = 0o666 // files have one bit there: read-only or not
	}
	require.Equal(t, want, st.Mode().Perm())
}

func BenchmarkPut(b *testing.B) {
	r := newRig(b, nil)
	for b.Loop() {
		r.put("a.txt", "x")
	}
}

func BenchmarkPublish100(b *testing.B) {
	r := newRig(b, nil)
	n := 0
	for b.Loop() {
		b.StopTimer()
		n++
		for i := range 100 {
			r.put(fmt.Sprintf("f%d.txt", i), fmt.Sprint(n, i))
		}
		b.StartTimer()
		r.publish(PublishOptions{})
	}
}

func BenchmarkOpenWorkbench10k(b *testing.B) {
	files := map[string]string{}
	for i := range 10_000 {
		files[fmt.Sprintf("d%d/f%d.txt", i%100, i)] = "x"
	}
	r := newRig(b, files)
	for b.Loop() {
		r.reopen()
		_, err := r.draft().List(ctx, "", ListOptions{Recursive: true, NoHash: true})
		require.NoError(b, err)
	}
}

// A file may take the place of a folder that the draft moves away.
func TestFileInPlaceOfMovedFolder(t *testing.T) {
	r := newRig(t, map[string]string{"a-b": "2", "b/a.txt": "3", "b/c/d": "4"})
	require.NoError(t, r.draft().Move(ctx, "b", "n/m"))
	require.NoError(t, r.draft().Move(ctx, "a-b", "b/c"))
	es, err := r.draft().List(ctx, "", ListOptions{Recursive: true})
	require.NoError(t, err)
	for _, e := range es {
		require.False(t, e.ChangedOutside, e.Path)
	}
	r.publish(PublishOptions{})
	require.Equal(t, map[string]string{"b/c": "2", "n/m/a.txt": "3", "n/m/c/d": "4"}, r.disk())
}
