package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"atelier/engine"
	"atelier/internal/replica/owner"
	"atelier/internal/trace"
	"atelier/ipc/accounts"
	"atelier/ipc/ws"
	"atelier/workshop"
)

// right is what a user needs to call a method at the page.
type right int

const (
	anyUser     right = iota + 1 // a session
	memberOnly                   // of the workspace that the call names
	ownerOnly                    // of it
	memberShort                  // memberOnly; the call takes no place, since it ends or answers another
)

// pageRights are the methods of the page, with the rights that the routes of the
// API ask for. Other methods are refused: they are about the machine, its keys and
// its folders.
var pageRights = map[string]right{
	"EngineGetInfo": anyUser, "ModelsGetCapabilities": anyUser, "ModelsList": anyUser, "ModelsListSupported": anyUser, "ToolsList": anyUser, "WorkbenchList": anyUser,

	"CheckpointCreate": memberOnly, "CheckpointGet": memberOnly, "CheckpointRestore": memberOnly, "CheckpointsList": memberOnly,
	"ContextGet": memberOnly, "ContextList": memberOnly,
	"DraftDiscard": memberOnly, "DraftGetState": memberOnly, "DraftPublish": memberOnly, "DraftRevertChanges": memberOnly,
	"EventsResume": memberOnly,
	"HistoryList":  memberOnly, "ReviewGetBlocks": memberOnly, "ReviewGetSheetWindow": memberOnly,
	"TranslateCorrect": memberOnly, "TranslateExport": memberOnly, "TranslateImport": memberOnly, "TranslateMatches": memberOnly, "TranslateOptions": memberOnly,
	"TranslateReplace": memberOnly, "TranslateSegments": memberOnly,
	"UploadAppend": memberOnly, "UploadBegin": memberOnly, "UploadDiscard": memberOnly, "WorkbenchGetBudget": memberOnly,
	"ReviewGetChangeSet": memberOnly, "ReviewGetContentDiff": memberOnly, "ReviewGetPreview": memberOnly, "ReviewGetTextDiff": memberOnly,
	"SkillsGet": memberOnly, "SkillsList": memberOnly,
	"ToolCall":        memberOnly,
	"TranslateCancel": memberShort, "TranslateList": memberOnly, "TranslateStart": memberOnly, "TranslateStatus": memberOnly,
	"WorkbenchCompareFileVersions": memberOnly, "WorkbenchFileVersions": memberOnly, "WorkbenchFilesList": memberOnly, "WorkbenchFilesRemove": memberOnly,
	"WorkbenchForgetPasswords": memberOnly, "WorkbenchGetClutter": memberOnly, "WorkbenchGetDefaultModel": memberOnly, "WorkbenchGetFileVersion": memberOnly,
	"WorkbenchGetUsage": memberOnly, "WorkbenchGivePassword": memberOnly, "WorkbenchOpen": memberOnly, "WorkbenchReadFileVersion": memberOnly, "WorkbenchRestoreFileVersion": memberOnly,
	"WorkshopAnswerQuestion": memberShort, "WorkshopCancelRun": memberShort, "WorkshopCompact": memberOnly, "WorkshopGetApprovals": memberOnly,
	"WorkshopGetConversation": memberOnly, "WorkshopGetState": memberOnly, "WorkshopGetToolLog": memberOnly, "WorkshopRegenerate": memberOnly, "WorkshopRunAgent": memberOnly,
	"WorkshopSendUserMessage": memberOnly, "WorkshopSetActiveModel": memberOnly, "WorkshopSetMode": memberOnly, "WorkshopSteerRun": memberShort, "WorkshopUndoToMessage": memberOnly,

	"ContextDelete": ownerOnly, "ContextUpdateDirect": ownerOnly,
	"EgressGetConsentStatus": ownerOnly, "EgressGrantWorkshopConsent": ownerOnly, "EgressListConsents": ownerOnly, "EgressListEvents": ownerOnly, "EgressRevokeWorkshopConsent": ownerOnly,
	"SkillsDecide":             ownerOnly,
	"WorkbenchSetDefaultModel": ownerOnly, "WorkshopSetAgentic": ownerOnly, "WorkshopSetApprovals": ownerOnly,
}

// pageCalls carries out the calls of one connection of a session.
type pageCalls struct {
	p    *page
	of   *session
	user accounts.User
	stop context.CancelCauseFunc // ends the connection
	ws   *owner.Workspace        // to which the connection is, in a cluster; nil: to none

	mu      sync.Mutex      // protects follows
	follows map[string]bool // workspaces whose notifications the connection gets
}

// refusal is the error of a call that the user may not make.
func refusal(detail, hint string) error {
	return &engine.ErrorInfo{ErrorCode: codeForbidden, Detail: detail, Hint: hint}
}

