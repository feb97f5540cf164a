package workshop

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"
)

// Identity is what a file is beyond its path and bytes. It stays with the file
// across edits and moves, and from the draft into what is published.
type Identity struct {
	FileID    string `json:"id,omitempty"`      // UUIDv7; "" for what the workbench does not know
	VersionID string `json:"version,omitempty"` // UUIDv7 of the present content; "" when it was changed outside
	Type      string `json:"type,omitempty"`    // document, plan, canvas …; "" is document
	JSON      bool   `json:"json,omitempty"`    // the content is a JSON value, not text (B-09)
	Created   string `json:"created,omitempty"` // RFC 3339
}

// save returns the identity as a column holds it.
func (d Identity) save() string {
	if d == (Identity{}) {
		return ""
	}
	b, err := json.Marshal(d)
	if err != nil {
		panic("workshop: an identity is plain data: " + err.Error())
	}
	return string(b)
}

func loadIdentity(s string) (d Identity) {
	if s != "" {
		_ = json.Unmarshal([]byte(s), &d) // written by save
	}
	return d
}

// known is a published file or folder that the workbench has a row for.
type known struct {
	Identity
	hash string // of the last version
}

// loadKnown reads the rows of the published files, once for a writer and as
// often as another process writes for a reader.
func (wb *Workbench) loadKnown(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx) // short, and shared with others
	wb.mu.RLock()
	have, at := wb.known != nil, wb.knownAt
	wb.mu.RUnlock()
	if have && !wb.readOnly {
		return nil
	}
	var now int64
	if err := wb.db.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&now); err != nil {
		return err
	}
	if have && now == at {
		return nil
	}
	m := map[Path]known{}
	err := inReadTx(ctx, wb.db, func(tx *sql.Tx) error {
		rs, err := tx.Query(`SELECT path, identity, hash FROM files WHERE deleted_at=''`)
		if err != nil {
			return err
		}
		defer rs.Close()
		for rs.Next() {
			var p, id string
			var k known
			if err := rs.Scan(&p, &id, &k.hash); err != nil {
				return err
			}
			k.Identity = loadIdentity(id)
			m[Path(p)] = k
		}
		return rs.Err()
	})
	if err != nil {
		return err
	}
	wb.mu.Lock()
	defer wb.mu.Unlock()
	if wb.known == nil || wb.readOnly { // a write may have come between
		wb.known, wb.knownAt = m, now
	}
	return nil
}

// refreshKnown reads the rows of targets again, after they were carried out, but of those
// that are in added.
func (wb *Workbench) refreshKnown(ctx context.Context, targets []target, added map[Path]known) error {
	fresh := make(map[Path]*known, len(targets))
	err := inReadTx(context.WithoutCancel(ctx), wb.db, func(tx *sql.Tx) error {
		for _, t := range targets {
			if k, ok := added[t.path]; ok {
				fresh[t.path] = &k
				continue
			}
			var id string
			var k known
			err := tx.QueryRow(`SELECT identity, hash FROM files WHERE path=? AND deleted_at=''`, string(t.path)).Scan(&id, &k.hash)
			switch {
			case errors.Is(err, sql.ErrNoRows):
				fresh[t.path] = nil
			case err != nil:
				return err
			default:
				k.Identity = loadIdentity(id)
				fresh[t.path] = &k
			}
		}
		return nil
	})
	wb.mu.Lock()
	defer wb.mu.Unlock()
	if err != nil {
		wb.known = nil // read again by whoever needs it
		return err
	}
	if wb.known == nil {
		return nil
	}
	for p, k := range fresh {
		if k == nil {
			delete(wb.known, p)
		} else {
			wb.known[p] = *k
		}
	}
	return nil
}

// knownAs returns what the workbench knows of a published path.
func (wb *Workbench) knownAs(ctx context.Context, p Path) (known, bool, error) {
	if err := wb.loadKnown(ctx); err != nil {
		return known{}, false, err
	}
	wb.mu.RLock()
	defer wb.mu.RUnlock()
	k, ok := wb.known[p]
	return k, ok, nil
}

// identify adds to an entry of the published files what the workbench knows.
func (e *Entry) identify(k known, ok bool) {
	if !ok {
		return
	}
	e.Identity, e.Synced = k.Identity, true
	if e.Hash != "" && e.Hash != k.hash {
		e.VersionID = "" // somebody else's content
	}
}

// CreatedAt returns when the file came to be known, or when it was last changed.
func (e Entry) CreatedAt() time.Time {
	if t := unstamp(e.Created); !t.IsZero() {
		return t
	}
	return e.Modified
}

// UpdatedAt returns when the file was last changed, never before CreatedAt: the time
// on disk may be that of an older copy that was put there, and its clock is
// coarser than ours.
func (e Entry) UpdatedAt() time.Time {
	if c := e.CreatedAt(); c.After(e.Modified) {
		return c
	}
	return e.Modified
}

// recordFile keeps the rows of files in step with a target that was carried
// out. Removals must come before additions, so that a moved file keeps its id.
func (wb *Workbench) recordFile(tx *sql.Tx, t target, now time.Time) (Identity, error) {
	at := stamp(now)
	if t.kind == rowGone || t.kind == rowNoDir {
		var id, saved string
		err := tx.QueryRow(`SELECT id, identity FROM files WHERE path=? AND deleted_at=''`, string(t.path)).Scan(&id, &saved)
		if errors.Is(err, sql.ErrNoRows) {
			return Identity{}, nil
		}
		if err == nil {
			_, err = tx.Exec(`UPDATE files SET deleted_at=? WHERE id=?`, at, id)
		}
		return loadIdentity(saved), err
	}
	d, err := settle(tx, t)
	if err != nil {
		return d, err
	}
	if d.FileID == "" {
		d.FileID = wb.newID()
	}
	if d.Created == "" {
		d.Created = at
	}
	if t.kind == rowDir {
		d.Type = "folder"
	} else {
		var n int // after an undo the same draft row may be published again
		if err := tx.QueryRow(`SELECT count(*) FROM versions WHERE id=?`, d.VersionID).Scan(&n); err != nil {
			return d, err
		}
		if d.VersionID == "" || n > 0 {
			d.VersionID = wb.newID()
		}
	}
	// One live row a path: a file may take the place of one removed outside.
	if _, err := tx.Exec(`UPDATE files SET deleted_at=? WHERE path=? AND deleted_at='' AND id<>?`, at, string(t.path), d.FileID); err != nil {
		return d, err
	}
	_, err = tx.Exec(`INSERT OR REPLACE INTO files (id,path,identity,hash,size,deleted_at) VALUES (?,?,?,?,?,'')`, d.FileID, string(t.path), d.save(), t.newHash, t.size)
	return d, err
}

// settle is the identity a target's file gets: the one it brings, that of the
// file at its path, or of the removed file that was there last, under that
// path or before it was moved.
func settle(tx *sql.Tx, t target) (Identity, error) {
	d := t.identity
	if d.FileID != "" {
		return d, nil
	}
	for _, q := range []string{
		`SELECT identity FROM files WHERE path=? ORDER BY deleted_at='' DESC, deleted_at DESC LIMIT 1`,
		`SELECT f.identity FROM versions v JOIN files f ON f.id=v.file_id WHERE v.path=? AND f.deleted_at<>'' ORDER BY v.rowid DESC LIMIT 1`,
	} {
		var saved string
		err := tx.QueryRow(q, string(t.path)).Scan(&saved)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		old := loadIdentity(saved)
		old.VersionID = d.VersionID
		return old, err
	}
	return d, nil
}
