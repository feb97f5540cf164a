// Package accounts stores who may use which workspace of a served Atelier: users,
// workspaces and memberships, in one SQLite file in the data folder. A workspace
// is a workbench and has the id of the workbench.
//
//	store, err := accounts.Open(home, accounts.Options{})
//	ann, err := store.AddUser(ctx, "ann@example.org", "Ann")
//	ws, err := store.AddWorkspace(ctx, workbenchID, "Contracts", ann.ID)
//	access, err := store.Access(ctx, ws.ID, ann.ID)
//
// Several processes may use it at once: the command line administers it while a
// server runs. Errors are *workshop.Fault.
package accounts

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"atelier/internal/sqlitedb"
	"github.com/google/uuid"
)

// File is the name of the database inside the data folder.
const File = "accounts.db"

// connections is how many queries run in parallel.
const connections = 8

const schema = `
CREATE TABLE IF NOT EXISTS users (
  id TEXT PRIMARY KEY, email TEXT NOT NULL, email_key TEXT NOT NULL UNIQUE, full_name TEXT NOT NULL, created_at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS workspaces (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, owner_id TEXT NOT NULL REFERENCES users(id), created_at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS members (         -- the owner has no row of its own
  workspace_id TEXT NOT NULL REFERENCES workspaces(id), user_id TEXT NOT NULL REFERENCES users(id), added_at TEXT NOT NULL,
  PRIMARY KEY (workspace_id, user_id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS revocations (     -- access tokens issued up to that second, Unix time, count no more
  user_id TEXT PRIMARY KEY REFERENCES users(id), issued_until INTEGER NOT NULL) WITHOUT ROWID;
`

// Options configure a Store; the zero value works.
type Options struct {
	Now   func() time.Time // clock; nil is time.Now
	NewID func() string    // UUIDv7 by default
}

// Store is the database of accounts. It is safe for concurrent use.
type Store struct {
	db    *sql.DB
	now   func() time.Time
	newID func() string
}

// Open opens the accounts of a data folder and creates both if they do not
// exist.
func Open(home string, o Options) (*Store, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = func() string { return uuid.Must(uuid.NewV7()).String() }
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, err
	}
	path, err := filepath.Abs(filepath.Join(home, File))
	if err != nil {
		return nil, err
	}
	// The file has e-mail addresses. It is created here, so that other users
	// can never read it.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	db, err := sqlitedb.Open(path, sqlitedb.Options{Sync: "FULL"})
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections) // opening one costs more than a query
	if _, err := db.ExecContext(context.Background(), schema); err != nil {
		db.Close()
		return nil, fmt.Errorf("%s cannot be used: %w", path, err)
	}
	return &Store{db: db, now: o.Now, newID: o.NewID}, nil
}

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }

// inTx runs f in a transaction, which is committed if f returns nil.
func (s *Store) inTx(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		tx.Rollback()
		return err
	}
	return tx.Commit()
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
