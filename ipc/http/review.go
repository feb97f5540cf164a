package httpapi

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"atelier/engine"
)

// draftFile returns the file of the draft in the parameter path in the
// engine's form, without the leading slash.
func draftFile(r *http.Request) (string, error) {
	path, err := contentPath(r)
	return strings.TrimPrefix(path, "/"), err
}

// draftDiff is GET …/draft/diff: the draft's changes of a file, in the terms
// of its format (RV-01).
func (s *Server) draftDiff(w http.ResponseWriter, r *http.Request, c caller) error {
	path, err := draftFile(r)
	if err != nil {
		return err
	}
	most, err := number(r, "max_items")
	if err != nil {
		return err
	}
	return s.answerInTurn(w, r, "ReviewGetContentDiff", engine.ReviewContentParams{WorkbenchID: c.Access.WorkspaceID, Path: path, MaxItems: most})
}

// draftTextDiff is GET …/draft/diff/text: the draft's changes of the text of
// a file, as hunks of lines (RV-02).
func (s *Server) draftTextDiff(w http.ResponseWriter, r *http.Request, c caller) error {
	path, err := draftFile(r)
	if err != nil {
		return err
	}
	most, err := number(r, "max_lines")
	if err != nil {
		return err
	}
	return s.answerInTurn(w, r, "ReviewGetTextDiff", engine.ReviewTextParams{WorkbenchID: c.Access.WorkspaceID, Path: path, Start: r.URL.Query().Get("start"), MaxLines: most})
}

// preview is GET …/files/preview: a page as a PNG (RV-04). Headers have the
// other data about the picture. The note is escaped like a query component,
// because headers contain only ASCII.
func (s *Server) preview(w http.ResponseWriter, r *http.Request, c caller) error {
	path, err := draftFile(r)
	if err != nil {
		return err
	}
	q := r.URL.Query()
	p := engine.ReviewPreviewParams{WorkbenchID: c.Access.WorkspaceID, Path: path, Version: q.Get("version")}
	if text := q.Get("page"); text != "" {
		if p.Page, err = strconv.Atoi(text); err != nil || p.Page < 0 {
			return invalidField("page", "page must be a number from 0")
		}
	}
	if text := q.Get("scale"); text != "" {
		if p.Scale, err = strconv.ParseFloat(text, 64); err != nil {
			return invalidField("scale", "scale must be a number, 0.25 to 2")
		}
	}
	leave, err := s.calls.take(r.Context(), w)
	if err != nil {
		return err
	}
	defer leave()
	got, err := s.engineCall(r, "ReviewGetPreview", p)
	if err != nil {
		return err
	}
	page := got.(engine.ReviewPreviewResult)
	png, err := base64.StdEncoding.DecodeString(page.BytesBase64)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", page.MIMEType)
	h.Set("Cache-Control", "private, no-cache")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Page-Index", strconv.Itoa(page.PageIndex))
	h.Set("X-Page-Count", strconv.Itoa(page.PageCount))
	h.Set("X-Rendering", page.Rendering)
	h.Set("X-Scaled-Down", strconv.FormatBool(page.ScaledDown))
	if page.Note != "" {
		h.Set("X-Note", url.PathEscape(page.Note))
	}
	_, err = w.Write(png)
	return err
}

// checkpoints is GET …/checkpoints: the states that can be restored.
func (s *Server) checkpoints(w http.ResponseWriter, r *http.Request, c caller) error {
	return s.answerWith(w, r, "CheckpointsList", engine.WorkbenchRef{WorkbenchID: c.Access.WorkspaceID})
}

// createCheckpoint is POST …/checkpoints.
func (s *Server) createCheckpoint(w http.ResponseWriter, r *http.Request, c caller) error {
	var req engine.CheckpointCreateParams
	if err := readBody(w, r, &req, false); err != nil {
		return err
	}
	req.WorkbenchID = c.Access.WorkspaceID // regardless of the body
	return s.answerInTurn(w, r, "CheckpointCreate", req)
}

// checkpoint is GET …/checkpoints/{checkpoint}: what restoring it would
// change.
func (s *Server) checkpoint(w http.ResponseWriter, r *http.Request, c caller) error {
	return s.checkpointCall(w, r, c, "CheckpointGet")
}

// restoreCheckpoint is POST …/checkpoints/{checkpoint}/restore.
func (s *Server) restoreCheckpoint(w http.ResponseWriter, r *http.Request, c caller) error {
	return s.checkpointCall(w, r, c, "CheckpointRestore")
}

func (s *Server) checkpointCall(w http.ResponseWriter, r *http.Request, c caller, method string) error {
	return s.answerInTurn(w, r, method, engine.CheckpointParams{WorkbenchID: c.Access.WorkspaceID, CheckpointID: r.PathValue("checkpoint")})
}

// models is GET …/models: the models that a run can name.
func (s *Server) models(w http.ResponseWriter, r *http.Request, _ caller) error {
	return s.answerInTurn(w, r, "ModelsList", engine.ModelsListParams{ProviderID: r.URL.Query().Get("provider")})
}

// answerInTurn is answerWith for slow methods: it waits for a free place.
func (s *Server) answerInTurn(w http.ResponseWriter, r *http.Request, method string, params any) error {
	leave, err := s.calls.take(r.Context(), w)
	if err != nil {
		return err
	}
	defer leave()
	return s.answerWith(w, r, method, params)
}
