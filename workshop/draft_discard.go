package workshop

import (
	"context"
	"database/sql"
)

// EventDiscard is the event_kind of the system_event that a discarded draft leaves in
// the conversation. Its metadata has paths, at most 100 of them, files, their number,
// and all, whether nothing is left of the draft. Its text tells the model.
const EventDiscard = "discard"

// DiscardMark begins the text of that event, which a model gets in the place of a message
// of the user.
const DiscardMark = "[The user discarded "

// Discard drops the draft, or the rows at or below paths; published files stay
// as they are. A path the draft does not change is a NotFound fault and nothing
// is dropped.
func (wb *Workbench) Discard(ctx context.Context, paths []Path) error {
	return wb.discard(ctx, paths, func(rows map[Path]row, drop func() error) error { return drop() })
}

// DiscardStep is Discard as a step of the conversation, which UndoBefore takes back by the
// id that is returned: "" where there was nothing to discard.
func (wb *Workbench) DiscardStep(ctx context.Context, paths []Path) (id string, err error) {
	err = wb.discard(ctx, paths, func(rows map[Path]row, drop func() error) error {
		if len(rows) == 0 {
			return drop()
		}
		wb.mu.RLock()
		all := len(rows) == len(wb.rows)
		wb.mu.RUnlock()
		id = wb.conv.NewMessageID("s-")
		names := namesOf(pathsOf(rows))
		meta := map[string]any{"path": names[0], "paths": names[:min(len(names), stepPaths)], "files": len(names), "all": all}
		return wb.takeStep(Record{MessageID: id, EventKind: EventDiscard, Text: discardText(names, all), Metadata: meta}, "discarded", drop)
	})
	return id, err
}

// discardText is what a model is told.
func discardText(names []string, all bool) string {
	what := "from the draft: "
	if all {
		what = "the whole draft: "
	}
	return DiscardMark + what + fewNames(names) + ". These files are as published again. Do not make these changes again unless the user asks for it.]"
}

// discard has do drop the rows at or below paths.
func (wb *Workbench) discard(ctx context.Context, paths []Path, do func(rows map[Path]row, drop func() error) error) error {
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
		return do(rows, func() error { return wb.dropFromDraft(ctx, pathsOf(rows), "discard") })
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
