package workshop

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// The causes of a write that the system refused (K-07); errors.Is finds them
// in a fault.
var (
	// ErrDiskFull: no space, quota or allowed file size is left.
	ErrDiskFull = errors.New("the disk is full")
	// ErrNotWritable: a file or folder is read-only or may not be changed.
	ErrNotWritable = errors.New("not writable")
	// ErrNotReadable: a file or folder may not be read.
	ErrNotReadable = errors.New("not readable")
	// ErrBusy: another program holds a file open so that it cannot be replaced.
	ErrBusy = errors.New("open in another program")
)

// StorageFault gives an error of the operating system or of a database of ours
// the form people can act on, where it is about space, rights or other programs;
// others stay as they are.
func StorageFault(err error) error { return storageFault(err) }

// storageFault gives an error of the operating system or the database the form
// people can act on. Faults and errors of other kinds stay as they are.
func storageFault(err error) error {
	var fault *Fault
	if err == nil || errors.As(err, &fault) {
		return err
	}
	if isCorrupt(err) {
		return damagedState("", fmt.Sprintf("cannot be read (%v)", err), err)
	}
	var cause error
	hint := ""
	switch {
	case isFull(err):
		cause, hint = ErrDiskFull, "free some space and try again; nothing was lost"
	case isBusy(err):
		cause, hint = ErrBusy, "close it there and try again"
	case isReadOnly(err):
		cause, hint = ErrNotWritable, "make the file and its folder writable and try again"
	default:
		return err
	}
	if db := (*sqlite.Error)(nil); errors.As(err, &db) {
		err = fmt.Errorf("the data of the workbench cannot be written: %w", err)
	}
	f := &Fault{Code: Internal, Message: err.Error(), Err: errors.Join(cause, err), Hint: hint, Retryable: true}
	var at *pathError
	if errors.As(err, &at) {
		f.Paths = []string{string(at.path)}
	}
	return f
}

func isFull(err error) bool {
	var db *sqlite.Error
	if errors.As(err, &db) {
		return db.Code()&0xff == sqlite3.SQLITE_FULL
	}
	return errnoIn(err, fullErrnos)
}

func isReadOnly(err error) bool {
	var db *sqlite.Error
	if errors.As(err, &db) {
		switch db.Code() & 0xff {
		case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR:
			return true
		}
	}
	return errors.Is(err, fs.ErrPermission) || errnoIn(err, readOnlyErrnos)
}

func isBusy(err error) bool { return errnoIn(err, busyErrnos) }

func errnoIn[E error](err error, set []E) bool {
	for _, e := range set {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// pathError says which path of the workbench an error is about.
type pathError struct {
	path Path
	err  error
}

func (e *pathError) Error() string { return fmt.Sprintf("%s: %v", e.path, e.err) }
func (e *pathError) Unwrap() error { return e.err }

// onPath names the path an error of the file system is about.
func onPath(p Path, err error) error {
	var fault *Fault
	if err == nil || errors.As(err, &fault) || errors.Is(err, errSimulatedCrash) {
		return err
	}
	return &pathError{p, err}
}

// publishError says that nothing was published, and why. A file that another
// program holds open, or that must not be changed, is a Conflict that names it.
func publishError(err error) error {
	const nothing = "nothing was published: "
	var fault *Fault
	if errors.As(err, &fault) {
		if fault.Code == Internal && !strings.HasPrefix(fault.Message, nothing) {
			f := *fault
			f.Message = nothing + f.Message
			return &f
		}
		return err
	}
	err = storageFault(fmt.Errorf(nothing+"%w", err))
	if f := (*Fault)(nil); errors.As(err, &f) && errors.Is(f, ErrBusy) {
		f.Code = Conflict
		f.Hint = "the file is open in another program, or may not be changed; close it there and publish again"
	}
	return err
}
