package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A run in the background of a shell is not stopped for reading the terminal
// (SIGTTIN): it asks nothing, and ends by itself.
func TestRunInTheBackground(t *testing.T) {
	person, tty := pseudoTerminal(t)
	dir, home := docsFolder(t), t.TempDir()
	var mu sync.Mutex
	var shown strings.Builder
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := person.Read(buf)
			mu.Lock()
			shown.Write(buf[:n])
			mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	sh := exec.Command("sh", "-c", fmt.Sprintf(`set -m; %q run "Which files are here?" --in %q --home %q --model pseudo & wait $!; echo ended with $?`, program(t), dir, home))
	sh.Stdin, sh.Stdout, sh.Stderr = tty, tty, tty
	sh.Env = os.Environ()
	sh.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, sh.Start())
	tty.Close()
	ended := make(chan error, 1)
	go func() { ended <- sh.Wait() }()
	select {
	case err := <-ended:
		require.NoError(t, err)
	case <-time.After(time.Minute):
		syscall.Kill(-sh.Process.Pid, syscall.SIGKILL)
		mu.Lock()
		defer mu.Unlock()
		t.Fatalf("it did not end:\n%s", shown.String())
	}
	require.Eventually(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return strings.Contains(shown.String(), "ended with 0")
	}, 10*time.Second, 10*time.Millisecond)
}
