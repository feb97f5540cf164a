//go:build unix

package local

import (
	"errors"
	"io/fs"
	"syscall"
)

const supported = true

func ownedByUs(st fs.FileInfo) bool {
	s, ok := st.Sys().(*syscall.Stat_t)
	return ok && int64(s.Uid) == ourUser.Load()
}

// refused reports that nobody listens at a socket.
func refused(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOENT)
}
