package httpapi

import (
	"net/http"

	"atelier/engine"
)

// activeFiles is GET …/active-files: the files that the session's user has
// open (F-13).
func (s *Server) activeFiles(w http.ResponseWriter, r *http.Request, c caller) error {
	return s.answerWith(w, r, "SessionListActiveFiles", engine.SessionRef{SessionID: c.Access.WorkspaceID})
}

// setActiveFiles is PUT …/active-files: it replaces the active files or, with
// merge, adds to them.
func (s *Server) setActiveFiles(w http.ResponseWriter, r *http.Request, c caller) error {
	var req engine.SetActiveFilesParams
	if err := readBody(w, r, &req, false); err != nil {
		return err
	}
	req.SessionID = c.Access.WorkspaceID // the workspace of the path, regardless of the body
	return s.answerWith(w, r, "SessionSetActiveFiles", req)
}
