package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/need"
)

// largest is the largest size of the released program for Linux on amd64, in
// bytes: 0.4 MB more than what docs/benchmarks.md says. Who adds what is worth more
// than that changes both.
const largest = 63_400_000

// The program does not grow unnoticed, for example by a dependency that brings much
// or by a use of reflect that makes the linker keep all methods.
func TestSize(t *testing.T) {
	campaign.Slow(t)
	need.Program(t, "go", "golang")
	path := filepath.Join(t.TempDir(), "atelier")
	build := exec.Command("go", "build", "-ldflags=-s -w -funcalign=16", "-trimpath", "-o", path, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	info, err := os.Stat(path)
	require.NoError(t, err)
	t.Logf("%.1f MB", float64(info.Size())/1e6)
	require.Less(t, info.Size(), int64(largest), "see \"Start and size\" in docs/benchmarks.md")
}
