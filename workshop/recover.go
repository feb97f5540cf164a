package workshop

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// recover finishes or takes back the publishes a crash interrupted and removes
// their temporary files. It runs at open, before anybody sees the workbench.
func (wb *Workbench) recover(ctx context.Context) error {
	type intent struct {
		id        string
		committed bool
	}
	var intents []intent
	err := inReadTx(ctx, wb.db, func(tx *sql.Tx) error {
		rs, err := tx.Query(`SELECT id, committed FROM intents`)
		if err != nil {
			return err
		}
		defer rs.Close()
		for rs.Next() {
			var i intent
			if err := rs.Scan(&i.id, &i.committed); err != nil {
				return err
			}
			intents = append(intents, i)
		}
		return rs.Err()
	})
	if err != nil {
		return err
	}
	for _, i := range intents {
		targets, err := wb.intentTargets(ctx, i.id)
		if err != nil {
			return err
		}
		if i.committed {
			err = wb.rollForward(ctx, i.id, targets)
		} else {
			wb.unstage(i.id, targets)
			err = wb.dropIntent(ctx, i.id)
			wb.repaired = append(wb.repaired, "a publish that was interrupted before it changed anything was taken back; the draft is as before")
		}
		if err != nil {
			return fmt.Errorf("an interrupted publish cannot be repaired yet: %w", err)
		}
		wb.removeTemps(i.id, targets)
	}
	return nil
}

func (wb *Workbench) intentTargets(ctx context.Context, id string) ([]target, error) {
	var targets []target
	return targets, inReadTx(ctx, wb.db, func(tx *sql.Tx) error {
		rs, err := tx.Query(`SELECT path, kind, old_hash, new_hash, size, identity, author FROM intent_targets WHERE intent=? ORDER BY rowid`, id)
		if err != nil {
			return err
		}
		defer rs.Close()
		for rs.Next() {
			var t target
			var identity string
			if err := rs.Scan(&t.path, &t.kind, &t.oldHash, &t.newHash, &t.size, &identity, &t.author); err != nil {
				return err
			}
			t.identity = loadIdentity(identity)
			targets = append(targets, t)
		}
		return rs.Err()
	})
}

// rollForward completes a committed publish. A file that is neither the old
// content nor the new was changed by someone after the crash: it is left as
// they made it, and said.
func (wb *Workbench) rollForward(ctx context.Context, id string, targets []target) error {
	dirs := map[string]bool{}
	for i, t := range targets {
		dirs[path.Dir(rootName(t.path))] = true
		switch t.kind {
		case rowDir:
			if err := wb.root.MkdirAll(rootName(t.path), 0o755); err != nil {
				return err
			}
			continue
		case rowNoDir:
			continue
		}
		now, err := wb.freshHash(ctx, t.path)
		if err != nil {
			return err
		}
		switch {
		case now == t.newHash:
		case now != t.oldHash:
			wb.repaired = append(wb.repaired, fmt.Sprintf("%s was changed outside after an interrupted publish and was left as it is; its new content is in the versions", t.path))
		case t.kind == rowGone:
			err = ignoreMissing(wb.root.Remove(rootName(t.path)))
		default:
			name := tempName(id, i, t.path)
			if err = wb.root.MkdirAll(path.Dir(rootName(t.path)), 0o755); err == nil {
				if err = wb.writeTemp(t.newHash, name, wb.modeOf(t.path)); err == nil {
					err = wb.root.Rename(name, rootName(t.path))
				}
			}
		}
		if err != nil {
			return err
		}
	}
	wb.removeFolders(targets)
	if err := wb.syncDirs(dirs); err != nil {
		return err
	}
	if undo, ok, err := wb.intentUndo(ctx, id); err != nil {
		return err
	} else if ok {
		wb.repaired = append(wb.repaired, "an undo that was interrupted was completed")
		return wb.closeUndo(ctx, id, undo, targets, wb.now().UTC())
	}
	wb.repaired = append(wb.repaired, fmt.Sprintf("a publish of %d paths that was interrupted was completed", len(targets)))
	return inTx(ctx, wb.db, func(tx *sql.Tx) error {
		paths := make([]Path, len(targets))
		for i, t := range targets {
			paths[i] = t.path
		}
		if err := wb.dropRows(tx, paths, Cause{Tool: "publish", Author: "user"}, wb.now().UTC()); err != nil {
			return err
		}
		return wb.closeIntent(tx, id, targets, wb.now().UTC())
	})
}

// removeTemps removes the temporary files an intent may have left in the
// folders of its targets.
func (wb *Workbench) removeTemps(id string, targets []target) {
	seen := map[string]bool{}
	for _, t := range targets {
		dir := path.Dir(rootName(t.path))
		if seen[dir] {
			continue
		}
		seen[dir] = true
		entries, err := fs.ReadDir(wb.root.FS(), dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), tempPrefix+id) {
				wb.root.Remove(path.Join(dir, e.Name()))
			}
		}
	}
}
