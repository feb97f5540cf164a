package httpapi

import (
	"encoding/json"
	"net/http"

	"github.com/google/uuid"

	"atelier/ipc/accounts"
	"atelier/workshop/agent"
	"atelier/workshop/approvals"
)

// trash is GET …/files/trash (H-21).
func (s *Server) trash(w http.ResponseWriter, r *http.Request, c caller) error {
	result, err := s.opt.Tools.Trash(r.Context(), c.Access.WorkspaceID)
	if err != nil {
		return err
	}
	return writeResult(w, result)
}

// restore is POST …/files/{file}/restore (H-21).
func (s *Server) restore(w http.ResponseWriter, r *http.Request, c caller) error {
	id, err := uuid.Parse(r.PathValue("file"))
	if err != nil {
		return invalidField("file_id", "Invalid file ID format")
	}
	leave, err := s.calls.take(r.Context(), w)
	if err != nil {
		return err
	}
	defer leave()
	result, err := s.opt.Tools.Restore(r.Context(), c.Access.WorkspaceID, c.User.ID, id.String())
	if err != nil {
		return err
	}
	return writeResult(w, result)
}

// answer is POST …/questions/{qid}/answers (M-15).
func (s *Server) answer(w http.ResponseWriter, r *http.Request, c caller) error {
	var req struct {
		Answers map[string]json.RawMessage `json:"answers"`
	}
	if err := readBody(w, r, &req, false); err != nil {
		return err
	}
	if req.Answers == nil {
		return invalid("missing field `answers`")
	}
	if !c.Access.IsOwner && forGood(req.Answers["approval"]) {
		return fail(http.StatusForbidden, codeForbidden, "Access forbidden: only the owner of this workspace allows something for good; answer once, run or no")
	}
	if !c.Access.IsOwner && instructs(req.Answers) {
		return fail(http.StatusForbidden, codeForbidden, "Access forbidden: only the owner of this workspace approves skills and AGENTS.md; answer no, or ask the owner")
	}
	if err := s.opt.Tools.Answer(r.Context(), c.Access.WorkspaceID, c.User.ID, r.PathValue("qid"), req.Answers); err != nil {
		return err
	}
	return writeResult(w, map[string]bool{"accepted": true})
}

// instructs reports whether answers approve instructions of the folder, which count in
// the runs of all members.
func instructs(answers map[string]json.RawMessage) bool {
	for name, a := range answers {
		var said string
		if agent.IsInstructionQuestion(name) && json.Unmarshal(a, &said) == nil && said == agent.InstructionYes {
			return true
		}
	}
	return false
}

// forGood reports whether an answer allows calls in the future runs of all
// members.
func forGood(answer json.RawMessage) bool {
	var said string
	return json.Unmarshal(answer, &said) == nil && said == approvals.Always
}

// listWorkspaces is GET /api/v1/workspaces: those that the user may use.
func (s *Server) listWorkspaces(w http.ResponseWriter, r *http.Request, u accounts.User) error {
	list, err := s.opt.Accounts.WorkspacesOf(r.Context(), u.ID)
	if err != nil {
		return err
	}
	return writeResult(w, map[string]any{"workspaces": list})
}