// Has implements jsonrpc.Methods: those that are not for users are refused by Call.
func (c *pageCalls) Has(method string) bool { return engine.HasMethod(method) }

// Call implements jsonrpc.Methods.
func (c *pageCalls) Call(ctx context.Context, method string, params json.RawMessage) (_ any, err error) {
	if pageRights[method] != 0 { // else it is what the page made up
		var span *trace.Span
		ctx, span = trace.StartKind(c.p.s.opt.Tracer.Into(ctx), trace.Server, "page "+method)
		defer func() {
			if err != nil {
				span.Fail(codeOfCall(err))
			}
			span.End()
		}()
	}
	if err := c.alive(ctx); err != nil {
		return nil, err
	}
	if err := c.p.s.rates.await(ctx, c.user.ID); err != nil {
		return nil, asErrorInfo(err)
	}
	need := pageRights[method]
	if need == 0 {
		return nil, refusal(method+" is not for the users of a server", "who runs the server sets up models, keys and folders")
	}
	if method == "WorkbenchList" {
		return c.workspaces(ctx)
	}
	access := accounts.Access{}
	if need != anyUser {
		var err error
		if access, params, err = c.access(ctx, params); err != nil {
			return nil, err
		}
		if need == ownerOnly && !access.IsOwner {
			return nil, refusal("only the owner of this workspace may do this", "")
		}
		if err := permitted(method, access, params); err != nil {
			return nil, err
		}
	}
	if method == "EventsResume" {
		c.mu.Lock()
		c.follows[access.WorkspaceID] = true
		c.mu.Unlock()
	}
	result, err := c.carryOutPlaced(c.p.s.paying(ctx, c.user.ID), need, method, access.WorkspaceID, params)
	if opened, ok := result.(engine.WorkbenchOpened); ok {
		opened.Workbench.Root = opened.Workbench.Name // the path is the server's
		return opened, err
	}
	return result, asErrorInfo(err)
}

// codeOfCall is the code of an error of a call.
func codeOfCall(err error) string {
	var info *engine.ErrorInfo
	if errors.As(err, &info) {
		return info.ErrorCode
	}
	return codeInternal
}

// carryOut calls the engine, in the place of a run or of a call.
func (c *pageCalls) carryOut(ctx context.Context, need right, method, workspace string, params json.RawMessage) (any, error) {
	s := c.p.s
	switch method {
	case "WorkshopRunAgent", "WorkshopRegenerate", "WorkshopCompact":
		return s.runs.carryOutCall(ctx, workspace, method, params, c.user.ID)
	case "TranslateStart":
		p, err := workspacePaths(params)
		if err != nil {
			return nil, err
		}
		return s.runs.translate(ctx, p, c.user.ID)
	case "TranslateCancel":
		s.runs.stopsJob(workspace, params)
	case "WorkshopCancelRun":
		if s.runs.stopWaiting(workspace) {
			return engine.CancelRunResult{CancelRequested: true}, nil
		}
	case "WorkshopSteerRun":
		if r, _ := s.runs.waitingIn(workspace); r != nil {
			return nil, &engine.ErrorInfo{ErrorCode: string(workshop.Conflict), Detail: waitsForMessages, Retryable: true}
		}
	}
	if need != memberShort {
		leave, err := s.calls.enter(ctx)
		if err != nil {
			return nil, err
		}
		defer leave()
	}
	result, err := s.opt.Engine.Call(ctx, method, params)
	if st, ok := result.(engine.WorkshopState); ok && st.Activity == "" {
		if r, ahead := s.runs.waitingIn(workspace); r != nil {
			st.Running, st.Activity, st.Ahead = true, workshop.ActRun, &ahead
			return st, err
		}
	}
	return result, err
}

// permitted refuses params that name files of the server, and answers that only the
// owner may give.
func permitted(method string, a accounts.Access, params json.RawMessage) error {
	if method == "WorkshopSendUserMessage" {
		var p engine.SendUserMessageParams
		if err := json.Unmarshal(params, &p); err != nil {
			return &engine.ErrorInfo{ErrorCode: engine.CodeInvalidParams, Detail: err.Error()}
		}
		if slices.ContainsFunc(p.Attachments, func(a engine.AttachmentParams) bool { return a.Path != "" }) {
			return refusal("a path would be one on the server", "attach the content of the file")
		}
	}
	if method != "WorkshopAnswerQuestion" || a.IsOwner {
		return nil
	}
	var p engine.AnswerQuestionParams
	if err := json.Unmarshal(params, &p); err != nil {
		return &engine.ErrorInfo{ErrorCode: engine.CodeInvalidParams, Detail: err.Error()}
	}
	if forGood(p.Answers["approval"]) {
		return refusal("only the owner of this workspace allows something for good", "answer for once or for this run")
	}
	if instructs(p.Answers) {
		return refusal("only the owner of this workspace approves skills and AGENTS.md", "answer no, or ask the owner")
	}
	return nil
}

