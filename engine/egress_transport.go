package engine

import (
	"context"
	"net/http"
	"net/url"

	"atelier/engine/consent"
	"atelier/engine/egress"
	"atelier/llm/api"
	"atelier/workshop/web"
)

// What Options.Egress and the consent mode can be.
const (
	EgressAsk       = consent.Ask       // documents leave this machine after consent; the default
	EgressAllowAll  = consent.AllowAll  // the user allowed every provider and file
	EgressLocalOnly = consent.LocalOnly // a policy: nothing leaves this machine, whatever the user says
)

// outbound is what every request of the engine goes through.
type outbound struct {
	logs      *egress.Logs
	transport *egress.Transport // of client
	client    *http.Client      // for model endpoints
}

// openEgress makes the transport of all requests, and the store of consents, with
// the logs and consents of another engine unless that is nil.
func (e *Engine) openEgress(of *Engine) {
	if of != nil {
		e.egress.logs = of.egress.logs
	} else {
		e.egress.logs = egress.NewLogs(func(workbench string) string {
			if workbench == "" {
				return e.home.Dir()
			}
			return e.home.StateDir(workbench)
		})
	}
	client := http.Client{}
	if c := e.httpClient(); c != nil {
		client = *c
	}
	transport := egress.New(egress.Options{Base: client.Transport, Logs: e.egress.logs.Get, LocalOnly: e.opt.Egress == EgressLocalOnly, Now: e.opt.Now, Warn: e.log})
	client.Transport = transport
	e.egress.transport, e.egress.client = transport, &client
	if f, ok := e.opt.Fetch.(*web.HTTP); ok {
		e.opt.Fetch = f.Through(func(base http.RoundTripper) http.RoundTripper { return transport.Through(base) })
	}
	policy := consent.Options{Logs: e.egress.logs, Policy: e.opt.Egress, Now: e.opt.Now, Log: e.log,
		Lasting:     !e.opt.Ceiling, // on a server only the owner of a workspace gives consents that last
		FetchFreely: e.opt.FetchFreely}
	if of != nil {
		e.consents = of.consents.With(policy)
		return
	}
	e.consents = consent.NewStore(policy)
}

// closeLog closes the log of a workbench that is closed.
func (e *Engine) closeLog(workbench string) {
	if err := e.egress.logs.Close(workbench); err != nil {
		e.log.Warn("the egress log of a workbench did not close well", "workbench", workbench, "err", err)
	}
}

// toProvider allows requests that hold no documents: the user asked for them by
// name, and they go to the provider's own address only.
func (e *Engine) toProvider(ctx context.Context, p Provider, kind, model string) context.Context {
	_, origin := addressOf(e.endpoint(p))
	return egress.With(ctx, egress.Purpose{Kind: kind, Provider: p.ID, Model: model, Origin: origin})
}

// addressOf returns where an endpoint is; nil and "" when its address is unusable,
// which the first request says.
func addressOf(endpoint api.Client) (at *url.URL, origin string) {
	at, err := url.Parse(endpoint.Address())
	if err != nil || at.Host == "" {
		return nil, ""
	}
	return at, egress.OriginOf(at)
}
