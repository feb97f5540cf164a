package workshop

import (
	"io/fs"
	"os"
)

const onWindows = true

// openForReading is how files are opened.
const openForReading = os.O_RDONLY

// syncDir does nothing: Windows has no sync of folders.
func syncDir(string) error { return nil }

// inode is unknown without opening the file; size and time must do.
func inode(fs.FileInfo) (volume, number uint64) { return 0, 0 }

// readDir lists a folder by name and type.
func readDir(f *os.File) ([]os.DirEntry, error) { return f.ReadDir(-1) }

// unlinked returns false: an open folder cannot be deleted.
func unlinked(fs.FileInfo) bool { return false }
