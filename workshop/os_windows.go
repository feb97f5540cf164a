package workshop

import (
	"io/fs"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
)

const onWindows = true

// openForReading is how files are opened.
const openForReading = os.O_RDONLY

// syncDir does nothing: Windows has no sync of folders.
func syncDir(string) error { return nil }

// inode is unknown without opening the file; size and time must do.
func inode(fs.FileInfo) (volume, number uint64) { return 0, 0 }

// openIdentity returns the serial number of an open file's volume, the file's number
// on it and when the file was last changed, in 100 ns since 1601; zeros where the
// file system does not say. NTFS does not use a number again: it contains a count.
func openIdentity(f *os.File) (volume, number uint64, changed int64) {
	h := windows.Handle(f.Fd())
	var id windows.ByHandleFileInformation
	if windows.GetFileInformationByHandle(h, &id) == nil {
		volume, number = uint64(id.VolumeSerialNumber), uint64(id.FileIndexHigh)<<32|uint64(id.FileIndexLow)
	}
	var basic struct{ created, accessed, written, changed, attributes int64 } // FILE_BASIC_INFO
	if windows.GetFileInformationByHandleEx(h, windows.FileBasicInfo, (*byte)(unsafe.Pointer(&basic)), uint32(unsafe.Sizeof(basic))) == nil {
		changed = basic.changed
	}
	return volume, number, changed
}

// folderIdentity tells a folder from every other one. Its time of birth is not
// used: Windows gives a folder that is made in the place of one just deleted the
// times of that one.
func folderIdentity(dir string, _ fs.FileInfo) folderMark {
	f, err := os.Open(dir)
	if err != nil {
		return folderMark{}
	}
	defer f.Close()
	volume, number, _ := openIdentity(f)
	return folderMark{Volume: volume, Inode: number}
}

// shortFolder returns the usual form of a folder's path that begins with \\?\, such as
// C:\docs for \\?\C:\docs and \\server\share for \\?\UNC\server\share, so that a folder
// has one workbench. A path whose usual form names something else stays as it is.
func shortFolder(path string) string {
	rest, long := strings.CutPrefix(path, `\\?\`)
	if !long {
		return path
	}
	if len(rest) > 4 && strings.EqualFold(rest[:4], `UNC\`) {
		rest = `\\` + rest[4:]
	} else if len(rest) < 3 || rest[1] != ':' || rest[2] != '\\' {
		return path // such as \\?\Volume{…}
	}
	a, err := os.Stat(path)
	if err != nil {
		return path
	}
	if b, err := os.Stat(rest); err != nil || !os.SameFile(a, b) {
		return path
	}
	return rest
}

// readDir lists a folder by name and type.
func readDir(f *os.File) ([]os.DirEntry, error) { return f.ReadDir(-1) }

// unlinked returns false: an open folder cannot be deleted.
func unlinked(fs.FileInfo) bool { return false }
