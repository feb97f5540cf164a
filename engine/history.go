package engine

import (
	"context"
	"errors"

	"atelier/workshop"
)

// CheckpointInfo is a state of the published files that can be restored.
type CheckpointInfo struct {
	CheckpointID string          `json:"checkpoint_id"`
	CreatedAt    string          `json:"created_at"`
	Reason       string          `json:"reason"` // "publish", "restore", "undo", "add", "remove" or "manual"
	Description  string          `json:"description,omitempty"`
	Stats        CheckpointStats `json:"stats"`
}

// CheckpointStats counts the contents a checkpoint keeps.
type CheckpointStats struct {
	Files      int   `json:"files"`
	TotalBytes int64 `json:"total_bytes"`
}

// CheckpointsResult is the result of CheckpointsList, the newest first.
type CheckpointsResult struct {
	Checkpoints []CheckpointInfo `json:"checkpoints"`
}

// CheckpointParams name a checkpoint; the beginning of its id is enough.
type CheckpointParams struct {
	WorkbenchID  string `json:"workbench_id"`
	CheckpointID string `json:"checkpoint_id"`
}

// CheckpointCreateParams are the params of CheckpointCreate.
type CheckpointCreateParams struct {
	WorkbenchID string `json:"workbench_id"`
	Description string `json:"description"`
}

// CheckpointGetResult is the result of CheckpointGet: what restoring would do.
type CheckpointGetResult struct {
	CheckpointInfo
	Changes []RestoreChange `json:"changes"`
}

// RestoreChange is one file that restoring a checkpoint would change.
type RestoreChange struct {
	Path       string `json:"path"`
	ChangeType string `json:"change_type"` // "added", "modified", "deleted"
	OldHash    string `json:"old_hash,omitempty"`
	NewHash    string `json:"new_hash,omitempty"`
	OldSize    int64  `json:"old_size"`
	NewSize    int64  `json:"new_size"`
	// ChangedOutside says that the file is not what the last publish made it;
	// what it is now is kept in the checkpoint of the restore.
	ChangedOutside bool `json:"changed_outside,omitempty"`
}

// CheckpointRestoreResult is the result of CheckpointRestore.
type CheckpointRestoreResult struct {
	CheckpointID string   `json:"checkpoint_id"` // takes the restore back; "" when nothing had to change
	Restored     []string `json:"restored"`
	Notes        []string `json:"notes,omitempty"` // what there is to know besides: kept contents that were damaged and had from elsewhere, files that an office program holds open
}

// MessageParams name a message of the conversation.
type MessageParams struct {
	WorkbenchID string `json:"workbench_id"`
	MessageID   string `json:"message_id"`
}

// UndoParams are the params of WorkshopUndoToMessage.
type UndoParams struct {
	WorkbenchID string `json:"workbench_id"`
	MessageID   string `json:"message_id"`
	// Before takes the message itself back too; the files become what they were
	// when it was sent.
	Before bool `json:"before,omitempty"`
}

// UndoResult is the result of WorkshopUndoToMessage (K-06).
type UndoResult struct {
	MessageID      string   `json:"message_id"`      // the last message that stays
	RecordsUndone  int      `json:"records_undone"`  // records of the conversation taken back
	PublishedFiles []string `json:"published_files"` // published files taken back too, past a publish
	HasDraft       bool     `json:"has_draft"`
	DraftID        string   `json:"draft_id,omitempty"`
	Notes          []string `json:"notes,omitempty"` // what there is to know besides: kept contents that were damaged and had from elsewhere, files that an office program holds open
}

func historyMethods() []*Method {
	return []*Method{
		method("CheckpointsList", "The states of the published files that can be restored, the newest first.", (*Engine).checkpointsList),
		method("HistoryList", "What happened to the files, the newest first: publishes, restores, undos, states kept by hand, steps in the draft; with the files that each changed.", (*Engine).historyList),
		method("CheckpointGet", "One checkpoint, and what restoring it would change.", (*Engine).checkpointGet),
		method("CheckpointCreate", "Keeps the whole published state under a description.", (*Engine).checkpointCreate),
		method("CheckpointRestore", "Takes the published files back to a checkpoint: all or nothing, and itself restorable.", (*Engine).checkpointRestore),
		method("WorkshopUndoToMessage", "Takes conversation, draft and published files back to a message; what is taken back is kept.", (*Engine).undoToMessage),
	}
}

func checkpointInfo(c workshop.Checkpoint) CheckpointInfo {
	return CheckpointInfo{CheckpointID: c.ID, CreatedAt: rfc3339(c.At), Reason: c.Reason, Description: c.Description, Stats: CheckpointStats{c.Files, c.Bytes}}
}

func (e *Engine) checkpointsList(ctx context.Context, p WorkbenchRef) (CheckpointsResult, error) {
	wb, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return CheckpointsResult{}, err
	}
	defer done()
	list, err := wb.Checkpoints(ctx)
	out := CheckpointsResult{Checkpoints: []CheckpointInfo{}}
	for _, c := range list {
		out.Checkpoints = append(out.Checkpoints, checkpointInfo(c))
	}
	return out, err
}

