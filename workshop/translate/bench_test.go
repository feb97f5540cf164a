package translate

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/all"
	"atelier/formats/formatstest"
	"atelier/workshop/translate/memory"
	"atelier/workshop/translate/translator"
)

// benchOptions are a whole job's, with an engine that takes no time.
func benchOptions(b *testing.B) Options {
	b.Helper()
	out := filepath.Join(b.TempDir(), "out")
	m, err := memory.Open(ctx, filepath.Join(b.TempDir(), "memory.db"))
	require.NoError(b, err)
	b.Cleanup(func() { m.Close() })
	return Options{To: []string{"es"}, Out: out, Formats: all.Formats(all.Options{CacheDir: formatstest.Cache}), Engine: translator.Pseudo{}, Memory: m}
}

// BenchmarkJob is a job end to end without the engine's time: our documents,
// ledger, memory, checks, and writing.
func BenchmarkJob(b *testing.B) {
	docs := filepath.Join(formatstest.Root(b), "testdata", "documents")
	segments := 0
	for b.Loop() {
		rep, err := Run(ctx, benchOptions(b), []string{docs})
		require.NoError(b, err)
		require.Zero(b, rep.Failed())
		segments += rep.Total.Segments
	}
	b.ReportMetric(float64(segments)/b.Elapsed().Seconds(), "segments/s")
}

// BenchmarkCorpus is BenchmarkJob over the corpus's docx and pptx.
func BenchmarkCorpus(b *testing.B) {
	paths := []string{filepath.Dir(formatstest.Corpus(b, "docx")[0]), filepath.Dir(formatstest.Corpus(b, "pptx")[0])}
	segments := 0
	for b.Loop() {
		rep, err := Run(ctx, benchOptions(b), paths)
		require.NoError(b, err)
		segments += rep.Total.Segments
	}
	b.ReportMetric(float64(segments)/b.Elapsed().Seconds(), "segments/s")
}

// BenchmarkFlatMemory is TR-08: the heap that a job leaves reachable at its
// largest does not grow with the number of documents. Run with -benchtime=1x.
func BenchmarkFlatMemory(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir := b.TempDir()
			for i := range n {
				var sb strings.Builder
				for j := range 200 {
					fmt.Fprintf(&sb, "This is paragraph %d of the document %d, with some words in it.\n\n", j, i)
				}
				require.NoError(b, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%04d.md", i)), []byte(sb.String()), 0o600))
			}
			var peak, files uint64
			for b.Loop() {
				opt := benchOptions(b)
				opt.Progress = func(p Progress) {
					if p.Status == "" {
						return
					}
					if files++; files%max(1, uint64(n)/10) == 0 {
						runtime.GC()
						var m runtime.MemStats
						runtime.ReadMemStats(&m)
						peak = max(peak, m.HeapAlloc)
					}
				}
				rep, err := Run(ctx, opt, []string{dir})
				require.NoError(b, err)
				require.Zero(b, rep.Failed())
			}
			b.ReportMetric(float64(peak)/1e6, "MB-live")
		})
	}
}
