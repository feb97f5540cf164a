package main

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// W-01: Ctrl-C, which only ends the context, stops the program while a task
// is typed.
func TestStopWhileATaskIsTyped(t *testing.T) {
	in, typing := io.Pipe()
	defer time.AfterFunc(20*time.Second, func() { typing.Close() }).Stop() // fails instead of hanging
	ctx, cancel := context.WithCancel(t.Context())
	cmd := &cobra.Command{}
	cmd.SetContext(ctx)
	cmd.SetIn(in)
	go func() {
		io.WriteString(typing, "Half a ta")
		cancel()
	}()
	require.ErrorIs(t, readTask(cmd, []string{"-"}), errSilent)
	typing.Close()
}
