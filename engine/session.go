package engine

import (
	"context"
	"strings"

	"atelier/workshop"
	"atelier/workshop/agent"
	"atelier/workshop/openfiles"
	"atelier/workshop/provenance"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
	"atelier/workshop/tools/questions"
	"atelier/workshop/tools/uris"
)

// ActiveFile is a file that the client's user has open (F-10). Members it does
// not know are ignored (F-37).
type ActiveFile struct {
	DocPath     string  `json:"docPath"`
	DisplayPath string  `json:"displayPath,omitempty"` // what the editor calls it; informational
	Content     *string `json:"content,omitempty"`     // "" is an empty file; without it a file cannot be active
	IsDirty     bool    `json:"isDirty,omitempty"`
	IsActive    *bool   `json:"isActive,omitempty"` // default true; false: listed, but the workbench's copy counts
}

// SetActiveFilesParams are the params of SessionSetActiveFiles. A session is a
// workbench's conversation: its session_id is the workbench_id.
type SetActiveFilesParams struct {
	SessionID string       `json:"session_id"`
	Files     []ActiveFile `json:"files"`
	Merge     bool         `json:"merge,omitempty"`  // keep the files that are there; those with the same docPath are replaced
	Remove    []string     `json:"remove,omitempty"` // docPaths to take out, after the rest
}

// SessionRef names a session.
type SessionRef struct {
	SessionID string `json:"session_id"`
}

// ActiveFilesResult lists the active files of a session, without content.
type ActiveFilesResult struct {
	Files []openfiles.File `json:"files"`
}

// SetDocPathParams are the params of WorkbenchSetDocPath.
type SetDocPathParams struct {
	WorkbenchID string `json:"workbench_id"`
	Path        string `json:"path"`
	DocPath     string `json:"doc_path"` // "" gives back the default one
}

// DocPathResult is the docPath of a file.
type DocPathResult struct {
	DocPath string `json:"doc_path"`
}

// AnswerQuestionParams are the params of WorkshopAnswerQuestion (I-26).
type AnswerQuestionParams struct {
	WorkbenchID string        `json:"workbench_id"`
	QuestionID  string        `json:"question_id"`
	Answers     tools.Answers `json:"answers"` // by the name of the question
}

// AcceptedResult says that answers were taken.
type AcceptedResult struct {
	Accepted bool `json:"accepted"`
}

// SetModeParams are the params of WorkshopSetMode.
type SetModeParams struct {
	WorkbenchID string `json:"workbench_id"`
	Mode        string `json:"mode"` // plan or build
}

// ModeResult is the mode of a session.
type ModeResult struct {
	Mode     string `json:"mode"`
	PlanFile string `json:"plan_file"` // the plan that is carried out, "" for none
}

func sessionMethods() []*Method {
	return []*Method{
		method("SessionSetActiveFiles", "Says which files the user has open, with their content: it is the truth for these docPaths.", (*Engine).setActiveFiles),
		method("SessionListActiveFiles", "Lists the files the user has open.", (*Engine).listActiveFiles),
		method("WorkbenchSetDocPath", "Gives a file a docPath of its own, which it keeps when it is changed or moved.", (*Engine).setDocPath),
		method("WorkshopAnswerQuestion", "Answers a pending question; each answer must fit its schema.", (*Engine).answerQuestion),
		method("WorkshopSetMode", "Goes to plan mode, where only plans can be written, or to build mode.", (*Engine).setMode),
	}
}

// activeOf returns the active files of a workbench's session. They live as long as
// the engine.
func (e *Engine) activeOf(workbench string) *openfiles.List {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.active == nil {
		e.active = map[string]*openfiles.List{}
	}
	l := e.active[workbench]
	if l == nil {
		l = &openfiles.List{}
		e.active[workbench] = l
	}
	return l
}

// sessionOf returns what tools know of the conversation of a workbench.
func (e *Engine) sessionOf(wb *openWorkbench) *tools.Session {
	return &tools.Session{ID: wb.ID(), Conversation: wb.ID(), Active: e.activeOf(wb.ID()), Docs: wb.Workbench, Index: wb.index, Modes: e.modesOf(wb), Propose: e.proposer(wb.ID())}
}

