package httpapi

import (
	"encoding/json"
	"net/http"
	"strings"

	"atelier/engine"
)

// draft is GET …/draft: whether there is a draft, and what it changes.
func (s *Server) draft(w http.ResponseWriter, r *http.Request, c caller) error {
	state, err := s.engineCall(r, "DraftGetState", engine.WorkbenchRef{WorkbenchID: c.Access.WorkspaceID})
	if err != nil {
		return err
	}
	changes, err := s.engineCall(r, "ReviewGetChangeSet", engine.WorkbenchRef{WorkbenchID: c.Access.WorkspaceID})
	if err != nil {
		return err
	}
	return writeResult(w, map[string]any{"state": state, "change_set": changes})
}

// draftRequest is the body of …/draft/publish and …/draft/discard; both
// members are optional.
type draftRequest struct {
	WorkbenchID string   `json:"workbench_id"` // set by the server: the workspace of the path
	Paths       []string `json:"paths,omitempty"`
	Force       []string `json:"force,omitempty"`
}

// publishDraft is POST …/draft/publish.
func (s *Server) publishDraft(w http.ResponseWriter, r *http.Request, c caller) error {
	return s.draftCall(w, r, c, "DraftPublish")
}

// discardDraft is POST …/draft/discard.
func (s *Server) discardDraft(w http.ResponseWriter, r *http.Request, c caller) error {
	return s.draftCall(w, r, c, "DraftDiscard")
}

func (s *Server) draftCall(w http.ResponseWriter, r *http.Request, c caller, method string) error {
	var req draftRequest
	if err := readBody(w, r, &req, true); err != nil {
		return err
	}
	req.WorkbenchID = c.Access.WorkspaceID
	for _, paths := range [][]string{req.Paths, req.Force} {
		for i, path := range paths {
			paths[i] = strings.TrimPrefix(path, "/") // tools name files here with a leading slash
		}
	}
	return s.answerWith(w, r, method, req)
}

// answerWith answers with the result of an engine method.
func (s *Server) answerWith(w http.ResponseWriter, r *http.Request, method string, params any) error {
	result, err := s.engineCall(r, method, params)
	if err != nil {
		return err
	}
	return writeResult(w, result)
}

// engineCall calls an engine method.
func (s *Server) engineCall(r *http.Request, method string, params any) (any, error) {
	b, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	return s.opt.Engine.Call(r.Context(), method, b)
}
