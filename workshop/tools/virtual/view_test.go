package virtual_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/workshop"
	"atelier/workshop/tools/virtual"
)

var ctx = context.Background()

// plain hides that a view can be explored.
type plain struct{ workshop.View }

// B-08: listing and exploring show the same, over views of both kinds, with
// files of one's own beside and beneath the virtual ones.
func TestB08ListAndExploreAgree(t *testing.T) {
	dir := t.TempDir()
	for _, p := range []string{"a.txt", "chats/own.md", "chats/x.chat", "z/deep/own.md"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(p)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, p), []byte("own"), 0o644))
	}
	home, err := workshop.OpenHome(t.TempDir(), workshop.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { home.Close() })
	wb, err := home.OpenFolder(ctx, dir)
	require.NoError(t, err)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	file := func(p workshop.Path) virtual.File {
		return virtual.File{Path: p, ID: "id", Type: "chat", Created: at, Modified: at, Text: func(context.Context) (string, error) { return "said in " + string(p), nil }}
	}
	fs := []virtual.File{file("chats/x.chat"), file("chats/y.chat"), file("new/deep/er/f.chat"), file("z/deep/v.chat")}
	want := []string{"a.txt", "chats", "chats/own.md", "chats/x.chat", "chats/y.chat", "new", "new/deep", "new/deep/er", "new/deep/er/f.chat", "z", "z/deep", "z/deep/own.md", "z/deep/v.chat"}

	require.Equal(t, wb.Published(), virtual.Over(wb.Published()), "nothing is laid over it")
	for name, v := range map[string]workshop.View{"draft": wb.DraftView(workshop.Cause{}), "live": wb.LiveView(workshop.Cause{})} {
		t.Run(name, func(t *testing.T) {
			over := virtual.Over(v, fs...)
			require.NotImplements(t, (*workshop.Explorer)(nil), virtual.Over(plain{v}, fs...))
			es, err := over.List(ctx, "", workshop.ListOptions{Recursive: true})
			require.NoError(t, err)
			var listed []string
			for _, e := range es {
				listed = append(listed, string(e.Path))
				st, err := over.Stat(ctx, e.Path)
				require.NoError(t, err)
				require.Equal(t, []any{e.IsDir, e.Virtual, e.Hash}, []any{st.IsDir, st.Virtual, st.Hash}, e.Path)
			}
			require.Equal(t, want, listed)
			root, err := over.(workshop.Explorer).Explore(ctx, "")
			require.NoError(t, err)
			explored := map[string]string{}
			explore(t, root, explored)
			require.Len(t, explored, len(want))
			for _, e := range es {
				text, ok := explored[string(e.Path)]
				require.True(t, ok, e.Path)
				switch {
				case e.IsDir:
				case e.Virtual:
					require.Equal(t, "said in "+string(e.Path), text)
				default:
					require.Equal(t, "own", text)
				}
			}
			for _, f := range fs {
				_, err := over.Put(ctx, f.Path, workshop.PutOptions{}, func(io.Writer) error { return nil })
				require.True(t, workshop.IsFault(err, workshop.Invalid), "%v", err)
				require.Error(t, over.Remove(ctx, f.Path))
				require.Error(t, over.Move(ctx, f.Path, "elsewhere"))
				require.Error(t, over.Move(ctx, "a.txt", f.Path))
				_, err = over.Touch(ctx, f.Path)
				require.Error(t, err)
				_, err = over.Mkdir(ctx, f.Path+"/in")
				require.Error(t, err)
			}
			require.Error(t, over.Remove(ctx, "new"))
			require.Error(t, over.Move(ctx, "new", "elsewhere"))
		})
	}
	changes, err := wb.Changes(ctx)
	require.NoError(t, err)
	require.Empty(t, changes)
}

// explore notes everything below f with its text.
func explore(t *testing.T, f workshop.Folder, into map[string]string) {
	t.Helper()
	defer f.Close()
	for _, it := range f.Items() {
		e, err := f.Info(it)
		require.NoError(t, err)
		require.Equal(t, it.IsDir, e.IsDir, it.Path)
		if it.IsDir {
			sub, err := f.Folder(ctx, it)
			require.NoError(t, err)
			explore(t, sub, into)
			into[string(it.Path)] = ""
			continue
		}
		c, err := f.Open(ctx, it)
		require.NoError(t, err)
		b, err := io.ReadAll(c)
		require.NoError(t, err)
		require.EqualValues(t, len(b), c.Size())
		require.NoError(t, c.Close())
		into[string(it.Path)] = string(b)
	}
}
