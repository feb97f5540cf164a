//go:build unix

package replica

import (
	"io/fs"
	"syscall"
)

// identity returns the inode of a file and when its inode changed, in Unix nanoseconds.
func identity(st fs.FileInfo) (inode uint64, ctime int64) {
	if s, ok := st.Sys().(*syscall.Stat_t); ok {
		return s.Ino, changeTime(s)
	}
	return 0, 0
}
