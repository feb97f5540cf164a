package engine_test

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
	"atelier/internal/campaign"
)

// partsOf are the parts of an office document.
func partsOf(t *testing.T, b []byte) map[string][]byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	out := map[string][]byte{}
	for _, f := range z.File {
		in, err := f.Open()
		require.NoError(t, err)
		out[f.Name], err = io.ReadAll(in)
		require.NoError(t, err)
		in.Close()
	}
	return out
}

// In documents of people a correction changes only parts with text, adds no error of
// the schema, and its inverse gives the same document.
func TestTranslateCorrectCorpus(t *testing.T) {
	campaign.Slow(t)
	e := newEngine(t)
	id, dir := folder(t, e, nil)
	var names []string
	original := map[string]string{}
	for _, kind := range []string{"docx", "xlsx", "pptx"} {
		taken := 0
		for _, path := range formatstest.Corpus(t, kind) {
			st, err := os.Stat(path)
			require.NoError(t, err)
			if st.Size() > 100_000 || taken == campaign.Of(20, 60) {
				continue
			}
			taken++
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			name := kind + "-" + filepath.Base(path)
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), b, 0o644))
			names, original[name] = append(names, name), path
		}
	}
	n := listen(t, e, nil)
	job := must(t, e, "TranslateStart", obj{"workbench_id": id, "to": []string{"de"}, "paths": names})["job_id"].(string)
	end := n.next(t)
	require.EqualValues(t, "complete", end.Status, end.Error)
	must(t, e, "DraftPublish", obj{"workbench_id": id})
	read := func(name string) []byte {
		must(t, e, "DraftPublish", obj{"workbench_id": id})
		b, err := os.ReadFile(filepath.Join(dir, "translated", "de", name))
		require.NoError(t, err)
		return b
	}
	corrected := 0
	for _, name := range names {
		path := "translated/de/" + name
		list, all := segmentsOf(t, e, id, job, obj{"path": path, "show": "translated", "limit": 500})
		list = slices.DeleteFunc(list, func(s obj) bool { return s["source"] == s["target"] }) // such as a letter of mathematics
		if len(list) == 0 {
			require.Less(t, all["total"], 3.0, name)
			continue
		}
		s := list[len(list)/2]
		before := read(name)
		r := correct(t, e, id, job, correction(s, s["source"].(string)))
		require.EqualValues(t, 1, r["corrected"], "%s: %v", name, r["refused"])
		corrected++
		after := read(name)
		old, now := partsOf(t, before), partsOf(t, after)
		differ := 0
		for part, b := range now {
			if !bytes.Equal(b, old[part]) {
				differ++
			}
		}
		require.Len(t, now, len(old), name)
		require.Positive(t, differ, name)
		require.LessOrEqual(t, differ, 4, "%s: only the parts with the text, and what is calculated of it", name)
		formatstest.Validate(t, filepath.Join(dir, path), original[name])
		correct(t, e, id, job, correction(s, s["target"].(string)))
		require.True(t, bytes.Equal(before, read(name)), "%s: the inverse gives the same document", name)
	}
	t.Logf("%d of %d documents were corrected", corrected, len(names))
	require.Greater(t, corrected, len(names)/2)
}
