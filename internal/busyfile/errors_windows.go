package busyfile

import "golang.org/x/sys/windows"

// passing are the errors of files that another program has open. ERROR_ACCESS_DENIED
// is what a rename over an open file returns, and what a missing right returns, too.
var passing = []error{windows.ERROR_SHARING_VIOLATION, windows.ERROR_LOCK_VIOLATION, windows.ERROR_ACCESS_DENIED, windows.ERROR_DELETE_PENDING, windows.ERROR_USER_MAPPED_FILE}
