//go:build unix

package workshop

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/need"
)

// W-20, A-09: the strict policy refuses what could leave the root, by name.
func TestW20Strict(t *testing.T) {
	for _, bad := range []string{"/etc/passwd", "../x", "a/../../x", "a/..", `a\b`, "C:/x", "c:x", "a\x00b", "\xff", ".atelier/x", ".ATELIER/x", tempPrefix + "1"} {
		_, err := ParseStrict(bad)
		require.True(t, IsFault(err, Sandbox), "%q: %v", bad, err)
		require.True(t, strings.HasPrefix(err.Error(), "SANDBOX_VIOLATION: "), err.Error())
	}
	for in, want := range map[string]Path{"a/b.txt": "a/b.txt", "./a": "a", "a//b": "a/b", "a/./b/": "a/b", "": "", ".": "", "_x..y": "_x..y"} {
		p, err := ParseStrict(in)
		require.NoError(t, err, in)
		require.Equal(t, want, p)
	}
}

// B-01: the clamping policy resolves and never climbs above the root.
func TestB01Clamp(t *testing.T) {
	for in, want := range map[string]Path{" //folder///file/ ": "folder/file", "/a/../../b": "b", "a/./b": "a/b", "": "", "/": "", "../../etc/passwd": "etc/passwd"} {
		p, err := ParseClamp(in)
		require.NoError(t, err)
		require.Equal(t, want, p)
	}
}

func TestNamesWindowsCannotHold(t *testing.T) {
	for _, bad := range []string{"a:b", "con", "LPT1.txt", "x.", "y ", "a?b", "nul.tar.gz", "COM¹", "lpt³.x", "CON .txt", "conin$", "a\nb", "a.."} {
		require.NotEmpty(t, unfitForWindows(bad), bad)
	}
	for _, good := range []string{"", "console.txt", "com10", "com", "COM0", "communication", "a.b", "_x", "ñ"} {
		require.Empty(t, unfitForWindows(good), good)
	}
}

// A-09, W-20: whatever path comes in, nothing outside the root is opened or
// written, also not through links.
func TestLinksAreNotFollowed(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "in"})
	out := t.TempDir()
	secret := filepath.Join(out, "secret.txt")
	require.NoError(t, os.WriteFile(secret, []byte("outside"), 0o600))
	need.Symlink(t, secret, filepath.Join(r.dir, "file-link.txt"))
	need.Symlink(t, out, filepath.Join(r.dir, "dir-link"))
	need.Symlink(t, filepath.Join(out, "nothing"), filepath.Join(r.dir, "dangling.txt"))
	need.Symlink(t, "a.txt", filepath.Join(r.dir, "inner-link.txt"))
	for _, v := range []View{r.draft(), r.wb.Published()} {
		for _, p := range []Path{"file-link.txt", "dir-link/secret.txt", "dangling.txt", "inner-link.txt"} {
			_, err := v.Open(ctx, p)
			require.Error(t, err, p)
			require.NotContains(t, err.Error(), "outside")
		}
		es, err := v.List(ctx, "", ListOptions{Recursive: true})
		require.NoError(t, err)
		for _, e := range es {
			if strings.Contains(string(e.Path), "link") || e.Path == "dangling.txt" {
				require.Equal(t, "symlink", e.Refused, e.Path)
			}
			require.NotContains(t, string(e.Path), "secret")
		}
	}
	for _, p := range []Path{"file-link.txt", "dir-link/new.txt", "dangling.txt"} {
		_, err := r.draft().Put(ctx, p, PutOptions{}, text("x"))
		require.Error(t, err, p)
	}
	b, err := os.ReadFile(secret)
	require.NoError(t, err)
	require.Equal(t, "outside", string(b))
	entries, err := os.ReadDir(out)
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

// A link that takes a folder's place after the draft was written does not lead
// the publish outside.
func TestPublishThroughALateLink(t *testing.T) {
	r := newRig(t, map[string]string{"d/a.txt": "in"})
	r.put("d/a.txt", "new")
	out := t.TempDir()
	require.NoError(t, os.RemoveAll(filepath.Join(r.dir, "d")))
	need.Symlink(t, out, filepath.Join(r.dir, "d"))
	_, err := r.wb.Publish(ctx, PublishOptions{})
	require.Error(t, err)
	entries, err := os.ReadDir(out)
	require.NoError(t, err)
	require.Empty(t, entries)
}

