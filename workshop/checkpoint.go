package workshop

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sort"
	"time"
)

// A checkpoint is a state of the published files that can be restored. Every
// publish makes one of what it replaces; a person can make one of everything
// by hand. Nothing done later changes what a checkpoint restores (K-05).

// The reasons of a checkpoint.
const (
	ReasonPublish = "publish"
	ReasonRestore = "restore"
	ReasonUndo    = "undo"
	ReasonManual  = "manual"
	ReasonAdd     = "add"
	ReasonRemove  = "remove"
)

// Checkpoint is a state of the published files.
type Checkpoint struct {
	ID          string
	At          time.Time
	Reason      string
	Description string
	Files       int   // that it keeps a content of
	Bytes       int64 // of those
}

// Checkpoints lists them, the newest first, without those that each write of a
// live view makes.
func (wb *Workbench) Checkpoints(ctx context.Context) ([]Checkpoint, error) {
	return wb.checkpoints(ctx, "reason<>'"+ReasonLive+"'")
}

func (wb *Workbench) checkpoints(ctx context.Context, where string) ([]Checkpoint, error) {
	var out []Checkpoint
	err := inReadTx(ctx, wb.db, func(tx *sql.Tx) error {
		rs, err := tx.Query(`SELECT id, at, reason, description FROM checkpoints WHERE id NOT IN (SELECT checkpoint_id FROM intents) AND ` + where + ` ORDER BY rowid DESC`)
		if err != nil {
			return err
		}
		defer rs.Close()
		for rs.Next() {
			var c Checkpoint
			var at string
			if err := rs.Scan(&c.ID, &at, &c.Reason, &c.Description); err != nil {
				return err
			}
			c.At = unstamp(at)
			out = append(out, c)
		}
		return rs.Err()
	})
	for i := range out {
		if err != nil {
			return nil, err
		}
		err = wb.checkpointSize(ctx, &out[i])
	}
	return out, err
}

func (wb *Workbench) checkpointSize(ctx context.Context, c *Checkpoint) error {
	return inReadTx(ctx, wb.db, func(tx *sql.Tx) error {
		rs, err := tx.Query(`SELECT old_hash FROM checkpoint_entries WHERE checkpoint_id=?1 AND old_hash<>'' UNION ALL SELECT hash FROM snapshot_entries WHERE checkpoint_id=?1`, c.ID)
		if err != nil {
			return err
		}
		defer rs.Close()
		for rs.Next() {
			var hash string
			if err := rs.Scan(&hash); err != nil {
				return err
			}
			c.Files++
			c.Bytes += wb.objects.size(hash)
		}
		return rs.Err()
	})
}

// Checkpoint returns the one with that id, or the only one whose id begins so.
func (wb *Workbench) Checkpoint(ctx context.Context, id string) (Checkpoint, error) {
	all, err := wb.checkpoints(ctx, "1")
	if err != nil {
		return Checkpoint{}, err
	}
	var hits []Checkpoint
	for _, c := range all {
		if c.ID == id {
			return c, nil
		}
		if id != "" && len(c.ID) > len(id) && c.ID[:len(id)] == id {
			hits = append(hits, c)
		}
	}
	switch len(hits) {
	case 1:
		return hits[0], nil
	case 0:
		return Checkpoint{}, Unknownf("there is no checkpoint %s", id).OnField("checkpoint_id")
	}
	return Checkpoint{}, Faultf(Invalid, "%d checkpoints begin with %s; write more of the id", len(hits), id).OnField("checkpoint_id")
}

