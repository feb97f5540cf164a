package lite

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	_ "modernc.org/sqlite" // its init prepares the library
	sqlite3 "modernc.org/sqlite/lib"

	"atelier/internal/quote"
)

// Conn is one connection; one goroutine at a time uses it.
type Conn struct {
	tls   *libc.TLS
	db    uintptr
	out   uintptr     // two pointers that the library writes results to
	keep  []*Database // which the library reads while the connection is open
	guard *guard
}

// Error is what SQLite says of a statement.
type Error struct {
	Code    int // primary result code
	Message string
}

func (e *Error) Error() string { return e.Message }

// The failures that are not SQLite's own.
var (
	ErrNotQuery = errors.New("only one SELECT, WITH, VALUES or EXPLAIN statement is allowed")
	ErrMemory   = errors.New("the query needs too much memory")
	ErrSteps    = errors.New("the query takes too many steps")
)

// Open makes a connection with an empty main database.
func Open() (*Conn, error) {

	c := &Conn{tls: libc.NewTLS(), guard: newGuard()}
	if c.out = libc.Xcalloc(c.tls, 2, ptrSize); c.out == 0 {
		c.Close()
		return nil, ErrMemory
	}
	const flags = sqlite3.SQLITE_OPEN_READWRITE | sqlite3.SQLITE_OPEN_CREATE | sqlite3.SQLITE_OPEN_MEMORY | sqlite3.SQLITE_OPEN_NOMUTEX
	err := c.with(":memory:", func(name uintptr) error {
		rc := sqlite3.Xsqlite3_open_v2(c.tls, name, c.out, flags, 0)
		c.db = c.result(0)
		return c.check(rc)
	})
	if err == nil {
		// Nothing goes to files, not even what a query sorts.
		err = c.exec("PRAGMA temp_store=2")
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Close frees the connection; rows of it must be closed before.
func (c *Conn) Close() {
	c.guard.drop()
	if c.db != 0 {
		sqlite3.Xsqlite3_close_v2(c.tls, c.db)
		c.db = 0
	}
	libc.Xfree(c.tls, c.out)
	c.tls.Close()
	c.keep = nil
}

const ptrSize = types.Size_t(unsafe.Sizeof(uintptr(0)))

// result is pointer i of those that the library wrote.
func (c *Conn) result(i int) uintptr {
	b := libc.GoBytes(c.out+uintptr(i)*uintptr(ptrSize), int(ptrSize))
	if ptrSize == 4 {
		return uintptr(binary.NativeEndian.Uint32(b))
	}
	return uintptr(binary.NativeEndian.Uint64(b))
}

// with calls f with a copy of s, NUL-terminated, that lives as long as the call.
func (c *Conn) with(s string, f func(z uintptr) error) error {
	z, err := libc.CString(s)
	if err != nil {
		return ErrMemory
	}
	defer libc.Xfree(c.tls, z)
	return f(z)
}

// check turns a result code into an error, nil for SQLITE_OK.
func (c *Conn) check(rc int32) error {
	if rc == sqlite3.SQLITE_OK {
		return nil
	}
	msg := "out of memory"
	if c.db != 0 {
		msg = libc.GoString(sqlite3.Xsqlite3_errmsg(c.tls, c.db))
	}
	return &Error{Code: int(rc & 0xff), Message: strings.ToValidUTF8(msg, "\uFFFD")}
}

// Load attaches a database as schema name ("main" is there already).
func (c *Conn) Load(name string, db *Database) error {
	if name != "main" {
		if err := c.exec("ATTACH ':memory:' AS " + quote.Double(name)); err != nil {
			return err
		}
	}
	err := c.with(name, func(z uintptr) error {
		return c.check(sqlite3.Xsqlite3_deserialize(c.tls, c.db, z, db.mem.at, db.size, db.size, sqlite3.SQLITE_DESERIALIZE_READONLY))
	})
	if err != nil {
		return err
	}
	c.keep = append(c.keep, db)
	// Pages are then read where they lie instead of being copied.
	return c.exec(fmt.Sprintf("PRAGMA %s.mmap_size=%d", quote.Double(name), db.size))
}

// View names a query, before Lock.
func (c *Conn) View(name, query string) error {
	return c.exec("CREATE TEMP VIEW " + quote.Double(name) + " AS " + query)
}

func (c *Conn) exec(sql string) error {
	return c.with(sql, func(z uintptr) error {
		return c.check(sqlite3.Xsqlite3_exec(c.tls, c.db, z, 0, 0, 0))
	})
}

// prepare compiles the first statement of the text at z and gives the address
// after it; stmt is 0 when there is none.
func (c *Conn) prepare(z uintptr) (stmt, tail uintptr, err error) {
	rc := sqlite3.Xsqlite3_prepare_v2(c.tls, c.db, z, -1, c.out, c.out+uintptr(ptrSize))
	if err := c.check(rc); err != nil {
		return 0, 0, err
	}
	return c.result(0), c.result(1), nil
}

// Query prepares one statement that only reads. Its rows end with ErrSteps once
// SQLite's machine has taken that many steps, which does not depend on how busy
// the computer is. Close the rows.
func (c *Conn) Query(ctx context.Context, sql string, steps int64) (r *Rows, err error) {
	if strings.IndexByte(sql, 0) >= 0 {
		return nil, &Error{Code: sqlite3.SQLITE_ERROR, Message: "the statement holds a NUL character"}
	}
	if err := c.guard.start(ctx, steps); err != nil {
		return nil, err
	}
	err = c.with(sql, func(z uintptr) error {
		r, err = c.only(z, z+uintptr(len(sql)))
		return err
	})
	return r, err
}

// only prepares the statement at z, and refuses any but a single query.
func (c *Conn) only(z, end uintptr) (*Rows, error) {
	stmt, tail, err := c.prepare(z)
	if err != nil {
		return nil, c.guard.explain(err)
	}
	r := &Rows{c: c, stmt: stmt}
	// What follows must be blanks, comments and semicolons.
	for err == nil && tail > z && tail < end {
		var next uintptr
		z = tail
		if next, tail, err = c.prepare(tail); next != 0 {
			sqlite3.Xsqlite3_finalize(c.tls, next)
			err = ErrNotQuery
		}
	}
	if err != nil || stmt == 0 || sqlite3.Xsqlite3_stmt_readonly(c.tls, stmt) == 0 || sqlite3.Xsqlite3_column_count(c.tls, stmt) == 0 {
		r.Close()
		return nil, ErrNotQuery
	}
	return r, nil
}
