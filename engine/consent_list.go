package engine

import (
	"context"
	"net/url"
	"strings"

	"atelier/engine/egress"
)

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

func (e *Engine) egressConsents(ctx context.Context, p WorkbenchRef) (Consents, error) {
	_, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return Consents{}, err
	}
	defer done()
	r := Consents{Consents: []Consent{}}
	if r.Mode, err = e.consentMode(ctx); err != nil {
		return Consents{}, err
	}
	add := func(list []egress.Consent, persisted bool) {
		for _, c := range list {
			host := ""
			if at, err := url.Parse(c.Origin); err == nil {
				host = strings.TrimSuffix(at.Host, map[string]string{"http": ":80", "https": ":443"}[at.Scheme])
			}
			r.Consents = append(r.Consents, Consent{ProviderID: c.Provider, ModelID: c.Model, Host: host, Files: c.Files, Persisted: persisted})
		}
	}
	err = e.gate.logs.Read(p.WorkbenchID, func(l *egress.Log) error {
		if l == nil {
			return nil
		}
		list, err := l.Consents(ctx)
		add(list, true)
		return err
	})
	e.gate.session.with(p.WorkbenchID, func(g *egress.Grants) { add(g.Consents(), false) })
	return r, err
}
