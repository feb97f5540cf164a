//go:build unix

package workshop

import "syscall"

var (
	fullErrnos     = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}
	readOnlyErrnos = []syscall.Errno{syscall.EROFS, syscall.EPERM, syscall.EACCES}
	busyErrnos     = []syscall.Errno{syscall.ETXTBSY, syscall.EBUSY}
)
