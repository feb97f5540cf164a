package workshop

import (
	"context"
	"database/sql"
	"slices"
	"time"
)

// Occurrence is one thing that happened to the files: a change of the published
// files, a state that was kept by hand, or a step of the user in the draft.
type Occurrence struct {
	ID          string // of the checkpoint, or of the step's message
	At          time.Time
	Kind        string // the reason of the checkpoint, or the event_kind of the step
	Description string // of a state that was kept by hand
	Step        bool   // a step in the draft (see IsStep); ID names its message
	Files       []FileChange
	Omitted     int // files left out of Files
	Kept        int // of a state that was kept by hand: the files that it has
}

// FileChange is what an occurrence did to one file.
type FileChange struct {
	Path             Path
	Type             string // "added", "modified", "deleted"
	OldHash, NewHash string // "" where there was no file
	OldSize, NewSize int64  // bytes
}

// HistoryOptions choose a part of the history.
type HistoryOptions struct {
	Before string // only what happened before the occurrence with this id
	Limit  int    // at most so many occurrences; 0 means all
	Files  int    // at most so many files of each; 0 means all
}

// History lists what happened to the files, the newest first, and whether there is
// more. Single writes of a live view are left out, as Checkpoints does.
func (wb *Workbench) History(ctx context.Context, opt HistoryOptions) (list []Occurrence, more bool, err error) {
	if list, err = wb.occurrences(ctx); err != nil {
		return nil, false, err
	}
	if opt.Before != "" {
		i := slices.IndexFunc(list, func(o Occurrence) bool { return o.ID == opt.Before })
		if i < 0 {
			return nil, false, Unknownf("the history has no entry %s", opt.Before).OnField("before")
		}
		list = list[i+1:]
	}
	if opt.Limit > 0 && len(list) > opt.Limit {
		list, more = list[:opt.Limit], true
	}
	for i := range list {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		if list[i].Step {
			continue
		}
		if err := wb.addFiles(ctx, &list[i], opt.Files); err != nil {
			return nil, false, err
		}
	}
	return list, more, nil
}

// occurrences returns all of them without their files. A checkpoint and a step of the
// same moment stay in the order of their lists.
func (wb *Workbench) occurrences(ctx context.Context) ([]Occurrence, error) {
	var out []Occurrence
	err := inReadTx(ctx, wb.db, func(tx *sql.Tx) error {
		rs, err := tx.Query(`SELECT id, at, reason, description FROM checkpoints WHERE id NOT IN (SELECT checkpoint_id FROM intents) AND reason<>? ORDER BY rowid DESC`, ReasonLive)
		if err != nil {
			return err
		}
		defer rs.Close()
		for rs.Next() {
			var o Occurrence
			var at string
			if err := rs.Scan(&o.ID, &at, &o.Kind, &o.Description); err != nil {
				return err
			}
			o.At = unstamp(at)
			out = append(out, o)
		}
		return rs.Err()
	})
	if err != nil {
		return nil, err
	}
	records, err := wb.conv.Records()
	if err != nil {
		return nil, err
	}
	for _, r := range slices.Backward(records) {
		if r.IsStep() {
			o := Occurrence{ID: r.MessageID, At: r.CreatedAt, Kind: r.EventKind, Step: true}
			for _, p := range r.StepPaths() {
				o.Files = append(o.Files, FileChange{Path: Path(p), Type: "modified"})
			}
			out = append(out, o)
		}
	}
	slices.SortStableFunc(out, func(a, b Occurrence) int { return b.At.Compare(a.At) })
	return out, nil
}

// addFiles adds what a checkpoint's change did to files, sorted by path.
func (wb *Workbench) addFiles(ctx context.Context, o *Occurrence, most int) error {
	err := inReadTx(ctx, wb.db, func(tx *sql.Tx) error {
		if err := tx.QueryRow(`SELECT count(*) FROM snapshot_entries WHERE checkpoint_id=?`, o.ID).Scan(&o.Kept); err != nil {
			return err
		}
		// A row without any content is a folder.
		const from = ` FROM checkpoint_entries WHERE checkpoint_id=? AND old_hash<>new_hash`
		var all int
		if err := tx.QueryRow(`SELECT count(*)`+from, o.ID).Scan(&all); err != nil {
			return err
		}
		if most <= 0 {
			most = all
		}
		rs, err := tx.Query(`SELECT path, old_hash, new_hash`+from+` ORDER BY path LIMIT ?`, o.ID, most)
		if err != nil {
			return err
		}
		defer rs.Close()
		for rs.Next() {
			var c FileChange
			if err := rs.Scan(&c.Path, &c.OldHash, &c.NewHash); err != nil {
				return err
			}
			o.Files = append(o.Files, c)
		}
		o.Omitted = max(0, all-len(o.Files))
		return rs.Err()
	})
	for i := range o.Files {
		c := &o.Files[i]
		c.Type = "modified"
		switch {
		case c.OldHash == "":
			c.Type = "added"
		case c.NewHash == "":
			c.Type = "deleted"
		}
		c.OldSize, c.NewSize = wb.objects.size(c.OldHash), wb.objects.size(c.NewHash)
	}
	return err
}

// keptStates returns the contents of a path that states kept by hand have and that no
// version in have names.
func keptStates(tx *sql.Tx, p Path, have []FileVersion) ([]FileVersion, error) {
	rs, err := tx.Query(`SELECT s.hash, s.size, c.id, c.at FROM snapshot_entries s JOIN checkpoints c ON c.id=s.checkpoint_id WHERE s.path=? ORDER BY c.rowid`, string(p))
	if err != nil {
		return nil, err
	}
	defer rs.Close()
	var out []FileVersion
	for rs.Next() {
		v := FileVersion{Version: Version{Author: "user"}, Path: p}
		var at string
		if err := rs.Scan(&v.Hash, &v.Size, &v.CheckpointID, &at); err != nil {
			return nil, err
		}
		v.ID, v.At = v.Hash, unstamp(at)
		same := func(o FileVersion) bool { return o.Hash == v.Hash }
		if !slices.ContainsFunc(have, same) && !slices.ContainsFunc(out, same) {
			out = append(out, v)
		}
	}
	return out, rs.Err()
}
