//go:build unix

package local

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// maxPath is the longest path of a socket that all systems take, in bytes.
const maxPath = 100

// Listen makes a socket in the data folder home, or, where its path would be too
// long, in the folder of the user's running programs, else in that of temporary
// files. It removes the sockets of processes that have ended.
func Listen(home string) (*Listener, error) {
	name, err := socketName()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(home, 0o700); err != nil { // a first start comes here before anything is kept
		return nil, err
	}
	for _, dir := range socketDirs(home) {
		path := filepath.Join(dir, name)
		if len(path) > maxPath {
			continue
		}
		if err := makeOwn(dir); err != nil {
			return nil, err
		}
		removeStale(dir)
		l, err := net.Listen("unix", path)
		if err != nil {
			return nil, err
		}
		if err := os.Chmod(path, 0o600); err != nil {
			l.Close()
			return nil, err
		}
		return &Listener{socket{l}, path}, nil
	}
	return nil, fmt.Errorf("no folder for a socket has a path that is short enough (%d bytes)", maxPath)
}

// socket is the acceptor of a Unix socket.
type socket struct{ net.Listener }

func (s socket) accept() (conn, error) {
	c, err := s.Accept()
	if err != nil {
		return nil, err
	}
	return c.(*net.UnixConn), nil
}

// connect opens the socket at address, if only this user can.
func connect(ctx context.Context, address string) (conn, error) {
	if err := checkOwn(filepath.Dir(address), fs.ModeDir); err != nil {
		return nil, err
	}
	if err := checkOwn(address, fs.ModeSocket); err != nil {
		return nil, err
	}
	c, err := new(net.Dialer).DialContext(ctx, "unix", address)
	if err != nil {
		return nil, fmt.Errorf("it does not listen (%w)", err)
	}
	return c.(*net.UnixConn), nil
}

func socketName() (string, error) {
	b := make([]byte, 6)
	if _, err := rand.Read(b); err != nil {
		return "", err
	}
	return hex.EncodeToString(b) + socketExt, nil
}

const socketExt = ".sock"

// socketDirs are the folders for sockets, in order.
func socketDirs(home string) []string {
	dirs := []string{filepath.Join(home, "run")}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		dirs = append(dirs, filepath.Join(dir, "atelier"))
	}
	return append(dirs, filepath.Join(os.TempDir(), fmt.Sprintf("atelier-%d", os.Getuid())))
}

// makeOwn makes a folder that only its owner can enter, or checks that it is one.
func makeOwn(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return checkOwn(dir, fs.ModeDir)
}

// checkOwn reports that a file is of another type, or can be used by other users.
func checkOwn(path string, typ fs.FileMode) error {
	st, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if st.Mode().Type() != typ || st.Mode().Perm()&0o077 != 0 || !ownedByUs(st) {
		return fmt.Errorf("%s is not safe: it must belong to you, and nobody else may have access", path)
	}
	return nil
}

// ourUser is the user of this process; tests have another.
var ourUser atomic.Int64

func init() { ourUser.Store(int64(os.Getuid())) }

// samePeer reports that the other end of a connection is another user's.
func samePeer(c conn) error {
	uid, known, err := peerUser(c.(*net.UnixConn))
	if err == nil && known && int64(uid) != ourUser.Load() {
		err = fmt.Errorf("the other end is user %d", uid)
	}
	return err
}

func ownedByUs(st fs.FileInfo) bool {
	s, ok := st.Sys().(*syscall.Stat_t)
	return ok && int64(s.Uid) == ourUser.Load()
}

// How long a socket that nobody answers is left: its process may be about to listen.
const (
	staleAfter = time.Minute
	staleWait  = 100 * time.Millisecond
)

// removeStale removes the sockets of processes that have ended.
func removeStale(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		st, err := e.Info()
		if err != nil || !strings.HasSuffix(path, socketExt) || st.Mode().Type() != fs.ModeSocket || time.Since(st.ModTime()) < staleAfter {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), staleWait)
		c, err := new(net.Dialer).DialContext(ctx, "unix", path)
		cancel()
		switch {
		case err == nil:
			c.Close()
		case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ENOENT): // nobody listens
			_ = os.Remove(path)
		}
	}
}
