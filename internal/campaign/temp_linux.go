package campaign

import (
	"os"

	"golang.org/x/sys/unix"
)

// memory is a file system in memory, which is there on most Linux machines.
const memory = "/dev/shm"

// roomy is how much room it must have, in bytes, so that tests cannot fill it.
const roomy = 6 << 30

// Tests write and sync many small files, and a sync on a disk takes longer than
// the rest of such a test. So go test by itself makes temporary folders in memory,
// unless TMPDIR says where; continuous integration's larger samples use the disk.
func init() {
	if os.Getenv("TMPDIR") != "" || os.Getenv("ATELIER_CAMPAIGN") != "" {
		return
	}
	var st unix.Statfs_t
	if unix.Statfs(memory, &st) != nil || st.Type != unix.TMPFS_MAGIC || uint64(st.Bavail)*uint64(st.Bsize) < roomy || unix.Access(memory, unix.W_OK) != nil {
		return
	}
	os.Setenv("TMPDIR", memory)
}
