package workshop

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var ctx = context.Background()

// rig is a workbench on a folder of its own.
type rig struct {
	t    testing.TB
	home string
	dir  string
	h    *Home
	wb   *Workbench
}

func newRig(t testing.TB, files map[string]string) *rig {
	t.Helper()
	r := &rig{t: t, home: t.TempDir(), dir: t.TempDir()}
	for name, text := range files {
		path := filepath.Join(r.dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	r.open()
	t.Cleanup(func() { r.h.Close() })
	return r
}

func (r *rig) open() {
	r.t.Helper()
	var err error
	r.h, err = OpenHome(r.home, Options{})
	require.NoError(r.t, err)
	r.wb, err = r.h.OpenFolder(ctx, r.dir)
	require.NoError(r.t, err)
}

// reopen is what the next process finds.
func (r *rig) reopen() {
	r.t.Helper()
	require.NoError(r.t, r.h.Close())
	r.open()
}

func (r *rig) draft() View { return r.wb.DraftView(Cause{MessageID: "u-1", Tool: "test"}) }

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

func (r *rig) put(p, s string) {
	r.t.Helper()
	_, err := r.draft().Put(ctx, Path(p), PutOptions{}, text(s))
	require.NoError(r.t, err)
}

func content(t testing.TB, v View, p string) string {
	t.Helper()
	src, err := v.Open(ctx, Path(p))
	require.NoError(t, err)
	defer src.Close()
	b, err := io.ReadAll(io.NewSectionReader(src, 0, src.Size()))
	require.NoError(t, err)
	return string(b)
}

// tree is every file of a view with its content.
func tree(t testing.TB, v View) map[string]string {
	t.Helper()
	es, err := v.List(ctx, "", ListOptions{Recursive: true})
	require.NoError(t, err)
	out := map[string]string{}
	for _, e := range es {
		if !e.IsDir && e.Refused == "" {
			out[string(e.Path)] = content(t, v, string(e.Path))
		}
	}
	return out
}

// disk is every file below the root as other programs see it.
func (r *rig) disk() map[string]string {
	out := map[string]string{}
	require.NoError(r.t, filepath.WalkDir(r.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, _ := filepath.Rel(r.dir, path)
		require.False(r.t, strings.HasPrefix(d.Name(), tempPrefix), "a temporary file is left: %s", rel)
		b, err := os.ReadFile(path)
		out[filepath.ToSlash(rel)] = string(b)
		return err
	}))
	return out
}

func (r *rig) publish(opt PublishOptions) PublishResult {
	r.t.Helper()
	res, err := r.wb.Publish(ctx, opt)
	require.NoError(r.t, err)
	return res
}

var errBoom = errors.New("boom")
