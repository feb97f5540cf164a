package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/need"
)

// A command says that the folder is in use, and why it cannot be done there, when what
// it finds at the address is not a process of the same user and program.
func TestCommandsThatTheHolderCannotDo(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("pipes of others are tested in ipc/local")
	}
	campaign.Slow(t)
	w := newCommandWorld(t)
	_, errs, code := w.run("", "run", "Hello", "--in", "docs")
	require.Zero(t, code, errs)
	w.hold()
	record := filepath.Join(w.home(), "workbenches", w.id(), "lock.address")
	address, err := os.ReadFile(record)
	require.NoError(t, err)
	dir, err := os.MkdirTemp("", "at") // the path of a socket is short
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	refused := func(address, why string) {
		t.Helper()
		require.NoError(t, os.WriteFile(record, []byte(address), 0o600))
		for _, args := range [][]string{{"publish", "--in", "docs"}, {"doctor", "--repair", "--in", "docs"}} {
			_, errs, code := w.run("", args...)
			require.Equal(t, exitFailed, code)
			require.Contains(t, errs, fmt.Sprintf("in use by process %d", w.held.cmd.Process.Pid))
			require.Contains(t, errs, why)
		}
	}
	answers := func(name string, mode os.FileMode, talk func(net.Conn, *bufio.Reader)) string {
		path := filepath.Join(dir, name)
		l, err := net.Listen("unix", path)
		require.NoError(t, err)
		t.Cleanup(func() { l.Close() })
		require.NoError(t, os.Chmod(path, mode))
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go talk(c, bufio.NewReader(c))
			}
		}()
		return path
	}
	var told strings.Builder
	other := answers("other", 0o600, func(c net.Conn, in *bufio.Reader) {
		io.WriteString(c, `{"version":"0.0.1-old","process":1}`+"\n")
		io.Copy(&told, in)
	})
	refused(other, `it is version "0.0.1-old" of Atelier`)
	require.Empty(t, told.String(), "another version is told nothing")
	refused(answers("garbage", 0o600, func(c net.Conn, _ *bufio.Reader) { io.WriteString(c, "HTTP/1.1 400 Bad Request\n\n") }), "it does not answer as expected")
	refused(answers("endless", 0o600, func(c net.Conn, _ *bufio.Reader) {
		for {
			if _, err := io.WriteString(c, strings.Repeat("x", 1<<16)); err != nil {
				return
			}
		}
	}), "it does not answer as expected")
	refused(answers("silent", 0o600, func(net.Conn, *bufio.Reader) {}), "it does not answer")
	refused(answers("open", 0o666, func(net.Conn, *bufio.Reader) {}), "is not safe")
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	refused(file, "is not safe")
	refused(filepath.Join(dir, "nothing"), "no such file")
	gone, err := net.Listen("unix", filepath.Join(dir, "gone"))
	require.NoError(t, err)
	gone.(*net.UnixListener).SetUnlinkOnClose(false)
	require.NoError(t, os.Chmod(filepath.Join(dir, "gone"), 0o600))
	gone.Close()
	refused(filepath.Join(dir, "gone"), "it does not listen")
	link := filepath.Join(dir, "link")
	need.Symlink(t, string(address), link)
	refused(link, "is not safe")
	require.NoError(t, os.Chmod(dir, 0o755))
	refused(other, "is not safe")

	require.NoError(t, os.WriteFile(record, address, 0o600))
	out, errs, code := w.run("", "publish", "--in", "docs")
	require.Zero(t, code, errs)
	require.Contains(t, out, "nothing to publish")
}
