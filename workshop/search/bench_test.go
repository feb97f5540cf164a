package search

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/cputime"
	"atelier/workshop"
)

// benchFiles is the number of files of about 10 KB in the tree of the
// benchmarks: 500 MB in total. ATELIER_BENCH_FILES changes it.
func benchFiles() int {
	if n, err := strconv.Atoi(os.Getenv("ATELIER_BENCH_FILES")); err == nil && n > 0 {
		return n
	}
	return 50_000
}

// benchTree creates the tree once, below os.TempDir, from a seed.
func benchTree(b *testing.B) string {
	b.Helper()
	n := benchFiles()
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("atelier-bench-tree-1-%d", n))
	done := filepath.Join(dir, ".done")
	if _, err := os.Stat(done); err == nil {
		return dir
	}
	r := rand.New(rand.NewPCG(1, uint64(n)))
	words := benchWords(r)
	zipf := rand.NewZipf(r, 1.1, 4, uint64(len(words)-1))
	exts := []string{".md", ".txt", ".txt", ".go", ".py", ".csv", ".json", ".log", ".html", ".rs"}
	for i := range n {
		path := filepath.Join(dir, fmt.Sprintf("area%02d", i%23), fmt.Sprintf("topic%d", i/23%9), words[i/207%9],
			fmt.Sprintf("%s_%05d%s", words[r.IntN(len(words))], i, exts[r.IntN(len(exts))]))
		require.NoError(b, os.MkdirAll(filepath.Dir(path), 0o755))
		f, err := os.Create(path)
		require.NoError(b, err)
		w := bufio.NewWriter(f)
		for size := 0; size < 10_000; {
			line := make([]string, 4+r.IntN(12))
			for j := range line {
				line[j] = words[zipf.Uint64()]
				if r.IntN(25) == 0 {
					line[j] = strings.ToUpper(line[j][:1]) + line[j][1:]
				}
				if r.IntN(100) == 0 {
					line[j] = strconv.Itoa(r.IntN(100000))
				}
			}
			if r.IntN(400_000) == 0 {
				line[0] = "Quixotically"
			}
			s := strings.Join(line, " ") + "\n"
			size += len(s)
			_, err = w.WriteString(s)
			require.NoError(b, err)
		}
		require.NoError(b, w.Flush())
		require.NoError(b, f.Close())
	}
	require.NoError(b, os.WriteFile(done, nil, 0o644))
	return dir
}

// benchWords returns a vocabulary with the letter frequencies of English.
func benchWords(r *rand.Rand) []string {
	syllables := strings.Fields("ta tion ing the an re er in on at en ed or es is al le ti ar se ment con pro per de com ver un dis able ly est ous al ic ful ness ship ward ex tra mis sub inter")
	seen := map[string]bool{}
	var out []string
	for len(out) < 20_000 {
		var sb strings.Builder
		for range 1 + r.IntN(4) {
			sb.WriteString(syllables[r.IntN(len(syllables))])
		}
		if w := sb.String(); !seen[w] {
			seen[w] = true
			out = append(out, w)
		}
	}
	return out
}

func benchView(b *testing.B, dir string) workshop.View {
	b.Helper()
	h, err := workshop.OpenHome(b.TempDir(), workshop.Options{})
	require.NoError(b, err)
	b.Cleanup(func() { h.Close() })
	wb, err := h.OpenFolder(context.Background(), dir)
	require.NoError(b, err)
	return wb.DraftView(workshop.Cause{})
}

// benchBoth runs our search and the other program, if it is installed, in turn, so that
// both run under the same conditions. It reports processor seconds of one run of each, and
// how many times as many ours takes.
func benchBoth(b *testing.B, ours func(), program string, args ...string) {
	path, err := exec.LookPath(program)
	if err != nil {
		b.Log(program, " is absent: install it to compare")
	}
	var own, theirs time.Duration
	for b.Loop() {
		begun := cputime.Used()
		ours()
		own += cputime.Used() - begun
		if path == "" {
			continue
		}
		b.StopTimer()
		cmd := exec.Command(path, args...)
		out, err := cmd.Output()
		if err != nil && len(out) > 0 {
			b.Fatal(err)
		}
		theirs += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		b.StartTimer()
	}
	b.ReportMetric(own.Seconds()/float64(b.N), "cpu-s/op")
	b.ReportMetric(theirs.Seconds()/float64(b.N), program+"-cpu-s/op")
	if theirs > 0 {
		b.ReportMetric(own.Seconds()/theirs.Seconds(), "ratio")
	}
}

