package httpapi

import (
	"net/http"
	"strconv"

	"github.com/google/uuid"

	"atelier/engine"
)

// fileID returns the file in the path of a request.
func fileID(r *http.Request) (string, error) {
	id, err := uuid.Parse(r.PathValue("file"))
	if err != nil {
		return "", invalidField("file_id", "Invalid file ID format")
	}
	return id.String(), nil
}

// versionParams returns the version in the path of a request.
func versionParams(r *http.Request, c caller) (engine.FileVersionParams, error) {
	id, err := fileID(r)
	return engine.FileVersionParams{WorkbenchID: c.Access.WorkspaceID, FileID: id, VersionID: r.PathValue("version")}, err
}

// number returns a query parameter, 0 if it is missing.
func number(r *http.Request, name string) (int, error) {
	s := r.URL.Query().Get(name)
	if s == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, invalidField(name, name+" must be a number above 0")
	}
	return n, nil
}

// fileVersions is GET …/files/{file}/versions.
func (s *Server) fileVersions(w http.ResponseWriter, r *http.Request, c caller) error {
	id, err := fileID(r)
	if err != nil {
		return err
	}
	limit, err := number(r, "limit")
	if err != nil {
		return err
	}
	result, err := s.engineCall(r, "WorkbenchFileVersions", engine.FileVersionsParams{WorkbenchID: c.Access.WorkspaceID, FileID: id, Limit: limit, Before: r.URL.Query().Get("before")})
	if err != nil {
		return err
	}
	list := result.(engine.FileVersionsResult)
	for i := range list.Versions {
		list.Versions[i].Path = "/" + list.Versions[i].Path
	}
	return writeResult(w, list)
}

// fileVersion is GET …/files/{file}/versions/{version}.
func (s *Server) fileVersion(w http.ResponseWriter, r *http.Request, c caller) error {
	p, err := versionParams(r, c)
	if err != nil {
		return err
	}
	result, err := s.engineCall(r, "WorkbenchGetFileVersion", p)
	if err != nil {
		return err
	}
	v := result.(engine.FileVersion)
	v.Path = "/" + v.Path
	return writeResult(w, v)
}

// versionContent is GET …/files/{file}/versions/{version}/content.
func (s *Server) versionContent(w http.ResponseWriter, r *http.Request, c caller) error {
	p, err := versionParams(r, c)
	if err != nil {
		return err
	}
	f, err := s.opt.Tools.OpenVersion(r.Context(), p)
	if err != nil {
		return err
	}
	defer f.Close()
	serveFile(w, r, f)
	return nil
}

// versionDiff is GET …/files/{file}/versions/{version}/diff.
func (s *Server) versionDiff(w http.ResponseWriter, r *http.Request, c caller) error {
	p, err := versionParams(r, c)
	if err != nil {
		return err
	}
	q := engine.CompareFileVersionsParams{FileVersionParams: p, With: r.URL.Query().Get("with"), Start: r.URL.Query().Get("start")}
	if q.MaxItems, err = number(r, "max_items"); err != nil {
		return err
	}
	if q.MaxLines, err = number(r, "max_lines"); err != nil {
		return err
	}
	leave, err := s.calls.take(r.Context(), w)
	if err != nil {
		return err
	}
	defer leave()
	return s.answerWith(w, r, "WorkbenchCompareFileVersions", q)
}

// restoreVersion is POST …/files/{file}/versions/{version}/restore.
func (s *Server) restoreVersion(w http.ResponseWriter, r *http.Request, c caller) error {
	p, err := versionParams(r, c)
	if err != nil {
		return err
	}
	leave, err := s.calls.take(r.Context(), w)
	if err != nil {
		return err
	}
	defer leave()
	result, err := s.opt.Tools.RestoreVersion(r.Context(), c.User.ID, p)
	if err != nil {
		return err
	}
	result.Path = "/" + result.Path
	return writeResult(w, result)
}

// undo is POST …/undo.
func (s *Server) undo(w http.ResponseWriter, r *http.Request, c caller) error {
	var req engine.UndoParams
	if err := readBody(w, r, &req, false); err != nil {
		return err
	}
	if req.MessageID == "" {
		return invalid("missing field `message_id`")
	}
	req.WorkbenchID = c.Access.WorkspaceID
	return s.answerWith(w, r, "WorkshopUndoToMessage", req)
}
