//go:build unix && !cluster

package main

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// A program without a NATS server says how to have one.
func TestNoEmbeddedServer(t *testing.T) {
	cmd := exec.Command(program(t), "http", "--home", t.TempDir(), "--cluster-listen", "127.0.0.1:6222", "--cluster-routes", "127.0.0.1:6223")
	cmd.Env = append(os.Environ(), "ATELIER_JWT_SECRET=0123456789abcdef0123456789abcdef")
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "go build -tags cluster ./cmd/atelier")
}