// proposer tells the session's editor of patches.
func (e *Engine) proposer(id string) func(tools.Proposal) {
	return func(p tools.Proposal) {
		e.hub.Emit(Notification{Method: agent.EventPatchProposed, Params: agent.PatchProposed{WorkbenchID: id, SessionID: id, Proposal: p}})
	}
}

func (e *Engine) modesOf(wb *openWorkbench) *questions.Modes {
	id := wb.ID()
	return &questions.Modes{Workbench: wb.Workbench, Changed: func(c tools.ModeChange) { e.hub.Emit(agent.NewModeChanged(id, c)) }}
}

// post opens questions for a client that does not wait for the answers.
func (e *Engine) post(workbench string) func(context.Context, tools.Asking) error {
	return func(_ context.Context, a tools.Asking) error {
		a.At = e.opt.Now().UTC()
		if _, err := e.questions.Open(workbench, a); err != nil {
			return err
		}
		e.hub.Emit(agent.NewQuestionPending(workbench, a))
		return nil
	}
}

func (e *Engine) setActiveFiles(ctx context.Context, p SetActiveFilesParams) (ActiveFilesResult, error) {
	wb, err := e.workbench(ctx, p.SessionID)
	if err != nil {
		return ActiveFilesResult{}, sessionError(err)
	}
	if p.Files == nil && !p.Merge { // leaving them out would close every file
		return ActiveFilesResult{}, validation("files is required")
	}
	files := make([]openfiles.File, len(p.Files))
	for i, f := range p.Files {
		if files[i], err = f.file(i); err != nil {
			return ActiveFilesResult{}, err
		}
	}
	l := e.activeOf(wb.ID())
	if err := l.Set(files, p.Merge); err != nil {
		return ActiveFilesResult{}, err
	}
	return ActiveFilesResult{Files: l.All()}, l.Remove(p.Remove)
}

// file returns f as the list keeps it; i is its place in the request. A file without
// content would be taken for an empty one, and patched as such.
func (f ActiveFile) file(i int) (openfiles.File, error) {
	out := openfiles.File{DocPath: f.DocPath, DisplayPath: f.DisplayPath, IsDirty: f.IsDirty, IsActive: f.IsActive == nil || *f.IsActive}
	if f.Content != nil {
		out.Content = *f.Content
	} else if out.IsActive {
		return out, workshop.Faultf(workshop.Invalid, `files[%d] (%s): content is missing; an active file needs it ("" is an empty file), and one with "isActive": false needs none`, i, f.DocPath).OnField("files")
	}
	return out, nil
}

func (e *Engine) listActiveFiles(ctx context.Context, p SessionRef) (ActiveFilesResult, error) {
	wb, done, err := e.reader(ctx, p.SessionID)
	if err != nil {
		return ActiveFilesResult{}, sessionError(err)
	}
	defer done()
	return ActiveFilesResult{Files: e.activeOf(wb.ID()).All()}, nil
}

// sessionError words a missing workbench id as the client named it.
func sessionError(err error) error {
	if info, ok := err.(*ErrorInfo); ok && info.Detail == "workbench_id is required" {
		return validation("session_id is required")
	}
	return err
}

func (e *Engine) setDocPath(ctx context.Context, p SetDocPathParams) (DocPathResult, error) {
	wb, err := e.workbench(ctx, p.WorkbenchID)
	if err != nil {
		return DocPathResult{}, err
	}
	path, err := tools.ParsePath(p.Path)
	if err != nil {
		return DocPathResult{}, err
	}
	var doc workshop.DocPath
	if p.DocPath != "" {
		if doc, err = workshop.ParseDocPath(p.DocPath); err != nil {
			return DocPathResult{}, err
		}
	}
	if err := wb.SetDocPath(ctx, path, doc); err != nil {
		return DocPathResult{}, err
	}
	doc, err = wb.DocOf(ctx, wb.DraftView(workshop.Cause{}), path)
	return DocPathResult{string(doc)}, err
}