// B9-05, B9-06: 50,000 files, 500 MB, warm.
func BenchmarkGrep(b *testing.B) {
	dir := benchTree(b)
	v := benchView(b, dir)
	grep := func(b *testing.B, opt GrepOptions, atLeast int) func() {
		return func() {
			res, err := Grep(context.Background(), v, opt)
			require.NoError(b, err)
			require.GreaterOrEqual(b, len(res.Matches), atLeast)
		}
	}
	b.Run("literal-rare", func(b *testing.B) {
		benchBoth(b, grep(b, GrepOptions{Pattern: "Quixotically", CaseSensitive: true}, 1), "rg", "-j2", "--no-ignore", "--hidden", "-n", "Quixotically", dir)
	})
	b.Run("literal-rare-any-case", func(b *testing.B) {
		benchBoth(b, grep(b, GrepOptions{Pattern: "quixotically"}, 1), "rg", "-j2", "--no-ignore", "--hidden", "-n", "-i", "quixotically", dir)
	})
	b.Run("literal-frequent-limit-50", func(b *testing.B) {
		benchBoth(b, grep(b, GrepOptions{Pattern: "tion", CaseSensitive: true, Limit: 50}, 50), "rg", "-j2", "--no-ignore", "--hidden", "-n", "tion", dir)
	})
	b.Run("literal-frequent-all", func(b *testing.B) {
		benchBoth(b, grep(b, GrepOptions{Pattern: "mentcon", CaseSensitive: true}, 50), "rg", "-j2", "--no-ignore", "--hidden", "-n", "mentcon", dir)
	})
	b.Run("literal-frequent-any-case", func(b *testing.B) {
		benchBoth(b, grep(b, GrepOptions{Pattern: "mentcon"}, 20_000), "rg", "-j2", "--no-ignore", "--hidden", "-n", "-i", "mentcon", dir)
	})
	b.Run("regexp-with-literal", func(b *testing.B) {
		benchBoth(b, grep(b, GrepOptions{Pattern: `Quixotic\w+\s+\w+ing\b`, CaseSensitive: true}, 0), "rg", "-j2", "--no-ignore", "--hidden", "-n", `Quixotic\w+\s+\w+ing\b`, dir)
	})
	b.Run("regexp-with-digits", func(b *testing.B) {
		benchBoth(b, grep(b, GrepOptions{Pattern: `\b\d{5} \d{5}\b`}, 1), "rg", "-j2", "--no-ignore", "--hidden", "-n", "-i", `\b\d{5} \d{5}\b`, dir)
	})
	b.Run("regexp-anything", func(b *testing.B) {
		benchBoth(b, grep(b, GrepOptions{Pattern: `[A-Z]\w+ [A-Z]\w+ [A-Z]`, CaseSensitive: true}, 1), "rg", "-j2", "--no-ignore", "--hidden", "-n", `[A-Z]\w+ [A-Z]\w+ [A-Z]`, dir)
	})
}

// B10-05: names only.
func BenchmarkGlob(b *testing.B) {
	dir := benchTree(b)
	v := benchView(b, dir)
	benchBoth(b, func() {
		got, err := Glob(context.Background(), v, GlobOptions{Patterns: []string{"**/*.md"}})
		require.NoError(b, err)
		require.NotEmpty(b, got)
	}, "fdfind", "-j2", "-u", "-g", "*.md", dir)
}

func BenchmarkFind(b *testing.B) {
	dir := benchTree(b)
	v := benchView(b, dir)
	benchBoth(b, func() {
		got, err := Find(context.Background(), v, FindOptions{Name: "*.md", Recursive: true})
		require.NoError(b, err)
		require.NotEmpty(b, got)
	}, "fdfind", "-j2", "-u", "-g", "*.md", dir)
}
