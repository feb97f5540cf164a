package replica_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/replica"
	"atelier/internal/replica/replicatest"
	"atelier/workshop"
)

// write is a typical write: a text of 2 KB is put into the draft.
func write(b testing.TB, wb *workshop.Workbench, n int) {
	_, err := wb.DraftView(workshop.Cause{MessageID: "u-1", Tool: "bench"}).Put(b.Context(), workshop.Path(fmt.Sprint("f", n%100, ".txt")), workshop.PutOptions{}, func(w io.Writer) error {
		_, err := io.WriteString(w, fmt.Sprint(n, strings.Repeat(" a text of some words", 100)))
		return err
	})
	require.NoError(b, err)
}

// BenchmarkWrite compares a write on one machine with one whose record is in a log in
// memory: what capturing costs, without a network.
func BenchmarkWrite(b *testing.B) {
	for _, files := range []int{10, 2000} {
		for _, replicated := range []bool{false, true} {
			b.Run(fmt.Sprintf("files=%d/replicated=%v", files, replicated), func(b *testing.B) {
				mem := &replicatest.Memory{}
				s := own(b, mem, mem, filepath.Join(b.TempDir(), "home"), "w1", replica.Options{})
				defer s.close()
				fill(b, s.wb, files)
				require.NoError(b, s.rep.Commit(b.Context()))
				mem.Bytes = 0
				for n := 0; b.Loop(); n++ {
					write(b, s.wb, n)
					if replicated {
						require.NoError(b, s.rep.Commit(b.Context()))
					}
				}
				b.ReportMetric(float64(mem.Bytes)/float64(b.N), "logB/op")
			})
		}
	}
}

// fill publishes so many files of 2 to 40 KB.
func fill(b testing.TB, wb *workshop.Workbench, files int) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range files {
		_, err := wb.LiveView(workshop.Cause{Tool: "bench"}).Put(b.Context(), workshop.Path(fmt.Sprintf("d%d/f%d.txt", n%50, n)), workshop.PutOptions{}, func(w io.Writer) error {
			text := make([]byte, 2000+r.IntN(38_000))
			for i := range text {
				text[i] = byte('a' + r.IntN(20))
			}
			_, err := w.Write(text)
			return err
		})
		require.NoError(b, err)
	}
}

// BenchmarkRestore is what a takeover reads, by the files of a workspace.
func BenchmarkRestore(b *testing.B) {
	for _, files := range []int{10, 2000} {
		b.Run(fmt.Sprintf("files=%d", files), func(b *testing.B) {
			mem := &replicatest.Memory{}
			s := own(b, mem, mem, filepath.Join(b.TempDir(), "home"), "w1", replica.Options{})
			fill(b, s.wb, files)
			require.NoError(b, s.rep.Commit(b.Context()))
			s.close()
			dir := b.TempDir()
			for n := 0; b.Loop(); n++ {
				s := own(b, mem, mem, filepath.Join(dir, fmt.Sprint(n)), "w1", replica.Options{})
				b.StopTimer()
				s.close()
				b.StartTimer()
			}
		})
	}
}
