package pdf

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

var contents atomic.Int64

// longPDF returns the PDF of 200 pages, each time with another hash.
func longPDF(b *testing.B) func() formats.Source {
	data, err := os.ReadFile(formatstest.Bench(b, "doc_200p.pdf"))
	require.NoError(b, err)
	return func() formats.Source {
		return formats.FromBytes("doc_200p.pdf", fmt.Appendf(data[:len(data):len(data)], "%% %d\n", contents.Add(1)))
	}
}

func readPages(b *testing.B, src formats.Source, pages string) {
	text, err := shared.Reader.Read(context.Background(), src, formats.Selector{Pages: pages, AsShown: true})
	require.NoError(b, err)
	require.NotEmpty(b, text.Text)
}

func readWindows(b *testing.B, src formats.Source) {
	for i := 0; i < 200; i += ChunkPages {
		readPages(b, src, fmt.Sprintf("%d-%d", i+1, i+ChunkPages))
	}
}

// All text of a PDF of 200 pages: at once, over windows, and again. Beside each
// cold read pdftotext reads the same file, where it is installed: "×pdftotext"
// is the ratio of both times.
func BenchmarkCold(b *testing.B) {
	for name, read := range map[string]func(*testing.B, formats.Source){
		"whole":   func(b *testing.B, src formats.Source) { readPages(b, src, "") },
		"windows": readWindows,
	} {
		b.Run(name, func(b *testing.B) {
			next := longPDF(b)
			readPages(b, next(), "1")
			path := filepath.Join(b.TempDir(), "a.pdf")
			data, err := formats.ReadAll(next(), maxBytes)
			require.NoError(b, err)
			require.NoError(b, os.WriteFile(path, data, 0o600))
			peer, _ := exec.LookPath("pdftotext")
			var own, others time.Duration
			for b.Loop() {
				src := next()
				start := time.Now()
				read(b, src)
				own += time.Since(start)
				if peer != "" {
					b.StopTimer()
					start = time.Now()
					require.NoError(b, exec.Command(peer, "-layout", path, os.DevNull).Run())
					others += time.Since(start)
					b.StartTimer()
				}
			}
			if others > 0 {
				b.ReportMetric(float64(own)/float64(others), "×pdftotext")
			}
		})
	}
}

func BenchmarkAgain(b *testing.B) {
	src := longPDF(b)()
	readWindows(b, src)
	for b.Loop() {
		readWindows(b, src)
	}
}

func BenchmarkOnePage(b *testing.B) {
	next := longPDF(b)
	for b.Loop() {
		readPages(b, next(), "100")
	}
}

func BenchmarkMap(b *testing.B) {
	next := longPDF(b)
	for b.Loop() {
		_, err := shared.Mapper.Map(context.Background(), next(), formats.MapOptions{})
		require.NoError(b, err)
	}
}
