package workshop

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/cputime"
)

// manyFiles is the number of files that one publish adds.
const manyFiles = 16_000

// BenchmarkPublishMany compares a publish of many new small files with git's add and
// commit of the same files, both synced. cpu-s is the processor time of the process, or of
// git, in seconds:
//
//	go test ./workshop -run '^$' -bench PublishMany -benchtime 1x
func BenchmarkPublishMany(b *testing.B) {
	for _, at := range []int{1, 1000} { // a call of a tool for each file, or for many
		b.Run(fmt.Sprint("atelier-", at, "-at-once"), func(b *testing.B) { benchPublishMany(b, at) })
	}
	b.Run("git", func(b *testing.B) {
		if _, err := exec.LookPath("git"); err != nil {
			b.Skip("git is not there to compare with")
		}
		var used time.Duration
		for b.Loop() {
			b.StopTimer()
			dir := b.TempDir()
			for i := range manyFiles {
				path := filepath.Join(dir, leaf(i))
				require.NoError(b, os.MkdirAll(filepath.Dir(path), 0o755))
				require.NoError(b, os.WriteFile(path, fmt.Appendf(nil, "file %d\n", i), 0o644))
			}
			git := func(args ...string) {
				cmd := exec.Command("git", append([]string{"-c", "user.name=b", "-c", "user.email=b@example.org", "-c", "gc.auto=0", "-c", "core.fsync=all"}, args...)...)
				cmd.Dir = dir
				out, err := cmd.CombinedOutput()
				require.NoError(b, err, string(out))
				used += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			}
			git("init", "-q")
			b.StartTimer()
			git("add", "-A")
			git("commit", "-qm", "all")
		}
		b.ReportMetric(used.Seconds()/float64(b.N), "cpu-s/op")
	})
}

func benchPublishMany(b *testing.B, at int) {
	var draft, publish time.Duration
	for b.Loop() {
		b.StopTimer()
		r := &rig{t: b, home: b.TempDir(), dir: b.TempDir()}
		r.open()
		begun := cputime.Used()
		for i := 0; i < manyFiles; i += at {
			if at == 1 {
				r.put(leaf(i), fmt.Sprintf("file %d\n", i))
				continue
			}
			var puts []Put
			for j := range at {
				puts = append(puts, Put{Path: Path(leaf(i + j)), Write: text(fmt.Sprintf("file %d\n", i+j))})
			}
			_, err := PutAll(ctx, r.draft(), puts)
			require.NoError(b, err)
		}
		draft += cputime.Used() - begun
		begun = cputime.Used()
		b.StartTimer()
		r.publish(PublishOptions{})
		b.StopTimer()
		publish += cputime.Used() - begun
		require.NoError(b, r.h.Close())
		b.StartTimer()
	}
	b.ReportMetric(draft.Seconds()/float64(b.N), "draft-cpu-s/op")
	b.ReportMetric(publish.Seconds()/float64(b.N), "cpu-s/op")
}
