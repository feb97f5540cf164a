package workshop

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"
)

// moment is how far the files had come: the last revision of the draft and the
// last checkpoint.
type moment struct{ revision, checkpoint int64 }

// markMoment notes the moment of records that are about to be written, the first
// of which has that id.
func (wb *Workbench) markMoment(messageID string) error {
	m, err := momentIn(wb.db)
	if err != nil || m == wb.marked {
		return err
	}
	return inTx(context.Background(), wb.db, func(tx *sql.Tx) error { return wb.mark(tx, messageID) })
}

// mark notes the moment of a record, unless it is that of the record before or
// messageID is "". wb.conv.mu is held.
func (wb *Workbench) mark(tx *sql.Tx, messageID string) error {
	m, err := momentIn(tx)
	if err != nil || messageID == "" || m == wb.marked {
		return err
	}
	if _, err = tx.Exec(`INSERT OR REPLACE INTO marks VALUES (?,?,?)`, messageID, m.revision, m.checkpoint); err != nil {
		return err
	}
	if err = wb.noteDraft(tx, m.revision); err == nil {
		wb.marked = m
	}
	return err
}

// MarkBefore notes the files as they are before a message that is about to bring
// some: UndoBefore takes the files back to this.
func (wb *Workbench) MarkBefore(ctx context.Context, messageID string) error {
	if wb.readOnly {
		return readOnlyWorkbench()
	}
	return wb.markAs(ctx, beforeMark+messageID)
}

// markAs notes the files as they are now under an id.
func (wb *Workbench) markAs(ctx context.Context, id string) error {
	return inTx(ctx, wb.db, func(tx *sql.Tx) error {
		m, err := momentIn(tx)
		if err != nil {
			return err
		}
		_, err = tx.Exec(`INSERT OR REPLACE INTO marks VALUES (?,?,?)`, id, m.revision, m.checkpoint)
		return err
	})
}

const (
	// beforeMark begins the id of a mark that MarkBefore made.
	beforeMark = "<"
	// afterMark begins the id of a mark that is made when a step of the user was carried
	// out, whose record was written before it.
	afterMark = ">"
)

// momentBefore returns the moment before a message that brought files, ok false when
// it brought none.
func (wb *Workbench) momentBefore(ctx context.Context, messageID string) (m moment, ok bool, err error) {
	return wb.momentAt(ctx, beforeMark+messageID)
}

// momentAt returns the moment of a mark, ok false when there is none.
func (wb *Workbench) momentAt(ctx context.Context, id string) (m moment, ok bool, err error) {
	err = wb.db.QueryRowContext(ctx, `SELECT revision, checkpoint FROM marks WHERE message_id=?`, id).Scan(&m.revision, &m.checkpoint)
	if errors.Is(err, sql.ErrNoRows) {
		return m, false, nil
	}
	return m, err == nil, err
}

// unmark has the next record marked in any case: the one that was is not in the
// conversation.
func (wb *Workbench) unmark() { wb.marked, wb.noted, wb.note = moment{-1, -1}, -1, nil }

// momentIn is how far the files have come.
func momentIn(db interface {
	QueryRow(string, ...any) *sql.Row
}) (m moment, err error) {
	err = db.QueryRow(`SELECT (SELECT coalesce(max(id),0) FROM revisions), (SELECT coalesce(max(rowid),0) FROM checkpoints WHERE id NOT IN (SELECT checkpoint_id FROM intents))`).Scan(&m.revision, &m.checkpoint)
	return m, err
}

// momentOf returns the moment of the last of records: its mark, or that of the
// nearest record before it that has one.
func (wb *Workbench) momentOf(ctx context.Context, records []Record) (moment, error) {
	var m moment
	for _, r := range slices.Backward(records) {
		err := wb.db.QueryRowContext(ctx, `SELECT revision, checkpoint FROM marks WHERE message_id=?`, r.MessageID).Scan(&m.revision, &m.checkpoint)
		if err == nil || !errors.Is(err, sql.ErrNoRows) {
			return m, err
		}
	}
	return m, nil // before the first change
}

