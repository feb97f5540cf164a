package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/engine"
	"atelier/formats"
	"atelier/workshop"
	"atelier/workshop/review"
	"atelier/workshop/tools"
)

// What a guest needs besides the tools of the catalogue to finish its work: review,
// publish, discard, undo and translate.

// own describes such a tool. Its arguments and results are structs.
type own struct {
	name, title, description string
	hints                    mcp.ToolAnnotations
	meta                     mcp.Meta
}

// ownCall is one call of such a tool.
type ownCall struct {
	*mcp.CallToolRequest
	id    string // of the workbench
	asker *asker
}

// addOwn offers a tool with arguments A and result R.
func addOwn[A, R any](s *Server, t own, run func(context.Context, ownCall, A) (R, error)) error {
	in, err := tools.SchemaOf(reflect.TypeFor[A]())
	if err != nil {
		return fmt.Errorf("the arguments of %s: %w", t.name, err)
	}
	out, err := tools.ResultSchema(reflect.TypeFor[R]())
	if err != nil {
		return fmt.Errorf("the result of %s: %w", t.name, err)
	}
	for _, b := range s.opt.Catalogue.Bindings() {
		if b.Name == t.name {
			return fmt.Errorf("the catalogue %s has a tool %s of its own", s.opt.Catalogue.Name(), t.name)
		}
	}
	tool := &mcp.Tool{Name: t.name, Title: t.title, Description: t.description, InputSchema: in, OutputSchema: out, Annotations: &t.hints, Meta: t.meta}
	mcp.AddTool(s.sdk, tool, func(ctx context.Context, req *mcp.CallToolRequest, a A) (res *mcp.CallToolResult, r R, err error) {
		c := ownCall{CallToolRequest: req}
		if c.asker, err = newAsker(req); err != nil {
			return nil, r, err
		}
		if c.id, err = s.workbench(ctx, req, req.Session); err == nil {
			r, err = run(ctx, c, a)
		}
		if needed := c.asker.result(); needed != nil {
			return needed, r, nil
		}
		if err != nil && ctx.Err() == nil {
			err = errors.New("Error: " + wordsOf(err))
		}
		return nil, r, err
	})
	return nil
}

func (s *Server) addOwnTools() error {
	no, yes := false, true
	err := addOwn(s, own{name: "review", title: "Review the draft", hints: mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no}, meta: reviewMeta(),
		description: "What the draft changes: the changed files, or with path the changes of one file (cells, paragraphs, slides, and facts such as charts or styles). Call it before you tell the user that the work is done."}, s.review)
	if err != nil || s.opt.ReadOnly {
		return err
	}
	return errors.Join(
		addOwn(s, own{name: "publish", title: "Publish the draft", hints: mcp.ToolAnnotations{DestructiveHint: &yes, IdempotentHint: true, OpenWorldHint: &no},
			description: "Write the draft, or some of its files, into the folder of the user: all or none. The user is asked. A checkpoint keeps the files as they were. Call it only when the user wants to keep the changes."}, s.publish),
		addOwn(s, own{name: "discard", title: "Discard the draft", hints: mcp.ToolAnnotations{DestructiveHint: &yes, IdempotentHint: true, OpenWorldHint: &no},
			description: "Drop the draft, or some of its files; the files of the user stay as they are. The user is asked where that is possible."}, s.discard),
		addOwn(s, own{name: "undo", title: "Undo the last change", hints: mcp.ToolAnnotations{DestructiveHint: &no, OpenWorldHint: &no},
			description: "Take the last change of the draft by these tools back: the last call that changed files. Call it again for the change before. What the user did or published is not undone."}, s.undo),
		addOwn(s, own{name: "translate", title: "Translate documents", hints: mcp.ToolAnnotations{DestructiveHint: &no, IdempotentHint: true, OpenWorldHint: &yes},
			description: "Translate documents into the draft, formatting kept, with Atelier's own translation engine. It may take long: the answer comes when the job has ended or after wait_seconds; the same call again continues waiting, also after a restart, and stop ends the job. To translate yourself, use get_segments and put_translations."}, s.translate),
	)
}

