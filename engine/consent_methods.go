package engine

import (
	"context"

	"atelier/engine/egress"
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
	if p.ModelID == "" {
		if p.ModelID, err = e.activeModel(ctx, wb); err != nil {
			return EgressStatus{}, err
		}
	}
	c, err := e.consentOf(ctx, wb, p.ModelID)
	if err != nil {
		return EgressStatus{}, err
	}
	earlier := c.earlier()
	return EgressStatus{EarlierFiles: earlier[:min(len(earlier), maxNewFiles)], Consented: c.given(), ProviderID: c.party.Provider, ModelID: c.model, ScopeHash: c.scope.Hash, Persisted: c.persisted, Mode: c.mode,
		Host: c.host, Local: c.local, Files: len(c.scope.Files), NewFiles: orEmpty(shown(c.missing[:min(len(c.missing), maxNewFiles)])), NewCount: len(c.missing)}, nil
}

func (e *Engine) egressGrant(ctx context.Context, p EgressGrantParams) (Empty, error) {
	wb, err := e.workbench(ctx, p.WorkbenchID)
	if err != nil {
		return Empty{}, err
	}
	if p.ModelID == "" || p.ProviderID == "" {
		return Empty{}, validation("provider_id and model_id are required: a consent is to one model at one provider")
	}
	if is := e.providerOf(p.ModelID); p.ProviderID != ProviderWeb && is != p.ProviderID {
		return Empty{}, validation("the provider of " + p.ModelID + " is " + is + ", not " + p.ProviderID)
	}
	var c *consent
	if p.ProviderID == ProviderWeb {
		c, err = e.webConsentByHand(ctx, wb, p.ModelID)
	} else {
		c, err = e.consentOf(ctx, wb, p.ModelID)
	}
	if err == nil && p.ProviderID != ProviderWeb && p.ScopeHash != c.scope.Hash {
		if f, ferr := e.filesOf(ctx, wb, p.ModelID); ferr == nil && p.ScopeHash == f.scope.Hash {
			c = f // what a translation was refused for
		}
	}
	switch {
	case err != nil:
		return Empty{}, err
	case c.local:
		return Empty{}, nil
	case c.mode == EgressLocalOnly:
		return Empty{}, c.refusal()
	case p.ScopeHash != c.scope.Hash:
		info := c.refusal()
		info.ErrorCode, info.Retryable = CodeValidationFailed, true
		info.Detail = "scope_hash is not that of the files as they are now: a consent is to what the user was shown"
		info.Hint = "call EgressGetConsentStatus and ask again"
		return Empty{}, info
	}
	if err := e.grant(ctx, c, c.scope.Files, p.Persist); err != nil {
		return Empty{}, err
	}
	return Empty{}, e.logConsent(egress.KindGranted, c)
}

func (e *Engine) egressRevoke(ctx context.Context, p EgressRevokeParams) (EgressRevoked, error) {
	wb, err := e.workbench(ctx, p.WorkbenchID)
	if err != nil {
		return EgressRevoked{}, err
	}
	party := egress.Party{Provider: p.ProviderID, Model: p.ModelID}
	if p.ModelID != "" && p.ProviderID != ProviderWeb {
		chosen := e.choose(p.ModelID)
		party.Model = chosen.name
	}
	log, err := e.gate.logs.Get(wb.ID())
	if err != nil {
		return EgressRevoked{}, err
	}
	e.gate.granting.Lock() // or a run that ends now would give a part of it again
	defer e.gate.granting.Unlock()
	n, err := log.Revoke(ctx, party)
	if err != nil {
		return EgressRevoked{}, err
	}
	e.gate.session.with(wb.ID(), func(g *egress.Grants) { n += g.Revoke(party) })
	e.gate.changes.Add(1)
	if n == 0 {
		return EgressRevoked{}, nil
	}
	return EgressRevoked{n}, e.logConsent(egress.KindRevoked, &consent{workbench: wb.ID(), party: party})
}

func (e *Engine) getConsentMode(ctx context.Context, _ Empty) (ConsentMode, error) {
	mode, err := e.consentMode(ctx)
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
	log, err := e.gate.logs.Get("")
	if err != nil {
		return Empty{}, err
	}
	defer e.gate.changes.Add(1)
	return Empty{}, log.SetSetting(ctx, settingConsent, p.Mode)
}