func (e *Engine) checkpointGet(ctx context.Context, p CheckpointParams) (CheckpointGetResult, error) {
	wb, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return CheckpointGetResult{}, err
	}
	defer done()
	c, err := wb.Checkpoint(ctx, p.CheckpointID)
	if err != nil {
		return CheckpointGetResult{}, err
	}
	plan, err := wb.RestorePlan(ctx, c.ID)
	out := CheckpointGetResult{CheckpointInfo: checkpointInfo(c), Changes: []RestoreChange{}}
	for _, ch := range plan {
		out.Changes = append(out.Changes, RestoreChange{string(ch.Path), ch.Type, ch.OldHash, ch.NewHash, ch.OldSize, ch.NewSize, ch.Conflict})
	}
	return out, err
}

func (e *Engine) checkpointCreate(ctx context.Context, p CheckpointCreateParams) (CheckpointInfo, error) {
	wb, end, err := e.beginActivity(ctx, p.WorkbenchID, workshop.ActCheckpoint)
	if err != nil {
		return CheckpointInfo{}, err
	}
	defer end()
	c, err := wb.CreateCheckpoint(ctx, p.Description)
	if err != nil {
		return CheckpointInfo{}, err
	}
	e.checkpointCreated(wb, c.ID)
	return checkpointInfo(c), nil
}

func (e *Engine) checkpointRestore(ctx context.Context, p CheckpointParams) (CheckpointRestoreResult, error) {
	wb, end, err := e.beginActivity(ctx, p.WorkbenchID, workshop.ActRestore)
	if err != nil {
		return CheckpointRestoreResult{}, err
	}
	defer end()
	res, err := wb.Restore(ctx, p.CheckpointID)
	if err != nil {
		return CheckpointRestoreResult{}, conflictInfo(err, p.WorkbenchID, "review")
	}
	out := CheckpointRestoreResult{CheckpointID: res.CheckpointID, Restored: pathStrings(res.Published), Notes: wb.Told()}
	e.forgetPhases(wb)
	e.hub.Emit(Notification{Method: "CheckpointRestored", Params: CheckpointRestored{WorkbenchID: wb.ID(), CheckpointID: p.CheckpointID}})
	e.checkpointCreated(wb, res.CheckpointID)
	return out, nil
}

func (e *Engine) undoToMessage(ctx context.Context, p UndoParams) (UndoResult, error) {
	if p.MessageID == "" {
		return UndoResult{}, validation("message_id is required")
	}
	wb, end, err := e.beginActivity(ctx, p.WorkbenchID, workshop.ActUndo)
	if err != nil {
		return UndoResult{}, err
	}
	defer end()
	undo := wb.UndoTo
	if p.Before {
		undo = wb.UndoBefore
	}
	res, err := func() (workshop.UndoResult, error) {
		wb.talk.Lock()
		defer wb.talk.Unlock()
		return undo(ctx, p.MessageID)
	}()
	if err != nil {
		return UndoResult{}, conflictInfo(err, p.WorkbenchID, "workshop")
	}
	e.forgetPhases(wb)
	e.conversationChanged(wb, conversationUndo, res.MessageID)
	return UndoResult{MessageID: res.MessageID, RecordsUndone: res.Records, PublishedFiles: pathStrings(res.Files), HasDraft: res.Draft.HasDraft, DraftID: res.Draft.ID, Notes: append(e.tellNotUndone(res.Outside), wb.Told()...)}, nil
}

// conflictInfo gives a conflict the code that clients know it by.
func conflictInfo(err error, workbenchID, phase string) error {
	if !workshop.IsFault(err, workshop.Conflict) || errors.Is(err, workshop.ErrInUse) {
		return err
	}
	f := workshop.AsFault(err)
	return &ErrorInfo{ErrorCode: CodeConflictPublished, Phase: phase, WorkbenchID: workbenchID, Detail: f.Message, Hint: f.Hint, Paths: f.Paths, Actions: []string{"review_draft"}, cause: err}
}

func pathStrings(paths []workshop.Path) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = string(p)
	}
	return out
}

// CheckpointCreated says that a state can be restored from now on.
type CheckpointCreated struct {
	WorkbenchID string `json:"workbench_id"`
	CheckpointInfo
}

// CheckpointRestored says that the published files went back to a checkpoint.
type CheckpointRestored struct {
	WorkbenchID  string `json:"workbench_id"`
	CheckpointID string `json:"checkpoint_id"`
}

// checkpointCreated tells clients of a new checkpoint; "" is none.
func (e *Engine) checkpointCreated(wb *openWorkbench, id string) {
	if id == "" {
		return
	}
	c, err := wb.Checkpoint(context.Background(), id)
	if err != nil {
		e.log.Warn("a checkpoint cannot be read", "workbench", wb.ID(), "err", err)
		return
	}
	e.hub.Emit(Notification{Method: "CheckpointCreated", Params: CheckpointCreated{WorkbenchID: wb.ID(), CheckpointInfo: checkpointInfo(c)}})
}
