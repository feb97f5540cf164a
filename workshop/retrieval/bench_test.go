package retrieval

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// benchText returns a document of n sections of prose.
func benchText(r *rand.Rand, doc, sections int) string {
	var sb strings.Builder
	for s := range sections {
		fmt.Fprintf(&sb, "# Section %d of document %d\n", s, doc)
		for range 12 {
			for range 10 {
				// A few words are frequent, most are rare.
				fmt.Fprintf(&sb, "w%d ", int(r.ExpFloat64()*r.ExpFloat64()*800))
			}
			sb.WriteString("\n")
		}
	}
	return sb.String()
}

func benchRig(b *testing.B, docs, sections int) *rig {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	rg := newRig(b, nil)
	for i := range docs {
		rg.write(fmt.Sprintf("d%d/doc%04d.md", i%17, i), benchText(r, i, sections))
	}
	return rg
}

// Indexes 1,000 documents of 10 KB from scratch.
func BenchmarkIndexThousandDocuments(b *testing.B) {
	r := benchRig(b, 1000, 17)
	for b.Loop() {
		b.StopTimer()
		require.NoError(b, r.ix.Close())
		require.NoError(b, removeStore(r.file()))
		r.open()
		b.StartTimer()
		res, err := r.ix.Query(ctx, r.view(), "w1", Filters{})
		require.NoError(b, err)
		require.Zero(b, res.Pending)
	}
	st, err := os.Stat(r.file())
	require.NoError(b, err)
	b.ReportMetric(float64(st.Size())/(1<<20), "MiB")
}

// Indexes the real documents of testdata and the corpus.
func BenchmarkIndexRealDocuments(b *testing.B) {
	r := newRig(b, nil)
	for path, content := range documents(b) {
		r.write(filepath.Base(filepath.Dir(path))+"/"+filepath.Base(path), string(content))
	}
	for b.Loop() {
		b.StopTimer()
		require.NoError(b, r.ix.Close())
		require.NoError(b, removeStore(r.file()))
		r.open()
		b.StartTimer()
		res, err := r.ix.Query(ctx, r.view(), "w1", Filters{})
		require.NoError(b, err)
		require.Zero(b, res.Pending)
		b.ReportMetric(float64(res.Files), "files")
	}
}

// Queries an up-to-date index of 50,000 chunks in 1,000 documents: this
// measures the check of the files and the search.
func BenchmarkQuery(b *testing.B) {
	r := benchRig(b, 1000, 50)
	r.ix.opt.Wait = 10 * time.Minute
	res, err := r.ix.Query(ctx, r.view(), "w1", Filters{})
	require.NoError(b, err)
	require.Zero(b, res.Pending)
	var n int
	require.NoError(b, r.ix.db.QueryRow("SELECT count(*) FROM chunks").Scan(&n))
	b.Logf("%d chunks", n)
	for name, q := range map[string]string{"rare": "w9000", "two-words": "w700 w300", "common": "w0", "sentence": "where do w120 and w77 meet w5 in the w2500", "phrase": `"w12 w3"`, "prefix": "w99*"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, err := r.ix.Query(ctx, r.view(), q, Filters{Kind: Docs})
				require.NoError(b, err)
			}
		})
	}
}
