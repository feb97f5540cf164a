package workshop

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"atelier/internal/campaign"

	"atelier/internal/need"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// explored is every entry below dir as a walk through folders meets it, files
// in the order they were met.
func explored(t require.TestingT, v View, dir Path) (all []Entry, files []Path, contents map[Path]string) {
	contents = map[Path]string{}
	root, err := v.(Explorer).Explore(ctx, dir)
	require.NoError(t, err)
	var walk func(f Folder)
	walk = func(f Folder) {
		defer f.Close()
		for _, it := range f.Items() {
			e, err := f.Info(it)
			require.NoError(t, err)
			require.Equal(t, it.IsDir, e.IsDir)
			require.Empty(t, e.Hash, "nothing is hashed")
			all = append(all, e)
			if it.IsDir {
				sub, err := f.Folder(ctx, it)
				require.NoError(t, err)
				walk(sub)
				continue
			}
			files = append(files, it.Path)
			c, err := f.Open(ctx, it)
			if err != nil {
				require.NotEmpty(t, e.Refused)
				continue
			}
			require.Equal(t, e.Size, c.Size())
			b, err := io.ReadAll(c)
			require.NoError(t, err)
			contents[it.Path] = string(b)
			require.NoError(t, c.Close())
		}
	}
	walk(root)
	return all, files, contents
}

// B9-05, B-03, A-03: a walk sees what List and Open show, draft included,
// whatever the draft did.
func TestExploringShowsWhatListShows(t *testing.T) {
	campaign.Checks(t, 80)
	rapid.Check(t, func(rt *rapid.T) {
		r := newRig(t, map[string]string{"a": "1", "a-b": "2", "b/a.txt": "3", "b/c/d": "4", "b-/x": "5", "~$lock": "-", ".atelier/g.md": "-"})
		name := rapid.SampledFrom([]string{"a", "a-b", "b", "b/a.txt", "b/c", "b/c/d", "b-", "n", "n/m", "n/m/o", "é"})
		for range rapid.IntRange(0, 12).Draw(rt, "steps") {
			p := Path(name.Draw(rt, "path"))
			var err error
			switch rapid.IntRange(0, 3).Draw(rt, "op") {
			case 0:
				_, err = r.draft().Put(ctx, p, PutOptions{}, text(fmt.Sprint("new ", p)))
			case 1:
				_, err = r.draft().Mkdir(ctx, p)
			case 2:
				err = r.draft().Remove(ctx, p)
			case 3:
				err = r.draft().Move(ctx, p, Path(name.Draw(rt, "to")))
			}
			_ = err // refusals are part of the game
		}
		for _, v := range []View{r.draft(), r.wb.Published(), r.live()} {
			want, err := v.List(ctx, "", ListOptions{Recursive: true, NoHash: true})
			require.NoError(rt, err)
			all, files, contents := explored(rt, v, "")
			require.True(rt, slices.IsSorted(files), "in the order of paths: %q", files)
			sortEntries(all)
			require.Equal(rt, len(want), len(all))
			for i := range want {
				want[i].Modified, all[i].Modified = want[i].Modified.UTC(), all[i].Modified.UTC()
				if want[i].IsDir { // the time of an implied folder is anyone's
					want[i].Modified = all[i].Modified
				}
				require.Equal(rt, want[i], all[i])
			}
			for p, s := range contents {
				require.Equal(rt, content(t, v, string(p)), s)
			}
		}
		require.NoError(rt, r.h.Close())
	})
}

// W-65, A-09: links are seen and never opened or followed.
func TestExploringFollowsNoLink(t *testing.T) {
	r := newRig(t, map[string]string{"in/a": "1"})
	out := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(out, "secret"), []byte("s"), 0o600))
	need.Symlink(t, filepath.Join(out, "secret"), filepath.Join(r.dir, "link"))
	need.Symlink(t, out, filepath.Join(r.dir, "away"))
	for _, v := range []View{r.draft(), r.wb.Published()} {
		f, err := v.(Explorer).Explore(ctx, "")
		require.NoError(t, err)
		defer f.Close()
		var links int
		for _, it := range f.Items() {
			if it.IsDir {
				continue
			}
			links++
			_, err := f.Open(ctx, it)
			require.True(t, IsFault(err, Sandbox), "%v", err)
			_, err = f.Folder(ctx, it)
			require.Error(t, err)
		}
		require.Equal(t, 2, links)
		_, err = v.(Explorer).Explore(ctx, "away")
		require.Error(t, err)
		_, err = v.(Explorer).Explore(ctx, "away/secret")
		require.Error(t, err)
	}
}

// B9-05: a folder that goes while it is looked at is an error that says so,
// not a crash; one that is a file is refused by name.
func TestExploringWhatIsNotThere(t *testing.T) {
	r := newRig(t, map[string]string{"a": "1", "d/x": "2"})
	for _, v := range []View{r.draft(), r.wb.Published()} {
		_, err := v.(Explorer).Explore(ctx, "nope")
		require.True(t, IsFault(err, NotFound))
		_, err = v.(Explorer).Explore(ctx, "a")
		require.True(t, IsFault(err, Invalid))
		f, err := v.(Explorer).Explore(ctx, "")
		require.NoError(t, err)
		defer f.Close()
		require.NoError(t, os.RemoveAll(filepath.Join(r.dir, "d")))
		_, err = f.Info(f.Items()[1])
		require.True(t, IsFault(err, NotFound))
		require.NoError(t, os.MkdirAll(filepath.Join(r.dir, "d"), 0o755))
	}
}

// W-65: a FIFO that takes the place of a file after the look at it is refused,
// not waited for.
func TestFIFOInPlaceOfAFile(t *testing.T) {
	mkfifo := need.Program(t, "mkfifo", "coreutils")
	r := newRig(t, map[string]string{"a": "1"})
	f, err := r.draft().(Explorer).Explore(ctx, "")
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, os.Remove(filepath.Join(r.dir, "a")))
	require.NoError(t, exec.Command(mkfifo, filepath.Join(r.dir, "a")).Run())
	done := make(chan error, 1)
	go func() {
		_, err := f.Open(ctx, f.Items()[0])
		done <- err
	}()
	select {
	case err := <-done:
		require.True(t, IsFault(err, Invalid), "%v", err)
	case <-time.After(time.Minute):
		t.Fatal("it waits for somebody to write")
	}
}
