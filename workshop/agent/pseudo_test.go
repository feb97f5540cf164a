package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/llm/pseudo"
	"atelier/workshop"
)

// documents are the repository's own test documents.
func documents(t testing.TB) map[string]string {
	dir := filepath.Join("..", "..", "testdata", "documents")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	out := map[string]string{}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		out[e.Name()] = string(b)
	}
	require.NotEmpty(t, out)
	return out
}

// segments reads all segments of a file in a view.
func segments(t testing.TB, r *rig, view workshop.View, name string) []formats.Segment {
	src, err := view.Open(t.Context(), workshop.Path(name))
	require.NoError(t, err)
	defer src.Close()
	f, err := r.cfg.Formats.Detect(t.Context(), src)
	require.NoError(t, err)
	require.NotNil(t, f.Segmenter, name)
	segs, err := f.Segmenter.Segments(t.Context(), src, formats.SegmentOptions{})
	require.NoError(t, err)
	return segs
}

func TestOfflineModelTranslatesRealDocuments(t *testing.T) {
	docs := documents(t)
	r := newRig(t, docs)
	res, err := r.run(pseudo.New(), "Translate everything to German")
	require.NoError(t, err)
	require.True(t, res.HasDraft)
	t.Log(res.Text)
	for name, before := range docs {
		require.Equal(t, before, r.published(name), "the published %s changed", name)
		was := segments(t, r, r.wb.Published(), name)
		is := segments(t, r, r.wb.DraftView(workshop.Cause{}), name)
		require.Len(t, is, len(was), name)
		for i, s := range was {
			require.Equal(t, s.ID, is[i].ID)
			require.Contains(t, []string{pseudo.Within(s.Text, s.MaxLength), pseudo.Plain(s.Text)}, is[i].Text, "%s %s", name, s.Place)
		}
	}
	changes, err := r.wb.Changes(t.Context())
	require.NoError(t, err)
	require.Len(t, changes, len(docs))
	require.NotContains(t, res.Text, "given up")

	// Once more over the draft: there is nothing left to change.
	before := map[string]string{}
	for _, c := range changes {
		before[string(c.Path)] = c.NewHash
	}
	_, err = r.run(pseudo.New(), "Translate everything to German")
	require.NoError(t, err)
	changes, err = r.wb.Changes(t.Context())
	require.NoError(t, err)
	for _, c := range changes {
		require.Equal(t, before[string(c.Path)], c.NewHash, "a second pass changed %s", c.Path)
	}
}

func TestOfflineModelLists(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "x", "b.md": "# y"})
	res, err := r.run(pseudo.New(), "What files are here?")
	require.NoError(t, err)
	require.Contains(t, res.Text, "- a.txt (text, 1 bytes)\n- b.md (text, 3 bytes)")
	require.Equal(t, 1, res.ToolCalls)
}

func TestOfflineModelPagesThroughLongFiles(t *testing.T) {
	var sb strings.Builder
	for range 1200 {
		sb.WriteString("A paragraph of text to translate, long enough to fill pages.\n\n")
	}
	r := newRig(t, map[string]string{"long.md": sb.String()})
	res, err := r.run(pseudo.New(), "translate long.md to French")
	require.NoError(t, err)
	for _, s := range segments(t, r, r.wb.DraftView(workshop.Cause{}), "long.md") {
		require.True(t, strings.HasPrefix(s.Text, "["), s.Text)
	}
	require.Less(t, res.Turns, 20)
}

func TestOfflineModelSkipsWhatItCannotOpen(t *testing.T) {
	r := newRig(t, map[string]string{"broken.docx": "PK\x03\x04 not really", "ok.md": "# Hello\n"})
	res, err := r.run(pseudo.New(), "translate all files")
	require.NoError(t, err)
	require.Contains(t, res.Text, "broken.docx: given up")
	require.Contains(t, res.Text, "ok.md: 1 segment")
}

func TestOfflineModelReadsShortenedResultsOn(t *testing.T) { // W-18
	files := map[string]string{"one.txt": strings.Repeat("A very long paragraph with ünicode. ", 1000) + "\n"}
	for i := range 400 {
		files[fmt.Sprintf("folder/document number %03d.md", i)] = "# Hello\n"
	}
	r := newRig(t, files)
	res, err := r.run(pseudo.New(), "translate everything")
	require.NoError(t, err)
	changes, err := r.wb.Changes(t.Context())
	require.NoError(t, err)
	require.Len(t, changes, 401)
	require.Contains(t, res.Text, "translated 401 files")
	res, err = r.run(pseudo.New(), "list the files")
	require.NoError(t, err)
	require.Contains(t, res.Text, "There are 401 files")
}
