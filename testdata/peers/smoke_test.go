package main

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/internal/need"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == measureArg {
		os.Exit(measure(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// steepest is the largest exponent with which a work may grow; 2 is that of one which
// looks at everything for each thing.
const steepest = 1.5

// What a work allocates grows with its input, not with its square. Allocated bytes do not
// depend on the machine. A PDF is read by another process, and so is not here.
func TestAllocationsGrowWithTheInput(t *testing.T) {
	for _, w := range works() {
		do, ok := w.ours.(calls)
		if !ok || w.grows == 0 || strings.HasPrefix(w.name, "PDF") {
			continue
		}
		t.Run(w.name, func(t *testing.T) {
			small, large := allocated(t, w, do, w.grows/2), allocated(t, w, do, w.grows*2)
			exponent := math.Log(float64(large)/float64(small)) / math.Log(4)
			t.Logf("%d MB, %d MB, exponent %.2f", small>>20, large>>20, exponent)
			require.LessOrEqual(t, exponent, steepest)
		})
	}
}

// allocated does a work in this process and returns how many bytes it allocated.
func allocated(t *testing.T, w work, do calls, n int) uint64 {
	t.Helper()
	in := input{dir: t.TempDir(), n: n}
	require.NoError(t, w.make(in.dir, n))
	e, err := engine.New(engine.Options{Home: t.TempDir(), Model: engine.PseudoModel})
	require.NoError(t, err)
	defer e.Close()
	c, err := catalogue.Named("workshop")
	require.NoError(t, err)
	wb, err := e.OpenFolderForTool(t.Context(), in.dir, tools.Write)
	require.NoError(t, err)
	s := &session{local: func(name string, args map[string]any) (string, error) {
		b, err := json.Marshal(args)
		if err != nil {
			return "", err
		}
		result, fault := e.LiveWith(c).CallDraft(t.Context(), engine.LiveCall{Workspace: wb.ID(), User: "user", Tool: name, Args: b, Unchanged: new(bool)})
		if fault != nil {
			return "", errors.New(fault.Message)
		}
		if text, ok := result.(string); ok {
			return text, nil
		}
		b, err = json.Marshal(result)
		return string(b), err
	}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.NoError(t, do(s, in))
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// leastRatio is how many times Atelier's processor time a program must take that takes
// five times as much or more in docs/benchmarks.md.
const leastRatio = 1.5

// The real binary stays ahead where it is far ahead, on half of the input, and what it does
// in other processes or over several requests does not grow faster than the input.
func TestRealBinary(t *testing.T) {
	if exec.Command(debianPython, "-c", "import openpyxl").Run() != nil {
		need.Absent(t, "openpyxl", "python3-openpyxl")
	}
	r, err := newRunner(t.TempDir(), 1, t.Logf)
	require.NoError(t, err)
	ahead, grow := 0, 0
	for _, w := range works() {
		if len(w.peers) == 1 && w.peers[0].name == "openpyxl" && !strings.Contains(w.name, "read 50 rows") {
			ahead++
			t.Run("ahead: "+w.name, func(t *testing.T) {
				res, err := r.compare(w, w.n/2)
				require.NoError(t, err)
				require.NotZero(t, res.peers[0].CPU)
				require.GreaterOrEqual(t, float64(res.peers[0].CPU)/float64(res.ours.CPU), leastRatio)
			})
		}
		if strings.HasPrefix(w.name, "PDF") || strings.HasPrefix(w.name, "conversation") {
			grow++
			t.Run("grows: "+w.name, func(t *testing.T) { growsNoFaster(t, r, w) })
		}
	}
	require.Equal(t, []int{5, 2}, []int{ahead, grow})
}

// growsNoFaster measures processor time up to three times, since other work on the machine
// can disturb one measurement.
func growsNoFaster(t *testing.T, r *runner, w work) {
	var seen []float64
	for range 3 {
		g, err := r.grow(w, w.grows, 1)
		require.NoError(t, err)
		if g.exponents[0] <= steepest {
			return
		}
		seen = append(seen, g.exponents[0])
	}
	t.Fatalf("exponents %.2f, more than %.2f", seen, steepest)
}

// What is measured is the usage of the process: one that computes and holds memory takes
// processor time and memory, one that waits does not.
func TestMeasure(t *testing.T) {
	python := need.Program(t, "python3", "python3")
	r := &runner{tmp: t.TempDir()}
	busy, out, err := r.run(r.tmp, python, "-c", "b = b'x' * (200 << 20); n = sum(range(10_000_000)); print(len(b), n)")
	require.NoError(t, err)
	require.Contains(t, out, "49999995000000")
	idle, _, err := r.run(r.tmp, python, "-c", "import time; time.sleep(0.3)")
	require.NoError(t, err)
	require.Greater(t, busy.Memory, idle.Memory+150<<20)
	require.Greater(t, busy.CPU, idle.CPU)
	require.Less(t, idle.Memory, int64(100<<20))
	// A child that works on when its parent has ended counts as well.
	left, _, err := r.run(r.tmp, python, "-c", "import os\nif os.fork() == 0:\n    os.close(1); os.close(2); os.setsid()\n    sum(range(20_000_000))\n    os._exit(0)\nos._exit(0)")
	require.NoError(t, err)
	require.Greater(t, left.CPU, idle.CPU+50*time.Millisecond)
	_, _, err = r.run(r.tmp, python, "-c", "import sys; print('broken', file=sys.stderr); sys.exit(3)")
	require.ErrorContains(t, err, "broken")
}

// A side that gives another result than the input has fails, and is no figure.
func TestWrongResultsFail(t *testing.T) {
	r := &runner{tmp: t.TempDir()}
	p := peer{name: "echo", argv: func(input) []string { return []string{"echo", "replaced 9"} }, want: sized("replaced %d", 10)}
	_, err := r.peer(p, input{n: 100})
	require.ErrorContains(t, err, `no "replaced 10"`)
	p.want = sized("replaced %d", 100)
	_, err = r.peer(p, input{n: 900})
	require.NoError(t, err)
}

func TestPrinting(t *testing.T) {
	for x, want := range map[float64]string{0.0931: "**0.093×**", 0.996: "1.0×", 0.99: "**0.99×**", 1.04: "1.0×", 9.96: "10×", 17.6: "18×", 240: "240×"} {
		require.Equal(t, want, times(x), "%v", x)
	}
	require.Equal(t, "1,000,000 rows", named("%d rows", 1_000_000))
	list := []work{{name: "csv of %d rows: describe"}, {name: "… find"}, {name: "slides: map"}}
	require.Len(t, choose(list, "csv"), 2)
	require.Equal(t, "csv of %d rows", choose(list, "find")[0].group)
	require.Len(t, choose(list, ""), 3)
}
