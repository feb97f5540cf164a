//go:build darwin || freebsd

package local

import (
	"net"

	"golang.org/x/sys/unix"
)

// localLevel and peerCred name what the system says of the other end of a socket
// (unix(4)): SOL_LOCAL and LOCAL_PEERCRED.
const (
	localLevel = 0
	peerCred   = 1
)

// peerUser returns the user of the process at the other end of c.
func peerUser(c *net.UnixConn) (uid int, known bool, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, false, err
	}
	var cred *unix.Xucred
	var cerr error
	if err := raw.Control(func(fd uintptr) { cred, cerr = unix.GetsockoptXucred(int(fd), localLevel, peerCred) }); err != nil {
		return 0, false, err
	}
	if cerr != nil {
		return 0, false, cerr
	}
	return int(cred.Uid), true, nil
}
