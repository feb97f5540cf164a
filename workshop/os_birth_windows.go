package workshop

import (
	"io/fs"
	"syscall"
)

// birthTime returns when the folder was made, in ns since 1970.
func birthTime(_ string, st fs.FileInfo) int64 {
	if s, ok := st.Sys().(*syscall.Win32FileAttributeData); ok {
		return s.CreationTime.Nanoseconds()
	}
	return 0
}
