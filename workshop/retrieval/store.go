package retrieval

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"atelier/internal/sqlitedb"
	"atelier/workshop"
	"atelier/workshop/doctext"
)

// schemaVersion is stored as user_version. An index with another version is
// rebuilt.
const schemaVersion = 1

// fts has only words (see words.go) and no copy of the text. kind is one
// word, so that docs and code are separated without reading chunks.
const schema = `
CREATE TABLE files (path TEXT PRIMARY KEY, size INTEGER NOT NULL, mtime INTEGER NOT NULL, hash TEXT NOT NULL, note TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE chunks (id INTEGER PRIMARY KEY, path TEXT NOT NULL, place TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, complete INTEGER NOT NULL, content TEXT NOT NULL);
CREATE INDEX chunks_path ON chunks (path);
CREATE VIRTUAL TABLE fts USING fts5 (name, place, body, whole, kind, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2');
`

// weights are the bm25 weights of the columns of fts: a name counts more than
// a mention.
const weights = "3.0, 4.0, 1.0, 1.0, 0.0"

// openStore opens the file of an index. It creates the file if it is missing,
// damaged or of another version.
func openStore(path string) (*sql.DB, error) {
	db, err := tryStore(path)
	if err == nil || !isDamaged(err) {
		return db, err
	}
	if err := removeStore(path); err != nil {
		return nil, err
	}
	return tryStore(path)
}

func tryStore(path string) (*sql.DB, error) {
	db, err := sqlitedb.Open(path, sqlitedb.Options{Sync: "NORMAL"})
	if err != nil {
		return nil, err
	}
	var version int
	err = db.QueryRow(`PRAGMA user_version`).Scan(&version)
	switch {
	case err != nil:
	case version == 0:
		_, err = db.Exec("BEGIN IMMEDIATE;" + schema + fmt.Sprintf("PRAGMA user_version=%d; COMMIT", schemaVersion))
	case version != schemaVersion:
		err = errVersion
	default:
		_, err = db.Exec(`SELECT 1 FROM files, chunks, fts LIMIT 0`)
	}
	if err != nil {
		db.Close()
		return nil, fmt.Errorf("the search index %s cannot be opened: %w", filepath.Base(path), err)
	}
	return db, nil
}

var errVersion = errors.New("made by another version")

// isDamaged reports whether an error means that the file is damaged and has
// to be rebuilt.
func isDamaged(err error) bool {
	if errors.Is(err, errVersion) {
		return true
	}
	var se *sqlite.Error
	if !errors.As(err, &se) {
		return false
	}
	switch se.Code() & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return true
	case sqlite3.SQLITE_IOERR:
		return se.Code() == sqlite3.SQLITE_IOERR_SHORT_READ
	case sqlite3.SQLITE_ERROR:
		return strings.Contains(se.Error(), "no such table") || strings.Contains(se.Error(), "no such column") || strings.Contains(se.Error(), "malformed") ||
			strings.Contains(se.Error(), "already exists") || strings.Contains(se.Error(), "vtable constructor failed")
	}
	return false
}

func removeStore(path string) error {
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("the damaged search index cannot be removed: %w", err)
		}
	}
	return nil
}

// stored is the state of a file in the index.
type stored struct {
	size, mtime int64
	hash        string
}

// indexed is a file with its pieces, ready to be stored.
type indexed struct {
	path        workshop.Path
	size, mtime int64
	hash        string
	note        string // why there is no text or only part of it; "" if all of it is there
	pieces      []piece
	from        workshop.Path // take the pieces of this path, which has the same content
	gone        bool          // delete the path
	same        bool          // only size and time changed
}

