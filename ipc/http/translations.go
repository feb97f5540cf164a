package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"atelier/engine"
)

// startTranslation is POST …/translations. The paths of the body name files of
// the workspace: a path of the server is not a caller's to read or write.
func (s *Server) startTranslation(w http.ResponseWriter, r *http.Request, c caller) error {
	var p engine.TranslateStartParams
	if err := readBody(w, r, &p, false); err != nil {
		return err
	}
	p.WorkbenchID = c.Access.WorkspaceID // whatever the body says
	if err := p.Budget.Within(s.opt.Ceiling); err != nil {
		return invalidField("budget", err.Error())
	}
	trimSlashes(&p)
	started, err := s.runs.translate(r.Context(), p, c.User.ID)
	var info *engine.ErrorInfo
	if errors.As(err, &info) && info.ErrorCode == engine.CodeEgressConsent {
		return consentProblem(c.Access.WorkspaceID, info)
	}
	if err != nil {
		return err
	}
	return writeResult(w, started)
}

// trimSlashes takes the slash off the paths, with which tools name files here.
func trimSlashes(p *engine.TranslateStartParams) {
	for _, path := range []*string{&p.Folder, &p.Glossary, &p.TMXOut, &p.XLIFFIn, &p.XLIFFOut} {
		*path = strings.TrimPrefix(*path, "/")
	}
	for _, list := range [][]string{p.Paths, p.TMX, p.Reports} {
		for i := range list {
			list[i] = strings.TrimPrefix(list[i], "/")
		}
	}
}

// consentProblem is the error of work that needs a consent, with what the owner
// of the workspace can post to give it.
func consentProblem(workspace string, info *engine.ErrorInfo) *problem {
	p := fromErrorInfo(info)
	if info.Egress != nil {
		p.Consent = &neededConsent{info.ProviderID, info.ModelID, info.Egress.ScopeHash}
		p.Message += " (" + consentHint(workspace, info.ModelID) + ")"
	}
	return p
}

// translations is GET …/translations: the jobs of the workspace.
func (s *Server) translations(w http.ResponseWriter, r *http.Request, c caller) error {
	return s.answerWith(w, r, "TranslateList", engine.WorkbenchRef{WorkbenchID: c.Access.WorkspaceID})
}

// maxTranslationFiles bounds the files in one answer about a job.
const maxTranslationFiles = 1000

// translation is GET …/translations/{job}: how far it is, and what became of each
// file.
func (s *Server) translation(w http.ResponseWriter, r *http.Request, c caller) error {
	p := engine.TranslateStatusParams{WorkbenchID: c.Access.WorkspaceID, JobID: r.PathValue("job")}
	var err error
	if r.URL.Query().Get("offset") != "0" {
		if p.Offset, err = number(r, "offset"); err != nil {
			return err
		}
	}
	if p.Limit, err = number(r, "limit"); err != nil {
		return err
	}
	if p.Limit > maxTranslationFiles {
		return invalidField("limit", fmt.Sprintf("limit must be at most %d", maxTranslationFiles))
	}
	return s.answerWith(w, r, "TranslateStatus", p)
}

// stopTranslation is POST …/translations/{job}/stop. What is done is kept, and the
// same start continues it.
func (s *Server) stopTranslation(w http.ResponseWriter, r *http.Request, c caller) error {
	s.runs.dropJob(c.Access.WorkspaceID, r.PathValue("job"))
	return s.answerWith(w, r, "TranslateCancel", engine.TranslateRef{WorkbenchID: c.Access.WorkspaceID, JobID: r.PathValue("job")})
}

// translationOperations are the routes of translation jobs.
func translationOperations(with func(...int) []int) []operation {
	const ws = workspacePath
	return []operation{
		{path: ws + "/translations", method: "GET", id: "listTranslations", engine: "TranslateList", summary: "The translation jobs of the workspace, the newest first.", errors: with()},
		{path: ws + "/translations", method: "POST", id: "startTranslation", params: "TranslateStart", engine: "TranslateStart",
			summary: "Translates files of the workspace into its draft; answers at once. The same body names the same job, which goes on where it was.",
			errors:  with(http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusServiceUnavailable)},
		{path: ws + "/translations/{job}", method: "GET", id: "getTranslation", engine: "TranslateStatus", summary: "How far a translation job is and, when it has ended, what became of each file.",
			query: []any{object{"name": "offset", "in": "query", "required": false, "schema": object{"type": "integer", "minimum": 0, "default": 0}, "description": "the first of the files wanted, from 0"},
				object{"name": "limit", "in": "query", "required": false, "schema": object{"type": "integer", "minimum": 1, "maximum": maxTranslationFiles, "default": 100}, "description": "at most so many files"}},
			errors: with(http.StatusNotFound)},
		{path: ws + "/translations/{job}/stop", method: "POST", id: "stopTranslation", engine: "TranslateCancel", summary: "Asks a translation job to stop; what is done is kept, and the same start goes on.",
			errors: with(http.StatusNotFound)},
	}
}
