package httpapi

import (
	"net/http"
	"net/url"

	"atelier/engine"
)

// owner is like member, for actions that only the owner of the workspace may
// take.
func (s *Server) owner(next memberHandler) handler {
	return s.member(func(w http.ResponseWriter, r *http.Request, c caller) error {
		if !c.Access.IsOwner {
			return fail(http.StatusForbidden, codeForbidden, "Access forbidden: only the owner of this workspace sees, gives and takes back consents to send its documents to a model")
		}
		return next(w, r, c)
	})
}

// consents is GET …/consents: the consents given.
func (s *Server) consents(w http.ResponseWriter, r *http.Request, c caller) error {
	return s.answerWith(w, r, "EgressListConsents", engine.WorkbenchRef{WorkbenchID: c.Access.WorkspaceID})
}

// consentStatus is GET …/consents/status: what a consent would cover.
func (s *Server) consentStatus(w http.ResponseWriter, r *http.Request, c caller) error {
	return s.answerWith(w, r, "EgressGetConsentStatus", engine.EgressStatusParams{WorkbenchID: c.Access.WorkspaceID, ModelID: r.URL.Query().Get("model")})
}

// grantConsent is POST …/consents.
func (s *Server) grantConsent(w http.ResponseWriter, r *http.Request, c caller) error {
	var req engine.EgressGrantParams
	if err := readBody(w, r, &req, false); err != nil {
		return err
	}
	req.WorkbenchID = c.Access.WorkspaceID // regardless of the body
	return s.answerWith(w, r, "EgressGrantWorkshopConsent", req)
}

// revokeConsents is DELETE …/consents: all of them, or those of a provider or
// a model. A run in progress sends nothing from then on.
func (s *Server) revokeConsents(w http.ResponseWriter, r *http.Request, c caller) error {
	q := r.URL.Query()
	for name := range q {
		if name != "provider" && name != "model" { // misspelled, it would revoke all
			return invalid("only `provider` and `model` say which consents are taken back")
		}
	}
	return s.answerWith(w, r, "EgressRevokeWorkshopConsent", engine.EgressRevokeParams{WorkbenchID: c.Access.WorkspaceID, ProviderID: q.Get("provider"), ModelID: q.Get("model")})
}

// consentHint says how to allow a refused run.
func consentHint(workspace, model string) string {
	at := "/api/v1/workspaces/" + workspace + "/consents"
	return "the owner of the workspace can allow it: GET " + at + "/status?model=" + url.QueryEscape(model) +
		" says what would be sent where, and POST " + at + " with its provider_id, model_id and scope_hash allows that"
}
