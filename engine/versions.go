package engine

import (
	"cmp"
	"context"
	"encoding/base64"
	"io"

	"atelier/formats"
	"atelier/workshop"
	"atelier/workshop/review"
)

// FileVersionsParams are the params of WorkbenchFileVersions. A file is named by
// its path or by its id.
type FileVersionsParams struct {
	WorkbenchID string `json:"workbench_id"`
	Path        string `json:"path,omitempty"`
	FileID      string `json:"file_id,omitempty"` // instead of path; it stays the same when the file is moved
	Limit       int    `json:"limit,omitempty"`   // at most so many, default 100, at most 1000
	Before      string `json:"before,omitempty"`  // only those older than this version
}

// FileVersionsResult is the result of WorkbenchFileVersions, the newest first.
type FileVersionsResult struct {
	Versions []FileVersion `json:"versions"`
	Total    int           `json:"total"`            // of all
	Before   string        `json:"before,omitempty"` // give it as before for those that follow
}

// FileVersion is a content that a file has or had.
type FileVersion struct {
	VersionID    string `json:"version_id"`     // of a content that nothing names, such as one found on disk, its hash
	Hash         string `json:"hash,omitempty"` // "" when the file was removed
	Size         int64  `json:"size"`
	Path         string `json:"path"`   // where the file was then
	Author       string `json:"author"` // "agent", or "user" for what was found on disk
	CheckpointID string `json:"checkpoint_id,omitempty"`
	InDraft      bool   `json:"in_draft,omitempty"` // a step of a draft, which was not published as it is
	Tool         string `json:"tool,omitempty"`     // of a step of a draft, what made it
	Current      bool   `json:"current,omitempty"`  // what the file holds now, in the draft where that has the file
	CreatedAt    string `json:"created_at"`         // when it was written, or first seen
}

// FileVersionParams name a version of a file.
type FileVersionParams struct {
	WorkbenchID string `json:"workbench_id"`
	Path        string `json:"path,omitempty"`
	FileID      string `json:"file_id,omitempty"` // instead of path
	VersionID   string `json:"version_id"`        // or its hash, or the beginning of either
}

// ReadFileVersionParams are the params of WorkbenchReadFileVersion.
type ReadFileVersionParams struct {
	FileVersionParams
	Offset   int64 `json:"offset,omitempty"`    // the first byte wanted
	MaxBytes int64 `json:"max_bytes,omitempty"` // default 1 MiB, at most 8 MiB
}

// ReadFileVersionResult is the result of WorkbenchReadFileVersion.
type ReadFileVersionResult struct {
	Version     FileVersion `json:"version"`
	Offset      int64       `json:"offset"`
	BytesBase64 string      `json:"bytes_base64"`
	HasMore     bool        `json:"has_more"`
}

// CompareFileVersionsParams are the params of WorkbenchCompareFileVersions.
type CompareFileVersionsParams struct {
	FileVersionParams
	With     string `json:"with,omitempty"`      // the version to compare with; default the one the file has now
	MaxItems int    `json:"max_items,omitempty"` // of content; default 1000
	Start    string `json:"start,omitempty"`     // of text: next of the part before
	MaxLines int    `json:"max_lines,omitempty"` // of text; default 2000, at most 20000
}

// RestoreFileVersionResult is the result of WorkbenchRestoreFileVersion.
type RestoreFileVersionResult struct {
	FileID    string `json:"file_id"`
	Path      string `json:"path"`
	VersionID string `json:"version_id"`         // the new version, with the content of the one that was named
	Restored  string `json:"restored"`           // the version that was named
	Replaced  string `json:"replaced,omitempty"` // the version before
	Hash      string `json:"hash"`
	// MessageID takes the step back: WorkshopUndoToMessage with before. "" when
	// nothing was done.
	MessageID string `json:"message_id,omitempty"`
	Unchanged bool   `json:"unchanged,omitempty"` // the file held that content already: nothing was done
	HasDraft  bool   `json:"has_draft"`
}

func versionMethods() []*Method {
	return []*Method{
		method("WorkbenchFileVersions", "The versions of a file: what was published, the steps of drafts, what is on disk.", (*Engine).fileVersions),
		method("WorkbenchGetFileVersion", "One version of a file.", (*Engine).getFileVersion),
		method("WorkbenchReadFileVersion", "The content of a version of a file, or a part of it.", (*Engine).readFileVersion),
		method("WorkbenchCompareFileVersions", "What is different between two versions of a file, in its format's terms or by its text.", (*Engine).compareFileVersions),
		method("WorkbenchRestoreFileVersion", "Makes a version of a file what the draft has for it, as one step that can be undone; other files stay as they are.", (*Engine).restoreFileVersion),
	}
}

