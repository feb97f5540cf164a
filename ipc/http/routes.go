package httpapi

import (
	"net/http"
	"slices"
	"strings"
)

// handler answers a request; its error becomes the body (H-06).
type handler func(http.ResponseWriter, *http.Request) error

// table lists every path with its methods (H-01).
func (s *Server) table() map[string]map[string]handler {
	const workspace = "/api/v1/workspaces/{id}"
	const file = workspace + "/files/{file}"
	return map[string]map[string]handler{
		HealthPath:                                      {"GET": s.health},
		"/api/v1/openapi.json":                          {"GET": s.serveOpenAPI},
		"/api/v1/workspaces":                            {"GET": s.authenticated(s.listWorkspaces)},
		workspace + "/tools":                            {"POST": s.member(s.callTool)},
		workspace + "/files/content":                    {"GET": s.member(s.download), "PUT": s.member(s.upload)},
		workspace + "/files/trash":                      {"GET": s.member(s.trash)},
		file + "/restore":                               {"POST": s.member(s.restore)},
		file + "/versions":                              {"GET": s.member(s.fileVersions)},
		file + "/versions/{version}":                    {"GET": s.member(s.fileVersion)},
		file + "/versions/{version}/content":            {"GET": s.member(s.versionContent)},
		file + "/versions/{version}/diff":               {"GET": s.member(s.versionDiff)},
		file + "/versions/{version}/restore":            {"POST": s.member(s.restoreVersion)},
		workspace + "/questions/{qid}/answers":          {"POST": s.member(s.answer)},
		workspace + "/conversation":                     {"GET": s.member(s.conversation)},
		workspace + "/runs":                             {"GET": s.member(s.listRuns), "POST": s.member(s.startRun)},
		workspace + "/runs/{run}/events":                {"GET": s.member(s.runEvents)},
		workspace + "/runs/{run}/stop":                  {"POST": s.member(s.stopRun)},
		workspace + "/runs/{run}/messages":              {"POST": s.member(s.steerRun)},
		workspace + "/translations":                     {"GET": s.member(s.translations), "POST": s.member(s.startTranslation)},
		workspace + "/translations/{job}":               {"GET": s.member(s.translation)},
		workspace + "/translations/{job}/stop":          {"POST": s.member(s.stopTranslation)},
		workspace + "/approvals":                        {"GET": s.member(s.approvals), "PUT": s.member(s.setApprovals)},
		workspace + "/consents":                         {"GET": s.owner(s.consents), "POST": s.owner(s.grantConsent), "DELETE": s.owner(s.revokeConsents)},
		workspace + "/consents/status":                  {"GET": s.owner(s.consentStatus)},
		workspace + "/usage":                            {"GET": s.member(s.usage)},
		workspace + "/active-files":                     {"GET": s.member(s.activeFiles), "PUT": s.member(s.setActiveFiles)},
		workspace + "/undo":                             {"POST": s.member(s.undo)},
		workspace + "/files/preview":                    {"GET": s.member(s.preview)},
		workspace + "/checkpoints":                      {"GET": s.member(s.checkpoints), "POST": s.member(s.createCheckpoint)},
		workspace + "/checkpoints/{checkpoint}":         {"GET": s.member(s.checkpoint)},
		workspace + "/checkpoints/{checkpoint}/restore": {"POST": s.member(s.restoreCheckpoint)},
		workspace + "/models":                           {"GET": s.member(s.models)},
		workspace + "/draft":                            {"GET": s.member(s.draft)},
		workspace + "/draft/diff":                       {"GET": s.member(s.draftDiff)},
		workspace + "/draft/diff/text":                  {"GET": s.member(s.draftTextDiff)},
		workspace + "/draft/publish":                    {"POST": s.member(s.publishDraft)},
		workspace + "/draft/discard":                    {"POST": s.member(s.discardDraft)},
		"/":                                             {"": notFound},
	}
}

// routes serves the table. Any other path is a 404, and another method of a
// path a 405 that names the allowed ones.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for _, table := range []map[string]map[string]handler{s.table(), s.mcpTable()} {
		for path, methods := range table {
			mux.Handle(path, s.dispatch(path, methods))
		}
	}
	if s.page != nil {
		s.page.handle(mux)
	}
	return mux
}

// dispatch selects the handler of the method.
func (s *Server) dispatch(path string, methods map[string]handler) http.Handler {
	var allow []string
	for m := range methods {
		allow = append(allow, m)
		if m == http.MethodGet {
			allow = append(allow, http.MethodHead)
		}
	}
	slices.Sort(allow)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		noteRoute(r, path)
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		h := methods[method]
		if any := methods[""]; any != nil {
			h = any
		}
		if h == nil {
			w.Header().Set("Allow", strings.Join(allow, ", "))
			s.fail(w, r, fail(http.StatusMethodNotAllowed, codeMethod, r.Method+" is not allowed here; use "+strings.Join(allow, " or ")))
			return
		}
		if err := h(w, r); err != nil {
			s.fail(w, r, err)
		}
	})
}

func notFound(http.ResponseWriter, *http.Request) error {
	return fail(http.StatusNotFound, codeNotFound, "There is nothing at this address; GET /api/v1/openapi.json lists what there is")
}

// fail answers with an error and logs the details that the caller does not
// get.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // the client is gone
	}
	p := toProblem(err)
	s.opt.Figures.refused(p.Code)
	if p.retry > 0 {
		retryAfter(w, p.retry)
	}
	if p.status >= 500 {
		s.log.Error("a request failed", "id", requestID(r), "err", rootCause(p))
	}
	if werr := writeJSON(w, p.status, p); werr != nil {
		s.log.Debug("an answer could not be written", "id", requestID(r), "err", werr)
	}
}

func rootCause(p *problem) string {
	if p.cause != nil {
		return p.cause.Error()
	}
	return p.Message
}
