//go:build !linux && !darwin

package workshop

import "io/fs"

// changeTime is not known here; size, modification time and inode must do.
func changeTime(fs.FileInfo) int64 { return 0 }
