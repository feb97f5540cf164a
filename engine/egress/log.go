package egress

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"atelier/internal/sqlitedb"
	"atelier/workshop"
)

// File is the name of a log, in the state of a workbench or the data folder.
const File = "egress.db"

const schema = `
CREATE TABLE IF NOT EXISTS events (
  id INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, kind TEXT NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL,
  host TEXT NOT NULL, local INTEGER NOT NULL, scope_hash TEXT NOT NULL, files TEXT NOT NULL,
  bytes_out INTEGER NOT NULL, bytes_in INTEGER NOT NULL, status INTEGER NOT NULL, elapsed_ms INTEGER NOT NULL,
  retried INTEGER NOT NULL, error TEXT NOT NULL, ended INTEGER NOT NULL, file_count INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS grants (  -- of package consent; path: the first 16 bytes of the SHA-256 of a path
  provider TEXT, origin TEXT, model TEXT, path BLOB, PRIMARY KEY (provider, origin, model, path)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS settings (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
`

// maxEvents is how many events a log keeps; the oldest go first.
const maxEvents = 100_000

// Event is a row of the log: a request, or a consent given or taken back.
type Event struct {
	ID        int64
	At        time.Time
	Kind      string // Kind…
	Provider  string
	Model     string
	Workbench string // "" in the log of the data folder
	Host      string // with its port where one was named
	Local     bool   // the host is this machine
	ScopeHash string
	Files     []string // the documents the request names as read, or the first of a scope
	FileCount int      // of a scope that Files is the beginning of, else of Files
	BytesOut  int64    // of the body, as it was handed to the connection; before the end, what is to be
	BytesIn   int64    // of the body, as it was read, decompressed
	Status    int      // HTTP status, 0 when there was no answer
	Elapsed   time.Duration
	Retried   bool   // the same was sent before and failed
	Error     string // "refused", "timeout" …; "" when all went well
	Ended     bool   // false: under way, or the program died
}

// Log is the log of a workbench or of the data folder. Its database also has the
// table of grants, which package consent reads and writes, and the user's settings.
// It is safe for concurrent use, by several processes too.
type Log struct {
	db        *sql.DB
	workbench string
	keep      int64
	closed    atomic.Bool
}

// Open opens the log in dir, making it when it is not there.
func Open(dir, workbench string) (*Log, error) {
	path := filepath.Join(dir, File)
	// It is nobody else's business: made here, so that it is never open to all.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, unwritten(err)
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	db, err := sqlitedb.Open(path, sqlitedb.Options{Sync: "NORMAL"})
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	_, err = db.Exec("BEGIN IMMEDIATE;" + schema + "COMMIT") // all of it or nothing, also when the process is killed
	if err == nil {
		err = migrate(db)
	}
	if err != nil {
		db.Close()
		return nil, unwritten(err)
	}
	return &Log{db: db, workbench: workbench, keep: maxEvents}, nil
}

// migrate adds the column that the first logs lack.
func migrate(db *sql.DB) error {
	var n int
	err := db.QueryRow(`SELECT count(*) FROM pragma_table_info('events') WHERE name='file_count'`).Scan(&n)
	if err == nil && n == 0 {
		_, err = db.Exec(`ALTER TABLE events ADD COLUMN file_count INTEGER NOT NULL DEFAULT 0`)
	}
	return err
}

// Read opens the log in dir for reading; nil when there is none, or one that
// was never begun.
func Read(dir, workbench string) (*Log, error) {
	path := filepath.Join(dir, File)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	db, err := sqlitedb.Open(path, sqlitedb.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	var tables int
	err = db.QueryRow(`SELECT count(*) FROM sqlite_master WHERE type='table' AND name IN ('events', 'grants', 'settings')`).Scan(&tables)
	if err != nil || tables < 3 { // the process that made it was killed before it wrote anything
		db.Close()
		return nil, err
	}
	return &Log{db: db, workbench: workbench, keep: maxEvents}, nil
}

// Close closes the log. A request that ends later stays without its end.
func (l *Log) Close() error {
	l.closed.Store(true)
	return l.db.Close()
}

// Add writes an event that is not a request.
func (l *Log) Add(e Event) error {
	e.Ended = true
	_, err := l.begin(e)
	return err
}

func (l *Log) begin(e Event) (id int64, err error) {
	defer func() { err = unwritten(err) }()
	files, err := json.Marshal(orNone(e.Files))
	if err != nil {
		return 0, err
	}
	r, err := l.db.Exec(`INSERT INTO events (at,kind,provider,model,host,local,scope_hash,files,file_count,bytes_out,bytes_in,status,elapsed_ms,retried,error,ended)
		VALUES (?,?,?,?,?,?,?,?,?,?,0,0,0,?,?,?)`, e.At.UTC().Format(time.RFC3339Nano), e.Kind, e.Provider, e.Model, e.Host, e.Local, e.ScopeHash, string(files), max(e.FileCount, len(e.Files)), e.BytesOut, e.Retried, e.Error, e.Ended)
	if err != nil {
		return 0, err
	}
	id, err = r.LastInsertId()
	if err == nil && id > l.keep && id%(l.keep/100+1) == 0 {
		_, err = l.db.Exec(`DELETE FROM events WHERE id<=?`, id-l.keep)
	}
	return id, err
}

// Update changes the database in one transaction, which the end of ctx does not
// interrupt.
func (l *Log) Update(ctx context.Context, change func(*sql.Tx) error) error {
	tx, err := l.db.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return unwritten(err)
	}
	defer tx.Rollback() // nothing, after the commit
	if err := change(tx); err != nil {
		return unwritten(err)
	}
	return unwritten(tx.Commit())
}

