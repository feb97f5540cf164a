// Package regularfile opens regular files in folders that others write to, and refuses
// anything else at once. Somebody may have put a pipe in the place of a file: opening it would
// wait for a writer. Reading a device may never end.
//
//	f, err := regularfile.Open(path)
package regularfile

import (
	"errors"
	"fmt"
	"os"
)

// ErrNot says that something is not a regular file.
var ErrNot = errors.New("not a regular file")

// Open opens a regular file, or one that a symbolic link names, for reading.
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, flags, 0)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = fmt.Errorf("%s: %w", path, ErrNot)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
