package workshop

import (
	"io/fs"
	"syscall"
)

// changeTime returns when the inode last changed, in ns since 1970: it cannot be set
// back as the modification time can.
func changeTime(st fs.FileInfo) int64 {
	if s, ok := st.Sys().(*syscall.Stat_t); ok {
		return s.Ctim.Nano()
	}
	return 0
}
