package main

import (
	"bufio"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var startPrograms = flag.String("start-programs", "", "programs for BenchmarkStart, separated by the path list separator; else one is built as released")

// BenchmarkStart starts `atelier serve` and asks for its version: the median of the
// processor time and of the clock up to the answer, in a data folder
// that an earlier start made. Several programs are started in turn.
func BenchmarkStart(b *testing.B) {
	programs := filepath.SplitList(*startPrograms)
	if len(programs) == 0 {
		programs = []string{released(b)}
	}
	home := b.TempDir()
	for _, p := range programs {
		start(b, p, home)
	}
	cpu, clock := make([][]float64, len(programs)), make([][]float64, len(programs))
	for b.Loop() {
		for i, p := range programs {
			c, t := start(b, p, home)
			cpu[i], clock[i] = append(cpu[i], c), append(clock[i], t)
		}
	}
	for i, p := range programs {
		name := ""
		if len(programs) > 1 {
			name = "-" + filepath.Base(p)
		}
		b.ReportMetric(median(cpu[i]), "ms-CPU/start"+name)
		b.ReportMetric(median(clock[i]), "ms/start"+name)
	}
}

// released builds the program as it is released.
func released(b *testing.B) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "atelier")
	out, err := exec.Command("go", "build", "-ldflags=-s -w", "-trimpath", "-o", path, ".").CombinedOutput()
	require.NoError(b, err, "%s", out)
	info, err := os.Stat(path)
	require.NoError(b, err)
	b.Logf("%.1f MiB", float64(info.Size())/(1<<20))
	return path
}

// start returns milliseconds of processor time and of the clock up to the first answer.
func start(b *testing.B, program, home string) (cpu, clock float64) {
	b.Helper()
	cmd := exec.Command(program, "serve", "--home", home)
	in, err := cmd.StdinPipe()
	require.NoError(b, err)
	out, err := cmd.StdoutPipe()
	require.NoError(b, err)
	began := time.Now()
	require.NoError(b, cmd.Start())
	_, err = io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"EngineGetInfo"}`+"\n")
	require.NoError(b, err)
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(b, err)
	require.Contains(b, line, `"result"`)
	clock = float64(time.Since(began).Microseconds()) / 1000
	require.NoError(b, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	s := cmd.ProcessState
	return float64((s.UserTime() + s.SystemTime()).Microseconds()) / 1000, clock
}