type reviewArgs struct {
	Path  string `json:"path,omitempty" jsonschema:"a changed file; without it, the list of changed files"`
	Text  bool   `json:"text,omitempty" jsonschema:"with path: changed lines of the text instead of changes in terms of the format"`
	Start string `json:"start,omitempty" jsonschema:"with text: next of the part before"`
}

type reviewResult struct {
	HasDraft bool                `json:"has_draft"`
	Changes  []review.Change     `json:"changes,omitempty"` // the changed files
	More     int                 `json:"more,omitempty"`    // changed files that are not listed
	Content  *review.ContentDiff `json:"content,omitempty"` // of path
	Text     *review.TextDiff    `json:"text,omitempty"`    // of path
	Next     string              `json:"next,omitempty"`    // what to do now
}

// Bounds of what a review tells a model, in changes.
const (
	reviewFiles = 100
	reviewItems = 100
	reviewLines = 200
)

func (s *Server) review(ctx context.Context, c ownCall, a reviewArgs) (r reviewResult, err error) {
	set, err := engine.CallAs[engine.ChangeSetResult](ctx, s.opt.Engine, "ReviewGetChangeSet", engine.WorkbenchRef{WorkbenchID: c.id})
	if err != nil {
		return r, err
	}
	r.HasDraft = len(set.Changes) > 0
	if a.Path == "" {
		r.Changes = set.Changes[:min(len(set.Changes), reviewFiles)]
		r.More = len(set.Changes) - len(r.Changes)
		switch {
		case !r.HasDraft:
			r.Next = "The draft changes nothing."
		case !s.opt.ReadOnly:
			r.Next = "Tell the user what changes. publish asks the user and keeps the changes; " + s.howToPublish() + " does it without you."
		}
		return r, nil
	}
	if err := s.opt.Engine.GuestRead(ctx, c.id, "review", a.Path, c.asker.orNil()); err != nil {
		return r, err
	}
	if !a.Text {
		d, err := engine.CallAs[review.ContentDiff](ctx, s.opt.Engine, "ReviewGetContentDiff", engine.ReviewContentParams{WorkbenchID: c.id, Path: a.Path, MaxItems: reviewItems})
		if err != nil {
			return r, err
		}
		if d.Message == "" {
			trimFacts(&d.Diff)
			r.Content = &d
			return r, nil
		}
	}
	t, err := engine.CallAs[review.TextDiff](ctx, s.opt.Engine, "ReviewGetTextDiff", engine.ReviewTextParams{WorkbenchID: c.id, Path: a.Path, Start: a.Start, MaxLines: reviewLines})
	r.Text = &t
	return r, err
}

// trimFacts keeps the first facts, and counts the others.
func trimFacts(d *formats.Diff) {
	if more := len(d.Facts) - reviewItems; more > 0 {
		d.Facts, d.FactsOmitted = d.Facts[:reviewItems], d.FactsOmitted+more
	}
}

func (s *Server) howToPublish() string { return "\"" + s.opt.HowToPublish(s.where()) + "\"" }

type pathsArgs struct {
	Paths []string `json:"paths,omitempty" jsonschema:"files or folders of the draft; empty: the whole draft"`
}

type publishResult struct {
	Published    []string `json:"published"`
	CheckpointID string   `json:"checkpoint_id,omitempty"` // keeps the files as they were
	Notes        []string `json:"notes,omitempty"`
	Message      string   `json:"message"`
}

func (s *Server) publish(ctx context.Context, c ownCall, a pathsArgs) (r publishResult, err error) {
	digest, text, err := s.draftOf(ctx, c, a.Paths)
	if err != nil || digest == "" {
		return publishResult{Published: []string{}, Message: text}, err
	}
	switch yes, err := c.confirm(ctx, digest, "publish", "Publish", text+"\nPublishing writes these files into your folder. A checkpoint keeps them as they were."); {
	case errors.Is(err, tools.ErrNobody) && !s.opt.AllowPublish:
		return r, workshop.Faultf(workshop.Forbidden, "only the user can publish, and this program cannot ask the user: tell the user to run %s; the draft is kept", s.howToPublish())
	case err != nil && !errors.Is(err, tools.ErrNobody):
		return r, err
	case err == nil && !yes:
		return publishResult{Published: []string{}, Message: c.asker.refusal("publish") + " The draft is kept. " + s.afterNo(c)}, nil
	}
	p, err := s.opt.Engine.GuestPublish(ctx, c.id, a.Paths, digest)
	if err != nil {
		return r, err
	}
	return publishResult{Published: p.Published, CheckpointID: p.CheckpointID, Notes: p.Notes, Message: "Published " + formats.Count(len(p.Published), "file") + "."}, nil
}

