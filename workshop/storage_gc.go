package workshop

import (
	"context"
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// GCOptions say what garbage collection may forget; the zero value forgets
// nothing that can still be restored.
type GCOptions struct {
	OlderThan time.Duration // also checkpoints and undo steps older than this; 0: none
	DryRun    bool          // only count
}

// GCResult says what was removed.
type GCResult struct {
	Objects     int
	Bytes       int64
	Checkpoints int
}

// gcGrace is how old an object must be: one that is about to be named by a row
// is written shortly before.
const gcGrace = time.Hour

// GC removes contents that nothing refers to (K-11). Rows go before contents,
// so a crash leaves at most contents for the next time.
func (wb *Workbench) GC(ctx context.Context, opt GCOptions) (GCResult, error) {
	if wb.readOnly {
		return GCResult{}, readOnlyWorkbench()
	}
	if err := wb.lockWrite(ctx); err != nil {
		return GCResult{}, err
	}
	defer wb.writeMu.Unlock()
	var res GCResult
	if err := wb.forgetOld(ctx, opt, &res); err != nil {
		return res, err
	}
	used, err := wb.usedObjects(ctx)
	if err != nil {
		return res, err
	}
	return res, wb.objects.each(func(hash, path string, st fs.FileInfo) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if used[hash] || wb.now().Sub(st.ModTime()) < gcGrace {
			return nil
		}
		if !opt.DryRun {
			gone, err := wb.objects.remove(hash, wb.now().Add(-gcGrace))
			if err != nil || !gone {
				return err
			}
		}
		res.Objects++
		res.Bytes += st.Size()
		return nil
	})
}

// forgetOld drops the checkpoints that are older than the options say.
func (wb *Workbench) forgetOld(ctx context.Context, opt GCOptions, res *GCResult) error {
	if opt.OlderThan <= 0 {
		return nil
	}
	err := inTx(ctx, wb.db, func(tx *sql.Tx) error {
		var err error
		if res.Checkpoints, err = wb.forget(tx, wb.now().Add(-opt.OlderThan)); err != nil || !opt.DryRun {
			return err
		}
		return errDryRun
	})
	if err == errDryRun {
		return nil
	}
	return err
}

// errDryRun rolls a transaction back.
var errDryRun = Faultf(Internal, "dry run")

// usedObjects returns the hashes that rows and records of the conversation name.
func (wb *Workbench) usedObjects(ctx context.Context) (map[string]bool, error) {
	used := map[string]bool{}
	if err := wb.conversationImages(used); err != nil {
		return nil, err
	}
	return used, inReadTx(ctx, wb.db, func(tx *sql.Tx) error {
		copied, err := copiedColumns(tx)
		if err != nil {
			return err
		}
		rs, err := tx.Query(`SELECT hash FROM draft_entries UNION SELECT hash FROM revision_entries
			UNION SELECT old_hash FROM checkpoint_entries UNION SELECT new_hash FROM checkpoint_entries
			UNION SELECT hash FROM versions UNION SELECT hash FROM snapshot_entries
			UNION SELECT old_hash FROM intent_targets UNION SELECT new_hash FROM intent_targets
			UNION SELECT copied_hash FROM (SELECT ` + copied + ` FROM draft_entries)
			UNION SELECT copied_hash FROM (SELECT ` + copied + ` FROM revision_entries)`)
		if err != nil {
			return err
		}
		defer rs.Close()
		for rs.Next() {
			var h string
			if err := rs.Scan(&h); err != nil {
				return err
			}
			used[h] = true
		}
		return rs.Err()
	})
}

// settingFloor is the first revision and checkpoint that can still be undone to.
const settingFloor = "history_floor"

