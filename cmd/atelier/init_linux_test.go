package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"atelier/internal/need"
)

// contained returns a command whose process is the first of a PID namespace with a
// separate /proc.
func contained(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	unshare := need.Program(t, "unshare", "util-linux")
	namespaces := []string{"--user", "--map-root-user", "--pid", "--mount-proc", "--fork", "--kill-child"}
	if exec.Command(unshare, append(namespaces, "true")...).Run() != nil {
		if namespaces = namespaces[2:]; exec.Command(unshare, append(namespaces, "true")...).Run() != nil {
			t.Skip("this user may not make namespaces of processes")
		}
	}
	return exec.Command(unshare, append(append(namespaces, "--"), args...)...)
}

// As the first process of a container the program collects processes that lost their
// parents, ends with the exit code of its work, and passes signals on.
func TestFirstProcessOfAContainer(t *testing.T) {
	docs, out := docsFolder(t), filepath.Join(t.TempDir(), "out")
	b, err := contained(t, program(t), "translate", docs, "--to", "de", "--out", out, "--home", t.TempDir()).CombinedOutput()
	require.NoError(t, err, string(b))
	require.FileExists(t, filepath.Join(out, "notas.md"))
	wrong := contained(t, program(t), "translate", docs)
	require.Error(t, wrong.Run())
	require.Equal(t, exitUsage, wrong.ProcessState.ExitCode())

	cmd := contained(t, program(t), "watch", "translate", docs, "--to", "de", "--out", out, "--home", t.TempDir())
	var said lockedBuffer
	cmd.Stderr = &said
	answers, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := bufio.NewReader(answers)
	line, err := lines.ReadString('\n')
	require.NoError(t, err, said.String())
	require.Contains(t, line, "Watching")
	first := childOf(t, cmd.Process.Pid)
	require.NoError(t, syscall.Kill(first, syscall.SIGTERM))
	rest, err := io.ReadAll(lines)
	require.NoError(t, err)
	require.NoError(t, cmd.Wait(), said.String())
	require.Contains(t, string(rest), "Stopped.")
}

// An orphan that ends is a zombie until the first process collects it. Here the
// orphans come to a subreaper (prctl(2)), which is a process of the test.
func TestFirstProcessCollectsOrphans(t *testing.T) {
	if os.Getenv("ATELIER_TEST_ORPHANS") == "" {
		self, err := os.Executable()
		require.NoError(t, err)
		cmd := exec.Command(self, "-test.run", "^TestFirstProcessCollectsOrphans$")
		cmd.Env = append(os.Environ(), "ATELIER_TEST_ORPHANS=1")
		b, err := cmd.CombinedOutput()
		require.NoError(t, err, string(b))
		return
	}
	require.NoError(t, unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
	child, err := os.StartProcess("/bin/sh", []string{"sh", "-c", "(sleep 0.1 & sleep 0.1 &); sleep 0.5; exit 7"}, &os.ProcAttr{})
	require.NoError(t, err)
	require.Equal(t, 7, waitForAll(child.Pid))
	_, err = unix.Wait4(-1, nil, unix.WNOHANG, nil)
	require.ErrorIs(t, err, unix.ECHILD, "an orphan was not collected")
}

// childOf waits for the only child of a process.
func childOf(t *testing.T, pid int) (child int) {
	t.Helper()
	require.Eventually(t, func() bool {
		list := children(pid)
		if len(list) == 1 {
			child = list[0]
		}
		return child != 0
	}, 10*time.Second, time.Millisecond)
	return child
}

// children returns the processes whose parent is pid.
func children(pid int) (list []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, path := range lists {
		b, _ := os.ReadFile(path) // the thread may have ended
		for _, field := range strings.Fields(string(b)) {
			n, err := strconv.Atoi(field)
			if err == nil {
				list = append(list, n)
			}
		}
	}
	return list
}