// Query reads rows of the database.
func (l *Log) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return l.db.QueryContext(ctx, query, args...)
}

// unwritten returns the error of a log that cannot be written.
func unwritten(err error) error {
	if err == nil {
		return nil
	}
	return workshop.StorageFault(fmt.Errorf("the log of what leaves this machine cannot be written: %w", err))
}

// end completes the row of a request.
func (l *Log) end(e Event) error {
	_, err := l.db.Exec(`UPDATE events SET bytes_out=?, bytes_in=?, status=?, elapsed_ms=?, error=?, ended=1 WHERE id=?`,
		e.BytesOut, e.BytesIn, e.Status, e.Elapsed.Milliseconds(), e.Error, e.ID)
	if l.closed.Load() {
		return nil // the engine ends with requests under way
	}
	return err
}

// Query chooses events of a log.
type Query struct {
	After  int64  // only those with a greater id
	Before int64  // only those with a smaller id; 0 means all
	Newest bool   // the newest first
	Left   bool   // only those to another machine
	Find   string // only those with this text in a name, a host, an error or a file, whatever the case of A to Z
	Limit  int
}

// Events returns up to limit rows with a greater id than after, oldest first.
// dropped is how many there were that the log no longer has.
func (l *Log) Events(ctx context.Context, after int64, limit int) (list []Event, dropped int64, err error) {
	return l.Find(ctx, Query{After: after, Limit: limit})
}

// Find returns the rows that a query chooses, and how many the log no longer has.
func (l *Log) Find(ctx context.Context, q Query) (list []Event, dropped int64, err error) {
	order := ""
	if q.Newest {
		order = " DESC"
	}
	if q.Before <= 0 {
		q.Before = math.MaxInt64
	}
	plain, inJSON, err := patterns(q.Find)
	if err != nil {
		return nil, 0, err
	}
	if err := l.db.QueryRowContext(ctx, `SELECT coalesce(min(id),1)-1 FROM events`).Scan(&dropped); err != nil {
		return nil, 0, err
	}
	rows, err := l.db.QueryContext(ctx, `SELECT id,at,kind,provider,model,host,local,scope_hash,files,bytes_out,bytes_in,status,elapsed_ms,retried,error,ended,file_count
		FROM events WHERE id>?1 AND id<?2 AND (NOT ?3 OR NOT local)
		AND (?4='' OR kind||char(10)||provider||char(10)||model||char(10)||host||char(10)||error LIKE ?4 ESCAPE '\' OR files LIKE ?5 ESCAPE '\')
		ORDER BY id`+order+` LIMIT ?6`, q.After, q.Before, q.Left, plain, inJSON, q.Limit)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		e := Event{Workbench: l.workbench}
		var at, files string
		var ms int64
		if err := rows.Scan(&e.ID, &at, &e.Kind, &e.Provider, &e.Model, &e.Host, &e.Local, &e.ScopeHash, &files, &e.BytesOut, &e.BytesIn, &e.Status, &ms, &e.Retried, &e.Error, &e.Ended, &e.FileCount); err != nil {
			return nil, 0, err
		}
		e.Elapsed = time.Duration(ms) * time.Millisecond
		if e.At, err = time.Parse(time.RFC3339Nano, at); err != nil {
			return nil, 0, fmt.Errorf("row %d of %s: %w", e.ID, File, err)
		}
		if err := json.Unmarshal([]byte(files), &e.Files); err != nil {
			return nil, 0, fmt.Errorf("row %d of %s: %w", e.ID, File, err)
		}
		list = append(list, e)
	}
	return list, dropped, rows.Err()
}

// patterns returns what LIKE finds a text with, in plain columns and in those that hold
// JSON; "" for no text.
func patterns(text string) (plain, inJSON string, err error) {
	if text == "" {
		return "", "", nil
	}
	b, err := json.Marshal(text)
	if err != nil {
		return "", "", err
	}
	escape := strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`)
	return "%" + escape.Replace(text) + "%", "%" + escape.Replace(string(b[1:len(b)-1])) + "%", nil
}

func orNone(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// Setting returns a setting of the data folder's user, "" when it was never set.
func (l *Log) Setting(ctx context.Context, key string) (value string, err error) {
	err = l.db.QueryRowContext(ctx, `SELECT value FROM settings WHERE key=?`, key).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return value, err
}

// SetSetting keeps a setting.
func (l *Log) SetSetting(ctx context.Context, key, value string) error {
	_, err := l.db.ExecContext(ctx, `INSERT OR REPLACE INTO settings VALUES (?,?)`, key, value)
	return unwritten(err)
}
