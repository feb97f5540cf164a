package engine

import (
	"context"

	"atelier/workshop"
)

// HistoryParams are the params of HistoryList.
type HistoryParams struct {
	WorkbenchID string `json:"workbench_id"`
	Before      string `json:"before,omitempty"` // only what happened before the entry with this id
	Limit       int    `json:"limit,omitempty"`  // at most so many entries, default 100, at most 500
	Files       int    `json:"files,omitempty"`  // at most so many files of an entry, default 50, at most 2000
}

// HistoryResult is the result of HistoryList, the newest first.
type HistoryResult struct {
	Entries []HistoryEntry `json:"entries"`
	HasMore bool           `json:"has_more"`
}

// HistoryEntry is one thing that happened to the files of a workbench.
type HistoryEntry struct {
	EntryID   string `json:"entry_id"`
	Kind      string `json:"kind"`
	CreatedAt string `json:"created_at"`
	// CheckpointID restores the published files as they were before it; of a state
	// that was kept by hand, as they were then. "" of a step in the draft.
	CheckpointID string        `json:"checkpoint_id,omitempty"`
	MessageID    string        `json:"message_id,omitempty"` // of a step in the draft: WorkshopUndoToMessage with before takes it back
	Description  string        `json:"description,omitempty"`
	Files        []HistoryFile `json:"files"`                   // what it changed, sorted by path
	FilesOmitted int           `json:"files_omitted,omitempty"` // left out of files
	FilesKept    int           `json:"files_kept,omitempty"`    // of a state that was kept by hand
}

// HistoryFile is what an entry of the history did to a file. Its hashes name
// versions of the file.
type HistoryFile struct {
	Path       string `json:"path"`
	ChangeType string `json:"change_type"`        // "added", "modified", "deleted"
	OldHash    string `json:"old_hash,omitempty"` // "" where there was no file, and of a step in the draft
	NewHash    string `json:"new_hash,omitempty"` // "" where there is no file any more, and of a step in the draft
	OldSize    int64  `json:"old_size"`
	NewSize    int64  `json:"new_size"`
}

// The limits of one answer of HistoryList.
const (
	historyDefault, historyMost           = 100, 500
	historyFilesDefault, historyFilesMost = 50, 2000
)

func (e *Engine) historyList(ctx context.Context, p HistoryParams) (HistoryResult, error) {
	limit, err := boundedCount("limit", p.Limit, historyDefault, historyMost)
	if err != nil {
		return HistoryResult{}, err
	}
	files, err := boundedCount("files", p.Files, historyFilesDefault, historyFilesMost)
	if err != nil {
		return HistoryResult{}, err
	}
	wb, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return HistoryResult{}, err
	}
	defer done()
	list, more, err := wb.History(ctx, workshop.HistoryOptions{Before: p.Before, Limit: limit, Files: files})
	out := HistoryResult{Entries: []HistoryEntry{}, HasMore: more}
	for _, o := range list {
		out.Entries = append(out.Entries, historyEntry(o))
	}
	return out, err
}

func historyEntry(o workshop.Occurrence) HistoryEntry {
	e := HistoryEntry{EntryID: o.ID, Kind: o.Kind, CreatedAt: rfc3339(o.At), Description: o.Description, Files: []HistoryFile{}, FilesOmitted: o.Omitted, FilesKept: o.Kept}
	if o.Step {
		e.MessageID = o.ID
		e.Kind = map[string]string{workshop.EventRestore: "version", workshop.EventReject: "reject", workshop.EventDiscard: "discard", workshop.EventGuest: "guest"}[o.Kind]
	} else {
		e.CheckpointID = o.ID
	}
	for _, f := range o.Files {
		e.Files = append(e.Files, HistoryFile{string(f.Path), f.Type, f.OldHash, f.NewHash, f.OldSize, f.NewSize})
	}
	return e
}

// boundedCount returns a count that a client gave, or the default for 0.
func boundedCount(name string, n, byDefault, most int) (int, error) {
	switch {
	case n < 0 || n > most:
		return 0, workshop.Faultf(workshop.Invalid, "%s is %d; it is 1 to %d, or left out for %d", name, n, most, byDefault).OnField(name)
	case n == 0:
		return byDefault, nil
	}
	return n, nil
}
