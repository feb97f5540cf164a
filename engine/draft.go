package engine

import (
	"context"

	"atelier/formats"
	"atelier/workshop"
	"atelier/workshop/review"
)

// DraftGetStateResult is the result of DraftGetState (W-60).
type DraftGetStateResult struct {
	HasDraft   bool   `json:"has_draft"`
	DraftID    string `json:"draft_id,omitempty"`
	CreatedAt  string `json:"created_at,omitempty"`
	SourceKind string `json:"source_kind,omitempty"`
	SourceRef  string `json:"source_ref,omitempty"`
}

// DraftPublishParams are the params of DraftPublish.
type DraftPublishParams struct {
	WorkbenchID string   `json:"workbench_id"`
	Paths       []string `json:"paths,omitempty"` // empty: the whole draft
	Force       []string `json:"force,omitempty"` // publish these over what changed outside; it is kept in the checkpoint
}

// DraftPublishResult is the result of DraftPublish.
type DraftPublishResult struct {
	PublishedAt  string   `json:"published_at"`
	CheckpointID string   `json:"checkpoint_id"`
	Published    []string `json:"published"`
	Notes        []string `json:"notes,omitempty"` // what there is to know besides: kept contents that were damaged and had from elsewhere, files that an office program holds open
}

// DraftDiscardParams are the params of DraftDiscard.
type DraftDiscardParams struct {
	WorkbenchID string   `json:"workbench_id"`
	Paths       []string `json:"paths,omitempty"` // empty: the whole draft
}

// ChangeSetResult is the result of ReviewGetChangeSet.
type ChangeSetResult struct {
	DraftID string          `json:"draft_id,omitempty"`
	Changes []review.Change `json:"changes"`
}

// ReviewTextParams are the params of ReviewGetTextDiff.
type ReviewTextParams struct {
	WorkbenchID string `json:"workbench_id"`
	Path        string `json:"path"`
	Start       string `json:"start,omitempty"`     // next of the part before; "" begins at the beginning
	MaxLines    int    `json:"max_lines,omitempty"` // changed lines in one answer, default 2000, at most 20000
}

// ReviewContentParams are the params of ReviewGetContentDiff.
type ReviewContentParams struct {
	WorkbenchID string `json:"workbench_id"`
	Path        string `json:"path"`
	MaxItems    int    `json:"max_items,omitempty"` // default 1000; the counts are of all
	// Requires asks for requires and revertible of each change (docx, xlsx, pptx), which
	// takes as long as many comparisons, at most two minutes.
	Requires bool `json:"requires,omitempty"`
}

// DraftDiscardResult is the result of DraftDiscard.
type DraftDiscardResult struct {
	// MessageID takes the step back: WorkshopUndoToMessage with before. "" where the draft
	// changed nothing.
	MessageID string `json:"message_id,omitempty"`
}

// DraftRevertChangesParams are the params of DraftRevertChanges.
type DraftRevertChangesParams struct {
	WorkbenchID string   `json:"workbench_id"`
	Path        string   `json:"path"`
	Changes     []string `json:"changes"` // ids of items and facts of ReviewGetContentDiff, or of hunks of ReviewGetTextDiff
}

// DraftRevertChangesResult is the result of DraftRevertChanges.
type DraftRevertChangesResult struct {
	Path     string `json:"path"`
	Reverted int    `json:"reverted"`       // changes that were taken back
	Hash     string `json:"hash,omitempty"` // of the file in the draft
	// Dropped: no change is left, and the file is not in the draft any more.
	Dropped bool `json:"dropped,omitempty"`
	// MessageID takes the step back: WorkshopUndoToMessage with before.
	MessageID string `json:"message_id"`
	HasDraft  bool   `json:"has_draft"`
}

func draftMethods() []*Method {
	return []*Method{
		method("DraftGetState", "Whether there is a draft, and since when.", (*Engine).draftState),
		method("DraftPublish", "Publishes the draft or some paths of it: all or nothing, and only over what it was based on.", (*Engine).draftPublish),
		method("DraftRevertChanges", "Takes single changes of one file of the draft back, as one step that can be undone; the model is told with its next turn.", (*Engine).draftRevertChanges),
		method("DraftDiscard", "Drops the draft or some paths of it, as one step that can be undone; published files stay as they are, and the model is told with its next turn.", (*Engine).draftDiscard),
	}
}

func reviewMethods() []*Method {
	return []*Method{
		method("ReviewGetChangeSet", "The changed paths with a summary each.", (*Engine).reviewChangeSet),
		method("ReviewGetContentDiff", "One file's changes in its format's terms: cells, paragraphs, slides.", (*Engine).reviewContentDiff),
		method("ReviewGetBlocks", "Paragraphs and tables of one side of a text document, a window of them, to be drawn in its flow.", (*Engine).reviewBlocks),
		method("ReviewGetPreview", "A page of one side of a file as a picture.", (*Engine).reviewPreview),
		method("ReviewGetSheetWindow", "A window of the cells of one side of a workbook, to be drawn as a grid; a large sheet is not read as a whole for it.", (*Engine).reviewSheetWindow),
		method("ReviewGetTextDiff", "One file's changes as hunks of lines, a window of a large one; office files by their text.", (*Engine).reviewTextDiff),
	}
}