// fileRef returns the file that a client names.
func fileRef(path, id string) (workshop.FileRef, error) {
	switch {
	case id != "" && path != "":
		return workshop.FileRef{}, validation("give path or file_id, not both")
	case id != "":
		return workshop.FileRef{ID: id}, nil
	case path == "":
		return workshop.FileRef{}, validation("path is required")
	}
	p, err := workshop.ParseStrict(path)
	return workshop.FileRef{Path: p}, err
}

// NewFileVersion returns a version as clients read it.
func NewFileVersion(v workshop.FileVersion) FileVersion {
	return FileVersion{VersionID: v.ID, Hash: v.Hash, Size: v.Size, Path: string(v.Path), Author: v.Author, CheckpointID: v.CheckpointID,
		InDraft: v.Step, Tool: v.Tool, Current: v.Current, CreatedAt: rfc3339(v.At)}
}

// The limits of what one answer holds.
const (
	versionsDefault, versionsMost = 100, 1000
	readDefault, readMost         = 1 << 20, 8 << 20
)

func (e *Engine) fileVersions(ctx context.Context, p FileVersionsParams) (FileVersionsResult, error) {
	if p.Limit < 0 || p.Limit > versionsMost {
		return FileVersionsResult{}, validation("limit is 1 to 1000")
	}
	wb, ref, done, err := e.fileReader(ctx, p.WorkbenchID, p.Path, p.FileID)
	if err != nil {
		return FileVersionsResult{}, err
	}
	defer done()
	list, err := wb.FileVersions(ctx, ref)
	if err != nil {
		return FileVersionsResult{}, err
	}
	out := FileVersionsResult{Versions: []FileVersion{}, Total: len(list)}
	if list, err = after(list, p.Before); err != nil {
		return out, err
	}
	limit := p.Limit
	if limit == 0 {
		limit = versionsDefault
	}
	for i, v := range list {
		if i == limit {
			out.Before = out.Versions[i-1].VersionID
			break
		}
		out.Versions = append(out.Versions, NewFileVersion(v))
	}
	return out, nil
}

// after returns what follows a version in a list.
func after(list []workshop.FileVersion, id string) ([]workshop.FileVersion, error) {
	if id == "" {
		return list, nil
	}
	for i, v := range list {
		if v.ID == id {
			return list[i+1:], nil
		}
	}
	return nil, workshop.Unknownf("there is no version %s", id).OnField("before")
}

func (e *Engine) fileReader(ctx context.Context, workbench, path, id string) (*openWorkbench, workshop.FileRef, func(), error) {
	ref, err := fileRef(path, id)
	if err != nil {
		return nil, ref, nil, err
	}
	wb, done, err := e.reader(ctx, workbench)
	return wb, ref, done, err
}

// versionReader does the same as fileReader for one version.
func (e *Engine) versionReader(ctx context.Context, p FileVersionParams) (*openWorkbench, workshop.FileRef, func(), error) {
	if p.VersionID == "" {
		return nil, workshop.FileRef{}, nil, validation("version_id is required")
	}
	return e.fileReader(ctx, p.WorkbenchID, p.Path, p.FileID)
}

func (e *Engine) getFileVersion(ctx context.Context, p FileVersionParams) (FileVersion, error) {
	wb, ref, done, err := e.versionReader(ctx, p)
	if err != nil {
		return FileVersion{}, err
	}
	defer done()
	v, err := wb.FileVersion(ctx, ref, p.VersionID)
	return NewFileVersion(v), err
}

func (e *Engine) readFileVersion(ctx context.Context, p ReadFileVersionParams) (ReadFileVersionResult, error) {
	if p.Offset < 0 {
		return ReadFileVersionResult{}, validation("offset is 0 or more")
	}
	if p.MaxBytes < 0 || p.MaxBytes > readMost {
		return ReadFileVersionResult{}, validation("max_bytes is 1 to 8388608")
	}
	wb, ref, done, err := e.versionReader(ctx, p.FileVersionParams)
	if err != nil {
		return ReadFileVersionResult{}, err
	}
	defer done()
	v, src, err := wb.OpenFileVersion(ctx, ref, p.VersionID)
	if err != nil {
		return ReadFileVersionResult{}, err
	}
	defer src.Close()
	if p.MaxBytes == 0 {
		p.MaxBytes = readDefault
	}
	b, err := io.ReadAll(io.NewSectionReader(src, p.Offset, min(p.MaxBytes, max(0, src.Size()-p.Offset))))
	return ReadFileVersionResult{Version: NewFileVersion(v), Offset: p.Offset, BytesBase64: base64.StdEncoding.EncodeToString(b),
		HasMore: p.Offset+int64(len(b)) < src.Size()}, err
}

