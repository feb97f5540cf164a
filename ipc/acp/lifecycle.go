package acp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	sdk "github.com/coder/acp-go-sdk"

	"atelier/engine"
	"atelier/workshop"
)

// NewSession opens the conversation of a folder: a folder has one, which continues.
func (a *server) NewSession(ctx context.Context, p sdk.NewSessionRequest) (sdk.NewSessionResponse, error) {
	s, err := a.open(ctx, p.Cwd)
	if err != nil {
		return sdk.NewSessionResponse{}, err
	}
	r := sdk.NewSessionResponse{SessionId: sdk.SessionId(s.id)}
	if r.Modes, r.ConfigOptions, err = s.opened(ctx); err != nil {
		return r, err
	}
	// The client knows the session once it has the answer.
	before := s.goesOn(ctx)
	s.a.after(func() { s.greet(before, p.AdditionalDirectories, p.McpServers) })
	return r, nil
}

// LoadSession opens a session that was stored, and sends its conversation.
func (a *server) LoadSession(ctx context.Context, p sdk.LoadSessionRequest) (sdk.LoadSessionResponse, error) {
	s, err := a.reopen(ctx, p.SessionId, p.Cwd)
	if err != nil {
		return sdk.LoadSessionResponse{}, err
	}
	if err := s.replay(ctx); err != nil {
		return sdk.LoadSessionResponse{}, wireError(err)
	}
	var r sdk.LoadSessionResponse
	if r.Modes, r.ConfigOptions, err = s.opened(ctx); err != nil {
		return r, err
	}
	s.a.after(func() { s.greet("", p.AdditionalDirectories, p.McpServers) })
	return r, nil
}

// ResumeSession opens a session that the client shows already.
func (a *server) ResumeSession(ctx context.Context, p sdk.ResumeSessionRequest) (sdk.ResumeSessionResponse, error) {
	s, err := a.reopen(ctx, p.SessionId, p.Cwd)
	if err != nil {
		return sdk.ResumeSessionResponse{}, err
	}
	var r sdk.ResumeSessionResponse
	if r.Modes, r.ConfigOptions, err = s.opened(ctx); err != nil {
		return r, err
	}
	s.a.after(func() { s.greet("", p.AdditionalDirectories, p.McpServers) })
	return r, nil
}

// reopen opens the session of a folder by its id.
func (a *server) reopen(ctx context.Context, id sdk.SessionId, cwd string) (*session, error) {
	list, err := engine.CallAs[engine.WorkbenchListResult](ctx, a.eng, "WorkbenchList", engine.Empty{})
	if err != nil {
		return nil, wireError(err)
	}
	i := slices.IndexFunc(list.Workbenches, func(w engine.WorkbenchInfo) bool { return w.WorkbenchID == string(id) && !w.Managed })
	if i < 0 {
		return nil, refused(codeInvalidParams, "no session has this id; session/list names them")
	}
	s, err := a.open(ctx, cwd)
	if err != nil {
		return nil, err
	}
	if s.id != string(id) {
		return nil, refused(codeInvalidParams, "this session belongs to the folder "+list.Workbenches[i].Root+", not to cwd")
	}
	return s, nil
}

// opened is what the client is told of a session that it opens.
func (s *session) opened(ctx context.Context) (*sdk.SessionModeState, []sdk.SessionConfigOption, error) {
	mode, err := s.mode(ctx)
	if err != nil {
		return nil, nil, err
	}
	options, err := s.options(ctx)
	return &sdk.SessionModeState{AvailableModes: modes, CurrentModeId: sdk.SessionModeId(mode)}, options, err
}

// after does something once the answer to the request at hand is sent.
func (a *server) after(do func()) {
	if !a.begin() {
		return
	}
	go func() {
		defer a.working.Done()
		a.wire.answered(lastWords, "session/new", "session/load", "session/resume")
		do()
	}()
}

// greet sends the commands, a text, and what the client asked for that is not done.
func (s *session) greet(text string, directories []string, servers []sdk.McpServer) {
	s.send(sdk.SessionUpdate{AvailableCommandsUpdate: &sdk.SessionAvailableCommandsUpdate{AvailableCommands: availableCommands()}})
	if len(directories) > 0 {
		text += "Additional folders are not used: Atelier works on one folder, " + name(s.root) + ".\n"
	}
	if len(servers) > 0 {
		text += fmt.Sprintf("The editor's MCP servers (%d) are not used: the model works with Atelier's tools.\n", len(servers))
	}
	if wb, err := s.workbench(s.a.work); err == nil {
		for _, line := range wb.Recovered() {
			text += "Repaired after a crash: " + line + "\n"
		}
	}
	s.say(text)
}

// goesOn says that a folder has a conversation already.
func (s *session) goesOn(ctx context.Context) string {
	c, err := engine.CallAs[engine.Conversation](ctx, s.a.eng, "WorkshopGetConversation", s.ref())
	if err != nil {
		return ""
	}
	n := 0
	for _, r := range c.Messages {
		if r.Type == workshop.TypeUser {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("The conversation about this folder continues: %s of yours came before, which the model knows. Load the session from the editor's history to see them; /undo takes back the last one.\n", counted(n, "message", "messages"))
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// CloseSession stops what a session does and forgets it; what is stored stays.
func (a *server) CloseSession(ctx context.Context, p sdk.CloseSessionRequest) (sdk.CloseSessionResponse, error) {
	s, err := a.session(p.SessionId)
	if err != nil {
		return sdk.CloseSessionResponse{}, err
	}
	s.cancelWork()
	s.mu.Lock()
	r := s.run
	s.mu.Unlock()
	if r != nil {
		select {
		case <-r.done:
		case <-ctx.Done():
		}
	}
	a.mu.Lock()
	delete(a.sessions, s.id)
	a.mu.Unlock()
	s.stop()
	return sdk.CloseSessionResponse{}, nil
}

// sessionsPage is how many sessions a page of session/list has.
const sessionsPage = 100

// ListSessions lists the folders that have a conversation, the last changed first.
func (a *server) ListSessions(ctx context.Context, p sdk.ListSessionsRequest) (sdk.ListSessionsResponse, error) {
	out := sdk.ListSessionsResponse{Sessions: []sdk.SessionInfo{}}
	from := 0
	if p.Cursor != nil {
		n, err := strconv.Atoi(*p.Cursor)
		if err != nil || n < 0 {
			return out, refused(codeInvalidParams, "cursor is not one that session/list gave")
		}
		from = n
	}
	list, err := engine.CallAs[engine.WorkbenchListResult](ctx, a.eng, "WorkbenchList", engine.Empty{})
	if err != nil {
		return out, wireError(err)
	}
	all := slices.DeleteFunc(list.Workbenches, func(w engine.WorkbenchInfo) bool {
		return w.Managed || p.Cwd != nil && *p.Cwd != w.Root && resolved(*p.Cwd) != w.Root
	})
	slices.SortStableFunc(all, func(x, y engine.WorkbenchInfo) int { return cmp.Compare(y.UpdatedAt, x.UpdatedAt) })
	for _, w := range all[min(from, len(all)):min(from+sessionsPage, len(all))] {
		out.Sessions = append(out.Sessions, sdk.SessionInfo{SessionId: sdk.SessionId(w.WorkbenchID), Cwd: w.Root, Title: sdk.Ptr(w.Name), UpdatedAt: sdk.Ptr(w.UpdatedAt)})
	}
	if from+sessionsPage < len(all) {
		out.NextCursor = sdk.Ptr(strconv.Itoa(from + sessionsPage))
	}
	return out, nil
}
