//go:build unix

package workshop

import (
	"io/fs"
	"os"
	"syscall"
)

const onWindows = false

// openForReading opens without waiting: a FIFO that took the place of a file
// since it was looked at must not hang us. Regular files read the same, and Go
// need not try out whether they can be polled.
const openForReading = os.O_RDONLY | syscall.O_NONBLOCK

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

// openIdentity is for Windows: here inode and changeTime need no open file.
func openIdentity(*os.File) (volume, number uint64, changed int64) { return 0, 0, 0 }

// folderIdentity tells a folder from every other one.
func folderIdentity(dir string, st fs.FileInfo) folderMark {
	vol, ino := inode(st)
	return folderMark{vol, ino, birthTime(dir, st)}
}

// unlinked reports whether a folder that is held open was deleted.
func unlinked(st fs.FileInfo) bool {
	s, ok := st.Sys().(*syscall.Stat_t)
	return ok && s.Nlink == 0
}

// shortFolder returns path: it has one form.
func shortFolder(path string) string { return path }