// momentOfPlace returns the moment at which the first records of a branch were what the
// conversation had, or the last of them, if it is first, was about to bring files.
func (wb *Workbench) momentOfPlace(ctx context.Context, records []Record, upTo int, first string) (moment, error) {
	m, ok, err := wb.momentBefore(ctx, first)
	if ok || err != nil {
		return m, err
	}
	if r := records[upTo-1]; first == "" && r.IsStep() && r.EventKind != EventGuest {
		if m, ok, err = wb.momentAt(ctx, afterMark+r.MessageID); err == nil && !ok {
			err = Unknownf("it is not known what the files were after %s; go to another message", r.MessageID).OnField("message_id")
		}
		return m, err
	}
	return wb.momentOf(ctx, records[:upTo])
}

// UndoResult says what an undo took back.
type UndoResult struct {
	MessageID string // the last message that stays, "" when none does
	Records   int    // records of the conversation that were taken back
	// Outside are the calls among them of tools of other programs, which are not
	// undone: by the name of the tool.
	Outside map[string]int
	Files   []Path // published files that were taken back too
	Draft   DraftState
}

// undo is what an intent of that kind saves. messageID is the last that stays;
// one with the prefix "<" is the first that does not.
type undo struct {
	messageID string
	revision  int64
}

// target splits messageID.
func (u undo) target() (to, before string) {
	if before, ok := strings.CutPrefix(u.messageID, "<"); ok {
		return "", before
	}
	return u.messageID, ""
}

// UndoTo takes the conversation back to a message or a step (the tool results of a message
// stay with it), and the files, draft and published, to what they were when it was
// complete (K-06). What is taken back is kept in the log of the conversation,
// the revisions and a checkpoint; going to a message of it brings it back. A
// published file that was changed since is a Conflict and nothing is undone.
func (wb *Workbench) UndoTo(ctx context.Context, messageID string) (UndoResult, error) {
	return wb.undo(ctx, messageID)
}

// UndoBefore takes the conversation back to before a message, and the files to
// what they were when it was sent: what happened between the message before it
// and it, such as a publish, stays.
func (wb *Workbench) UndoBefore(ctx context.Context, messageID string) (UndoResult, error) {
	return wb.undo(ctx, "<"+messageID)
}

func (wb *Workbench) undo(ctx context.Context, messageID string) (UndoResult, error) {
	if wb.readOnly {
		return UndoResult{}, readOnlyWorkbench()
	}
	res, changes, err := wb.undoTo(ctx, messageID)
	if err != nil {
		return res, err
	}
	if len(changes) > 0 {
		wb.emit(filesEvent(changes))
	}
	wb.emit(Event{Kind: "draft"})
	return res, nil
}

func (wb *Workbench) undoTo(ctx context.Context, messageID string) (UndoResult, []Change, error) {
	if err := wb.lockWrite(ctx); err != nil {
		return UndoResult{}, nil, err
	}
	defer wb.writeMu.Unlock()
	var res UndoResult
	live, past, err := wb.conv.branches()
	if err != nil {
		return res, nil, err
	}
	to, first := undo{messageID: messageID}.target()
	records, head, ok := placeOf(live, past, to, first)
	if !ok {
		return res, nil, Unknownf("there is no message %s in the conversation", to+first).OnField("message_id")
	}
	stays := 0
	for stays < min(head, len(live)) && live[stays].MessageID == records[stays].MessageID {
		stays++
	}
	res.Records = len(live) - stays
	res.Outside = outsideCalls(live[stays:])
	upTo := head
	if first != "" {
		upTo++ // the moment at which the message was sent
	}
	for _, r := range records[:head] {
		if r.Type == TypeUser || r.Type == TypeAssistant {
			res.MessageID = r.MessageID
		}
	}
	m, err := wb.momentOfPlace(ctx, records, upTo, first)
	if err != nil {
		return res, nil, err
	}
	var state wanted
	err = inReadTx(ctx, wb.db, func(tx *sql.Tx) error {
		floor, err := floorOf(tx)
		if err != nil {
			return err
		}
		if m.revision < floor.revision || m.checkpoint < floor.checkpoint {
			return Unknownf("the files of that time are not kept any more; a later message can be undone to").OnField("message_id")
		}
		state, err = before(tx, m.checkpoint+1)
		return err
	})
	if err != nil {
		return res, nil, err
	}
	changes, err := wb.differences(ctx, state)
	if err != nil {
		return res, nil, err
	}
	if err := undoConflicts(changes); err != nil {
		return res, nil, err
	}
	err = wb.carryOut(ctx, intent{id: wb.newID(), reason: ReasonUndo, at: wb.now().UTC(), targets: targetsOf(changes), undo: &undo{messageID, m.revision}})
	if err != nil {
		return res, nil, err
	}
	for _, c := range changes {
		res.Files = append(res.Files, c.Path)
	}
	res.Draft, err = wb.Draft(ctx)
	return res, changes, err
}

