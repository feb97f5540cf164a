package main

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"atelier/internal/busyfile"
)

// The permissions of files that a person names: a review contains whole
// documents, so only its owner may read it; other files get the system's
// default (umask).
const (
	forOwner fs.FileMode = 0o600
	forAll   fs.FileMode = 0o666
)

// writeOut writes the file that a person named: completely, or not at all, in
// which case the existing file stays. An existing file keeps its permissions,
// a read-only file is not replaced, and a link stays a link. Anything else
// than a file, such as a pipe, is written directly.
func writeOut(path string, rights fs.FileMode, write func(io.Writer) error) (err error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	st, err := os.Stat(path)
	there := err == nil
	if there && !st.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	if there && st.Mode().Perm()&0o200 == 0 { // a rename would ignore it
		return &fs.PathError{Op: "write", Path: path, Err: fs.ErrPermission}
	}
	// A fixed name instead of one derived from path, which may already have
	// the maximum length.
	tmp := filepath.Join(filepath.Dir(path), ".atelier-"+rand.Text()+".tmp")
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, rights)
	if err != nil {
		return err
	}
	defer os.Remove(tmp) // fails after the rename, as intended
	err = write(f)
	if err == nil && there {
		err = f.Chmod(st.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return busyfile.Rename(tmp, path)
}

// writeOutBytes is writeOut for b.
func writeOutBytes(path string, rights fs.FileMode, b []byte) error {
	return writeOut(path, rights, func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(b))
		return err
	})
}