func (e *Engine) compareFileVersions(ctx context.Context, p CompareFileVersionsParams) (review.VersionDiff, error) {
	wb, ref, done, err := e.versionReader(ctx, p.FileVersionParams)
	if err != nil {
		return review.VersionDiff{}, err
	}
	defer done()
	if p.With == "" {
		if p.With, err = currentVersion(ctx, wb.Workbench, ref); err != nil {
			return review.VersionDiff{}, err
		}
	}
	return review.Versions(ctx, wb.Workbench, e.formats, ref, p.VersionID, p.With,
		review.VersionOptions{MaxItems: p.MaxItems, Text: review.TextOptions{Start: p.Start, MaxLines: p.MaxLines}})
}

// currentVersion returns the version a file has now.
func currentVersion(ctx context.Context, wb *workshop.Workbench, ref workshop.FileRef) (string, error) {
	list, err := wb.FileVersions(ctx, ref)
	if err != nil {
		return "", err
	}
	for _, v := range list {
		if v.Current {
			return v.ID, nil
		}
	}
	return "", workshop.Faultf(workshop.NotFound, "the file is removed; say which version to compare with").OnField("with")
}

func (e *Engine) restoreFileVersion(ctx context.Context, p FileVersionParams) (RestoreFileVersionResult, error) {
	return e.restoreVersion(ctx, p, "user")
}

func (e *Engine) restoreVersion(ctx context.Context, p FileVersionParams, author string) (RestoreFileVersionResult, error) {
	if p.VersionID == "" {
		return RestoreFileVersionResult{}, validation("version_id is required")
	}
	ref, err := fileRef(p.Path, p.FileID)
	if err != nil {
		return RestoreFileVersionResult{}, err
	}
	wb, end, err := e.beginActivity(ctx, p.WorkbenchID, workshop.ActRestore)
	if err != nil {
		return RestoreFileVersionResult{}, err
	}
	defer end()
	wb.talk.Lock()
	defer wb.talk.Unlock()
	r, err := wb.RestoreVersion(ctx, workshop.Cause{Tool: "restore", Author: author}, ref, p.VersionID)
	if err != nil {
		return RestoreFileVersionResult{}, err
	}
	if !r.Unchanged {
		e.conversationChanged(wb, conversationStep, r.MessageID)
	}
	st, err := wb.Draft(ctx)
	return RestoreFileVersionResult{FileID: r.Entry.FileID, Path: string(r.Entry.Path), VersionID: cmp.Or(r.Entry.VersionID, r.Entry.Hash), Restored: r.From.ID,
		Replaced: r.Replaced, Hash: r.Entry.Hash, MessageID: r.MessageID, Unchanged: r.Unchanged, HasDraft: st.HasDraft}, err
}

// RestoreVersion puts a version of a file of a workspace into its draft, as a
// step of user's.
func (l *Live) RestoreVersion(ctx context.Context, user string, p FileVersionParams) (RestoreFileVersionResult, error) {
	ctx, end := l.e.begin(ctx)
	defer end()
	return l.e.restoreVersion(ctx, p, user)
}

// OpenVersion opens the content of a version of a file of a workspace.
func (l *Live) OpenVersion(ctx context.Context, p FileVersionParams) (*OpenedFile, error) {
	ref, err := fileRef(p.Path, p.FileID)
	if err != nil {
		return nil, err
	}
	return l.openIn(ctx, p.WorkbenchID, func(ctx context.Context, wb *openWorkbench) (*OpenedFile, error) {
		return openVersion(ctx, wb, ref, p.VersionID)
	})
}

func openVersion(ctx context.Context, wb *openWorkbench, ref workshop.FileRef, version string) (*OpenedFile, error) {
	v, src, err := wb.OpenFileVersion(ctx, ref, version)
	if err != nil {
		return nil, err
	}
	e := workshop.Entry{Path: v.Path, Size: src.Size(), Hash: v.Hash, Modified: v.At}
	kind, err := formats.KindOf(src, src.Size(), e.Name())
	if err != nil {
		src.Close()
		return nil, err
	}
	e.Kind, e.MIME = kind, formats.MIMEOf(e.Name(), kind)
	return &OpenedFile{Source: src, Entry: e}, nil
}
