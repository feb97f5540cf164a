package workshop

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"atelier/internal/quote"
)

// isCorrupt reports whether a database found that its file is not what it wrote.
func isCorrupt(err error) bool {
	var db *sqlite.Error
	if !errors.As(err, &db) {
		return false
	}
	code := db.Code() & 0xff
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB
}

// damagedState returns the fault of a state database that is not what was written.
func damagedState(root, what string, cause error) *Fault {
	dir := "DIR"
	if root != "" {
		dir = quote.Argument(root)
	}
	f := Faultf(Internal, "the state database (draft, checkpoints, versions) %s; the kept contents and the conversation are still there", what)
	f.Err = errors.Join(ErrDamaged, cause)
	f.Hint = fmt.Sprintf("what is damaged is named by: atelier doctor --in %s; atelier doctor --repair --in %s rebuilds what can be had, says what is lost and deletes nothing", dir, dir)
	return f
}

// keptSomething reports whether a workbench was in use: its database cannot be one
// that was never begun then.
func keptSomething(dir string) bool {
	for _, name := range []string{"conversation.jsonl", "workbench.db-wal"} {
		if st, err := os.Stat(filepath.Join(dir, name)); err == nil && st.Size() > 0 {
			return true
		}
	}
	found, _ := filepath.Glob(filepath.Join(dir, "objects", "??", "*"))
	return len(found) > 0
}

// lostDB returns the fault of a database that is gone or empty beside what it was to
// describe. nil: it is there, or was never begun.
func lostDB(dir, root string) error {
	st, err := os.Stat(filepath.Join(dir, "workbench.db"))
	gone := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !gone, err == nil && st.Size() > 0, !keptSomething(dir):
		return nil
	case gone:
		return damagedState(root, "is gone", nil)
	}
	return damagedState(root, "is empty", nil)
}

// damagedOpening gives what opening a database found the form people can act on.
func damagedOpening(root string, err error) error {
	var f *Fault
	switch {
	case errors.As(err, &f) && errors.Is(f, ErrDamaged):
		named := *f
		named.Hint = strings.ReplaceAll(f.Hint, "--in DIR", "--in "+quote.Argument(root))
		return &named
	case isCorrupt(err):
		return damagedState(root, fmt.Sprintf("cannot be read (%v)", err), err)
	}
	return err
}