func (e *Engine) answerQuestion(ctx context.Context, p AnswerQuestionParams) (AcceptedResult, error) {
	if p.WorkbenchID == "" || p.QuestionID == "" {
		return AcceptedResult{}, validation("workbench_id and question_id are required")
	}
	if err := e.questions.Answer(p.WorkbenchID, p.QuestionID, p.Answers); err != nil {
		return AcceptedResult{}, err
	}
	e.hub.Emit(Notification{Method: "WorkshopQuestionAnswered", Params: QuestionAnswered{p.WorkbenchID, p.QuestionID}})
	return AcceptedResult{true}, nil
}

// QuestionAnswered says that a question no longer waits, since a client has
// answered it.
type QuestionAnswered struct {
	WorkbenchID string `json:"workbench_id"`
	QuestionID  string `json:"question_id"`
}

// Unattended says that nobody can answer questions any more: runs that
// wait for answers, and those that ask later, go on as headless ones (M-14).
func (e *Engine) Unattended() { e.questions.Leave() }

func (e *Engine) setMode(ctx context.Context, p SetModeParams) (ModeResult, error) {
	wb, err := e.workbench(ctx, p.WorkbenchID)
	if err != nil {
		return ModeResult{}, err
	}
	m := e.modesOf(wb)
	was, err := m.State(ctx)
	if err != nil {
		return ModeResult{}, err
	}
	if was.Mode != p.Mode {
		if err := m.SetMode(ctx, tools.ModeChange{Mode: p.Mode}); err != nil {
			return ModeResult{}, err
		}
	}
	return modeResult(m.State(ctx))
}

func modeResult(s questions.State, err error) (ModeResult, error) {
	r := ModeResult{Mode: s.Mode}
	if s.PlanFile != "" {
		r.PlanFile = "/" + string(s.PlanFile)
	}
	return r, err
}

// promptRoom is how many bytes of active files stand in each request at most.
const promptRoom = 256 << 10

// setPrompt sets what the model of a run is told, by the catalogue it works with.
func (e *Engine) setPrompt(ctx context.Context, cfg *agent.Config, wb *openWorkbench, name string) error {
	view := wb.DraftView(workshop.Cause{})
	if cfg.View != nil {
		view = cfg.View(view)
	}
	modes, documents := e.modesOf(wb), e.documents(wb)
	_, exits := cfg.Catalogue.Effect("exit_plan_mode")
	modes.NoExit = !exits
	if cfg.Session == nil {
		cfg.Session = e.sessionOf(wb)
	}
	cfg.Session.Active = cfg.Session.Active.Only(func(f openfiles.File) bool { return !f.IsActive || e.mayTell(ctx, wb, f) })
	cfg.Prompt, cfg.OwnSkills = catalogue.Prompt(name), e.ownSkills()
	cfg.Mode = func(ctx context.Context) (string, error) {
		s, err := modes.State(ctx)
		return s.Mode, err
	}
	cfg.Context = func(ctx context.Context) (string, error) {
		g, err := documents.Guard(ctx)
		if err != nil {
			return "", err
		}
		mode, err := modes.Context(ctx, g.View(view))
		for _, f := range cfg.Session.Active.All() {
			if f.IsActive {
				provenance.AddDoc(ctx, workshop.DocPath(f.DocPath))
			}
		}
		parts := []string{}
		for _, s := range []string{mode, cfg.Session.Active.Prompt(promptRoom)} {
			if s != "" {
				parts = append(parts, s)
			}
		}
		return strings.Join(parts, "\n\n"), err
	}
	return e.setNames(ctx, cfg, wb, view, name)
}

// setNames sets how the model of a run names files, by its catalogue.
func (e *Engine) setNames(ctx context.Context, cfg *agent.Config, wb *openWorkbench, view workshop.View, catalogue string) error {
	switch catalogue {
	case "buildscale":
		cfg.Names = agent.Names{Of: func(p workshop.Path) string { return "/" + string(p) }, List: "ls"}
	case "sila":
		cfg.Names = agent.Names{What: "URI", Of: uris.URI, List: "ls"}
	case "aptix": // models see docPaths only (F-03)
		docs, err := wb.DocPaths(ctx, view)
		if err != nil {
			return err
		}
		cfg.Names = agent.Names{What: "docPath", List: "-", Of: func(p workshop.Path) string {
			if doc, ok := docs.Of(p); ok {
				return string(doc)
			}
			return string(wb.DefaultDocPath(p))
		}}
	}
	return nil
}
