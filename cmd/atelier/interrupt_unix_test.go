//go:build unix

package main

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// canInterrupt prepares a program that interrupt stops.
func canInterrupt(*exec.Cmd) {}

// interrupt is Ctrl-C for a program and returns when the program has ended.
func interrupt(t *testing.T, cmd *exec.Cmd, ended <-chan error) error {
	t.Helper()
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	return <-ended
}
