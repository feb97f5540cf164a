// Package regularfile opens files in folders that others write to. What is no regular file
// any more when it is opened, such as a pipe that took its place, is refused at once: opening
// a pipe would wait for its writer, and a device may have no end.
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
