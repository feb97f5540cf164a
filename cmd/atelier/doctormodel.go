package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"atelier/engine"
	"atelier/engine/egress"
	"atelier/llm/api"
	"atelier/llm/probe"
)

// models reports for each endpoint whether it has a key and answers, without
// sending it anything.
func (d *doctor) models(ctx context.Context, s *settings) {
	if s.model == engine.PseudoModel && len(s.providers) == 0 {
		d.say("ok", "model", "pseudo, the built-in offline model")
		return
	}
	if d.failed {
		return // without a data folder there is no engine
	}
	e, err := s.engine()
	if err != nil {
		d.failed = true
		d.say("FAIL", "model", explain(err))
		return
	}
	defer e.Close()
	st, err := engine.CallAs[engine.ProvidersStatus](ctx, e, "ProvidersGetStatus", engine.Empty{})
	if err != nil {
		d.failed = true
		d.say("FAIL", "keys", explain(err))
		return
	}
	for _, p := range st.Providers {
		switch {
		case p.ProviderID == engine.ProviderPseudo:
		case !p.Configured && len(s.providers) == 0:
			d.say("note", "model", "no "+api.KeyVariables(s.api, s.baseURL)[0]+": only the built-in offline model (--model pseudo) can be used")
		case p.Configured:
			d.endpoint(ctx, s, p)
		}
	}
}

// endpoint checks whether a server listens at an endpoint's address.
func (d *doctor) endpoint(ctx context.Context, s *settings, p engine.ProviderStatus) {
	base, models := first(p.BaseURL, api.DefaultBaseURL(p.API)), first(s.model, engine.DefaultModel)
	what := "model"
	if p.ProviderID != engine.ProviderOpenAI {
		what, models = p.ProviderID, fmt.Sprint(len(p.Models), " models named")
	}
	address := base
	if !strings.Contains(base, "://") && strings.ContainsAny(base, ".:") {
		address = "https://" + base // only the port, if any, matters here
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		d.failed = true
		d.say("FAIL", what, fmt.Sprintf("%q is no address of an endpoint; it should look like http://localhost:11434/v1", base))
		return
	}
	host := u.Host
	if u.Port() == "" {
		host = net.JoinHostPort(u.Hostname(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	}
	if s.egress == engine.EgressLocalOnly && !egress.Local(ctx, u.Hostname()) {
		d.say("note", what, fmt.Sprintf("%s at %s is not on this machine, and the settings allow only models that are (egress is local_only)", models, base))
		return
	}
	key := map[string]string{"environment": "key of the environment", "stored": "stored key", "config": "key of config.json", "": "no key"}[p.KeySource]
	conn, err := net.DialTimeout("tcp", host, 3*time.Second)
	if err != nil {
		d.say("note", what, fmt.Sprintf("%s at %s (%s) does not answer now: %v", models, base, key, err))
		return
	}
	conn.Close()
	d.say("ok", what, fmt.Sprintf("%s at %s (%s)", models, base, key))
}

// probe tests what a model supports.
func (d *doctor) probe(ctx context.Context, s *settings, overflow bool) error {
	e, err := s.engine()
	if err != nil {
		return err
	}
	defer e.Close()
	r, err := engine.CallAs[probe.Report](ctx, e, "ModelsProbe", engine.ModelsProbeParams{ModelID: s.model, Overflow: overflow})
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		d.failed = true
		d.say("FAIL", "model", explain(err))
		return nil
	}
	for _, c := range r.Checks {
		d.sayAt(15, string(c.Status), c.Name, c.Detail)
	}
	d.failed = d.failed || r.Failed()
	d.rule = r.Rule
	if r.Rule == nil || d.json {
		return nil
	}
	b, err := json.MarshalIndent(map[string]any{"models": []any{r.Rule}}, "", "  ")
	if err != nil {
		return err
	}
	fmt.Fprintf(d.out, "\nThe built-in table does not say this; put it into config.json:\n%s\n\n", b)
	return nil
}