// CreateCheckpoint keeps the whole published state under a description. It
// copies every file that is not kept yet.
func (wb *Workbench) CreateCheckpoint(ctx context.Context, description string) (Checkpoint, error) {
	if wb.readOnly {
		return Checkpoint{}, readOnlyWorkbench()
	}
	if err := wb.lockWrite(ctx); err != nil {
		return Checkpoint{}, err
	}
	defer wb.writeMu.Unlock()
	files, err := wb.Published().List(ctx, "", ListOptions{Recursive: true, NoHash: true})
	if err != nil {
		return Checkpoint{}, err
	}
	c := Checkpoint{ID: wb.newID(), At: wb.now().UTC(), Reason: ReasonManual, Description: description}
	type kept struct {
		path Path
		hash string
		size int64
	}
	var list []kept
	for _, e := range files {
		if e.IsDir || e.Refused != "" {
			continue
		}
		hash, size, err := wb.keep(ctx, e.Path)
		if IsFault(err, NotFound) {
			continue // it went meanwhile
		}
		if err != nil {
			return Checkpoint{}, fmt.Errorf("%s cannot be kept: %w", e.Path, err)
		}
		list = append(list, kept{e.Path, hash, size})
		c.Files++
		c.Bytes += size
	}
	return c, inTx(ctx, wb.db, func(tx *sql.Tx) error {
		if _, err := tx.Exec(`INSERT INTO checkpoints VALUES (?,?,?,?)`, c.ID, stamp(c.At), c.Reason, description); err != nil {
			return err
		}
		for _, k := range list {
			if _, err := tx.Exec(`INSERT INTO snapshot_entries VALUES (?,?,?,?)`, c.ID, string(k.path), k.hash, k.size); err != nil {
				return err
			}
		}
		return nil
	})
}

// keep stores the present content of a published file.
func (wb *Workbench) keep(ctx context.Context, p Path) (hash string, size int64, err error) {
	src, err := wb.Published().Open(ctx, p)
	if err != nil {
		return "", 0, err
	}
	defer src.Close()
	if wb.objects.check(ctx, src.Hash()) == nil {
		return src.Hash(), src.Size(), nil
	}
	return wb.objects.put(ctx, max(src.Size(), wb.limits.FileBytes), copyOf(src))
}

// wanted is what a path is to be: a hash, or "" for no file.
type wanted map[Path]string

// stateAt returns what restoring a checkpoint makes of which paths: of a publish, the
// state before it and all that came after; of one made by hand, every file it
// kept, and no file that a publish made since.
func (wb *Workbench) stateAt(tx *sql.Tx, id string) (wanted, error) {
	var rowid int64
	var reason string
	err := tx.QueryRow(`SELECT rowid, reason FROM checkpoints WHERE id=?`, id).Scan(&rowid, &reason)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, Unknownf("there is no checkpoint %s", id).OnField("checkpoint_id")
	}
	if err != nil {
		return nil, err
	}
	state, err := before(tx, rowid)
	if err != nil || reason != ReasonManual {
		return state, err
	}
	rs, err := tx.Query(`SELECT path, hash FROM snapshot_entries WHERE checkpoint_id=?`, id)
	if err != nil {
		return nil, err
	}
	defer rs.Close()
	for rs.Next() {
		var p, hash string
		if err := rs.Scan(&p, &hash); err != nil {
			return nil, err
		}
		state[Path(p)] = hash
	}
	return state, rs.Err()
}

// before returns what the publishes from a checkpoint on replaced: of each path the
// content before the first of them.
func before(tx *sql.Tx, rowid int64) (wanted, error) {
	rs, err := tx.Query(`SELECT e.path, e.old_hash, e.new_hash FROM checkpoint_entries e JOIN checkpoints c ON c.id=e.checkpoint_id WHERE c.rowid>=? ORDER BY c.rowid DESC, e.rowid DESC`, rowid)
	if err != nil {
		return nil, err
	}
	defer rs.Close()
	state := wanted{}
	for rs.Next() {
		var p, old, now string
		if err := rs.Scan(&p, &old, &now); err != nil {
			return nil, err
		}
		if old == "" && now == "" {
			continue // a folder: an empty one more or less loses nothing
		}
		state[Path(p)] = old
	}
	return state, rs.Err()
}

