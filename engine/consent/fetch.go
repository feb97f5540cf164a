package consent

import (
	"context"
	"errors"
	"net/url"

	"atelier/engine/egress"
	"atelier/workshop/agent"
	"atelier/workshop/provenance"
	"atelier/workshop/web"
)

// ProviderWeb stands for web pages among the parties of consents; the model is then
// the host. An address can carry what was read, so a fetch after that is egress like
// any other.
const ProviderWeb = "web-pages"

// ToWebHost returns the recipient for fetches from a host, with its port where one
// was named.
func ToWebHost(host string) Recipient {
	r := Recipient{Party: Party{Provider: ProviderWeb, Origin: "web://" + host, Model: host}, Name: host}
	if u, err := url.Parse("http://" + host); err == nil {
		r.address = u
	}
	return r
}

// ForFetches returns the consent to fetches from a host by a client that may know
// every file of a workbench.
func (s *Store) ForFetches(ctx context.Context, d Documents, host string) (*Consent, error) {
	return s.For(ctx, d.Workbench.ID(), ToWebHost(host), func() (Scope, error) { return d.RunScope(ctx) })
}

// RunFetches returns the consents to the fetches of runs in a workbench.
func (s *Store) RunFetches(workbench string) agent.FetchConsent { return runFetches{s, workbench} }

type runFetches struct {
	store     *Store
	workbench string
}

func (f runFetches) consent(ctx context.Context, u *url.URL, files []string) (*Consent, error) {
	return f.store.For(ctx, f.workbench, ToWebHost(web.HostOf(u)), func() (Scope, error) { return NewScope(files), nil })
}

// Missing implements agent.FetchConsent. For a fetch that the settings refuse
// altogether it asks nothing: package egress refuses it.
func (f runFetches) Missing(ctx context.Context, u *url.URL, files []string) (missing []string, ask bool, err error) {
	c, err := f.consent(ctx, u, files)
	if err != nil || c.Given() || c.Mode == LocalOnly || f.store.opt.FetchFreely && len(files) == 0 {
		return nil, false, err
	}
	return c.Missing, true, nil
}

// Grant implements agent.FetchConsent. A consent that does not persist is only
// logged: the run remembers it.
func (f runFetches) Grant(ctx context.Context, u *url.URL, files []string, persist bool) error {
	c, err := f.consent(ctx, u, files)
	if err != nil {
		return err
	}
	if persist {
		return f.store.Grant(ctx, c, true)
	}
	return f.store.LogGranted(c)
}

// Lasting implements agent.FetchConsent.
func (f runFetches) Lasting() bool { return f.store.opt.Lasting }

// Fetcher returns a fetcher whose requests may reach the host of their address and no
// other. A host that redirects to https is still the same host.
func Fetcher(under web.Fetcher, workbench string) web.Fetcher {
	return purposeFetcher{under, workbench}
}

type purposeFetcher struct {
	under     web.Fetcher
	workbench string
}

// Fetch implements web.Fetcher.
func (f purposeFetcher) Fetch(ctx context.Context, uri string) (*web.Response, error) {
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
