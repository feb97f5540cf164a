package xliff_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/all"
	"atelier/formats/formatstest"
	"atelier/llm/pseudo"
	"atelier/workshop/translate/check"
	"atelier/workshop/translate/xliff"
	"atelier/workshop/translate/xliff/xlifftest"
)

func merge(t *testing.T, doc []byte, hash string, segs []formats.Segment) xliff.Merged {
	t.Helper()
	r, err := xliff.NewReader(bytes.NewReader(doc))
	require.NoError(t, err)
	_, err = r.NextFile()
	require.NoError(t, err)
	m, err := xliff.Merge(r, hash, segs)
	require.NoError(t, err)
	return m
}

// TR-10: a document built from its unchanged XLIFF equals the machine's
// output byte for byte, and every XLIFF conforms: our own documents and,
// without -short, the corpus.
func TestTR10UnchangedMerge(t *testing.T) {
	var paths []string
	own, err := filepath.Glob(filepath.Join(formatstest.Root(t), "testdata", "documents", "*"))
	require.NoError(t, err)
	paths = append(paths, own...)
	if !testing.Short() {
		for _, kind := range []string{"docx", "xlsx", "pptx"} {
			paths = append(paths, formatstest.Sample(t, kind)...)
		}
	}
	set := all.Formats(all.Options{CacheDir: formatstest.Cache})
	documents, units := 0, 0
	for _, path := range paths {
		n, ok := unchanged(t, set, path)
		if ok {
			documents++
			units += n
		}
	}
	require.GreaterOrEqual(t, documents, 5)
	require.Greater(t, units, 100)
	formatstest.Report(t, "xliff: %d documents, %d units, made again from their unchanged XLIFF byte for byte", documents, units)
}

func unchanged(t *testing.T, set *formats.Set, path string) (units int, ok bool) {
	ctx := context.Background()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	sum := sha256.Sum256(b)
	hash := hex.EncodeToString(sum[:])
	src := formats.FromBytes(filepath.Base(path), b)
	f, err := set.Detect(ctx, src)
	if err != nil || f.Segmenter == nil {
		return 0, false
	}
	segs, err := f.Segmenter.Segments(ctx, src, formats.SegmentOptions{})
	if err != nil {
		return 0, false // damaged or encrypted
	}
	targets := map[string]string{}
	for _, s := range segs {
		if target := pseudo.Translate(s.Text); check.Basic(s, target) == nil {
			targets[s.ID] = target
		}
	}
	machine := made(t, f, src, targets)
	for _, version := range xliff.Versions {
		back := returned(t, version, path, hash, segs, targets)
		require.Equal(t, machine, made(t, f, src, back), "%s by XLIFF %s", path, version)
	}
	return len(segs), true
}

// returned gives the targets that merging a document's XLIFF of a version
// returns.
func returned(t *testing.T, version xliff.Version, path, hash string, segs []formats.Segment, targets map[string]string) map[string]string {
	t.Helper()
	var doc bytes.Buffer
	w, err := xliff.NewWriter(&doc, xliff.File{Version: version, Original: filepath.Base(path), Hash: hash, From: "en", To: "es"})
	require.NoError(t, err)
	for _, s := range segs {
		u := xliff.Unit{ID: s.ID, Place: s.Place, Part: s.Part, Source: s.Text, Notes: s.Notes, MaxLength: s.MaxLength}
		u.Target, u.HasTarget = targets[s.ID], has(targets, s.ID)
		require.NoError(t, w.Unit(u))
	}
	require.NoError(t, w.Close())
	xlifftest.Conforms(t, doc.Bytes())
	m := merge(t, doc.Bytes(), hash, segs)
	require.True(t, m.SameVersion)
	require.Empty(t, m.Refused, path)
	require.Len(t, m.Accepted, len(targets), path)
	again := map[string]string{}
	for id, a := range m.Accepted {
		again[id] = a.Target
	}
	return again
}

func has(m map[string]string, key string) bool {
	_, ok := m[key]
	return ok
}

// made returns the hash of the document built with targets.
func made(t *testing.T, f *formats.Format, src formats.Source, targets map[string]string) string {
	t.Helper()
	h := sha256.New()
	if err := f.Segmenter.Replace(context.Background(), src, h, targets, formats.ReplaceOptions{Language: "es"}); err != nil {
		return "cannot be written: " + err.Error()
	}
	return hex.EncodeToString(h.Sum(nil))
}

