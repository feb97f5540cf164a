package memory

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"atelier/internal/groupcommit"
	"atelier/internal/sqlitedb"
	"atelier/workshop"
)

// Memory is an open translation memory. It is safe for concurrent use.
type Memory struct {
	db      *sql.DB
	path    string
	writing sync.Mutex // held by Put
	puts    *groupcommit.Group[*entriesPut]
	// Now is the clock for entries without a date; nil is time.Now.
	Now func() time.Time
}

// version of the schema, stored as SQLite's user_version.
const version = 1

// The words table is contentless: it only maps the longest words of an entry
// to its id. Ids are never reused, so rows of deleted entries do no harm.
const schema = `
CREATE TABLE languages (id INTEGER PRIMARY KEY, tag TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE recipes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE entries (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	key INTEGER NOT NULL,     -- of the source: first 8 bytes of its SHA-256
	src INTEGER NOT NULL REFERENCES languages(id),
	dst INTEGER NOT NULL REFERENCES languages(id),
	origin INTEGER NOT NULL,  -- 1 person, 2 imported, 3 machine
	recipe INTEGER NOT NULL REFERENCES recipes(id),
	variant INTEGER NOT NULL, -- of imported entries the target's key, since files hold several targets for one source; else 0
	source TEXT NOT NULL,     -- tags numbered in order, no blanks at the ends
	target TEXT NOT NULL,
	document TEXT NOT NULL, place TEXT NOT NULL, author TEXT NOT NULL,
	changed INTEGER NOT NULL  -- milliseconds since 1970
) STRICT;
CREATE UNIQUE INDEX entries_key ON entries (key, dst, src, origin, recipe, variant);
CREATE VIRTUAL TABLE words USING fts5(w, content='', columnsize=0, detail=none, tokenize='ascii');
`

// Open opens the memory at path or creates it. A file that is not a memory,
// or that a newer Atelier wrote, is a workshop.Fault.
func Open(ctx context.Context, path string) (*Memory, error) {
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		return nil, workshop.Faultf(workshop.Invalid, "the translation memory %s is a folder; name a file", path).OnField("memory")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, workshop.Faultf(workshop.Invalid, "the folder of the translation memory cannot be made: %w", err).OnField("memory")
	}
	db, err := sqlitedb.Open(path, sqlitedb.Options{Sync: "FULL", Cache: 8 << 10, Checkpoint: 32 << 10})
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(4)
	m := &Memory{db: db, path: path}
	m.puts = groupcommit.New(2000, m.putGroup)
	if err := m.prepare(ctx); err != nil {
		db.Close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, workshop.Faultf(workshop.Invalid, "the translation memory %s cannot be used: %w", path, err).OnField("memory")
	}
	return m, nil
}

// prepare creates the schema. The transaction takes the write lock at its
// start, so that one of several processes creates the schema and the others
// see it.
func (m *Memory) prepare(ctx context.Context) error {
	have, err := m.version(ctx, m.db)
	if err != nil || have == version {
		return err
	}
	tx, err := m.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	switch have, err = m.version(ctx, tx); {
	case err != nil:
		return err
	case have == version:
		return nil
	case have > version:
		return fmt.Errorf("it was made by a newer Atelier (version %d of the memory); update Atelier", have)
	}
	var tables int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&tables); err != nil {
		return err
	}
	if tables > 0 {
		return errors.New("it is a database of something else; name another file")
	}
	if _, err := tx.ExecContext(ctx, schema+fmt.Sprintf("PRAGMA user_version = %d;", version)); err != nil {
		return err
	}
	return tx.Commit()
}

type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func (m *Memory) version(ctx context.Context, q querier) (v int, err error) {
	return v, q.QueryRowContext(ctx, "PRAGMA user_version").Scan(&v)
}

// Close closes the memory.
func (m *Memory) Close() error { return m.db.Close() }

func (m *Memory) now() time.Time {
	if m.Now != nil {
		return m.Now()
	}
	return time.Now()
}
