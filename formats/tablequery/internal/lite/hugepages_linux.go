package lite

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

const hugePage = 2 << 20

// useHugePages asks the system for large pages of a block of memory that is about to be
// filled: each page of 4 KiB costs a fault, a quarter of the time of loading a table. It
// does nothing where that cannot be.
func useHugePages(b []byte) {
	from := -uintptr(unsafe.Pointer(unsafe.SliceData(b))) % hugePage
	if n := len(b) - int(from); n >= hugePage {
		_ = unix.Madvise(b[from:][:n/hugePage*hugePage], unix.MADV_HUGEPAGE)
	}
}