func undoConflicts(changes []Change) error {
	var paths []string
	for _, c := range changes {
		if c.Conflict {
			paths = append(paths, string(c.Path))
		}
	}
	if len(paths) == 0 {
		return nil
	}
	f := Faultf(Conflict, "these published files were changed by someone since: %s; nothing was undone", joinPaths(paths))
	f.Paths, f.Hint = paths, "keep a copy of them elsewhere, restore what was published, and undo again"
	return f
}

func joinPaths(paths []string) string {
	if len(paths) > 10 {
		paths = append(slices.Clone(paths[:10]), "…")
	}
	return strings.Join(paths, ", ")
}

// undoConversation takes the conversation back; it can be done again after a
// crash.
func (wb *Workbench) undoConversation(in intent) error {
	if err := wb.at("undo"); err != nil {
		return err
	}
	err := wb.conv.Append(Record{Type: TypeSystem, MessageID: wb.conv.NewMessageID("s-"), EventKind: EventUndo, Metadata: in.undo.metadata(in.id)})
	if err != nil {
		return err
	}
	return wb.at("undone")
}

func (u undo) metadata(checkpoint string) map[string]any {
	m := map[string]any{"checkpoint_id": checkpoint}
	if to, before := u.target(); before != "" {
		m["before"] = before
	} else {
		m["to"] = to
	}
	return m
}

// draftAt makes the draft what it was at a revision, as a revision of its own.
func (wb *Workbench) draftAt(tx *sql.Tx, revision int64, now time.Time) error {
	want, err := rowsAt(tx, revision)
	if err != nil {
		return err
	}
	have, err := draftRows(tx)
	if err != nil {
		return err
	}
	st, err := readDraft(tx)
	if err != nil {
		return err
	}
	if !st.HasDraft && len(want) > 0 {
		st = DraftState{HasDraft: true, ID: wb.newID(), CreatedAt: now, SourceKind: "workshop", SourceRef: "agent"}
		if _, err := tx.Exec(`INSERT INTO draft VALUES (?,?,?,?)`, st.ID, stamp(now), st.SourceKind, st.SourceRef); err != nil {
			return err
		}
	}
	changed := map[Path]row{}
	for p, r := range want {
		if have[p] != r {
			changed[p] = r
		}
	}
	for p := range have {
		if _, ok := want[p]; !ok {
			changed[p] = row{kind: rowAbsent}
		}
	}
	if len(changed) == 0 {
		return nil
	}
	rev, err := newRevision(tx, st.ID, Cause{Tool: "undo", Author: "user"}, now)
	if err != nil {
		return err
	}
	for p, r := range changed {
		if err := saveRow(tx, rev, p, r); err != nil {
			return err
		}
	}
	return nil
}

// rowsAt returns the draft as it was after a revision: of each path the last row up
// to then.
func rowsAt(tx *sql.Tx, revision int64) (map[Path]row, error) {
	copied, err := copiedColumns(tx)
	if err != nil {
		return nil, err
	}
	rs, err := tx.Query(`SELECT path, kind, hash, size, base_hash, r.at, identity, `+copied+` FROM revision_entries e JOIN revisions r ON r.id=e.revision WHERE e.revision<=? ORDER BY e.revision, e.rowid`, revision)
	if err != nil {
		return nil, err
	}
	return scanRows(rs)
}

// MetaOutside is the metadata key of a record whose call reached another program: the
// name of that server.
const MetaOutside = "outside"

// outsideCalls counts the calls of records that reached other programs, by tool.
func outsideCalls(records []Record) map[string]int {
	var calls map[string]int
	for _, r := range records {
		if _, ok := r.Metadata[MetaOutside]; ok {
			if calls == nil {
				calls = map[string]int{}
			}
			calls[r.ToolName]++
		}
	}
	return calls
}
