package engine

import (
	"context"
	"net/url"
	"strings"

	"atelier/engine/consent"
)

// EgressStatusParams are the params of EgressGetConsentStatus.
type EgressStatusParams struct {
	WorkbenchID string `json:"workbench_id"`
	ModelID     string `json:"model_id,omitempty"` // default: the workbench's active model
}

// EgressStatus is the result of EgressGetConsentStatus.
type EgressStatus struct {
	Consented  bool     `json:"consented"` // a run may begin
	ProviderID string   `json:"provider_id"`
	ModelID    string   `json:"model_id"`
	ScopeHash  string   `json:"scope_hash"` // of the files that could be sent, by their names; "" for a model on this machine
	Persisted  bool     `json:"persisted"`  // the consent outlives the engine
	Mode       string   `json:"mode"`       // ask, allow_all or local_only
	Host       string   `json:"host"`
	Local      bool     `json:"local"`     // the model is on this machine: no consent is needed
	Files      int      `json:"files"`     // that could be sent
	NewFiles   []string `json:"new_files"` // of them those without consent, at most 100
	NewCount   int      `json:"new_count"`
	// EarlierFiles are those of the new ones that are in the workbench no longer:
	// what was read of them is in the conversation. At most 100.
	EarlierFiles []string `json:"earlier_files,omitempty"`
}

// EgressGrantParams are the params of EgressGrantWorkshopConsent.
type EgressGrantParams struct {
	WorkbenchID string `json:"workbench_id"`
	ProviderID  string `json:"provider_id"`
	ModelID     string `json:"model_id"`
	ScopeHash   string `json:"scope_hash"`        // as EgressGetConsentStatus gave it: what the user was shown
	Persist     bool   `json:"persist,omitempty"` // for good; default: as long as the engine runs
}

// EgressRevokeParams are the params of EgressRevokeWorkshopConsent.
type EgressRevokeParams struct {
	WorkbenchID string `json:"workbench_id"`
	ProviderID  string `json:"provider_id,omitempty"` // default: all
	ModelID     string `json:"model_id,omitempty"`    // default: all
}

// EgressRevoked is the result of EgressRevokeWorkshopConsent.
type EgressRevoked struct {
	Revoked int `json:"revoked"` // consents taken back
}

// Consent is one that was given for a workbench. Whether it covers what a run
// would send now, EgressGetConsentStatus says.
type Consent struct {
	ProviderID string `json:"provider_id"`
	ModelID    string `json:"model_id"` // as the provider calls it
	Host       string `json:"host"`
	Files      int    `json:"files"`     // that may be sent; those that were removed since count too
	Persisted  bool   `json:"persisted"` // it outlives the engine
}

// Consents is the result of EgressListConsents.
type Consents struct {
	Consents []Consent `json:"consents"`
	Mode     string    `json:"mode"` // ask, allow_all or local_only
}

// ConsentMode is the result of UserGetConsentMode.
type ConsentMode struct {
	Mode string `json:"mode"` // ask, allow_all or local_only
}

// SetConsentModeParams are the params of UserSetConsentMode.
type SetConsentModeParams struct {
	Mode     string `json:"mode"`               // ask or allow_all
	Approved bool   `json:"approved,omitempty"` // the user was asked; allow_all needs it
}

func egressMethods() []*Method {
	return []*Method{
		method("EgressGetConsentStatus", "Whether the workbench's documents may go to the model, and what a consent would be about.", (*Engine).egressStatus),
		method("EgressListConsents", "The consents that were given to send the workbench's documents away.", (*Engine).egressConsents),
		method("EgressGrantWorkshopConsent", "Lets the workbench's documents go to a model that is not on this machine.", (*Engine).egressGrant),
		method("EgressRevokeWorkshopConsent", "Takes consents of the workbench back; a run in progress sends nothing more.", (*Engine).egressRevoke),
		method("EgressListEvents", "The requests made for a workbench, oldest first, with consents given and taken back.", (*Engine).egressEvents),
		method("UserGetConsentMode", "Whether the user is asked before documents leave this machine.", (*Engine).getConsentMode),
		method("UserSetConsentMode", "Turns asking off for all providers and files, or on again.", (*Engine).setConsentMode),
	}
}

// maxNewFiles is how many files EgressGetConsentStatus names.
const maxNewFiles = 100

func (e *Engine) egressStatus(ctx context.Context, p EgressStatusParams) (EgressStatus, error) {
	wb, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return EgressStatus{}, err
	}
	defer done()
	m, err := e.resolveIn(ctx, wb, p.ModelID)
	if err != nil {
		return EgressStatus{}, err
	}
	c, err := e.consents.ForRun(ctx, e.documents(wb), m.recipient())
	if err != nil {
		return EgressStatus{}, err
	}
	earlier := c.Earlier()
	return EgressStatus{EarlierFiles: earlier[:min(len(earlier), maxNewFiles)], Consented: c.Given(), ProviderID: c.To.Provider, ModelID: c.To.Name, ScopeHash: c.Scope.Hash, Persisted: c.Persisted, Mode: c.Mode,
		Host: c.Host, Local: c.Local, Files: len(c.Scope.Files), NewFiles: orEmpty(consent.Shown(c.Missing[:min(len(c.Missing), maxNewFiles)])), NewCount: len(c.Missing)}, nil
}

