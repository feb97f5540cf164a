package workshop

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"

	"atelier/internal/sqlitedb"
)

// schema is workbench.db. Every statement can be run again.
const schema = `
DROP TABLE IF EXISTS hashes;
CREATE TABLE IF NOT EXISTS file_hashes (     -- of published files, while they look the same
  path TEXT PRIMARY KEY, size INTEGER, mtime INTEGER, ctime INTEGER, inode INTEGER, hash TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS draft (           -- one row while a draft is open
  id TEXT PRIMARY KEY, created_at TEXT, source_kind TEXT, source_ref TEXT);
CREATE TABLE IF NOT EXISTS draft_entries (   -- the overlay over published
  path TEXT PRIMARY KEY, kind TEXT, hash TEXT, size INTEGER, base_hash TEXT, modified TEXT, identity TEXT NOT NULL DEFAULT '',
  copied_hash TEXT NOT NULL DEFAULT '', copied_from TEXT NOT NULL DEFAULT '') WITHOUT ROWID; -- the content it was copied from, and its path then
CREATE TABLE IF NOT EXISTS revisions (       -- one for each change of the draft
  id INTEGER PRIMARY KEY AUTOINCREMENT, draft_id TEXT, message_id TEXT, tool TEXT, author TEXT, at TEXT);
CREATE TABLE IF NOT EXISTS revision_entries (-- rows after the change; kind '' where the row was dropped
  revision INTEGER, path TEXT, kind TEXT, hash TEXT, size INTEGER, base_hash TEXT, identity TEXT NOT NULL DEFAULT '',
  copied_hash TEXT NOT NULL DEFAULT '', copied_from TEXT NOT NULL DEFAULT '');
CREATE INDEX IF NOT EXISTS revision_entries_by ON revision_entries(revision);
CREATE TABLE IF NOT EXISTS checkpoints (
  id TEXT PRIMARY KEY, at TEXT, reason TEXT, description TEXT);
CREATE TABLE IF NOT EXISTS checkpoint_entries (  -- what a publish replaced; '' where nothing was or is
  checkpoint_id TEXT, path TEXT, old_hash TEXT, new_hash TEXT);
CREATE INDEX IF NOT EXISTS checkpoint_entries_by ON checkpoint_entries(checkpoint_id);
CREATE TABLE IF NOT EXISTS versions (        -- every content a published file had through us
  id TEXT PRIMARY KEY, path TEXT, hash TEXT, size INTEGER, author TEXT, checkpoint_id TEXT, at TEXT, file_id TEXT NOT NULL DEFAULT '');
CREATE INDEX IF NOT EXISTS versions_by ON versions(path);
CREATE TABLE IF NOT EXISTS files (           -- published files and folders that have an identity
  id TEXT PRIMARY KEY, path TEXT, identity TEXT, hash TEXT, size INTEGER, deleted_at TEXT) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS files_by ON files(path);
CREATE TABLE IF NOT EXISTS intents (         -- a publish under way; committed: roll forward, else back
  id TEXT PRIMARY KEY, checkpoint_id TEXT, committed INTEGER);
CREATE TABLE IF NOT EXISTS intent_targets (
  intent TEXT, path TEXT, kind TEXT, old_hash TEXT, new_hash TEXT, size INTEGER, identity TEXT NOT NULL DEFAULT '', author TEXT NOT NULL DEFAULT '');
CREATE TABLE IF NOT EXISTS intent_rows (     -- rows that leave the draft when the intent is done
  intent TEXT, path TEXT);
CREATE TABLE IF NOT EXISTS intent_undo (     -- an intent that also takes the draft and the conversation back
  intent TEXT PRIMARY KEY, message_id TEXT, revision INTEGER);
CREATE TABLE IF NOT EXISTS snapshot_entries (-- a checkpoint made by hand: every published file
  checkpoint_id TEXT, path TEXT, hash TEXT, size INTEGER);
CREATE INDEX IF NOT EXISTS snapshot_entries_by ON snapshot_entries(checkpoint_id);
CREATE TABLE IF NOT EXISTS marks (           -- how far revisions and checkpoints had come when a record was written
  message_id TEXT PRIMARY KEY, revision INTEGER, checkpoint INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS doc_paths (       -- files that were given a docPath of their own
  doc_path TEXT PRIMARY KEY, file_id TEXT UNIQUE) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS calculated (      -- contents with values of formulas that Atelier calculated
  id INTEGER PRIMARY KEY AUTOINCREMENT, hash TEXT UNIQUE);
CREATE TABLE IF NOT EXISTS settings (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tool_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT, tool TEXT, call_id TEXT, args TEXT, result TEXT, success INTEGER, elapsed_ms INTEGER, at TEXT,
  sources TEXT NOT NULL DEFAULT '');           -- JSON list; '' where nobody noted them
CREATE TABLE IF NOT EXISTS usage (           -- one for each request to a model; never undone, since money spent is spent
  id INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT, message_id TEXT, turn INTEGER, phase TEXT, purpose TEXT, provider TEXT, model TEXT, at TEXT,
  state TEXT, input INTEGER, cached INTEGER, output INTEGER, estimated INTEGER, cost INTEGER, currency TEXT);
CREATE INDEX IF NOT EXISTS usage_by ON usage(run);
`

