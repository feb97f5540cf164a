package lite

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"atelier/internal/budget"
)

// MaxMemory is what all queries of the process may use together, in bytes,
// beside the databases they read; half of budget.Process where that is less.
var MaxMemory int64 = 512 << 20

// checkEvery is how many steps of SQLite's machine pass between two looks at
// the context, the steps and the memory; one step allocates at most one value.
const checkEvery = 200

// pageCaches is how much memory the page caches of all databases of the program grow
// to, in bytes: beyond it a connection uses a page again instead of allocating another.
const pageCaches = 48 << 20

// init lets the library count its memory, which must be said before its first
// use, and bounds what page caches of many open databases take.
func init() {
	tls := libc.NewTLS()
	defer tls.Close()
	args := libc.Xmalloc(tls, 16)
	defer libc.Xfree(tls, args)
	sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_MEMSTATUS, libc.VaList(args, int32(1)))
	sqlite3.Xsqlite3_soft_heap_limit64(tls, pageCaches)
}

// guard stops the query of one connection that takes too many steps or grows too
// large. It is used by the goroutine of the connection only.
type guard struct {
	id     uintptr
	ctx    context.Context
	looks  int64 // that the query may still take, of checkEvery steps each
	reason error
	denied string          // what the authorizer refused
	named  map[string]bool // columns that a statement names, in lower case; nil: not noted
}

var (
	guards  sync.Map // id → *guard
	guardID atomic.Uintptr
)

func newGuard() *guard {
	g := &guard{id: guardID.Add(1), ctx: context.Background(), looks: 1 << 40}
	guards.Store(g.id, g)
	return g
}

func (g *guard) drop() { guards.Delete(g.id) }

func (g *guard) start(ctx context.Context, steps int64) error {
	g.ctx, g.reason, g.denied, g.looks = ctx, nil, "", max(1, steps/checkEvery)
	return ctx.Err()
}

// explain gives the reason a statement was stopped for, when it was.
func (g *guard) explain(err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	switch {
	case g.reason != nil:
		return g.reason
	case e.Code == sqlite3.SQLITE_AUTH && g.denied != "":
		return &Error{Code: e.Code, Message: g.denied}
	case e.Code == sqlite3.SQLITE_NOMEM:
		return ErrMemory
	}
	return err
}

func onProgress(tls *libc.TLS, id uintptr) int32 {
	v, ok := guards.Load(id)
	if !ok {
		return 1
	}
	g := v.(*guard)
	if err := g.ctx.Err(); err != nil {
		g.reason = err
		return 1
	}
	if g.looks--; g.looks < 0 {
		g.reason = ErrSteps
		return 1
	}
	if sqlite3.Xsqlite3_memory_used(tls) > min(MaxMemory, budget.Process.Limit()/2) {
		g.reason = ErrMemory
		return 1
	}
	return 0
}

// forbidden functions: they reach files, other code, or the library itself.
var forbidden = map[string]bool{
	"load_extension": true, "readfile": true, "writefile": true, "edit": true, "fts3_tokenizer": true,
	"fts5": true, "fts5_source_id": true, "sqlite_log": true, "sqlite_offset": true, "sqlite_compileoption_get": true, "sqlite_compileoption_used": true,
}

// onAuthorize allows what a query needs and nothing else.
func onAuthorize(_ *libc.TLS, id uintptr, action int32, a, b, _, view uintptr) int32 {
	what := ""
	switch action {
	case sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE:
		return sqlite3.SQLITE_OK
	case sqlite3.SQLITE_READ:
		switch name := strings.ToLower(libc.GoString(a)); {
		case name == "dbstat", strings.HasPrefix(name, "sqlite_dbpage"), strings.HasPrefix(name, "pragma_"), strings.HasPrefix(name, "fts"):
			what = "the table " + name
		default:
			// What a view of ours reads is no name of the statement.
			if v, ok := guards.Load(id); ok && v.(*guard).named != nil && view == 0 {
				v.(*guard).named[strings.ToLower(libc.GoString(b))] = true
			}
			return sqlite3.SQLITE_OK
		}
	case sqlite3.SQLITE_FUNCTION:
		name := strings.ToLower(libc.GoString(b))
		if !forbidden[name] {
			return sqlite3.SQLITE_OK
		}
		what = "the function " + name
	case sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH:
		what = "ATTACH"
	case sqlite3.SQLITE_PRAGMA:
		what = "PRAGMA"
	default:
		what = "a statement that changes data or settings"
	}
	if v, ok := guards.Load(id); ok {
		v.(*guard).denied = what + " is not allowed: a query can only read the table"
	}
	return sqlite3.SQLITE_DENY
}

// Lock leaves nothing but queries: no other statement is compiled any more. A
// value has at most longest bytes, or 1 MiB.
func (c *Conn) Lock(longest int) error {
	err := c.exec("PRAGMA trusted_schema=0; PRAGMA query_only=1")
	if err != nil {
		return err
	}
	args := libc.Xcalloc(c.tls, 4, 8)
	defer libc.Xfree(c.tls, args)
	for op, on := range map[int32]int32{
		sqlite3.SQLITE_DBCONFIG_DEFENSIVE: 1, sqlite3.SQLITE_DBCONFIG_ENABLE_TRIGGER: 0,
		sqlite3.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION: 0, sqlite3.SQLITE_DBCONFIG_DQS_DML: 0, sqlite3.SQLITE_DBCONFIG_DQS_DDL: 0,
		sqlite3.SQLITE_DBCONFIG_TRUSTED_SCHEMA: 0, sqlite3.SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER: 0,
	} {
		va := libc.VaList(args, on, uintptr(0))
		if err := c.check(sqlite3.Xsqlite3_db_config(c.tls, c.db, op, va)); err != nil {
			return err
		}
	}
	for id, n := range map[int32]int32{
		sqlite3.SQLITE_LIMIT_LENGTH: int32(min(max(longest, 1<<20), 64<<20)), sqlite3.SQLITE_LIMIT_SQL_LENGTH: 100_000,
		sqlite3.SQLITE_LIMIT_ATTACHED: 0, sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 200, sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 100,
		sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1000, sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1, sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
	} {
		sqlite3.Xsqlite3_limit(c.tls, c.db, id, n)
	}
	sqlite3.Xsqlite3_set_authorizer(c.tls, c.db, *(*uintptr)(unsafe.Pointer(&struct {
		f func(*libc.TLS, uintptr, int32, uintptr, uintptr, uintptr, uintptr) int32
	}{onAuthorize})), c.guard.id)
	sqlite3.Xsqlite3_progress_handler(c.tls, c.db, checkEvery, *(*uintptr)(unsafe.Pointer(&struct {
		f func(*libc.TLS, uintptr) int32
	}{onProgress})), c.guard.id)
	return nil
}
