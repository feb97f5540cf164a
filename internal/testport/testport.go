// Package testport reserves TCP ports for servers of tests that are told their port before
// they listen, or that stop listening for a while.
//
//	port := testport.Reserve(t)
//	cmd := exec.Command(program, "--listen", fmt.Sprintf("127.0.0.1:%d", port))
//
// A port that the system chose (port 0) and that was closed again can be given to another
// process, also for a connection that goes out. Reserved ports are below those that systems
// choose, and each has a lock that other processes of tests respect until the test ends.
package testport

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/gofrs/flock"
)

// The ports that may be reserved. Linux chooses from 32768 on, Windows and macOS from 49152
// on.
const first, last = 20000, 32000

// Reserve returns a port of the loopback interface on which nothing listens, and which no
// other test gets until this one ends.
func Reserve(t testing.TB) int {
	t.Helper()
	port, release, err := Take()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	return port
}

// Take is Reserve without a test; release lets others have the port.
func Take() (port int, release func(), err error) {
	locks := filepath.Join(os.TempDir(), "atelier-test-ports")
	if err := os.MkdirAll(locks, 0o777); err != nil {
		return 0, nil, err
	}
	for range 10000 {
		port := first + rand.IntN(last-first)
		if release, err := take(locks, port); err != nil || release != nil {
			return port, release, err
		}
	}
	return 0, nil, errors.New("no port is free")
}

// take reserves one port; release is nil where another has it.
func take(locks string, port int) (release func(), err error) {
	lock := flock.New(filepath.Join(locks, fmt.Sprint(port)))
	if taken, err := lock.TryLock(); err != nil || !taken {
		return nil, err
	}
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil { // a program that is no test listens there
		return nil, lock.Unlock()
	}
	listener.Close()
	// The file stays: without it another process could lock a new one of the same name.
	return func() { _ = lock.Unlock() }, nil
}
