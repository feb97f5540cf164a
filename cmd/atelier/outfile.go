package main

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// The rights of files that a person names: a review has whole documents in it and
// is for their eyes only, the rest is as the system makes files (the umask counts).
const (
	forOwner fs.FileMode = 0o600
	forAll   fs.FileMode = 0o666
)

// writeOut makes the file that a person named of what write produces: wholly, or
// not at all, in which case what was there stays. A file that is there keeps its
// rights, one marked read-only is not replaced, and a link to it stays a link. What is no file, such as a pipe, is
// written as it comes.
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
	if there && st.Mode().Perm()&0o200 == 0 { // a rename would not mind
		return &fs.PathError{Op: "write", Path: path, Err: fs.ErrPermission}
	}
	// A name of its own, not that of path with something added: it may be as long
	// as names can be.
	tmp := filepath.Join(filepath.Dir(path), ".atelier-"+rand.Text()+".tmp")
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, rights)
	if err != nil {
		return err
	}
	defer os.Remove(tmp) // fails once renamed, as it should
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
	return os.Rename(tmp, path)
}

// writeOutBytes is writeOut of b.
func writeOutBytes(path string, rights fs.FileMode, b []byte) error {
	return writeOut(path, rights, func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(b))
		return err
	})
}
