package workshop

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Version is a content that a published file had.
type Version struct {
	ID           string
	Hash         string // "" when the file was removed
	Size         int64
	Author       string // "agent", or "user" for what was found on disk
	CheckpointID string // of the publish that made or replaced it
	At           time.Time
}

// Versions lists the contents a file had, as far as publishes saw them, the
// newest first; and, when the file on disk is none of them, that content first,
// with author "user" and no id.
func (wb *Workbench) Versions(ctx context.Context, p Path) ([]Version, error) {
	var out []Version
	err := inReadTx(ctx, wb.db, func(tx *sql.Tx) error {
		rs, err := tx.Query(`SELECT id, hash, size, author, checkpoint_id, at FROM versions WHERE path=?1 OR file_id<>'' AND file_id=(SELECT id FROM files WHERE path=?1 AND deleted_at='') ORDER BY rowid DESC`, string(p))
		if err != nil {
			return err
		}
		defer rs.Close()
		for rs.Next() {
			var v Version
			var at string
			if err := rs.Scan(&v.ID, &v.Hash, &v.Size, &v.Author, &v.CheckpointID, &at); err != nil {
				return err
			}
			v.At = unstamp(at)
			out = append(out, v)
		}
		return rs.Err()
	})
	if err != nil {
		return nil, err
	}
	e, err := wb.Published().Stat(ctx, p)
	switch {
	case IsFault(err, NotFound):
		if len(out) == 0 {
			return nil, notFound(p)
		}
		return out, nil
	case err != nil:
		return nil, err
	}
	if len(out) == 0 || out[0].Hash != e.Hash {
		out = append([]Version{{Hash: e.Hash, Size: e.Size, Author: "user", At: e.Modified}}, out...)
	}
	return out, nil
}

// OpenVersionOf opens a content that a file had, by version id or hash.
func (wb *Workbench) OpenVersionOf(ctx context.Context, p Path, id string) (Source, error) {
	var hash string
	err := wb.db.QueryRowContext(ctx, `SELECT hash FROM versions WHERE (path=?1 OR file_id<>'' AND file_id=(SELECT id FROM files WHERE path=?1 AND deleted_at='')) AND (id=?2 OR hash=?2) LIMIT 1`, string(p), id).Scan(&hash)
	if errors.Is(err, sql.ErrNoRows) || err == nil && hash == "" {
		return nil, Unknownf("%s has no version %s", p, id).OnField("version")
	}
	if err != nil {
		return nil, err
	}
	return wb.openKept(ctx, hash, p)
}

// recordVersions notes the content that a target replaced, when no version
// says it yet, and the one it has now.
func (wb *Workbench) recordVersions(tx *sql.Tx, checkpoint string, t target, d Identity, now time.Time) error {
	var last string
	err := tx.QueryRow(`SELECT hash FROM versions WHERE path=? ORDER BY rowid DESC LIMIT 1`, string(t.path)).Scan(&last)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	v := version{Version{CheckpointID: checkpoint, At: now}, t.path, d.FileID}
	if t.oldHash != "" && t.oldHash != last {
		v.ID, v.Hash, v.Size, v.Author = wb.newID(), t.oldHash, wb.objects.size(t.oldHash), "user"
		if err := v.insert(tx); err != nil {
			return err
		}
	}
	v.ID, v.Hash, v.Size, v.Author = d.VersionID, t.newHash, t.size, first(t.author, "agent")
	if t.kind == rowGone {
		v.ID, v.Hash, v.Size = wb.newID(), "", 0
	}
	return v.insert(tx)
}

// version is a row of versions.
type version struct {
	Version
	path   Path
	fileID string
}

func (v version) insert(tx *sql.Tx) error {
	_, err := tx.Exec(`INSERT INTO versions (id,path,hash,size,author,checkpoint_id,at,file_id) VALUES (?,?,?,?,?,?,?,?)`,
		v.ID, string(v.path), v.Hash, v.Size, v.Author, v.CheckpointID, stamp(v.At), v.fileID)
	return err
}
