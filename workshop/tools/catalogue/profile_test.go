package catalogue_test

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/all"
	"atelier/formats/formatstest"
	"atelier/formats/preview"
	"atelier/workshop"
	"atelier/workshop/openfiles"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
)

// profile is a workbench with one catalogue over one kind of view.
type profile struct {
	t    testing.TB
	dir  string // the user's folder
	wb   *workshop.Workbench
	cat  *tools.Catalogue
	env  *tools.Env
	live bool
}

func newProfile(t testing.TB, name string, live bool, files map[string]string) *profile {
	t.Helper()
	p := &profile{t: t, dir: filepath.Join(t.TempDir(), "Repo"), live: live}
	require.NoError(t, os.Mkdir(p.dir, 0o755))
	for f, text := range files {
		path := filepath.Join(p.dir, filepath.FromSlash(f))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	home, err := workshop.OpenHome(t.TempDir(), workshop.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { home.Close() })
	p.wb, err = home.OpenFolder(ctx, p.dir)
	require.NoError(t, err)
	p.cat, err = catalogue.Named(name)
	require.NoError(t, err)
	p.env = &tools.Env{View: p.wb.DraftView(workshop.Cause{}), Formats: all.Formats(all.Options{CacheDir: formatstest.Cache}),
		Session: &tools.Session{ID: "s-1", Conversation: "c-1", Active: &openfiles.List{}, Docs: p.wb}}
	p.env.Pages, p.env.Sees = preview.New(p.env.Formats, preview.Options{NoLibreOffice: true}), true
	if live {
		p.env.View = p.wb.LiveView(workshop.Cause{})
	}
	return p
}

// bothViews runs a test over a draft and over a live view.
func bothViews(t *testing.T, name string, files map[string]string, test func(t *testing.T, p *profile)) {
	for view, live := range map[string]bool{"draft": false, "live": true} {
		t.Run(view, func(t *testing.T) { test(t, newProfile(t, name, live, files)) })
	}
}

func (p *profile) call(tool, args string) tools.Result {
	return p.cat.Call(ctx, p.env, tool, json.RawMessage(args))
}

// text is the content of a file of the view, "-" when there is none.
func (p *profile) text(path string) string {
	p.t.Helper()
	src, err := p.env.View.Open(ctx, workshop.Path(path))
	if workshop.IsFault(err, workshop.NotFound) {
		return "-"
	}
	require.NoError(p.t, err)
	defer src.Close()
	b, err := io.ReadAll(io.NewSectionReader(src, 0, src.Size()))
	require.NoError(p.t, err)
	return string(b)
}

// tree is every path of the view with the content of files.
func (p *profile) tree() string {
	p.t.Helper()
	es, err := p.env.View.List(ctx, "", workshop.ListOptions{Recursive: true})
	require.NoError(p.t, err)
	var sb strings.Builder
	for _, e := range es {
		sb.WriteString(string(e.Path) + " " + e.Hash + " " + e.VersionID + "\n")
	}
	return sb.String()
}
