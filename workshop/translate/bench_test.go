package translate

import (
	"archive/zip"
	"bufio"
	"fmt"
	"io"
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

// BenchmarkWorkbook is a job over one workbook of different texts. CPU time that grows
// faster than their number shows in the ratio of two rows; MB-live is the heap when the
// texts are translated. Run with -benchtime=1x.
func BenchmarkWorkbook(b *testing.B) {
	for _, n := range []int{20_000, 80_000, 320_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "book.xlsx")
			writeTexts(b, path, n)
			var live uint64
			for b.Loop() {
				opt := benchOptions(b)
				opt.Progress = func(p Progress) {
					if p.Done < p.Segments {
						return
					}
					runtime.GC()
					var m runtime.MemStats
					runtime.ReadMemStats(&m)
					live = max(live, m.HeapAlloc)
				}
				rep, err := Run(ctx, opt, []string{path})
				require.NoError(b, err)
				require.Equal(b, n, rep.Total.Translated)
			}
			b.ReportMetric(float64(live)/1e6, "MB-live")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/text")
		})
	}
}

// writeTexts writes a workbook of n different shared strings, three in a row.
func writeTexts(b *testing.B, path string, n int) {
	b.Helper()
	f, err := os.Create(path)
	require.NoError(b, err)
	defer f.Close()
	z := zip.NewWriter(f)
	part := func(name string, write func(w io.Writer)) {
		w, err := z.Create(name)
		require.NoError(b, err)
		out := bufio.NewWriter(w)
		write(out)
		require.NoError(b, out.Flush())
	}
	text := func(s string) func(io.Writer) { return func(w io.Writer) { _, _ = io.WriteString(w, s) } }
	const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	const main, types = "http://schemas.openxmlformats.org/spreadsheetml/2006/main", "application/vnd.openxmlformats-officedocument.spreadsheetml."
	part("[Content_Types].xml", text(`<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="`+types+`sheet.main+xml"/><Override PartName="/xl/sheet1.xml" ContentType="`+types+`worksheet+xml"/><Override PartName="/xl/strings.xml" ContentType="`+types+`sharedStrings+xml"/></Types>`))
	part("_rels/.rels", text(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="`+office+`/officeDocument" Target="xl/workbook.xml"/></Relationships>`))
	part("xl/_rels/workbook.xml.rels", text(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="`+office+`/worksheet" Target="sheet1.xml"/><Relationship Id="rId2" Type="`+office+`/sharedStrings" Target="strings.xml"/></Relationships>`))
	part("xl/workbook.xml", text(`<workbook xmlns="`+main+`" xmlns:r="`+office+`"><sheets><sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>`))
	part("xl/sheet1.xml", func(w io.Writer) {
		fmt.Fprintf(w, `<worksheet xmlns="%s"><sheetData>`, main)
		for i := range n {
			if i%3 == 0 {
				fmt.Fprintf(w, `<row r="%d">`, i/3+1)
			}
			fmt.Fprintf(w, `<c r="%c%d" t="s"><v>%d</v></c>`, 'A'+i%3, i/3+1, i)
			if i%3 == 2 || i == n-1 {
				_, _ = io.WriteString(w, `</row>`)
			}
		}
		_, _ = io.WriteString(w, `</sheetData></worksheet>`)
	})
	part("xl/strings.xml", func(w io.Writer) {
		fmt.Fprintf(w, `<sst xmlns="%s">`, main)
		for i := range n {
			fmt.Fprintf(w, `<si><t>Delivery number %d of the goods that were ordered, %d.5 %% of them.</t></si>`, i, i%100)
		}
		_, _ = io.WriteString(w, `</sst>`)
	})
	require.NoError(b, z.Close())
}
