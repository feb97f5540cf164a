package workshop

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"
)

// ReasonLive is the reason of the checkpoints that writes of a live view make.
const ReasonLive = "write"

// LiveView returns the published files, each change carried out and recorded as a
// version at once: for clients that have no draft, such as the HTTP
// tools. A change goes the way of a publish, so a crash leaves it wholly done
// or not at all, and what it replaces can be restored. Drafts that were based
// on what it changes are in conflict from then on.
func (wb *Workbench) LiveView(c Cause) View {
	return draftView{wb: wb, cause: c, under: published{wb}, live: true}
}

// commitLive carries rows out. wb.writeMu is held.
func (wb *Workbench) commitLive(ctx context.Context, c Cause, rows map[Path]row) error {
	if wb.readOnly {
		return readOnlyWorkbench()
	}
	for p, r := range rows {
		if r.kind == rowFile || r.kind == rowDir {
			wb.addParents(rows, p)
		}
	}
	var targets []target
	for p, r := range rows {
		if r.kind == rowAbsent {
			continue
		}
		t := target{path: p, kind: r.kind, oldHash: r.baseHash, newHash: r.hash, size: r.size, identity: r.identity, author: c.Author}
		targets = append(targets, t)
	}
	slices.SortFunc(targets, func(a, b target) int { return strings.Compare(string(a.path), string(b.path)) })
	if len(targets) == 0 {
		return nil
	}
	if err := wb.carryOut(ctx, intent{id: wb.newID(), reason: ReasonLive, at: wb.now().UTC(), targets: targets}); err != nil {
		return err
	}
	ev := Event{Kind: "files"}
	for _, t := range targets {
		switch {
		case t.kind == rowGone:
			ev.Removed = append(ev.Removed, string(t.path))
		case t.kind != rowFile:
		case t.oldHash == "":
			ev.Added = append(ev.Added, string(t.path))
		default:
			ev.Updated = append(ev.Updated, string(t.path))
		}
	}
	wb.emit(ev)
	return nil
}

// addParents gives the folders that p needs an identity of their own.
func (wb *Workbench) addParents(rows map[Path]row, p Path) {
	for q := parent(p); q != ""; q = parent(q) {
		if _, ok := rows[q]; ok {
			return
		}
		if _, err := wb.lstat(q); !IsFault(err, NotFound) {
			return
		}
		rows[q] = draftView{wb: wb}.newDir()
	}
}

func readOnlyWorkbench() error {
	return Faultf(Forbidden, "the workbench is open for reading only")
}

// Deleted is a file that was removed and can be put back.
type Deleted struct {
	Identity
	Path      Path
	Hash      string
	Size      int64
	DeletedAt time.Time
}

// Trash lists the removed files, the last removed first.
func (wb *Workbench) Trash(ctx context.Context) ([]Deleted, error) {
	return wb.deleted(ctx, "1")
}

func (wb *Workbench) deleted(ctx context.Context, where string, args ...any) ([]Deleted, error) {
	out := []Deleted{}
	return out, inReadTx(ctx, wb.db, func(tx *sql.Tx) error {
		rs, err := tx.Query(`SELECT path, identity, hash, size, deleted_at FROM files WHERE deleted_at<>'' AND hash<>'' AND `+where+` ORDER BY deleted_at DESC, path`, args...)
		if err != nil {
			return err
		}
		defer rs.Close()
		for rs.Next() {
			var d Deleted
			var p, identity, at string
			if err := rs.Scan(&p, &identity, &d.Hash, &d.Size, &at); err != nil {
				return err
			}
			d.Path, d.Identity, d.DeletedAt = Path(p), loadIdentity(identity), unstamp(at)
			out = append(out, d)
		}
		return rs.Err()
	})
}

// Undelete puts a removed file back where it was, with its id and its last
// content. NotFound when no removed file has that id, Conflict when its path
// is taken; nothing is changed then.
func (wb *Workbench) Undelete(ctx context.Context, c Cause, fileID string) (Entry, error) {
	if err := wb.lockWrite(ctx); err != nil {
		return Entry{}, err
	}
	defer wb.writeMu.Unlock()
	found, err := wb.deleted(ctx, "id=?", fileID)
	if err != nil {
		return Entry{}, err
	}
	if len(found) == 0 {
		return Entry{}, Faultf(NotFound, "there is no deleted file %s", fileID).OnField("file_id")
	}
	d := found[0]
	if _, err := wb.lstat(d.Path); !IsFault(err, NotFound) {
		if err != nil {
			return Entry{}, err
		}
		f := Faultf(Conflict, "%s cannot be restored: another file is there", d.Path)
		f.Paths, f.Hint = []string{string(d.Path)}, "move or remove it first"
		return Entry{}, f
	}
	if wb.objects.size(d.Hash) == 0 && d.Size > 0 {
		return Entry{}, Faultf(NotFound, "the content of %s is not kept any more", d.Path).OnField("file_id")
	}
	d.VersionID = wb.newID()
	err = wb.commitLive(ctx, c, map[Path]row{d.Path: {kind: rowFile, hash: d.Hash, size: d.Size, modified: wb.now().UTC(), identity: d.Identity}})
	if err != nil {
		return Entry{}, err
	}
	return wb.LiveView(c).Stat(ctx, d.Path)
}

// FileByID finds a published file or folder by its id.
func (wb *Workbench) FileByID(ctx context.Context, id string) (Path, error) {
	var p string
	err := wb.db.QueryRowContext(ctx, `SELECT path FROM files WHERE id=? AND deleted_at=''`, id).Scan(&p)
	if errors.Is(err, sql.ErrNoRows) {
		return "", Faultf(NotFound, "there is no file %s", id).OnField("file_id")
	}
	return Path(p), err
}
