package folderwatch

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"atelier/internal/sqlitedb"
)

// ErrLocked says that another process uses the store.
var ErrLocked = errors.New("another process watches for this folder")

// ErrGone says that the file of the store was deleted, replaced or unmounted while it was
// open: what is written to it would be forgotten at the next start, and another process
// may have begun a new one.
var ErrGone = errors.New("the record of what was done is gone")

// Store remembers what was done with which content. One process at a time uses it.
// Its methods may be called by several goroutines.
type Store struct {
	db     *sql.DB
	lock   *flock.Flock
	recipe string
	path   string
	file   os.FileInfo // at path when it was opened
}

// States of a file. A file that is begun when a store is opened was interrupted.
const (
	stateBegun   = "begun"
	stateDone    = "done"
	stateFailed  = "failed"  // until it changes
	stateWaiting = "waiting" // until its time to be tried again
)

// row is what the store knows of a file.
type row struct {
	size, mtime         int64
	hash, recipe, state string
	begun               int // beginnings that did not come to an end, with this content
	tries               int // failures in sequence, with this content
	retryAt             int64
}

// File is a file to deal with.
type File struct {
	Rel  string // '/'-separated, below the folder
	Path string
	Size int64
	Hash string // SHA-256; "" when the file cannot be read
	// Interrupted is how often work on this content began and the process ended before
	// the work did.
	Interrupted int

	mtime int64
	tries int
}

// Outcome is what the work on a file came to; the zero value is that it is done.
type Outcome struct {
	Failed string // why it failed
	// Again says that the file may succeed unchanged, since the reason was another,
	// such as an endpoint that did not answer.
	Again bool
	// Undone says that the work was stopped before its end and did not fail.
	Undone bool
}

const schema = `CREATE TABLE IF NOT EXISTS file (
	rel TEXT PRIMARY KEY, size INTEGER NOT NULL, mtime INTEGER NOT NULL, hash TEXT NOT NULL, recipe TEXT NOT NULL, state TEXT NOT NULL,
	error TEXT NOT NULL DEFAULT '', begun INTEGER NOT NULL DEFAULT 0, tries INTEGER NOT NULL DEFAULT 0,
	retry_at INTEGER NOT NULL DEFAULT 0, gone INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS retry ON file (retry_at) WHERE retry_at > 0;`

// OpenStore opens or creates a store. recipe identifies what is done with files:
// under another recipe every file is dealt with again. The error is ErrLocked when
// another process uses it.
func OpenStore(ctx context.Context, path, recipe string) (*Store, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	lock := flock.New(path + ".lock")
	ok, err := lock.TryLock()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ErrLocked
	}
	db, err := sqlitedb.Open(path, sqlitedb.Options{Sync: "FULL"})
	if err == nil {
		db.SetMaxOpenConns(1)
		_, err = db.ExecContext(ctx, schema)
	}
	var file os.FileInfo
	if err == nil {
		file, err = os.Stat(path)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s cannot be used (%w); move it away to begin anew", path, err), lock.Unlock())
	}
	return &Store{db: db, lock: lock, recipe: recipe, path: path, file: file}, nil
}

// Close ends the use of the store.
func (s *Store) Close() error { return errors.Join(s.db.Close(), s.lock.Unlock()) }

