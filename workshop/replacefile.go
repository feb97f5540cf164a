package workshop

import (
	"errors"
	"os"
	"path/filepath"
)

// ReplaceFile writes a file of the data folder as a whole, readable by its owner
// only: after a crash it is the old one or the new one, never a part.
func ReplaceFile(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "tmp-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails once it is renamed
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}
