package workshop

import (
	"context"
	"database/sql"
)

// Discard drops the draft, or the rows at or below paths; published files stay
// as they are. A path the draft does not change is a NotFound fault and nothing
// is dropped.
func (wb *Workbench) Discard(ctx context.Context, paths []Path) error {
	if wb.readOnly {
		return readOnlyWorkbench()
	}
	err := func() error {
		if err := wb.lockWrite(ctx); err != nil {
			return err
		}
		defer wb.writeMu.Unlock()
		rows := wb.selected(wb.wholeRenames(paths))
		told := withFolders(rows)
		for _, p := range paths {
			if !told[p] {
				return Faultf(NotFound, "the draft does not change %s", p).OnField("paths")
			}
		}
		wb.addRemovedFolders(rows)
		return wb.dropFromDraft(ctx, pathsOf(rows), "discard")
	}()
	if err == nil {
		wb.emit(Event{Kind: "draft"})
	}
	return err
}

// addRemovedFolders adds to discarded rows those that remove a folder in which a
// discarded row would have removed something: the folder stays with it.
func (wb *Workbench) addRemovedFolders(rows map[Path]row) {
	wb.mu.RLock()
	defer wb.mu.RUnlock()
	for _, p := range pathsOf(rows) {
		if k := rows[p].kind; k != rowGone && k != rowNoDir {
			continue
		}
		for q := parent(p); q != ""; q = parent(q) {
			if r, ok := wb.rows[q]; ok && r.kind == rowNoDir {
				rows[q] = r
			}
		}
	}
}

// dropFromDraft takes rows out of the draft. wb.writeMu is held.
func (wb *Workbench) dropFromDraft(ctx context.Context, paths []Path, tool string) error {
	err := inTx(ctx, wb.db, func(tx *sql.Tx) error {
		if err := wb.dropRows(tx, paths, Cause{Tool: tool, Author: "user"}, wb.now().UTC()); err != nil {
			return err
		}
		return dropEmptyDraft(tx)
	})
	if err != nil {
		return err
	}
	return wb.loadDraftLocked(ctx)
}
