//go:build linux

package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// The bounds of X-18. Processor time, not the clock: it drifts little on a
// machine that is busy with other things.
const (
	// Seconds an operation: twice the one of X-18, since packages that are tested
	// side by side share the machine's cores and caches.
	bombCPU    = 2.0
	bombMemory = 64 // MiB over a process that has read a good file
)

// cost is what one operation on a bomb took.
type cost struct {
	Op     string
	CPU    float64 // seconds, of user and system
	Memory int64   // MiB of resident memory at its peak, over the idle process
	Err    string
	Code   formats.Code
}

// TestMain turns the test's program into the process that is measured.
func TestMain(m *testing.M) {
	if path := os.Getenv("ATELIER_TEST_BOMB"); path != "" {
		if err := measure(path, os.Getenv("ATELIER_TEST_GOOD"), os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// measure does to the bomb all that its format can do, and writes a cost a line.
func measure(bomb, good string, w io.Writer) error {
	ctx := context.Background()
	calls := func(path string, each func(op string, f func() error) error) error {
		src, err := formats.OpenFile(path)
		if err != nil {
			return err
		}
		defer src.Close()
		f, err := set.Detect(ctx, src)
		if err != nil {
			return err
		}
		for _, c := range operations(ctx, f, src) {
			if err := each(c.name, c.run); err != nil {
				return err
			}
		}
		return nil
	}
	if err := calls(good, func(_ string, f func() error) error { return f() }); err != nil {
		return err
	}
	debug.FreeOSMemory()
	enc := json.NewEncoder(w)
	return calls(bomb, func(op string, f func() error) error {
		debug.FreeOSMemory()
		if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil { // proc(5): the peak starts anew
			return err
		}
		idle, cpu := status("VmRSS"), cpuSeconds()
		err := f()
		c := cost{Op: op, CPU: cpuSeconds() - cpu, Memory: (status("VmHWM") - idle) >> 10}
		if err != nil {
			c.Err, c.Code = err.Error(), formats.CodeOf(err)
		}
		return enc.Encode(c)
	})
}

type operation struct {
	name string
	run  func() error
}

func operations(ctx context.Context, f *formats.Format, src formats.Source) []operation {
	read := func(s formats.Selector) func() error {
		return func() error { _, err := f.Reader.Read(ctx, src, s); return err }
	}
	edit := map[formats.Kind]string{
		formats.KindXlsx: `{"op":"set_cells","sheet":"Sales","cells":[{"cell":"B2","value":1}]}`,
		formats.KindDocx: `{"op":"replace_text","search":"zzqy","replace":"y"}`,
		formats.KindPptx: `{"op":"replace_text","search":"zzqy","replace":"y"}`,
	}[f.Kind]
	ops := []operation{
		{"map", func() error { _, err := f.Mapper.Map(ctx, src, formats.MapOptions{Detail: true}); return err }},
		{"read", read(formats.Selector{})},
		{"read all", read(formats.Selector{Include: []string{formats.IncludeAll}})},
	}
	if edit != "" {
		ops = append(ops, operation{"edit", func() error {
			_, err := f.Editor.Apply(ctx, src, io.Discard, []json.RawMessage{json.RawMessage(edit)}, formats.ApplyOptions{})
			return err
		}})
	}
	if f.Segmenter != nil {
		ops = append(ops, operation{"segments", func() error { _, err := f.Segmenter.Segments(ctx, src, formats.SegmentOptions{}); return err }})
	}
	return ops
}

func cpuSeconds() float64 {
	var ru syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &ru) != nil {
		return 0
	}
	sec := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return sec(ru.Utime) + sec(ru.Stime)
}

// status is a line of /proc/self/status, in KiB.
func status(key string) int64 {
	b, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, key+":"); ok {
			n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return n
		}
	}
	return 0
}

// TestX18Bombs: each file of the corpus of bombs is refused with a typed error,
// or done, within the second and the 64 MiB of X-18.
func TestX18Bombs(t *testing.T) {
	if testing.Short() {
		t.Skip("bombs are slow to build: left out with -short")
	}
	if raceEnabled {
		t.Skip("the race detector takes time and memory of its own")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	for _, b := range bombs {
		t.Run(b.name, func(t *testing.T) {
			good := filepath.Join(dir, "good"+filepath.Ext(b.name))
			path := filepath.Join(dir, "bomb"+filepath.Ext(b.name))
			require.NoError(t, os.WriteFile(good, goodPackage(filepath.Ext(b.name)), 0o600))
			require.NoError(t, os.WriteFile(path, b.build(t), 0o600))
			st, err := os.Stat(path)
			require.NoError(t, err)
			// When the collector gets its turn differs with what else the machine
			// does: what is over is measured again, and the least of it counts.
			costs := measured(t, self, path, good)
			for range 2 {
				if !slices.ContainsFunc(costs, cost.over) {
					break
				}
				for i, again := range measured(t, self, path, good) {
					costs[i].CPU, costs[i].Memory = min(costs[i].CPU, again.CPU), min(costs[i].Memory, again.Memory)
				}
			}
			for _, c := range costs {
				t.Logf("%d KiB: %-8s %.2f s %3d MiB %s %.120s", st.Size()>>10, c.Op, c.CPU, c.Memory, c.Code, c.Err)
				if c.Err != "" {
					require.NotEmpty(t, c.Code, c.Err)
				}
				if b.refused {
					require.NotEmpty(t, c.Err, "%s was done", c.Op)
				}
				if testing.CoverMode() == "" && c.over() {
					t.Errorf("%s took %.2f s and %d MiB", c.Op, c.CPU, c.Memory)
				}
			}
		})
	}
}

func (c cost) over() bool { return c.CPU > bombCPU || c.Memory > bombMemory }

// measured runs all operations on a bomb in a process of its own.
func measured(t *testing.T, self, bomb, good string) []cost {
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "ATELIER_TEST_BOMB="+bomb, "ATELIER_TEST_GOOD="+good)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	var costs []cost
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var c cost
		require.NoError(t, dec.Decode(&c))
		costs = append(costs, c)
	}
	return costs
}
