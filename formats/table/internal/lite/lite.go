// Package lite runs queries that nobody vouches for on SQLite databases in
// memory. It talks to the SQLite library beneath the database/sql driver,
// since only that has what keeps a query from reaching anything else: the
// authorizer, limits, and the answer to whether a statement only reads.
//
//	c, err := lite.Open()
//	defer c.Close()
//	err = c.Load("main", db)            // bytes of a database file, never written to
//	err = c.Lock(longest)               // from here on only queries
//	rows, err := c.Query(ctx, "SELECT count(*) FROM data")
package lite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"modernc.org/libc"
	_ "modernc.org/sqlite" // its init prepares the library
	sqlite3 "modernc.org/sqlite/lib"
)

// Conn is one connection; one goroutine at a time uses it.
type Conn struct {
	tls   *libc.TLS
	db    uintptr
	out   *[2]uintptr // what the library writes results to: on the heap, where nothing moves
	keep  [][]byte    // databases, which the library reads while the connection is open
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
)

// Open makes a connection with an empty main database.
func Open() (*Conn, error) {

	c := &Conn{tls: libc.NewTLS(), out: new([2]uintptr), guard: newGuard()}
	const flags = sqlite3.SQLITE_OPEN_READWRITE | sqlite3.SQLITE_OPEN_CREATE | sqlite3.SQLITE_OPEN_MEMORY | sqlite3.SQLITE_OPEN_NOMUTEX
	name := cstring(":memory:")
	rc := sqlite3.Xsqlite3_open_v2(c.tls, addr(name), c.slot(0), flags, 0)
	c.db = c.out[0]
	if rc != sqlite3.SQLITE_OK {
		err := c.fail(rc)
		c.Close()
		return nil, err
	}
	// Nothing goes to files, not even what a query sorts.
	if err := c.exec("PRAGMA temp_store=2"); err != nil {
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
	c.tls.Close()
	c.keep = nil
}

func (c *Conn) slot(i int) uintptr { return uintptr(unsafe.Pointer(&c.out[i])) }

// cstring is s for the library.
func cstring(s string) []byte { return append([]byte(s), 0) }

func addr(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

func (c *Conn) fail(rc int32) error {
	msg := "out of memory"
	if c.db != 0 {
		msg = libc.GoString(sqlite3.Xsqlite3_errmsg(c.tls, c.db))
	}
	return &Error{Code: int(rc & 0xff), Message: strings.ToValidUTF8(msg, "\uFFFD")}
}

// Load attaches a database as schema name ("main" is there already). db is not
// changed, and must not be.
func (c *Conn) Load(name string, db []byte) error {
	if name != "main" {
		if err := c.exec("ATTACH ':memory:' AS " + quote(name)); err != nil {
			return err
		}
	}
	z := cstring(name)
	n := int64(len(db))
	if rc := sqlite3.Xsqlite3_deserialize(c.tls, c.db, addr(z), addr(db), n, n, sqlite3.SQLITE_DESERIALIZE_READONLY); rc != sqlite3.SQLITE_OK {
		return c.fail(rc)
	}
	c.keep = append(c.keep, db)
	// Pages are then read where they lie instead of being copied.
	return c.exec(fmt.Sprintf("PRAGMA %s.mmap_size=%d", quote(name), n))
}

// View names a query, before Lock.
func (c *Conn) View(name, query string) error {
	return c.exec("CREATE TEMP VIEW " + quote(name) + " AS " + query)
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func (c *Conn) exec(sql string) error {
	z := cstring(sql)
	rc := sqlite3.Xsqlite3_exec(c.tls, c.db, addr(z), 0, 0, 0)
	if rc != sqlite3.SQLITE_OK {
		return c.fail(rc)
	}
	return nil
}

// prepare compiles the first statement of sql and gives the rest.
func (c *Conn) prepare(sql []byte) (stmt uintptr, rest []byte, err error) {
	c.out[0], c.out[1] = 0, 0
	rc := sqlite3.Xsqlite3_prepare_v2(c.tls, c.db, addr(sql), int32(len(sql)), c.slot(0), c.slot(1))
	if rc != sqlite3.SQLITE_OK {
		return 0, nil, c.fail(rc)
	}
	if tail := int(c.out[1] - addr(sql)); c.out[1] != 0 && tail >= 0 && tail < len(sql) {
		rest = sql[tail:]
	}
	return c.out[0], rest, nil
}

// Query prepares one statement that only reads. Close the rows.
func (c *Conn) Query(ctx context.Context, sql string) (*Rows, error) {
	if strings.IndexByte(sql, 0) >= 0 {
		return nil, &Error{Code: sqlite3.SQLITE_ERROR, Message: "the statement holds a NUL character"}
	}
	if err := c.guard.start(ctx); err != nil {
		return nil, err
	}
	z := cstring(sql)
	stmt, rest, err := c.prepare(z)
	if err != nil {
		return nil, c.guard.explain(err)
	}
	r := &Rows{c: c, stmt: stmt}
	// What follows must be blanks, comments and semicolons.
	for err == nil && len(rest) > 1 {
		var next uintptr
		if next, rest, err = c.prepare(rest); next != 0 {
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
