package docx

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// longDocx returns a document of 300 pages with its size as XML.
func longDocx(b *testing.B) (formats.Source, int) {
	file, err := os.ReadFile(formatstest.Bench(b, "doc_300p.docx"))
	require.NoError(b, err)
	return formats.FromBytes("doc_300p.docx", file), len(formatstest.Parts(b, file)["word/document.xml"])
}

// BenchmarkSections reads one section after another of a document of 300 pages.
func BenchmarkSections(b *testing.B) {
	src, size := longDocx(b)
	n := 0
	for b.Loop() {
		_, err := reader{}.Read(ctx, src, formats.Selector{Section: fmt.Sprint(n % 20), AsShown: true})
		require.NoError(b, err)
		n++
	}
	b.ReportMetric(float64(size)/(1<<20), "MB-xml")
}

// BenchmarkReadMemory says how much memory a parsed document takes for each byte of
// XML.
func BenchmarkReadMemory(b *testing.B) {
	src, size := longDocx(b)
	var per float64
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		d, err := openDocument(ctx, src)
		require.NoError(b, err)
		p, err := d.body(ctx)
		require.NoError(b, err)
		runtime.GC()
		runtime.ReadMemStats(&after)
		per = float64(after.HeapAlloc-before.HeapAlloc) / float64(size)
		runtime.KeepAlive(p)
	}
	b.ReportMetric(per, "B/B-xml")
}