var segs = []formats.Segment{
	{ID: "p1", Text: "Hello <1>you</1>", Place: "paragraph 1"},
	{ID: "p2", Text: "  Price: {0} ", Place: "paragraph 2"},
	{ID: "p3", Text: "Total", Place: "paragraph 3"},
	{ID: "p4", Text: "Total", Place: "paragraph 4"},
	{ID: "p5", Text: "Name", Place: "paragraph 5", MaxLength: 5},
}

func document(hash string, units ...xliff.Unit) xliff.Document {
	for i := range units {
		units[i].HasTarget = true
		if units[i].State == "" {
			units[i].State = xliff.Translated
		}
	}
	return xliff.Document{File: xliff.File{Original: "a.docx", Hash: hash, From: "en", To: "es"}, Units: units}
}

// TR-10: valid units are accepted, invalid ones are refused one by one with a
// reason.
func TestTR10MergeRefusesUnitByUnit(t *testing.T) {
	for _, version := range xliff.Versions {
		t.Run(string(version), func(t *testing.T) { refusesUnitByUnit(t, version) })
	}
}

func refusesUnitByUnit(t *testing.T, version xliff.Version) {
	d := document("aa",
		xliff.Unit{ID: "p1", Source: "Hello <1>you</1>", Target: "Hola tú"},
		xliff.Unit{ID: "p2", Source: "Price: {0}", Target: "Precio: {0}", State: xliff.Reviewed}, // a tool trimmed it
		xliff.Unit{ID: "p3", Source: "Sum", Target: "Suma"},
		xliff.Unit{ID: "p4", Source: "Total", Target: "Total general"},
		xliff.Unit{ID: "p4", Source: "Total", Target: "Otra"},
		xliff.Unit{ID: "p5", Source: "Name", Target: "Nombre"},
		xliff.Unit{ID: "p9", Source: "Gone", Target: "Ido"},
	)
	d.Version = version
	doc := written(t, d)
	m := merge(t, doc, "aa", segs)
	require.True(t, m.SameVersion)
	require.Equal(t, map[string]xliff.Accepted{
		"p2": {Target: "  Precio: {0} ", State: xliff.Reviewed},
		"p4": {Target: "Total general", State: xliff.Translated},
	}, m.Accepted)
	require.Equal(t, 7, m.Units)
	require.Equal(t, 3, m.Unmatched)
	reasons := map[string]string{}
	for _, r := range m.Refused {
		reasons[r.Target] = r.Reason
	}
	require.Contains(t, reasons["Hola tú"], "<1>")
	require.Contains(t, reasons["Suma"], "the source text was changed")
	require.Contains(t, reasons["Otra"], "stands twice")
	require.Contains(t, reasons["Nombre"], "at most 5")
	require.Contains(t, reasons["Ido"], "no such segment")
}

// TR-10: with another version of the document, units whose text still exists
// are accepted by text; the rest are reported.
func TestTR10MergeIntoAnotherVersion(t *testing.T) {
	doc := written(t, document("bb",
		xliff.Unit{ID: "p3", Source: "Hello <1>you</1>", Target: "Hola <1>tú</1>"}, // a paragraph was inserted before it
		xliff.Unit{ID: "p4", Source: "Total", Target: "Primero"},
		xliff.Unit{ID: "p7", Source: "Total", Target: "Segundo"},
		xliff.Unit{ID: "p8", Source: "Total", Target: "Tercero"},
		xliff.Unit{ID: "p1", Source: "Deleted since", Target: "Borrado"},
	))
	m := merge(t, doc, "aa", segs)
	require.False(t, m.SameVersion)
	got := map[string]string{}
	for id, a := range m.Accepted {
		got[id] = a.Target
	}
	require.Equal(t, map[string]string{"p1": "Hola <1>tú</1>", "p4": "Primero", "p3": "Segundo"}, got)
	require.Len(t, m.Refused, 2)
	for _, r := range m.Refused {
		require.True(t, strings.Contains(r.Reason, "has changed since"), r.Reason)
	}
}
