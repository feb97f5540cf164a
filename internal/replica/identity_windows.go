package replica

import "io/fs"

// identity is not known: the other members of a look tell changes.
func identity(fs.FileInfo) (inode uint64, ctime int64) { return 0, 0 }
