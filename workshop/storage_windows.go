package workshop

import "golang.org/x/sys/windows"

// Windows does not replace a file that a program such as Excel holds open: a
// sharing violation, a lock violation, or access denied.
var (
	fullErrnos     = []windows.Errno{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL, windows.ERROR_DISK_QUOTA_EXCEEDED}
	readOnlyErrnos = []windows.Errno{windows.ERROR_WRITE_PROTECT}
	busyErrnos     = []windows.Errno{windows.ERROR_SHARING_VIOLATION, windows.ERROR_LOCK_VIOLATION, windows.ERROR_USER_MAPPED_FILE, windows.ERROR_DELETE_PENDING, windows.ERROR_ACCESS_DENIED}
)
