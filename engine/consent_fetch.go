package engine

import (
	"context"
	"errors"
	"net/url"

	"atelier/engine/egress"
	"atelier/workshop/agent"
	"atelier/workshop/provenance"
	"atelier/workshop/web"
)

// ProviderWeb stands for web pages among the parties of consents; the model is
// then the host. An address can carry what was read, so a fetch after that is
// egress like any other.
const ProviderWeb = "web-pages"

// webConsent says whether an address may be fetched with the files of scope known.
func (e *Engine) webConsent(ctx context.Context, workbench, host string, scope func() (egress.Scope, error)) (*consent, error) {
	c := &consent{workbench: workbench, model: host, host: host, since: e.gate.changes.Load(),
		party: egress.Party{Provider: ProviderWeb, Origin: "web://" + host, Model: host}}
	var err error
	if c.mode, err = e.consentMode(ctx); err != nil {
		return nil, err
	}
	if u, perr := url.Parse("http://" + host); perr == nil && egress.Local(ctx, u.Hostname()) {
		c.local = true
		return c, nil
	}
	if c.scope, err = scope(); err != nil {
		return nil, err
	}
	return c, e.lookUp(ctx, c)
}

// runFetches is the consent to fetches of a run.
type runFetches struct {
	e  *Engine
	wb *openWorkbench
}

func (f runFetches) consent(ctx context.Context, u *url.URL, files []string) (*consent, error) {
	return f.e.webConsent(ctx, f.wb.ID(), web.HostOf(u), func() (egress.Scope, error) { return egress.NewScope(files), nil })
}

// Missing implements agent.FetchConsent. What the settings refuse altogether asks
// nobody: the gate refuses it.
func (f runFetches) Missing(ctx context.Context, u *url.URL, files []string) (missing []string, ask bool, err error) {
	c, err := f.consent(ctx, u, files)
	if err != nil || c.given() || c.mode == EgressLocalOnly || f.e.opt.FetchFreely && len(files) == 0 {
		return nil, false, err
	}
	return c.missing, true, nil
}

// Grant implements agent.FetchConsent.
func (f runFetches) Grant(ctx context.Context, u *url.URL, files []string, persist bool) error {
	c, err := f.consent(ctx, u, files)
	if err == nil && persist {
		err = f.e.grant(ctx, c, c.scope.Files, true)
	}
	if err != nil {
		return err
	}
	return f.e.logConsent(egress.KindGranted, c)
}

// Lasting implements agent.FetchConsent: on a server only the owner of a workspace
// gives consents that last.
func (f runFetches) Lasting() bool { return !f.e.opt.Ceiling }

// fetcher reads web pages for the runs of a workbench, nil when that is off.
func (e *Engine) fetcher(workbench string) web.Fetcher {
	if e.opt.Fetch == nil {
		return nil
	}
	return announcedFetch{e.opt.Fetch, workbench}
}

// fetchConsent asks about the fetches of a run, nil when there are none.
func (e *Engine) fetchConsent(wb *openWorkbench) agent.FetchConsent {
	if e.opt.Fetch == nil {
		return nil
	}
	return runFetches{e, wb}
}

// fetcherByHand reads web pages for tools that a client calls. It may call for a
// model of its own that knows any file, so that a consent to all of them is needed.
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
	c, err := f.e.webConsentByHand(ctx, f.wb, web.HostOf(u))
	if err != nil {
		return nil, err
	}
	if !c.given() {
		return nil, c.refusal()
	}
	return f.e.fetcher(f.wb.ID()).Fetch(provenance.Carrying(ctx, c.scope.Files), uri)
}

// webConsentByHand returns the consent to fetches from a host for whoever knows every
// file of a workbench.
func (e *Engine) webConsentByHand(ctx context.Context, wb *openWorkbench, host string) (*consent, error) {
	return e.webConsent(ctx, wb.ID(), host, func() (egress.Scope, error) { return e.runScope(ctx, wb) })
}

// announcedFetch gives fetches their purpose: they reach the host of their
// address and no other. A host that moves on to https is still itself.
type announcedFetch struct {
	under     web.Fetcher
	workbench string
}

// Fetch implements web.Fetcher.
func (f announcedFetch) Fetch(ctx context.Context, uri string) (*web.Response, error) {
	for range 2 {
		u, err := web.Parse(uri)
		if err != nil {
			return nil, err
		}
		p := egress.Purpose{Kind: egress.KindFetch, Workbench: f.workbench, Origin: egress.OriginOf(u)}
		if files, ok := provenance.Carried(ctx); ok {
			p.Files, p.FileCount = files[:min(len(files), maxNamed)], len(files)
		}
		res, err := f.under.Fetch(egress.With(ctx, p), uri)
		var moved *web.Moved
		if !errors.As(err, &moved) || web.HostOf(moved.To) != web.HostOf(u) {
			return res, err
		}
		uri = moved.To.String()
	}
	return nil, web.MovedTooOften(uri)
}
