package workshop

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// C-05, T-17: folding is the only thing that happens to a docPath.
func TestC05Fold(t *testing.T) {
	for in, want := range map[string]DocPath{"Repo/A.CS": "repo/a.cs", "a//b/../C": "a//b/../c", " x ": " x ", "ÄÖ/ß.MD": "äö/ß.md",
		`C:\Dev\X`: `c:\dev\x`, "ajhaafaeradaky234wf": "ajhaafaeradaky234wf", "/abs": "/abs"} {
		d, err := ParseDocPath(in)
		require.NoError(t, err)
		assert.Equal(t, want, d)
		again, err := ParseDocPath(string(d))
		require.NoError(t, err)
		assert.Equal(t, d, again)
	}
	for _, bad := range []string{"", "  ", "\t\n", "\xff"} {
		_, err := ParseDocPath(bad)
		assert.True(t, IsFault(err, Invalid), "%q", bad)
	}
}

// C-04, F-01, F-02, F-04, F-06: the default docPath, one that a file is given, and
// what happens to it when the file is changed, moved, published or reopened.
func TestF06DocPaths(t *testing.T) {
	r := newRig(t, map[string]string{"Src/A.cs": "a", "b.md": "b", "twin.md": "t"})
	name := string(foldDocPath(r.wb.Name()))
	find := func(doc DocPath) (Path, error) {
		ds, err := r.wb.DocPaths(ctx, r.draft())
		require.NoError(t, err)
		p, err := ds.Find(doc)
		q, qerr := r.wb.FindDoc(ctx, r.draft(), doc) // the quick way finds the same
		assert.Equal(t, p, q)
		assert.Equal(t, err == nil, qerr == nil, "%v %v", err, qerr)
		return q, qerr
	}
	is := func(doc DocPath, want Path) {
		t.Helper()
		p, err := find(doc)
		require.NoError(t, err)
		assert.Equal(t, want, p)
	}
	isNot := func(doc DocPath) {
		t.Helper()
		_, err := find(doc)
		assert.True(t, IsFault(err, NotFound), "%v", err)
	}
	is(DocPath(name+"/src/a.cs"), "Src/A.cs")
	isNot(DocPath(name + "/Src/A.cs")) // not folded: no such key
	isNot("src/a.cs")

	require.NoError(t, r.wb.SetDocPath(ctx, "Src/A.cs", "ajhaafaeradaky234wf"))
	is("ajhaafaeradaky234wf", "Src/A.cs")
	isNot(DocPath(name + "/src/a.cs"))
	assert.Equal(t, map[string]string{"Src/A.cs": "a", "b.md": "b", "twin.md": "t"}, r.disk(), "naming changes no file")
	st, err := r.wb.Draft(ctx)
	require.NoError(t, err)
	assert.False(t, st.HasDraft)

	err = r.wb.SetDocPath(ctx, "b.md", "ajhaafaeradaky234wf")
	assert.True(t, IsFault(err, Conflict), "%v", err)
	err = r.wb.SetDocPath(ctx, "b.md", DocPath(name+"/twin.md"))
	assert.True(t, IsFault(err, Conflict), "the default of another file: %v", err)
	require.NoError(t, r.wb.SetDocPath(ctx, "Src/A.cs", "ajhaafaeradaky234wf"), "again")
	assert.True(t, IsFault(r.wb.SetDocPath(ctx, "none.md", "x"), NotFound))
	assert.True(t, IsFault(r.wb.SetDocPath(ctx, "Src", "x"), Invalid))

	r.put("Src/A.cs", "changed")
	is("ajhaafaeradaky234wf", "Src/A.cs")
	require.NoError(t, r.draft().Move(ctx, "Src/A.cs", "moved.cs"))
	is("ajhaafaeradaky234wf", "moved.cs")
	r.publish(PublishOptions{})
	is("ajhaafaeradaky234wf", "moved.cs")
	r.reopen()
	is("ajhaafaeradaky234wf", "moved.cs")
	require.NoError(t, r.wb.SetDocPath(ctx, "moved.cs", ""))
	isNot("ajhaafaeradaky234wf")
	is(DocPath(name+"/moved.cs"), "moved.cs")

	r.put("draft.md", "only in the draft")
	require.NoError(t, r.wb.SetDocPath(ctx, "draft.md", "d"))
	is("d", "draft.md")
	require.NoError(t, r.wb.Discard(ctx, nil))
	isNot("d")
	require.NoError(t, r.wb.SetDocPath(ctx, "b.md", "d"), "free again")
	is("d", "b.md")
}

// F-02: names that differ in case only share a docPath, which then names none.
func TestF02CaseTwins(t *testing.T) {
	r := newRig(t, map[string]string{"a.md": "a"})
	if _, err := os.Stat(filepath.Join(r.dir, "A.md")); err == nil {
		t.Skip("the file system ignores case")
	}
	r.put("A.md", "twin")
	ds, err := r.wb.DocPaths(ctx, r.draft())
	require.NoError(t, err)
	_, err = ds.Find(r.wb.DefaultDocPath("a.md"))
	require.True(t, IsFault(err, Conflict), "%v", err)
	assert.Equal(t, []string{"A.md", "a.md"}, AsFault(err).Paths)
	_, err = r.wb.FindDoc(ctx, r.draft(), r.wb.DefaultDocPath("a.md"))
	require.True(t, IsFault(err, Conflict), "%v", err)
	require.NoError(t, r.wb.SetDocPath(ctx, "A.md", "other"))
	ds, err = r.wb.DocPaths(ctx, r.draft())
	require.NoError(t, err)
	p, err := ds.Find(r.wb.DefaultDocPath("a.md"))
	require.NoError(t, err)
	assert.Equal(t, Path("a.md"), p)
}

// P-11: several files are put at once or not at all, in a draft and live.
func TestPutAll(t *testing.T) {
	for name, view := range map[string]func(*rig) View{
		"draft": (*rig).draft,
		"live":  func(r *rig) View { return r.wb.LiveView(Cause{}) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, map[string]string{"a": "a", "b": "b"})
			v := view(r)
			put := func(p Path, base, s string) Put { return Put{p, PutOptions{BaseHash: base}, text(s)} }
			hash := func(p Path) string {
				e, err := v.Stat(ctx, p)
				require.NoError(t, err)
				return e.Hash
			}
			before := hash("a")
			es, err := v.(Batcher).PutAll(ctx, []Put{put("a", before, "A"), put("b", hash("b"), "B"), put("new/c", "", "C")})
			require.NoError(t, err)
			assert.Len(t, es, 3)
			assert.Equal(t, map[string]string{"a": "A", "b": "B", "new/c": "C"}, tree(t, v))
			for _, bad := range [][]Put{
				{put("b", "", "x"), put("a", before, "x")},
				{put("b", "", "x"), put("b", "", "y")},
				{put("b", "", "x"), put("", "", "y")},
				{put("b", "", "x"), put("new", "", "y")},
				{put("b", "", "x"), {"c", PutOptions{}, func(io.Writer) error { return errBoom }}},
			} {
				_, err = v.(Batcher).PutAll(ctx, bad)
				require.Error(t, err)
				assert.Equal(t, map[string]string{"a": "A", "b": "B", "new/c": "C"}, tree(t, v))
			}
			if name == "draft" {
				assert.Equal(t, map[string]string{"a": "a", "b": "b"}, r.disk())
			}
		})
	}
}