// RestorePlan lists what restoring a checkpoint would change, sorted by path.
// Conflict marks a file that is not what the last publish made it: restoring
// would replace someone's work, which is kept all the same.
func (wb *Workbench) RestorePlan(ctx context.Context, id string) ([]Change, error) {
	c, err := wb.Checkpoint(ctx, id)
	if err != nil {
		return nil, err
	}
	var state wanted
	err = inReadTx(ctx, wb.db, func(tx *sql.Tx) error {
		state, err = wb.stateAt(tx, c.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	return wb.differences(ctx, state)
}

// differences compares the published files with a wanted state.
func (wb *Workbench) differences(ctx context.Context, state wanted) ([]Change, error) {
	var out []Change
	for p, hash := range state {
		now, err := wb.freshHash(ctx, p)
		if err != nil && !IsFault(err, NotFound) {
			return nil, err
		}
		if now == hash {
			continue
		}
		c := Change{Path: p, Type: "modified", Kind: wb.changedKind(ctx, p, hash), OldHash: now, NewHash: hash, NewSize: wb.objects.size(hash)}
		if st, err := wb.lstat(p); err == nil {
			c.OldSize = st.Size()
		}
		switch {
		case now == "":
			c.Type = "added"
		case hash == "":
			c.Type = "deleted"
		}
		var last string
		err = wb.db.QueryRowContext(ctx, `SELECT hash FROM versions WHERE path=? ORDER BY rowid DESC LIMIT 1`, string(p)).Scan(&last)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return nil, err
		}
		c.Conflict = now != last && now != ""
		out = append(out, c)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	return out, nil
}

// Restore takes the published files back to a checkpoint. It is a publish like
// any other: all or nothing, and with a checkpoint of what it replaces. Files
// that the open draft changes are a Conflict; publish or discard them first.
func (wb *Workbench) Restore(ctx context.Context, id string) (PublishResult, error) {
	if wb.readOnly {
		return PublishResult{}, readOnlyWorkbench()
	}
	res, ev, err := wb.restore(ctx, id)
	if err == nil && len(res.Published) > 0 {
		wb.emit(ev)
	}
	return res, err
}

func (wb *Workbench) restore(ctx context.Context, id string) (PublishResult, Event, error) {
	if err := wb.lockWrite(ctx); err != nil {
		return PublishResult{}, Event{}, err
	}
	defer wb.writeMu.Unlock()
	changes, err := wb.RestorePlan(ctx, id)
	if err != nil {
		return PublishResult{}, Event{}, err
	}
	var both []string
	rows := wb.selected(nil)
	for _, c := range changes {
		if _, ok := rows[c.Path]; ok {
			both = append(both, string(c.Path))
		}
	}
	if len(both) > 0 {
		f := Faultf(Conflict, "the draft changes files that the checkpoint would restore: %s", joinPaths(both))
		f.Paths, f.Hint = both, "publish or discard the draft first"
		return PublishResult{}, Event{}, f
	}
	now, newID := wb.now().UTC(), wb.newID()
	targets := targetsOf(changes)
	res := PublishResult{PublishedAt: now}
	if len(targets) == 0 {
		return res, Event{}, nil
	}
	if err := wb.carryOut(ctx, intent{id: newID, reason: ReasonRestore, at: now, targets: targets}); err != nil {
		return PublishResult{}, Event{}, err
	}
	res.CheckpointID = newID
	for _, c := range changes {
		res.Published = append(res.Published, c.Path)
	}
	return res, filesEvent(changes), nil
}

func targetsOf(changes []Change) []target {
	targets := make([]target, 0, len(changes))
	for _, c := range changes {
		kind := rowFile
		if c.Type == "deleted" {
			kind = rowGone
		}
		targets = append(targets, target{path: c.Path, kind: kind, oldHash: c.OldHash, newHash: c.NewHash, size: c.NewSize})
	}
	return targets
}

// filesEvent tells what changes did to the published files.
func filesEvent(changes []Change) Event {
	ev := Event{Kind: "files"}
	for _, c := range changes {
		switch {
		case c.IsDir:
		case c.Type == "added":
			ev.Added = append(ev.Added, string(c.Path))
		case c.Type == "deleted":
			ev.Removed = append(ev.Removed, string(c.Path))
		default:
			ev.Updated = append(ev.Updated, string(c.Path))
		}
	}
	return ev
}
