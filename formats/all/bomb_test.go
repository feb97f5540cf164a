//go:build linux

package all

import (
	"archive/zip"
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
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/formatstest/bombs"
	"atelier/formats/preview"
	"atelier/internal/campaign"
)

// The bounds of X-18. Processor time, not the clock: it drifts little on a
// machine that is busy with other work.
const (
	// Seconds an operation: twice the one of X-18, since packages that are tested
	// side by side share the machine's cores and caches.
	bombCPU    = 2.0
	bombMemory = 64 // MiB over a process that has read a good file

	// A review holds two files and what differs in them; a replacement all over a
	// document holds what it writes.
	changeCPU    = 5.0
	changeMemory = 640

	// Seconds in which an operation ends once its context is done.
	bombLate = 2.0
)

// cost is what one operation on a bomb took.
type cost struct {
	Op     string
	CPU    float64 // seconds, of user and system
	Memory int64   // MiB of resident memory at its peak, over the idle process
	// Reserved is the most that was reserved of the budget when the files were read, in MiB.
	Reserved int64
	Late     float64 // seconds between the end of its context and its own, when that came early
	Err      string
	Code     formats.Code
}

// TestMain turns the test's program into the process that is measured.
func TestMain(m *testing.M) {
	if path := os.Getenv("ATELIER_TEST_BOMB"); path != "" {
		if err := measure(path, os.Getenv("ATELIER_TEST_EDITED"), os.Getenv("ATELIER_TEST_GOOD"), os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// measure does to the bomb all that its format can do, and writes a cost a line.
func measure(bomb, edited, good string, w io.Writer) error {
	calls := func(path, other string, each func(op string, f func(time.Duration) error) error) error {
		ctx := context.Background()
		src, err := formats.OpenFile(path)
		if err != nil {
			return err
		}
		defer src.Close()
		f, err := set.Detect(ctx, src)
		if err != nil {
			return err
		}
		ed, err := formats.OpenFile(other)
		if err != nil {
			return err
		}
		defer ed.Close()
		gd, err := formats.OpenFile(good)
		if err != nil {
			return err
		}
		defer gd.Close()
		for _, c := range operations(f, reservedSource{src}, reservedSource{ed}, reservedSource{gd}) {
			err := each(c.name, func(limit time.Duration) error {
				ctx, stop := context.WithTimeout(context.Background(), limit)
				defer stop()
				return c.run(ctx)
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
	if err := calls(good, good, func(_ string, f func(time.Duration) error) error { return f(time.Minute) }); err != nil {
		return err
	}
	debug.FreeOSMemory()
	enc := json.NewEncoder(w)
	return calls(bomb, edited, func(op string, f func(time.Duration) error) error {
		debug.FreeOSMemory()
		if err := formatstest.ResetPeak(); err != nil {
			return err
		}
		idle, cpu := formatstest.ProcStatus("self", "VmRSS"), cpuSeconds()
		mostReserved.Store(0)
		from := time.Now()
		err := f(time.Minute)
		took := time.Since(from)
		c := cost{Op: op, CPU: cpuSeconds() - cpu, Memory: (formatstest.ProcStatus("self", "VmHWM") - idle) >> 10, Reserved: mostReserved.Load() >> 20}
		if err != nil {
			c.Err, c.Code = err.Error(), formats.CodeOf(err)
		}
		if soon := took / 3; took > 200*time.Millisecond {
			from = time.Now()
			_ = f(soon)
			c.Late = max(0, (time.Since(from) - soon).Seconds())
		}
		return enc.Encode(c)
	})
}

type operation struct {
	name string
	run  func(context.Context) error
}

func operations(f *formats.Format, src, edited, good formats.Source) []operation {
	read := func(s formats.Selector) func(context.Context) error {
		return func(ctx context.Context) error { _, err := f.Reader.Read(ctx, src, s); return err }
	}
	edit := map[formats.Kind]string{
		formats.KindXlsx: `{"op":"set_cells","sheet":"Sales","cells":[{"cell":"B2","value":1}]}`,
		formats.KindDocx: `{"op":"replace_text","search":"zzqy","replace":"y"}`,
		formats.KindPptx: `{"op":"replace_text","search":"zzqy","replace":"y"}`,
	}[f.Kind]
	ops := []operation{
		{"map", func(ctx context.Context) error {
			_, err := f.Mapper.Map(ctx, src, formats.MapOptions{Detail: true})
			return err
		}},
		{"read", read(formats.Selector{})},
		{"read all", read(formats.Selector{Include: []string{formats.IncludeAll}})},
		{"preview", func(ctx context.Context) error { // LibreOffice is its own process, with bounds of its own
			_, err := preview.New(set, preview.Options{NoLibreOffice: true}).Page(ctx, src, preview.Request{})
			return err
		}},
	}
	if f.Blocks != nil {
		ops = append(ops, operation{"blocks", func(ctx context.Context) error {
			_, err := f.Blocks.Blocks(ctx, src, formats.BlockRequest{Count: 2000})
			return err
		}})
	}
	if f.Sheets != nil {
		ops = append(ops, operation{"window", func(ctx context.Context) error {
			_, err := f.Sheets.SheetWindow(ctx, src, formats.SheetRequest{Rows: 1000, Columns: 500, Measure: true})
			return err
		}})
	}
	if edit != "" {
		ops = append(ops, operation{"edit", func(ctx context.Context) error {
			_, err := f.Editor.Apply(ctx, src, io.Discard, []json.RawMessage{json.RawMessage(edit)}, formats.ApplyOptions{})
			return err
		}})
	}
	if edit != "" {
		ops = append(ops, operation{"replace", func(ctx context.Context) error {
			_, err := f.Editor.Apply(ctx, src, io.Discard, []json.RawMessage{json.RawMessage(`{"op":"replace_text","search":"[0-9]+","replace":"y","regex":true}`)}, formats.ApplyOptions{TrackChanges: f.Kind == formats.KindDocx})
			return err
		}})
	}
	diff := func(a, b formats.Source) func(context.Context) error {
		return func(ctx context.Context) error { _, err := f.Differ.Diff(ctx, a, b, formats.DiffOptions{}); return err }
	}
	if f.Differ != nil {
		ops = append(ops, operation{"diff edited", diff(src, edited)}, operation{"diff added", diff(good, src)}, operation{"diff removed", diff(src, good)})
	}
	if f.Segmenter != nil {
		ops = append(ops, operation{"segments", func(ctx context.Context) error {
			_, err := f.Segmenter.Segments(ctx, src, formats.SegmentOptions{})
			return err
		}})
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

// TestX18Bombs: each file of the corpus of bombs is refused with a typed error,
// or done, within the second and the 64 MiB of X-18.
func TestX18Bombs(t *testing.T) {
	if testing.Short() {
		t.Skip("bombs are slow to build: left out with -short")
	}
	if campaign.Race {
		t.Skip("the race detector takes time and memory of its own")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	for i, b := range bombs.All {
		if campaign.Skips(t, i, 3) {
			continue
		}
		t.Run(b.Name, func(t *testing.T) {
			good := filepath.Join(dir, "good"+filepath.Ext(b.Name))
			path := filepath.Join(dir, "bomb"+filepath.Ext(b.Name))
			require.NoError(t, os.WriteFile(good, bombs.Good(t, filepath.Ext(b.Name)), 0o600))
			require.NoError(t, os.WriteFile(path, b.Build(t), 0o600))
			st, err := os.Stat(path)
			require.NoError(t, err)
			// When the collector gets its turn differs with what else the machine
			// does: what is over is measured again, and the least of it counts.
			edited := filepath.Join(dir, "edited"+filepath.Ext(b.Name))
			other, differs := slightlyEdited(t, path)
			require.NoError(t, os.WriteFile(edited, other, 0o600))
			costs := measured(t, self, path, edited, good)
			for range 2 {
				if !slices.ContainsFunc(costs, cost.over) {
					break
				}
				for i, again := range measured(t, self, path, edited, good) {
					costs[i].CPU, costs[i].Memory, costs[i].Late = min(costs[i].CPU, again.CPU), min(costs[i].Memory, again.Memory), min(costs[i].Late, again.Late)
				}
			}
			for _, c := range costs {
				formatstest.Report(t, "X-18: %s, %d KiB: %s: %.2f s of processor, %d MiB, %.2f s after its time limit %s %.100s", b.Name, st.Size()>>10, c.Op, c.CPU, c.Memory, c.Late, c.Code, c.Err)
				if c.Err != "" {
					require.NotEmpty(t, c.Code, c.Err)
				}
				if b.Refused && (differs || c.Op != "diff edited") { // the same bytes need no comparison
					require.NotEmpty(t, c.Err, "%s was done", c.Op)
				}
				if testing.CoverMode() == "" && c.over() {
					t.Errorf("%s took %.2f s and %d MiB, and ended %.2f s after its time limit", c.Op, c.CPU, c.Memory, c.Late)
				}
			}
		})
	}
}

func (c cost) over() bool {
	if c.Late > bombLate {
		return true
	}
	cpu, memory := bombCPU, int64(bombMemory)
	if strings.HasPrefix(c.Op, "diff") || c.Op == "replace" {
		cpu, memory = changeCPU, changeMemory
	}
	if !campaign.Full() { // other tests run beside it, and machines are shared
		cpu, memory = cpu*2, memory*3/2
	}
	return c.CPU > cpu || c.Memory > memory
}

// measured runs all operations on a bomb in its own process.
func measured(t *testing.T, self, bomb, edited, good string) []cost {
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "ATELIER_TEST_BOMB="+bomb, "ATELIER_TEST_EDITED="+edited, "ATELIER_TEST_GOOD="+good)
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

// slightlyEdited returns the file with the last digit of its largest part
// changed, or, where its parts cannot be had, the file itself.
func slightlyEdited(t *testing.T, path string) (edited []byte, differs bool) {
	t.Helper()
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	change := func(b []byte) []byte {
		out := bytes.Clone(b)
		for i := len(out) - 1; i >= 0; i-- {
			if out[i] >= '1' && out[i] <= '8' {
				out[i]++
				break
			}
		}
		return out
	}
	zr, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return change(file), true
	}
	var largest *zip.File
	total := uint64(0)
	for _, f := range zr.File {
		total += f.UncompressedSize64
		if strings.HasSuffix(f.Name, ".xml") && (largest == nil || f.UncompressedSize64 > largest.UncompressedSize64) {
			largest = f
		}
	}
	if total > 96<<20 || len(zr.File) > 10_000 {
		return file, false
	}
	parts := map[string]string{}
	for _, f := range zr.File {
		r, err := f.Open()
		if err != nil {
			return file, false
		}
		data, err := io.ReadAll(r)
		r.Close()
		if err != nil {
			return file, false
		}
		parts[f.Name] = string(data)
	}
	return bombs.Rezipped(t, file, map[string]string{largest.Name: string(change([]byte(parts[largest.Name])))}), true
}
