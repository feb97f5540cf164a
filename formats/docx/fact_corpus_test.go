package docx

import (
	"hash/fnv"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/inventory"
	"atelier/formats/ooxml/opc"
	"atelier/internal/campaign"
)

// Every real document is the same as itself, also packed in another way: no
// item, no fact.
func TestFactsSelf(t *testing.T) {
	for _, path := range formatstest.Sample(t, "docx") {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		src := formats.FromBytes("a.docx", b)
		if _, err := openDocument(ctx, src); err != nil {
			continue
		}
		for _, other := range []formats.Source{src, changedParts(t, src, func(map[string]string) {})} {
			d := diff(t, src, other)
			require.Empty(t, d.Groups, path)
			require.Empty(t, d.Facts, path)
			require.Empty(t, d.Warnings, path)
		}
	}
}

// sampled picks one of n, always the same ones; ATELIER_CAMPAIGN=full is all.
func sampled(n uint32, words ...string) bool {
	if campaign.Full() {
		return true
	}
	h := fnv.New32a()
	for _, w := range words {
		_, _ = h.Write([]byte(w))
	}
	return h.Sum32()%n == 0
}

// Each operation on real documents is reported: where parts differ there is an
// item or a fact, none says only that a part changed, and the other way round
// there is as much.
func TestFactsCorpusOps(t *testing.T) {
	count := 0
	for _, path := range formatstest.Sample(t, "docx") {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		src := formats.FromBytes("a.docx", b)
		doc, err := openDocument(ctx, src)
		if err != nil {
			continue
		}
		for _, op := range corpusOperations(t, doc) {
			if !sampled(24, filepath.Base(path), op) {
				continue
			}
			out, _, err := applyWith(t, src, options(t), op)
			if err != nil {
				continue
			}
			count++
			after := formats.FromBytes("b.docx", out)
			started := time.Now()
			d := diff(t, src, after)
			require.Less(t, time.Since(started), 20*time.Second, "%s %s", path, op)
			toldAll(t, src, after, d, path+" "+op)
			require.Len(t, told(diff(t, after, src)), len(told(d)), "%s %s the other way round\n%v\n%v", path, op, told(d), told(diff(t, after, src)))
		}
	}
	formatstest.Report(t, "docx  facts: %d operations on real documents told", count)
}

func toldAll(t *testing.T, a, b formats.Source, d *formats.Diff, what string) {
	t.Helper()
	before, err := opc.Open(ctx, a)
	require.NoError(t, err)
	after, err := opc.Open(ctx, b)
	require.NoError(t, err)
	differ, err := inventory.Differing(ctx, before, after)
	require.NoError(t, err)
	if len(told(d)) == 0 {
		require.Empty(t, differ, what)
	}
	for _, f := range d.Facts {
		require.NotEqual(t, formats.FactPart, f.Kind, "%s: %+v", what, f)
	}
}

// BenchmarkDiff300p reviews one changed paragraph of 300 pages.
func BenchmarkDiff300p(b *testing.B) {
	path := formatstest.Bench(b, "doc_300p.docx")
	data, err := os.ReadFile(path)
	require.NoError(b, err)
	src := formats.FromBytes("a.docx", data)
	after, _ := edited(b, src, `{"op":"set_paragraph","at":"p100","text":"another text"}`)
	for b.Loop() {
		diff(b, src, after)
	}
}
