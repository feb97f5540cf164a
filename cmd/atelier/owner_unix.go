//go:build unix

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ownerHint says of an error about a path without permission whose that path is and
// who this process is: in a container the folders are those of another machine's
// users. "" for any other error.
func ownerHint(err error) string {
	var at *fs.PathError
	if !errors.As(err, &at) {
		return ""
	}
	if errors.Is(err, syscall.EROFS) {
		return "\n  The file system there is read-only; in a container, mount a writable folder there."
	}
	if !errors.Is(err, fs.ErrPermission) {
		return ""
	}
	path := at.Path
	st, err := os.Stat(path)
	for err != nil {
		up := filepath.Dir(path)
		if up == path {
			return ""
		}
		path = up
		st, err = os.Stat(path)
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("\n  %s belongs to user %d and group %d (%v); this process is user %d and group %d. Run it as that user, or let this one in.",
		path, sys.Uid, sys.Gid, st.Mode(), os.Geteuid(), os.Getegid())
}
