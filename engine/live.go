package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"atelier/internal/budget"
	"atelier/llm"
	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
	"atelier/workshop/tools/docs"
	"atelier/workshop/tools/virtual"
)

// Live runs tools for clients that have no draft: each change is a version of
// the published file at once (C-08). The HTTP tools API is made of it.
type Live struct {
	e         *Engine
	catalogue *tools.Catalogue
}

// liveCatalogue is the catalogue of the HTTP tools API.
const liveCatalogue = "buildscale"

// Live returns the engine's tools on published files.
func (e *Engine) Live() *Live {
	c, err := catalogue.Named(liveCatalogue)
	if err != nil {
		panic("engine: " + err.Error())
	}
	return e.LiveWith(c)
}

// LiveWith is Live with the tools of a catalogue of the caller's.
func (e *Engine) LiveWith(c *tools.Catalogue) *Live { return &Live{e, c} }

// LiveCall is one call of a tool by a user in a workspace, which is a
// workbench.
type LiveCall struct {
	Workspace string
	User      string // the author of what the call changes
	Tool      string
	Args      json.RawMessage // an object
	PlanMode  bool            // the guards of plan mode apply (H-04)
	Catalogue string          // another catalogue than the one served; "" is that
	Unchanged *bool           // if not nil, set to whether a tool that can change files changed none
}

// Tools lists the tools in OpenAI's function format.
func (l *Live) Tools() []llm.Tool { return l.catalogue.Tools() }

// Call runs a tool. The result is for encoding as JSON; nothing of it is left
// out for the sake of a model's context. With a fault it is the payload of the
// failure, where the catalogue has any.
func (l *Live) Call(ctx context.Context, c LiveCall) (any, *workshop.Fault) {
	if h := l.e.holderOf(c.Workspace); h != nil {
		return l.forward(ctx, h, c, false)
	}
	return l.call(ctx, c, (*workshop.Workbench).LiveView)
}

// CallDraft is Call on the draft of the workbench instead.
func (l *Live) CallDraft(ctx context.Context, c LiveCall) (any, *workshop.Fault) {
	if h := l.e.holderOf(c.Workspace); h != nil {
		return l.forward(ctx, h, c, true)
	}
	return l.call(ctx, c, (*workshop.Workbench).DraftView)
}

func (l *Live) call(ctx context.Context, c LiveCall, view func(*workshop.Workbench, workshop.Cause) workshop.View) (any, *workshop.Fault) {
	ctx, end := l.e.begin(l.e.withPasswords(ctx, c.Workspace))
	defer end()
	cat := l.catalogue
	if c.Catalogue != "" && c.Catalogue != cat.Name() {
		var err error
		if cat, err = catalogue.Named(c.Catalogue); err != nil {
			return nil, workshop.AsFault(err)
		}
	}
	effect, _ := cat.Effect(c.Tool)
	wb, done, err := l.e.forTool(ctx, c.Workspace, effect)
	if err != nil {
		return nil, asFault(err)
	}
	defer done()
	limit := l.e.opt.Limits.ToolTimeout
	if limit == 0 {
		limit = 30 * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	session := l.e.sessionOf(wb)
	session.Modes = nil // the client says the mode with each call (C-22)
	env := &tools.Env{
		View:    docs.Guard(view(wb.Workbench, workshop.Cause{Tool: c.Tool, Author: c.User}), session),
		Session: session,
		Post:    l.e.post(wb.ID()),
		Formats: l.e.formats,
		Texts:   l.e.texts,
		Pages:   l.e.previews,
		Author:  c.User,
		Mode:    tools.ModeBuild,
		Virtual: virtual.Chats(wb.Workbench),
		Fetch:   l.e.fetcherByHand(wb),
	}
	if c.PlanMode {
		env.Mode = tools.ModePlan
	}
	if c.Tool == "read_skill" {
		if env.Skills, err = l.e.skillsOf(ctx, wb); err != nil {
			return nil, asFault(err)
		}
	}
	r := cat.Call(ctx, env, c.Tool, c.Args)
	l.e.called("api", cat.Resolve(c.Tool), r.Success)
	if c.Unchanged != nil {
		*c.Unchanged = r.Unchanged
	}
	if r.Success && cat != l.catalogue && cat == catalogue.Workshop() {
		return ToolText{Text: r.Full}, nil
	}
	if r.Success {
		return r.Data, nil
	}
	if r.Fault == nil {
		return nil, workshop.Faultf(workshop.Internal, "%s", r.Text)
	}
	if errors.Is(r.Fault.Err, context.DeadlineExceeded) && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		f := *r.Fault
		f.Message = fmt.Sprintf("tool %s timed out after %s%s", c.Tool, limit, budget.Why(r.Fault.Err))
		return nil, &f
	}
	return r.Data, r.Fault
}

// asFault returns an error of the engine as tools give theirs.
func asFault(err error) *workshop.Fault {
	var info *ErrorInfo
	if errors.As(err, &info) && info.ErrorCode == CodeValidationFailed {
		return workshop.Faultf(workshop.Invalid, "%s", info.Detail)
	}
	return workshop.AsFault(err)
}

// TrashedFile is a deleted file that can be restored (H-21).
type TrashedFile struct {
	FileID    string `json:"file_id"`
	Path      string `json:"path"` // where it was
	Name      string `json:"name"`
	FileType  string `json:"file_type"`
	Size      int64  `json:"size"`
	Hash      string `json:"hash"`
	DeletedAt string `json:"deleted_at"`
}

// TrashResult lists the deleted files of a workspace, the last deleted first.
type TrashResult struct {
	Files []TrashedFile `json:"files"`
}

// RestoredFile is a file that came back from the trash.
type RestoredFile struct {
	FileID    string `json:"file_id"` // as it was
	VersionID string `json:"version_id"`
	Path      string `json:"path"`
	Hash      string `json:"hash"`
}

// Trash lists the deleted files of a workspace.
func (l *Live) Trash(ctx context.Context, workspace string) (TrashResult, error) {
	ctx, end := l.e.begin(ctx)
	defer end()
	wb, done, err := l.e.forTool(ctx, workspace, tools.Read)
	if err != nil {
		return TrashResult{}, err
	}
	defer done()
	ds, err := wb.Trash(ctx)
	r := TrashResult{Files: []TrashedFile{}}
	for _, d := range ds {
		r.Files = append(r.Files, TrashedFile{FileID: d.FileID, Path: "/" + string(d.Path), Name: workshop.Entry{Path: d.Path}.Name(),
			FileType: fileType(d.Type), Size: d.Size, Hash: d.Hash, DeletedAt: rfc3339(d.DeletedAt)})
	}
	return r, err
}

// fileType returns a file's type as clients read it.
func fileType(t string) string {
	if t == "" {
		return "document"
	}
	return t
}

// Restore puts a deleted file back where it was, with its id and content:
// Conflict when its path is taken.
func (l *Live) Restore(ctx context.Context, workspace, user, fileID string) (RestoredFile, error) {
	ctx, end := l.e.begin(ctx)
	defer end()
	wb, err := l.e.workbench(ctx, workspace)
	if err != nil {
		return RestoredFile{}, err
	}
	en, err := wb.Undelete(ctx, workshop.Cause{Tool: "restore", Author: user}, fileID)
	if err != nil {
		return RestoredFile{}, err
	}
	return RestoredFile{FileID: en.FileID, VersionID: en.VersionID, Path: "/" + string(en.Path), Hash: en.Hash}, nil
}
