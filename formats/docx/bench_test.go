package docx

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/internal/cputime"
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

// reportOf is a document of n paragraphs in chapters of 20, or in one where chapters is
// false.
func reportOf(b *testing.B, n int, chapters bool) formats.Source {
	var sb strings.Builder
	for i := range n {
		if i%20 == 0 && (chapters || i == 0) {
			sb.WriteString(styledPara("Heading1", fmt.Sprintf("Chapter %d", i/20+1)))
			continue
		}
		sb.WriteString(wp(wr(fmt.Sprintf("Paragraph %d ", i) + strings.Repeat("says what the report has to say. ", 8))))
	}
	return withBody(b, sb.String())
}

// BenchmarkAllRead reads a document to its end, from nothing: chapter by chapter, chunk by
// chunk, and one long chapter in windows by offset. Time per paragraph says whether it
// grows with the document.
func BenchmarkAllRead(b *testing.B) {
	for _, way := range []struct {
		name     string
		chapters bool
		sel      formats.Selector
	}{
		{"chapters", true, formats.Selector{Section: "0", AsShown: true}},
		{"chunks", true, formats.Selector{Chunked: true, AsShown: true}},
		{"windows", false, formats.Selector{Section: "0", AsShown: true, Limit: formats.TextLimit{Whole: 20_000, Part: 20_000}}},
	} {
		for _, n := range []int{1000, 4000, 16_000} {
			b.Run(fmt.Sprintf("%s/%d", way.name, n), func(b *testing.B) {
				src := reportOf(b, n, way.chapters)
				for b.Loop() {
					forget()
					readOn(b, src, way.sel)
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "µs/paragraph")
			})
		}
	}
}

// BenchmarkWindow reads one window of a long chapter whose text is kept, near its beginning,
// in its middle and near its end.
func BenchmarkWindow(b *testing.B) {
	src := reportOf(b, 16_000, false)
	sel := formats.Selector{Section: "0", AsShown: true, Limit: formats.TextLimit{Whole: 20_000, Part: 20_000}}
	forget()
	first, err := formats.ReadFitting(ctx, reader{}, src, sel)
	require.NoError(b, err)
	var total int
	_, err = fmt.Sscanf(first.Chunk.Range, "section 0 of 1, characters 1-%d of %d", new(int), &total)
	require.NoError(b, err)
	for _, percent := range []int{1, 50, 95} {
		b.Run(fmt.Sprint(percent), func(b *testing.B) {
			sel.Offset = total * percent / 100
			begun := cputime.Used()
			for b.Loop() {
				_, err := formats.ReadFitting(ctx, reader{}, src, sel)
				require.NoError(b, err)
			}
			b.ReportMetric(float64((cputime.Used()-begun).Microseconds())/float64(b.N), "cpu-µs/op")
		})
	}
}

var sectionOrOffset = regexp.MustCompile(`section="([^"]*)"|offset=(\d+)`)

// readOn reads a selection and what follows it, as each answer says.
func readOn(tb testing.TB, src formats.Source, sel formats.Selector) (texts []string) {
	for {
		got, err := formats.ReadFitting(ctx, reader{}, src, sel)
		require.NoError(tb, err)
		texts = append(texts, got.Text)
		if got.Chunk == nil || !got.Chunk.HasMore {
			return texts
		}
		sel.Offset = 0
		for _, m := range sectionOrOffset.FindAllStringSubmatch(got.Chunk.Next, -1) {
			if m[2] == "" {
				sel.Section = m[1]
			} else {
				sel.Offset, err = strconv.Atoi(m[2])
				require.NoError(tb, err)
			}
		}
	}
}