func (e *Engine) draftState(ctx context.Context, p WorkbenchRef) (DraftGetStateResult, error) {
	wb, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return DraftGetStateResult{}, err
	}
	defer done()
	st, err := wb.Draft(ctx)
	return draftState(st), err
}

func (e *Engine) draftPublish(ctx context.Context, p DraftPublishParams) (DraftPublishResult, error) {
	wb, end, err := e.beginActivity(ctx, p.WorkbenchID, workshop.ActPublish)
	if err != nil {
		return DraftPublishResult{}, err
	}
	defer end()
	paths, err := parsePaths(p.Paths)
	if err != nil {
		return DraftPublishResult{}, err
	}
	force, err := parsePaths(p.Force)
	if err != nil {
		return DraftPublishResult{}, err
	}
	r, err := wb.Publish(ctx, workshop.PublishOptions{Paths: paths, Force: force})
	if workshop.IsFault(err, workshop.Conflict) {
		f := workshop.AsFault(err)
		return DraftPublishResult{}, &ErrorInfo{ErrorCode: CodeConflictPublished, Phase: "publish", WorkbenchID: p.WorkbenchID,
			Detail: f.Message, Hint: f.Hint, Paths: f.Paths, Actions: []string{"review_draft", "discard_draft"}, cause: err}
	}
	if err != nil {
		return DraftPublishResult{}, err
	}
	e.checkpointCreated(wb, r.CheckpointID)
	out := DraftPublishResult{PublishedAt: rfc3339(r.PublishedAt), CheckpointID: r.CheckpointID, Published: []string{}, Notes: wb.Told()}
	for _, path := range r.Published {
		out.Published = append(out.Published, string(path))
	}
	return out, nil
}

func (e *Engine) draftDiscard(ctx context.Context, p DraftDiscardParams) (DraftDiscardResult, error) {
	wb, end, err := e.beginActivity(ctx, p.WorkbenchID, workshop.ActDiscard)
	if err != nil {
		return DraftDiscardResult{}, err
	}
	defer end()
	paths, err := parsePaths(p.Paths)
	if err != nil {
		return DraftDiscardResult{}, err
	}
	wb.talk.Lock()
	defer wb.talk.Unlock()
	id, err := wb.DiscardStep(ctx, paths)
	if err != nil {
		return DraftDiscardResult{}, err
	}
	e.forgetPhases(wb)
	if id != "" {
		e.conversationChanged(wb, conversationStep, id)
	}
	return DraftDiscardResult{MessageID: id}, nil
}

func (e *Engine) draftRevertChanges(ctx context.Context, p DraftRevertChangesParams) (DraftRevertChangesResult, error) {
	wb, end, err := e.beginActivity(ctx, p.WorkbenchID, workshop.ActRevert)
	if err != nil {
		return DraftRevertChangesResult{}, err
	}
	defer end()
	path, err := workshop.ParseStrict(p.Path)
	if err != nil {
		return DraftRevertChangesResult{}, err
	}
	wb.talk.Lock()
	defer wb.talk.Unlock()
	r, err := review.Reject(ctx, wb.Workbench, e.formats, path, p.Changes, "user")
	if err != nil {
		return DraftRevertChangesResult{}, err
	}
	e.conversationChanged(wb, conversationStep, r.MessageID)
	st, err := wb.Draft(ctx)
	return DraftRevertChangesResult{Path: string(path), Reverted: r.Changes, Hash: r.Entry.Hash, Dropped: r.Dropped, MessageID: r.MessageID, HasDraft: st.HasDraft}, err
}

func (e *Engine) reviewChangeSet(ctx context.Context, p WorkbenchRef) (ChangeSetResult, error) {
	wb, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return ChangeSetResult{}, err
	}
	defer done()
	st, err := wb.Draft(ctx)
	if err != nil {
		return ChangeSetResult{}, err
	}
	changes, err := review.ChangeSet(ctx, wb.Workbench, e.formats)
	return ChangeSetResult{DraftID: st.ID, Changes: orEmpty(changes)}, err
}

func (e *Engine) reviewContentDiff(ctx context.Context, p ReviewContentParams) (review.ContentDiff, error) {
	wb, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return review.ContentDiff{}, err
	}
	defer done()
	paths, err := parsePaths([]string{p.Path})
	if err != nil {
		return review.ContentDiff{}, err
	}
	return review.Content(ctx, wb.Workbench, e.formats, paths[0], review.ContentOptions{DiffOptions: formats.DiffOptions{MaxItems: p.MaxItems}, Requires: p.Requires})
}

func (e *Engine) reviewTextDiff(ctx context.Context, p ReviewTextParams) (review.TextDiff, error) {
	wb, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return review.TextDiff{}, err
	}
	defer done()
	path, err := workshop.ParseStrict(p.Path)
	if err != nil {
		return review.TextDiff{}, err
	}
	return review.Diff(ctx, wb.Workbench, e.formats, path, review.TextOptions{Start: p.Start, MaxLines: p.MaxLines})
}