// access looks up the workspace of params. Of params it returns the ones with that
// workspace only: the engine reads names of members in any case.
func (c *pageCalls) access(ctx context.Context, params json.RawMessage) (accounts.Access, json.RawMessage, error) {
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(params, &members); err != nil {
		return accounts.Access{}, nil, &engine.ErrorInfo{ErrorCode: engine.CodeInvalidParams, Detail: "params must be an object"}
	}
	var named string
	if err := json.Unmarshal(members["workbench_id"], &named); err != nil || named == "" {
		return accounts.Access{}, nil, &engine.ErrorInfo{ErrorCode: engine.CodeValidationFailed, Detail: "workbench_id is required"}
	}
	denied := refusal("you are not a member of this workspace", "")
	id, err := uuid.Parse(named)
	if err != nil || len(named) != 36 { // Parse also accepts {…} and urn:uuid:…
		return accounts.Access{}, nil, denied
	}
	access, err := c.p.s.opt.Accounts.Access(ctx, id.String(), c.user.ID)
	if err != nil {
		return accounts.Access{}, nil, err
	}
	if !access.IsMember {
		return accounts.Access{}, nil, denied
	}
	for name := range members {
		if strings.EqualFold(name, "workbench_id") {
			delete(members, name)
		}
	}
	members["workbench_id"], _ = json.Marshal(access.WorkspaceID)
	params, err = json.Marshal(members)
	return access, params, err
}

// workspaces is WorkbenchList: the workspaces that the user may use.
func (c *pageCalls) workspaces(ctx context.Context) (any, error) {
	list, err := c.p.s.opt.Accounts.WorkspacesOf(ctx, c.user.ID)
	if err != nil {
		return nil, err
	}
	out := engine.WorkbenchListResult{Workbenches: []engine.WorkbenchInfo{}}
	for _, w := range list {
		out.Workbenches = append(out.Workbenches, engine.WorkbenchInfo{WorkbenchID: w.ID, Name: w.Name, Root: w.Name, CreatedAt: w.CreatedAt, UpdatedAt: w.CreatedAt})
	}
	return out, nil
}

// workspacePaths reads the params of TranslateStart, whose paths are of the
// workspace.
func workspacePaths(params json.RawMessage) (p engine.TranslateStartParams, err error) {
	d := json.NewDecoder(bytes.NewReader(params))
	if err := d.Decode(&p); err != nil {
		return p, &engine.ErrorInfo{ErrorCode: engine.CodeInvalidParams, Detail: err.Error()}
	}
	trimSlashes(&p)
	return p, nil
}

// asErrorInfo gives errors of this package the form of the protocol.
func asErrorInfo(err error) error {
	var p *problem
	if err == nil || !errors.As(err, &p) {
		return err
	}
	return &engine.ErrorInfo{ErrorCode: p.Code, Detail: p.Message, Retryable: slices.Contains([]string{codeUnavailable, codeRate}, p.Code)}
}

// alive ends the session when its token counts no more.
func (c *pageCalls) alive(ctx context.Context) error {
	if c.of.ended.Err() == nil && c.p.s.opt.Now().Before(c.of.claims.expires) {
		_, why, err := c.p.user(ctx, c.of.claims)
		if err != nil || why == "" {
			return err
		}
	}
	c.p.sessions.drop(c.of)
	return refusal("the session has ended", "sign in again")
}

// watch ends the connection when the session ends or the user loses a workspace
// that it follows.
func (c *pageCalls) watch(until, request context.Context) {
	defer c.stop(nil)
	tick := time.NewTicker(c.p.s.opt.Ping)
	defer tick.Stop()
	for {
		select {
		case <-until.Done():
			return
		case <-request.Done():
			return
		case <-tick.C:
		}
		if err := c.alive(request); workshopForbidden(err) {
			return
		}
		if !c.p.sessions.still(request, c.of) {
			c.p.sessions.drop(c.of)
			return
		}
		c.mu.Lock()
		list := make([]string, 0, len(c.follows))
		for id := range c.follows {
			list = append(list, id)
		}
		c.mu.Unlock()
		for _, id := range list {
			if a, err := c.p.s.opt.Accounts.Access(request, id, c.user.ID); err == nil && !a.IsMember {
				c.stop(ws.ErrConnectAgain) // without that workspace
				return
			}
		}
	}
}

func workshopForbidden(err error) bool {
	var info *engine.ErrorInfo
	return errors.As(err, &info) && info.ErrorCode == string(workshop.Forbidden)
}