// added are the columns that came after the first release of a table.
var added = [][2]string{
	{"draft_entries", "identity TEXT NOT NULL DEFAULT ''"},
	{"revision_entries", "identity TEXT NOT NULL DEFAULT ''"},
	{"intent_targets", "identity TEXT NOT NULL DEFAULT ''"},
	{"intent_targets", "author TEXT NOT NULL DEFAULT ''"},
	{"versions", "file_id TEXT NOT NULL DEFAULT ''"},
	{"tool_log", "sources TEXT NOT NULL DEFAULT ''"},
	{"draft_entries", "copied_hash TEXT NOT NULL DEFAULT ''"},
	{"draft_entries", "copied_from TEXT NOT NULL DEFAULT ''"},
	{"revision_entries", "copied_hash TEXT NOT NULL DEFAULT ''"},
	{"revision_entries", "copied_from TEXT NOT NULL DEFAULT ''"},
	{"usage", "written INTEGER NOT NULL DEFAULT 0"},
}

// migrate adds the columns that an older state lacks.
func migrate(db *sql.DB) error {
	for _, a := range added {
		table, decl := a[0], a[1]
		column, _, _ := strings.Cut(decl, " ")
		var n int
		if err := db.QueryRow(`SELECT count(*) FROM pragma_table_info(?) WHERE name=?`, table, column).Scan(&n); err != nil {
			return err
		}
		if n == 0 {
			if _, err := db.Exec("ALTER TABLE " + table + " ADD COLUMN " + decl); err != nil {
				return err
			}
		}
	}
	return nil
}

// openDB opens a database file; one connection, so that statements of one
// process never wait for each other's locks.
func openDB(path string, readOnly bool) (*sql.DB, error) {
	db, err := sqlitedb.Open(path, sqlitedb.Options{ReadOnly: readOnly, Sync: "FULL"})
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if kept := keptSomething(filepath.Dir(path)); readOnly || kept {
		err := begun(db)
		if kept && IsFault(err, NotFound) {
			err = damagedState("", "has lost its tables", nil)
		}
		if err != nil {
			db.Close()
			return nil, err
		}
		if readOnly {
			return db, nil
		}
	}
	_, err = db.Exec("BEGIN IMMEDIATE;" + schema + "COMMIT") // all of it or nothing, also when the process is killed
	if err == nil {
		err = migrate(db)
	}
	if err != nil {
		db.Close()
		return nil, fmt.Errorf("the index %s cannot be opened: %w", filepath.Base(path), err)
	}
	return db, nil
}

// begun looks whether the program that made a database came so far as to write
// anything into it before it was killed.
func begun(db *sql.DB) error {
	var tables int
	if err := db.QueryRow(`SELECT count(*) FROM sqlite_master WHERE type='table' AND name='settings'`).Scan(&tables); err != nil {
		return err
	}
	if tables == 0 {
		f := Faultf(NotFound, "the workbench was never begun: the program was stopped while it made it")
		f.Hint = "anything that writes makes it, such as a run"
		return f
	}
	return nil
}
