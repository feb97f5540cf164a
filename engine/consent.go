package engine

import (
	"context"

	"atelier/engine/consent"
	"atelier/engine/egress"
	"atelier/llm"
	"atelier/workshop/agent"
	"atelier/workshop/provenance"
	"atelier/workshop/web"
)

// ProviderWeb stands for web pages among the parties of consents.
const ProviderWeb = consent.ProviderWeb

// documents returns the documents of a workbench that a model could be sent.
func (e *Engine) documents(wb *openWorkbench) consent.Documents {
	return consent.Documents{Workbench: wb.Workbench, Approvals: wb.approvals, Active: e.activeOf(wb.ID())}
}

// recipient returns the model as the recipient of documents.
func (m resolvedModel) recipient() consent.Recipient {
	to := consent.Party{Provider: m.provider.ID, Model: m.name}
	if m.builtIn() {
		return consent.ToModel(m.id, to, nil)
	}
	at, origin := addressOf(m.endpoint)
	if m.by != nil {
		at, origin = m.by.to(m)
	}
	to.Origin = origin
	r := consent.ToModel(m.id, to, at)
	r.Sent = m.by != nil
	return r
}

// clientWith returns the client of a model for work with documents, or the error of
// the consent that is missing.
func (e *Engine) clientWith(ctx context.Context, m resolvedModel, c *consent.Consent, kind string) (llm.Client, string, error) {
	client, key, err := e.client(ctx, m)
	if err != nil || m.builtIn() {
		return client, key, err
	}
	if !c.Given() {
		// What else is missing comes first: a consent alone would not do.
		if err := m.endpoint.Ready(key); err != nil {
			return nil, "", err
		}
		return nil, "", refusalInfo(c)
	}
	if err := e.consents.LogAllowed(c); err != nil {
		return nil, "", err
	}
	return e.consents.Client(client, c, kind), key, nil
}

// RequireConsent returns the error with which a run of model in a workbench would be
// refused before it begins, nil when it could begin. "" is the active model.
func (e *Engine) RequireConsent(ctx context.Context, workbench, model string) error {
	if h := e.holderOf(workbench); h != nil {
		_, err := forwardAs[Empty](ctx, e, h, commandConsent, consentParams{workbench, model})
		return err
	}
	wb, err := e.workbench(ctx, workbench)
	if err != nil {
		return err
	}
	m, err := e.resolveIn(ctx, wb, model)
	if err != nil {
		return err
	}
	c, err := e.consents.ForRun(ctx, e.documents(wb), m.recipient())
	if err != nil {
		return err
	}
	_, _, err = e.clientWith(ctx, m, c, egress.KindRun)
	return err
}

// filesClient returns the model client for work with files of the host that belong to
// no workbench, and the key to use with it. Where consent is missing the error is
// EGRESS_CONSENT_REQUIRED or EGRESS_BLOCKED_BY_POLICY, and the client, which is
// there then too, refuses every request.
func (e *Engine) filesClient(ctx context.Context, m resolvedModel, files []string) (llm.Client, string, error) {
	c, err := e.consents.ForFiles(ctx, m.recipient(), files)
	if err != nil {
		return nil, "", err
	}
	client, key, err := e.client(ctx, m)
	if err != nil || m.builtIn() {
		return client, key, err
	}
	if !c.Given() {
		err = refusalInfo(c)
	} else {
		err = e.consents.LogAllowed(c)
	}
	return e.consents.Client(client, c, egress.KindTranslate), key, err
}

// grantFiles stores the consent to send files of the host to a model.
func (e *Engine) grantFiles(ctx context.Context, m resolvedModel, files []string, persist bool) error {
	c, err := e.consents.ForFiles(ctx, m.recipient(), files)
	switch {
	case err != nil || c.Local:
		return err
	case c.Mode == EgressLocalOnly:
		return refusalInfo(c)
	}
	return e.consents.Grant(ctx, c, persist)
}

// fetcher reads web pages for the runs of a workbench, nil when that is off.
func (e *Engine) fetcher(workbench string) web.Fetcher {
	if e.opt.Fetch == nil {
		return nil
	}
	return consent.Fetcher(e.opt.Fetch, workbench)
}

// fetchConsent returns the consents to the fetches of a run, nil when there are none.
func (e *Engine) fetchConsent(wb *openWorkbench) agent.FetchConsent {
	if e.opt.Fetch == nil {
		return nil
	}
	return e.consents.RunFetches(wb.ID())
}

// fetcherByHand reads web pages for tools that a client calls. The client may act
// for a model that has read any file, so a fetch needs consent to all of them.
func (e *Engine) fetcherByHand(wb *openWorkbench) web.Fetcher {
	if e.opt.Fetch == nil {
		return nil
	}
	return fetchByHand{e, wb}
}

type fetchByHand struct {
	e  *Engine
	wb *openWorkbench
}

// Fetch implements web.Fetcher.
func (f fetchByHand) Fetch(ctx context.Context, uri string) (*web.Response, error) {
	u, err := web.Parse(uri)
	if err != nil {
		return nil, err
	}
	c, err := f.e.consents.ForFetches(ctx, f.e.documents(f.wb), web.HostOf(u))
	if err != nil {
		return nil, err
	}
	if !c.Given() {
		return nil, refusalInfo(c)
	}
	return f.e.fetcher(f.wb.ID()).Fetch(provenance.Carrying(ctx, c.Scope.Files), uri)
}

// EgressInfo is what a consent would be about.
type EgressInfo struct {
	Host      string `json:"host"`
	ScopeHash string `json:"scope_hash"`
	Files     int    `json:"files"`     // that could be sent
	NewFiles  int    `json:"new_files"` // of them, without consent so far
	// EarlierFiles are those of the new ones that are in the workbench no longer:
	// what was read of them is in the conversation. At most 20.
	EarlierFiles []string `json:"earlier_files,omitempty"`
	// PassedOn: host is this machine, but the name of the model says that the
	// server there passes requests on to the cloud.
	PassedOn bool `json:"passed_on,omitempty"`
}

// refusalInfo encodes the error of a consent that is not given.
func refusalInfo(c *consent.Consent) *ErrorInfo {
	info := encode(c.Refusal())
	info.Phase, info.ProviderID, info.ModelID, info.WorkbenchID = "workshop", c.To.Provider, c.To.Name, c.Workbench
	if info.ErrorCode == CodeEgressBlocked {
		return info
	}
	info.Egress = &EgressInfo{Host: c.Host, ScopeHash: c.Scope.Hash, Files: len(c.Scope.Files), NewFiles: len(c.Missing)}
	if c.To.Provider != ProviderWeb {
		earlier := c.Earlier()
		info.Egress.EarlierFiles, info.Egress.PassedOn = earlier[:min(len(earlier), consent.MaxTold)], c.PassedOn
	}
	return info
}
