package httpapi

import (
	"net/http"
	"strconv"

	"atelier/engine"
)

// steerRequest is the body of …/runs/{run}/messages.
type steerRequest struct {
	Text string `json:"text"`
	When string `json:"when"` // now (default) or after
}

// steerRun is POST …/runs/{run}/messages: a message to a run in progress.
func (s *Server) steerRun(w http.ResponseWriter, r *http.Request, c caller) error {
	run, err := s.run(r, c)
	if err != nil {
		return err
	}
	var req steerRequest
	if err := readBody(w, r, &req, false); err != nil {
		return err
	}
	if _, _, ended, _ := run.log.after(0); ended {
		return fail(http.StatusConflict, codeConflict, "The run has ended; start another with POST …/runs")
	}
	if waiting, _ := s.runs.waitingIn(c.Access.WorkspaceID); waiting == run {
		return fail(http.StatusConflict, codeConflict, waitsForMessages)
	}
	return s.answerWith(w, r, "WorkshopSteerRun", engine.SteerRunParams{WorkbenchID: c.Access.WorkspaceID, Text: req.Text, When: req.When})
}

const waitsForMessages = "The run waits for its turn and takes no messages yet; send it when the run has begun, or stop the run and start another"

// usage is GET …/usage: the usage of the requests to models.
func (s *Server) usage(w http.ResponseWriter, r *http.Request, c caller) error {
	p := engine.UsageParams{WorkbenchID: c.Access.WorkspaceID}
	q := r.URL.Query()
	var err error
	if text := q.Get("before"); text != "" {
		if p.Before, err = strconv.ParseInt(text, 10, 64); err != nil {
			return invalid("`before` must be the next_before of the page before")
		}
	}
	if text := q.Get("limit"); text != "" {
		if p.Limit, err = strconv.Atoi(text); err != nil || p.Limit < 1 {
			return invalid("`limit` must be a number of runs, 1 to 100")
		}
	}
	return s.answerWith(w, r, "WorkbenchGetUsage", p)
}

// approvals is GET …/approvals: which calls of a model need approval.
func (s *Server) approvals(w http.ResponseWriter, r *http.Request, c caller) error {
	return s.answerWith(w, r, "WorkshopGetApprovals", engine.WorkbenchRef{WorkbenchID: c.Access.WorkspaceID})
}

// setApprovals is PUT …/approvals: the given members replace the current
// ones. They apply to every member's runs, so only the owner sets them.
func (s *Server) setApprovals(w http.ResponseWriter, r *http.Request, c caller) error {
	if !c.Access.IsOwner {
		return fail(http.StatusForbidden, codeForbidden, "Access forbidden: only the owner of this workspace sets what a model has to ask for")
	}
	var req engine.SetApprovalsParams
	if err := readBody(w, r, &req, false); err != nil {
		return err
	}
	if req.Rules == nil && req.Granted == nil {
		return invalid("send `rules`, `granted` or both")
	}
	req.WorkbenchID = c.Access.WorkspaceID // regardless of the body
	return s.answerWith(w, r, "WorkshopSetApprovals", req)
}