// forget drops checkpoints before cutoff, but the newest, their versions, and
// the revisions before the last one then that left no draft.
func (wb *Workbench) forget(tx *sql.Tx, cutoff time.Time) (checkpoints int, err error) {
	at := stamp(cutoff)
	var floor moment
	err = tx.QueryRow(`SELECT coalesce(max(rowid),0) FROM checkpoints WHERE at<? AND rowid<(SELECT max(rowid) FROM checkpoints)`, at).Scan(&floor.checkpoint)
	if err != nil {
		return 0, err
	}
	if floor.revision, err = lastWithoutDraft(tx, at); err != nil {
		return 0, err
	}
	res, err := tx.Exec(`DELETE FROM checkpoints WHERE rowid<=?`, floor.checkpoint)
	if err != nil {
		return 0, err
	}
	n, err := res.RowsAffected()
	if err != nil {
		return 0, err
	}
	for _, q := range []string{
		`DELETE FROM checkpoint_entries WHERE checkpoint_id NOT IN (SELECT id FROM checkpoints)`,
		`DELETE FROM snapshot_entries WHERE checkpoint_id NOT IN (SELECT id FROM checkpoints)`,
		// The last version of a path stays: it tells whether the file on disk is ours.
		`DELETE FROM versions WHERE checkpoint_id NOT IN (SELECT id FROM checkpoints) AND rowid NOT IN (SELECT max(rowid) FROM versions GROUP BY path)`,
	} {
		if _, err := tx.Exec(q); err != nil {
			return 0, err
		}
	}
	for _, q := range []string{`DELETE FROM revision_entries WHERE revision<=?`, `DELETE FROM revisions WHERE id<=?`} {
		if _, err := tx.Exec(q, floor.revision); err != nil {
			return 0, err
		}
	}
	return int(n), raiseFloor(tx, floor)
}

// lastWithoutDraft returns the last revision before a time that left no draft, 0 when
// there is none among the last hundred that may have.
func lastWithoutDraft(tx *sql.Tx, before string) (revision int64, err error) {
	ids, err := tx.Query(`SELECT id FROM revisions WHERE at<? AND tool IN ('publish','discard','undo') ORDER BY id DESC LIMIT 100`, before)
	if err != nil {
		return 0, err
	}
	var candidates []int64
	for ids.Next() {
		var id int64
		if err := ids.Scan(&id); err != nil {
			ids.Close()
			return 0, err
		}
		candidates = append(candidates, id)
	}
	ids.Close()
	for _, id := range candidates {
		rows, err := rowsAt(tx, id)
		if err != nil {
			return 0, err
		}
		if len(rows) == 0 {
			return id, nil
		}
	}
	return 0, nil
}

func raiseFloor(tx *sql.Tx, m moment) error {
	old, err := floorOf(tx)
	if err != nil {
		return err
	}
	m = moment{max(old.revision, m.revision), max(old.checkpoint, m.checkpoint)}
	_, err = tx.Exec(`INSERT OR REPLACE INTO settings VALUES (?,?)`, settingFloor, strconv.FormatInt(m.revision, 10)+" "+strconv.FormatInt(m.checkpoint, 10))
	return err
}

func floorOf(tx *sql.Tx) (moment, error) {
	var v string
	err := tx.QueryRow(`SELECT coalesce((SELECT value FROM settings WHERE key=?),'0 0')`, settingFloor).Scan(&v)
	if err != nil {
		return moment{}, err
	}
	var m moment
	for i, f := range strings.Fields(v) {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return m, err
		}
		if i == 0 {
			m.revision = n
		} else {
			m.checkpoint = n
		}
	}
	return m, nil
}

// each calls f with every object.
func (o objects) each(f func(hash, path string, st fs.FileInfo) error) error {
	dirs, err := os.ReadDir(o.dir)
	if err != nil {
		return ignoreMissing(err)
	}
	for _, d := range dirs {
		if !d.IsDir() || len(d.Name()) != 2 {
			continue
		}
		files, err := os.ReadDir(filepath.Join(o.dir, d.Name()))
		if err != nil {
			return err
		}
		for _, e := range files {
			st, err := e.Info()
			if err != nil || len(e.Name()) != 62 {
				continue
			}
			if err := f(d.Name()+e.Name(), filepath.Join(o.dir, d.Name(), e.Name()), st); err != nil {
				return err
			}
		}
	}
	return nil
}

// remove removes an object unless it was written or wanted after cutoff.
func (o objects) remove(hash string, cutoff time.Time) (gone bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	st, err := os.Stat(o.path(hash))
	if err != nil {
		return false, ignoreMissing(err)
	}
	if st.ModTime().After(cutoff) {
		return false, nil
	}
	return true, os.Remove(o.path(hash))
}