func (e *Engine) egressConsents(ctx context.Context, p WorkbenchRef) (Consents, error) {
	_, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return Consents{}, err
	}
	defer done()
	r := Consents{Consents: []Consent{}}
	if r.Mode, err = e.consents.Mode(ctx); err != nil {
		return Consents{}, err
	}
	list, err := e.consents.List(ctx, p.WorkbenchID)
	for _, c := range list {
		host := ""
		if at, err := url.Parse(c.Origin); err == nil {
			host = strings.TrimSuffix(at.Host, map[string]string{"http": ":80", "https": ":443"}[at.Scheme])
		}
		r.Consents = append(r.Consents, Consent{ProviderID: c.Provider, ModelID: c.Model, Host: host, Files: c.Files, Persisted: c.Persisted})
	}
	return r, err
}

func (e *Engine) egressGrant(ctx context.Context, p EgressGrantParams) (Empty, error) {
	wb, err := e.workbench(ctx, p.WorkbenchID)
	if err != nil {
		return Empty{}, err
	}
	if p.ModelID == "" || p.ProviderID == "" {
		return Empty{}, validation("provider_id and model_id are required: a consent is to one model at one provider")
	}
	m := e.resolve(p.ModelID)
	if p.ProviderID == consent.ProviderTools {
		return Empty{}, validation("ToolServersAllow allows servers of tools")
	}
	if is := m.provider.ID; p.ProviderID != ProviderWeb && is != p.ProviderID {
		return Empty{}, validation("the provider of " + p.ModelID + " is " + is + ", not " + p.ProviderID)
	}
	c, err := e.grantable(ctx, wb, m, p)
	switch {
	case err != nil:
		return Empty{}, err
	case c.Local:
		return Empty{}, nil
	case c.Mode == EgressLocalOnly:
		return Empty{}, refusalInfo(c)
	case p.ScopeHash != c.Scope.Hash:
		info := refusalInfo(c)
		info.ErrorCode, info.Retryable = CodeValidationFailed, true
		info.Detail = "scope_hash is not that of the files as they are now: a consent is to what the user was shown"
		info.Hint = "call EgressGetConsentStatus and ask again"
		return Empty{}, info
	}
	return Empty{}, e.consents.Grant(ctx, c, p.Persist)
}

// grantable returns the consent that the params are about: that of a fetch, of a run,
// or of a translation when the scope is what one was refused for.
func (e *Engine) grantable(ctx context.Context, wb *openWorkbench, m resolvedModel, p EgressGrantParams) (*consent.Consent, error) {
	docs := e.documents(wb)
	if p.ProviderID == ProviderWeb {
		return e.consents.ForFetches(ctx, docs, p.ModelID)
	}
	to := m.recipient()
	c, err := e.consents.ForRun(ctx, docs, to)
	if err == nil && c.Local && e.opt.Cluster != nil { // a run needs none: the person was asked about workers
		address, err := e.opt.Cluster.Address()
		if err != nil {
			return nil, err
		}
		m.by = &modelsElsewhere{address: address}
		return e.consents.ForDocuments(ctx, docs, m.recipient())
	}
	if err == nil && p.ScopeHash != c.Scope.Hash {
		if files, err := e.consents.ForDocuments(ctx, docs, to); err == nil && p.ScopeHash == files.Scope.Hash {
			return files, nil
		}
	}
	return c, err
}

func (e *Engine) egressRevoke(ctx context.Context, p EgressRevokeParams) (EgressRevoked, error) {
	wb, err := e.workbench(ctx, p.WorkbenchID)
	if err != nil {
		return EgressRevoked{}, err
	}
	party := consent.Party{Provider: p.ProviderID, Model: p.ModelID}
	if p.ModelID != "" && p.ProviderID != ProviderWeb && p.ProviderID != consent.ProviderTools {
		party.Model = e.resolve(p.ModelID).name
	}
	n, err := e.consents.Revoke(ctx, wb.ID(), party)
	return EgressRevoked{n}, err
}

func (e *Engine) getConsentMode(ctx context.Context, _ Empty) (ConsentMode, error) {
	mode, err := e.consents.Mode(ctx)
	return ConsentMode{mode}, err
}

func (e *Engine) setConsentMode(ctx context.Context, p SetConsentModeParams) (Empty, error) {
	switch {
	case p.Mode != EgressAsk && p.Mode != EgressAllowAll:
		return Empty{}, validation("mode must be ask or allow_all")
	case e.opt.Egress == EgressLocalOnly:
		return Empty{}, &ErrorInfo{ErrorCode: CodeEgressBlocked, Phase: "settings", Detail: "the settings allow only models on this machine (egress is local_only)"}
	case p.Mode == EgressAllowAll && !p.Approved:
		return Empty{}, validation("allow_all lets every document go to every provider without asking; it needs approved: true from the user")
	}
	return Empty{}, e.consents.SetMode(ctx, p.Mode)
}
