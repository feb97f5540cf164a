package retrieval

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/all"
	"atelier/formats/formatstest"
	"atelier/workshop"
	"atelier/workshop/doctext"
)

var ctx = context.Background()

var builtins = sync.OnceValue(func() *formats.Set { return all.Formats(all.Options{CacheDir: formatstest.Cache}) })

type rig struct {
	t    testing.TB
	dir  string
	home string
	wb   *workshop.Workbench
	ix   *Index
}

func newRig(t testing.TB, files map[string]string) *rig {
	t.Helper()
	r := &rig{t: t, dir: filepath.Join(t.TempDir(), "Repo"), home: t.TempDir()}
	require.NoError(t, os.Mkdir(r.dir, 0o755))
	for name, text := range files {
		r.write(name, text)
	}
	h, err := workshop.OpenHome(r.home, workshop.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { h.Close() })
	r.wb, err = h.OpenFolder(ctx, r.dir)
	require.NoError(t, err)
	r.open()
	t.Cleanup(func() { r.ix.Close() })
	return r
}

func (r *rig) file() string { return filepath.Join(r.wb.Dir(), "index.db") }

func (r *rig) open() {
	r.t.Helper()
	var err error
	r.ix, err = Open(r.file(), doctext.NewCache(builtins(), doctext.CacheOptions{}), Options{Names: r.wb, Wait: time.Minute})
	require.NoError(r.t, err)
}

func (r *rig) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, filepath.FromSlash(name))
	require.NoError(r.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(r.t, os.WriteFile(path, []byte(text), 0o644))
}

func (r *rig) view() workshop.View { return r.wb.DraftView(workshop.Cause{}) }

func (r *rig) put(name, text string) {
	r.t.Helper()
	_, err := r.view().Put(ctx, workshop.Path(name), workshop.PutOptions{}, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
	require.NoError(r.t, err)
}

func (r *rig) query(q string, f Filters) []Chunk {
	r.t.Helper()
	res, err := r.ix.Query(ctx, r.view(), q, f)
	require.NoError(r.t, err)
	require.Zero(r.t, res.Pending)
	require.Empty(r.t, res.Note)
	for _, c := range res.Chunks {
		require.NoError(r.t, c.Validate())
	}
	return res.Chunks
}

// found returns the docPaths of a query's results, each once, best first.
func (r *rig) found(q string) []string {
	r.t.Helper()
	out := []string{}
	seen := map[string]bool{}
	for _, c := range r.query(q, Filters{}) {
		if doc := string(c.DocPath); !seen[doc] {
			seen[doc] = true
			out = append(out, doc)
		}
	}
	return out
}
