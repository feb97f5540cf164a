//go:build unix

package workshop

import (
	"io/fs"
	"os"
	"syscall"
)

const onWindows = false

// syncDir makes renames in dir durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// inode tells a file from another of the same name, size and time; and, with
// volume, finds a folder that was moved.
func inode(st fs.FileInfo) (volume, number uint64) {
	if s, ok := st.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Dev), s.Ino
	}
	return 0, 0
}