// afterNo says what to do when nothing was published.
func (s *Server) afterNo(c ownCall) string {
	if c.asker.closed {
		return "Tell the user to run " + s.howToPublish() + ", or ask again later."
	}
	return "Ask what should be different."
}

type doneResult struct {
	Done    bool   `json:"done"`
	Message string `json:"message"`
}

func (s *Server) discard(ctx context.Context, c ownCall, a pathsArgs) (r doneResult, err error) {
	digest, text, err := s.draftOf(ctx, c, a.Paths)
	if err != nil || digest == "" {
		return doneResult{Message: text}, err
	}
	yes, err := c.confirm(ctx, digest, "discard", "Discard", text+"\nDiscarding drops these changes. The files in your folder stay as they are.")
	if err != nil && !errors.Is(err, tools.ErrNobody) {
		return r, err
	}
	if err == nil && !yes {
		return doneResult{Message: c.asker.refusal("discard") + " The draft is kept."}, nil
	}
	if err := s.opt.Engine.GuestDiscard(ctx, c.id, a.Paths, digest); err != nil {
		return r, err
	}
	return doneResult{Done: true, Message: "Discarded. The files of the user are as they were."}, nil
}

type noArgs struct{}

type undoResult struct {
	doneResult
	HasDraft bool `json:"has_draft"`
}

func (s *Server) undo(ctx context.Context, c ownCall, _ noArgs) (r undoResult, err error) {
	u, err := s.opt.Engine.GuestUndo(ctx, c.id)
	if err != nil {
		return r, err
	}
	return undoResult{doneResult{true, "The last change was taken back."}, u.HasDraft}, nil
}

// draftOf returns the state of some files of the draft and what it changes in words,
// digest "" when that is nothing.
func (s *Server) draftOf(ctx context.Context, c ownCall, paths []string) (digest, text string, err error) {
	if digest, err = s.opt.Engine.DraftDigest(ctx, c.id, paths); err != nil {
		return "", "", err
	}
	if digest == "" {
		return "", "The draft changes nothing" + map[bool]string{true: " of these files"}[len(paths) > 0] + ".", nil
	}
	set, err := engine.CallAs[engine.ChangeSetResult](ctx, s.opt.Engine, "ReviewGetChangeSet", engine.WorkbenchRef{WorkbenchID: c.id})
	if err != nil {
		return "", "", err
	}
	return digest, changesText(set.Changes, paths), nil
}

// changesText lists changes for the person who decides about them.
func changesText(changes []review.Change, paths []string) string {
	const most = 20
	var lines []string
	n := 0
	for _, c := range changes {
		if !engine.Within(c.Path, c.From, paths) {
			continue
		}
		if n++; n > most {
			continue
		}
		line := fmt.Sprintf("%s: %s (%s)", c.ChangeType, c.Path, c.Summary)
		for _, w := range c.Warnings {
			line += "\n  warning: " + w
		}
		lines = append(lines, line)
	}
	if n > most {
		lines = append(lines, fmt.Sprintf("and %d more", n-most))
	}
	return strings.Join(lines, "\n")
}

// confirm asks the person for a yes to something about the state of the draft that digest
// names.
func (c ownCall) confirm(ctx context.Context, digest, name, title, message string) (bool, error) {
	schema := &jsonschema.Schema{Type: "object", Required: []string{name}, Properties: map[string]*jsonschema.Schema{name: {Type: "boolean", Title: title}}}
	said, ok, err := c.asker.form(ctx, digest, &mcp.ElicitParams{Mode: "form", Message: message, RequestedSchema: schema})
	yes, _ := said[name].(bool)
	return ok && yes, err
}