// W-65: a FIFO is listed as what it is and refused at once, never opened.
func TestW65SpecialFiles(t *testing.T) {
	r := newRig(t, nil)
	fifo := filepath.Join(r.dir, "pipe.txt")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	done := make(chan struct{})
	go func() {
		defer close(done)
		es, err := r.draft().List(ctx, "", ListOptions{})
		require.NoError(t, err)
		require.Equal(t, "special file", es[0].Refused)
		_, err = r.draft().Open(ctx, "pipe.txt")
		require.ErrorContains(t, err, "special file")
		_, err = r.draft().Put(ctx, "pipe.txt", PutOptions{}, text("x"))
		require.Error(t, err)
		rs, err := r.wb.AddFiles(ctx, []string{fifo, r.dir, filepath.Join(r.dir, "no"), ""})
		require.NoError(t, err)
		require.Equal(t, []string{"special_file", "directory", "not_found", "not_found"}, []string{rs[0].Reason, rs[1].Reason, rs[2].Reason, rs[3].Reason})
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("a FIFO blocks")
	}
}

// of 50 writers with the same base hash exactly one wins.
func TestA14OneOfFiftyWins(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "base"})
	e, err := r.draft().Stat(ctx, "a.txt")
	require.NoError(t, err)
	var wg sync.WaitGroup
	errs := make([]error, 50)
	for i := range errs {
		wg.Go(func() {
			_, errs[i] = r.draft().Put(ctx, "a.txt", PutOptions{BaseHash: e.Hash}, text(strings.Repeat("x", i+1)))
		})
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else {
			require.True(t, IsFault(err, Conflict), "%v", err)
		}
	}
	require.Equal(t, 1, won)
}

// one hash everywhere.
func TestA12Hash(t *testing.T) {
	const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	r := newRig(t, map[string]string{"a.txt": "abc"})
	e, err := r.wb.Published().Stat(ctx, "a.txt")
	require.NoError(t, err)
	require.Equal(t, abc, e.Hash)
	r.put("b.txt", "abc")
	e, err = r.draft().Stat(ctx, "b.txt")
	require.NoError(t, err)
	require.Equal(t, abc, e.Hash)
}

// A failing or canceled write leaves no trace.
func TestFailedPutChangesNothing(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "old"})
	_, err := r.draft().Put(ctx, "a.txt", PutOptions{}, func(w io.Writer) error {
		w.Write([]byte("half"))
		return errBoom
	})
	require.ErrorIs(t, err, errBoom)
	require.Equal(t, "old", content(t, r.draft(), "a.txt"))
	st, _ := r.wb.Draft(ctx)
	require.False(t, st.HasDraft)
	left, err := filepath.Glob(filepath.Join(r.wb.Dir(), "objects", "tmp-*"))
	require.NoError(t, err)
	require.Empty(t, left)
	for _, c := range []struct {
		p    Path
		opt  PutOptions
		code FaultCode
	}{{"a.txt", PutOptions{CreateOnly: true}, Conflict}, {"a.txt/x", PutOptions{}, Conflict}, {"", PutOptions{}, Invalid}, {"n.txt", PutOptions{BaseHash: "x"}, Conflict}} {
		_, err := r.draft().Put(ctx, c.p, c.opt, text("x"))
		require.True(t, IsFault(err, c.code), "%q %v", c.p, err)
	}
	v := r.wb.Published()
	_, err = v.Put(ctx, "a.txt", PutOptions{}, text("x"))
	require.True(t, IsFault(err, Forbidden))
	require.True(t, IsFault(v.Remove(ctx, "a.txt"), Forbidden))
}

// The folder for Atelier's own files is not reached by its short name either.
func TestShortNameOfTheStateFolder(t *testing.T) {
	for name, short := range map[string]bool{"ATELIE~1": true, "atelie~9": true, "AT3F0C~1": true, "ATELIER~1": false, "ATELIE~": false, "REPORT~1": false, "at~1": false} {
		require.Equal(t, short, shortState.MatchString(name), name)
	}
	_, err := ParseStrict("ATELIE~1/x")
	require.Equal(t, onWindows, err != nil)
}
