//go:build unix

package local

import (
	"bufio"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Both sides refuse another user's process.
func TestAnotherUser(t *testing.T) {
	r := newRig(t)
	ourUser.Add(1)
	t.Cleanup(func() { ourUser.Add(-1) })
	_, err := Dial(t.Context(), r.address, Hello{Version: "1"}, nil)
	require.ErrorContains(t, err, "is not safe")
	c, err := net.Dial("unix", r.address)
	require.NoError(t, err)
	defer c.Close()
	_, err = bufio.NewReader(c).ReadString('\n')
	require.Error(t, err, "it is told nothing")
	require.ErrorContains(t, samePeer(c.(*net.UnixConn)), "the other end is user")
}

func TestListen(t *testing.T) {
	home, err := os.MkdirTemp("", "at")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(home) })
	home = filepath.Join(home, "new") // a first start has no data folder yet
	l, err := Listen(home)
	require.NoError(t, err)
	st, err := os.Lstat(l.Address())
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), st.Mode().Perm())
	st, err = os.Lstat(filepath.Dir(l.Address()))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), st.Mode().Perm())

	// The socket of a process that was killed is removed, when it is old enough to be
	// sure; one that is served stays.
	l.acceptor.(socket).Listener.(*net.UnixListener).SetUnlinkOnClose(false)
	dead := l.Address()
	l.Close()
	l, err = Listen(home)
	require.NoError(t, err)
	require.FileExists(t, dead)
	old := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(dead, old, old))
	require.NoError(t, os.Chtimes(l.Address(), old, old))
	again, err := Listen(home)
	require.NoError(t, err)
	require.NoFileExists(t, dead)
	_, err = os.Lstat(l.Address())
	require.NoError(t, err)
	l.Close()
	again.Close()

	// A path that is too long is another place, and a folder that others can enter is
	// refused.
	t.Setenv("XDG_RUNTIME_DIR", home)
	long := filepath.Join(home, strings.Repeat("x", 80))
	require.NoError(t, os.Mkdir(long, 0o700))
	l, err = Listen(long)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(home, "atelier"), filepath.Dir(l.Address()))
	l.Close()
	require.NoError(t, os.Chmod(filepath.Join(home, "run"), 0o755))
	_, err = Listen(home)
	require.ErrorContains(t, err, "is not safe")
}