// Begin records that the work on files begins. The error is ErrGone when a record would
// not outlive the process.
func (s *Store) Begin(ctx context.Context, files []File) error {
	if now, err := os.Stat(s.path); err != nil || !os.SameFile(now, s.file) {
		return fmt.Errorf("%w: %s was deleted, replaced or unmounted", ErrGone, s.path)
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // fails after Commit, as it should
	for _, f := range files {
		_, err := tx.ExecContext(ctx, `INSERT INTO file (rel, size, mtime, hash, recipe, state, begun, tries) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET size = excluded.size, mtime = excluded.mtime, hash = excluded.hash, recipe = excluded.recipe, state = excluded.state,
				begun = excluded.begun, tries = excluded.tries, retry_at = 0, error = '', gone = 0`,
			f.Rel, f.Size, f.mtime, f.Hash, s.recipe, stateBegun, f.Interrupted+1, f.tries)
		if err != nil {
			return err
		}
	}
	return tx.Commit()
}

// End records the outcome of a file that was begun, and returns when the file is
// tried again unchanged; the zero time means not before it changes.
func (s *Store) End(ctx context.Context, f File, o Outcome) (retry time.Time, err error) {
	state, begun, tries := stateDone, 0, 0
	switch {
	case o.Undone:
		state, begun, tries = stateBegun, f.Interrupted, f.tries
	case o.Failed != "" && o.Again:
		state, tries = stateWaiting, f.tries+1
		retry = time.Now().Add(retryAfter(tries))
	case o.Failed != "":
		state = stateFailed
	}
	var at int64
	if !retry.IsZero() {
		at = retry.UnixNano()
	}
	_, err = s.db.ExecContext(ctx, `UPDATE file SET state = ?, begun = ?, tries = ?, error = ?, retry_at = ? WHERE rel = ?`, state, begun, tries, o.Failed, at, f.Rel)
	return retry, err
}

const longestRetry = 15 * time.Minute

// retryAfter is the time before try n+1: from 30 seconds up to 15 minutes.
func retryAfter(n int) time.Duration {
	return min(longestRetry, 30*time.Second<<min(n-1, 8))
}

// get returns what is known of a file, nil when nothing is.
func (s *Store) get(ctx context.Context, rel string) (*row, error) {
	var r row
	err := s.db.QueryRowContext(ctx, `SELECT size, mtime, hash, recipe, state, begun, tries, retry_at FROM file WHERE rel = ?`, rel).
		Scan(&r.size, &r.mtime, &r.hash, &r.recipe, &r.state, &r.begun, &r.tries, &r.retryAt)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &r, err
}

// settledAs reports whether a file of this size and time was dealt with.
func (s *Store) settledAs(r *row, size, mtime int64) bool {
	return r != nil && r.recipe == s.recipe && r.size == size && r.mtime == mtime && r.state != stateBegun && (r.state != stateWaiting || r.retryAt != 0)
}

// touch stores the new time of a file whose content was dealt with.
func (s *Store) touch(ctx context.Context, rel string, mtime int64) error {
	_, err := s.db.ExecContext(ctx, `UPDATE file SET mtime = ?, gone = 0 WHERE rel = ?`, mtime, rel)
	return err
}

// away stores that a file is not in the folder any more.
func (s *Store) away(ctx context.Context, rel string) error {
	_, err := s.db.ExecContext(ctx, `UPDATE file SET gone = ?, retry_at = 0 WHERE rel = ?`, time.Now().UnixNano(), rel)
	return err
}

// due returns files whose time to be tried again has come, and when the next one's
// comes; the zero time means that none waits. A time that is further away than any wait
// was stored under a clock that was wrong, and has come.
func (s *Store) due(ctx context.Context, most int) (rels []string, next time.Time, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT rel, retry_at FROM file WHERE retry_at > 0 ORDER BY retry_at LIMIT ?`, most)
	if err != nil {
		return nil, time.Time{}, err
	}
	defer rows.Close()
	now := time.Now()
	for rows.Next() {
		var rel string
		var at int64
		if err := rows.Scan(&rel, &at); err != nil {
			return nil, time.Time{}, err
		}
		if t := time.Unix(0, at); t.After(now) && t.Before(now.Add(longestRetry+time.Minute)) {
			return rels, t, nil
		}
		rels = append(rels, rel)
	}
	if len(rels) == most {
		next = now
	}
	return rels, next, rows.Err()
}

// keepGone is how long a file is remembered that is no longer in the folder: a
// folder may be unmounted for a while.
const keepGone = 30 * 24 * time.Hour

// forget deletes what is known of files that have been gone for long.
func (s *Store) forget(ctx context.Context, there func(rel string) bool) error {
	const page = 1000
	now := time.Now()
	for after, more := "", true; more; {
		rels, gone, err := s.page(ctx, after, page)
		if err != nil {
			return err
		}
		if more = len(rels) == page; len(rels) > 0 {
			after = rels[len(rels)-1]
		}
		for i, rel := range rels {
			switch is := there(rel); {
			case is && gone[i] != 0:
				_, err = s.db.ExecContext(ctx, `UPDATE file SET gone = 0 WHERE rel = ?`, rel)
			case !is && gone[i] == 0:
				err = s.away(ctx, rel)
			case !is && now.Sub(time.Unix(0, gone[i])) > keepGone:
				_, err = s.db.ExecContext(ctx, `DELETE FROM file WHERE rel = ?`, rel)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Store) page(ctx context.Context, after string, most int) (rels []string, gone []int64, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT rel, gone FROM file WHERE rel > ? ORDER BY rel LIMIT ?`, after, most)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var rel string
		var at int64
		if err := rows.Scan(&rel, &at); err != nil {
			return nil, nil, err
		}
		rels, gone = append(rels, rel), append(gone, at)
	}
	return rels, gone, rows.Err()
}