func loadFiles(ctx context.Context, db *sql.DB) (map[workshop.Path]stored, error) {
	rows, err := db.QueryContext(ctx, `SELECT path, size, mtime, hash FROM files`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[workshop.Path]stored{}
	for rows.Next() {
		var p string
		var s stored
		if err := rows.Scan(&p, &s.size, &s.mtime, &s.hash); err != nil {
			return nil, err
		}
		out[workshop.Path(p)] = s
	}
	return out, rows.Err()
}

// saveIndexed stores a batch of files, all or none.
func saveIndexed(ctx context.Context, db *sql.DB, files []indexed) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	in, err := prepareInserts(tx)
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.same {
			if _, err := tx.Exec(`UPDATE files SET size=?, mtime=? WHERE path=?`, f.size, f.mtime, string(f.path)); err != nil {
				return err
			}
			continue
		}
		if f.from != "" {
			if f.pieces, f.note, err = piecesOf(tx, f.from); err != nil {
				return err
			}
		}
		if err := forgetPath(tx, f.path); err != nil {
			return err
		}
		if f.gone {
			continue
		}
		if err := in.store(f); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// inserts are the prepared statements of a transaction; they are closed with
// it.
type inserts struct{ file, chunk, fts *sql.Stmt }

func prepareInserts(tx *sql.Tx) (in inserts, err error) {
	for _, s := range []struct {
		to    **sql.Stmt
		query string
	}{
		{&in.file, `INSERT INTO files VALUES (?,?,?,?,?)`},
		{&in.chunk, `INSERT INTO chunks (path, place, first, last, complete, content) VALUES (?,?,?,?,?,?)`},
		{&in.fts, `INSERT INTO fts (rowid, name, place, body, whole, kind) VALUES (?,?,?,?,?,?)`},
	} {
		if *s.to, err = tx.Prepare(s.query); err != nil {
			return in, err
		}
	}
	return in, nil
}

func piecesOf(tx *sql.Tx, p workshop.Path) (out []piece, note string, err error) {
	if err := tx.QueryRow(`SELECT note FROM files WHERE path=?`, string(p)).Scan(&note); err != nil {
		return nil, "", err
	}
	rows, err := tx.Query(`SELECT place, first, last, complete, content FROM chunks WHERE path=? ORDER BY id`, string(p))
	if err != nil {
		return nil, "", err
	}
	defer rows.Close()
	for rows.Next() {
		var c piece
		if err := rows.Scan(&c.place, &c.start, &c.end, &c.full, &c.text); err != nil {
			return nil, "", err
		}
		out = append(out, c)
	}
	return out, note, rows.Err()
}

// forgetPath deletes a path. It skips empty deletions from fts, because each
// would flush the transaction's pending data to disk.
func forgetPath(tx *sql.Tx, p workshop.Path) error {
	res, err := tx.Exec(`DELETE FROM files WHERE path=?`, string(p))
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return err
	}
	for _, q := range []string{`DELETE FROM fts WHERE rowid IN (SELECT id FROM chunks WHERE path=?)`, `DELETE FROM chunks WHERE path=?`} {
		if _, err := tx.Exec(q, string(p)); err != nil {
			return err
		}
	}
	return nil
}

func (in inserts) store(f indexed) error {
	if _, err := in.file.Exec(string(f.path), f.size, f.mtime, f.hash, f.note); err != nil {
		return err
	}
	name, nameWhole := indexText(string(f.path))
	kind := kindWord(KindOf(string(f.path)))
	for _, c := range f.pieces {
		res, err := in.chunk.Exec(string(f.path), c.place, c.start, c.end, c.full, c.text)
		if err != nil {
			return err
		}
		id, err := res.LastInsertId()
		if err != nil {
			return err
		}
		body, whole := indexText(c.text)
		_, place, _ := strings.Cut(c.place, ":")
		place, placeWhole := indexText(place)
		if _, err := in.fts.Exec(id, name, place, body, whole+" "+nameWhole+" "+placeWhole, kind); err != nil {
			return err
		}
	}
	return nil
}

// kindWord returns the word for a kind in the column kind.
func kindWord(k Kind) string { return "kind" + string(k) }

// noteOf explains why not all of a document is in the index.
func noteOf(d doctext.Doc) string {
	if d.Cut {
		return fmt.Sprintf("only the first %d MiB of its text are indexed", doctext.MaxText>>20)
	}
	return ""
}
