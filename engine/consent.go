package engine

import (
	"context"
	"slices"
	"sync"

	"atelier/engine/egress"
	"atelier/llm"
	"atelier/workshop"
	"atelier/workshop/secrets"
)

// What Options.Egress and the consent mode can be.
const (
	EgressAsk       = "ask"        // documents leave this machine after consent; the default
	EgressAllowAll  = "allow_all"  // the user allowed every provider and file
	EgressLocalOnly = "local_only" // a policy: nothing leaves this machine, whatever the user says
)

// settingConsent is the user's own mode, in the data folder.
const settingConsent = "consent_mode"

// sessionGrants are the consents that end with the engine, by workbench; "" are
// those to files that belong to none.
type sessionGrants struct {
	mu sync.Mutex // protects m
	m  map[string]*egress.Grants
}

func (s *sessionGrants) with(workbench string, f func(*egress.Grants)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m == nil {
		s.m = map[string]*egress.Grants{}
	}
	if s.m[workbench] == nil {
		s.m[workbench] = &egress.Grants{}
	}
	f(s.m[workbench])
}

// consent is what may go from a set of files to a model.
type consent struct {
	workbench string
	mode      string // EgressAsk …
	model     string // as the caller named it
	party     egress.Party
	host      string
	passedOn  bool // the endpoint is this machine, but passes on what it gets for this model
	local     bool // the endpoint is this machine: nothing leaves it, and the rest is not looked at
	scope     egress.Scope
	missing   []string       // of scope, what there is no consent to
	granted   *egress.Grants // what there is a consent to
	guard     *secrets.Guard // what a consent to files does not extend to; nil: nothing is kept back
	known     *egress.Known  // what a run may see; nil: no run, or one that may see all
	asked     bool           // there is a consent to this party at all
	persisted bool           // it outlives the engine
	since     int64          // gate.changes when it was looked up
}

func (c *consent) given() bool {
	return c.local || c.mode == EgressAllowAll || c.mode == EgressAsk && c.asked && len(c.missing) == 0
}

// consentFor says what may go to a model; scope gives the files that could.
func (e *Engine) consentFor(ctx context.Context, workbench, model string, scope func() (egress.Scope, error)) (*consent, error) {
	c := &consent{workbench: workbench, model: model, host: "this machine", since: e.gate.changes.Load()}
	var err error
	if c.mode, err = e.consentMode(ctx); err != nil {
		return nil, err
	}
	if model == PseudoModel {
		c.local, c.party = true, egress.Party{Provider: ProviderPseudo, Model: model}
		return c, nil
	}
	chosen := e.choose(model)
	at, origin := e.addressOf(chosen.provider)
	c.party = egress.Party{Provider: chosen.provider.ID, Origin: origin, Model: chosen.name}
	here := egress.Local(ctx, at.Hostname())
	c.passedOn = here && egress.PassedOn(chosen.name)
	if c.local = origin == "" || here && !c.passedOn; c.local {
		return c, nil
	}
	c.host = at.Host
	if c.scope, err = scope(); err != nil {
		return nil, err
	}
	return c, e.lookUp(ctx, c)
}

// lookUp fills in what there is a consent to.
func (e *Engine) lookUp(ctx context.Context, c *consent) error {
	var kept, all egress.Grants
	err := e.gate.logs.Read(c.workbench, func(l *egress.Log) error {
		if l == nil {
			return nil
		}
		g, err := l.Granted(ctx, c.party)
		if err == nil {
			kept.Merge(g)
		}
		return err
	})
	if err != nil {
		return err
	}
	all.Merge(&kept)
	e.gate.session.with(c.workbench, func(g *egress.Grants) { all.Merge(g) })
	c.granted = &all
	c.asked, c.missing = all.Any(c.party), all.Missing(c.party, c.scope.Files)
	c.persisted = kept.Any(c.party) && len(kept.Missing(c.party, c.scope.Files)) == 0
	return nil
}

// withheld returns what of the files whose content a request carries must not go to
// the model.
func (c *consent) withheld(files []string) []string {
	if c.local || c.mode != EgressAsk {
		return nil
	}
	missing := c.granted.Missing(c.party, files)
	if c.known != nil {
		missing = slices.DeleteFunc(missing, func(f string) bool { return c.known.Has(workshop.Path(f)) })
	}
	return append(missing, c.granted.Missing(c.party, c.secretsIn(files))...)
}

// purpose returns what the requests that a consent allows are for. Without the
// consent they reach nobody.
func (c *consent) purpose(kind string) egress.Purpose {
	p := egress.Purpose{Kind: kind, Workbench: c.workbench, Provider: c.party.Provider, Model: c.party.Model, ScopeHash: c.scope.Hash}
	if c.given() {
		p.Origin = c.party.Origin
	}
	return p
}

// clientWith returns the client of a model for work with documents, or the error of
// the consent that is missing.
func (e *Engine) clientWith(ctx context.Context, c *consent, kind string) (llm.Client, string, error) {
	client, key, err := e.client(ctx, c.model)
	if err != nil || c.party.Provider == ProviderPseudo {
		return client, key, err
	}
	if !c.given() {
		// What else is missing comes first: a consent alone would not do.
		if err := e.endpoint(e.choose(c.model).provider).Ready(key); err != nil {
			return nil, "", err
		}
		return nil, "", c.refusal()
	}
	if err := e.logAllowed(c); err != nil {
		return nil, "", err
	}
	return e.announce(client, c, kind), key, nil
}

func (e *Engine) announce(client llm.Client, c *consent, kind string) *announced {
	a := &announced{Client: client, engine: e, consent: c, purpose: c.purpose(kind)}
	a.now.Store(c)
	return a
}

// stillGiven returns a consent that was given as it stands now, whatever files came
// since; nil when it has been taken back.
func (e *Engine) stillGiven(ctx context.Context, c *consent) *consent {
	now, err := e.consentFor(ctx, c.workbench, c.model, noFiles)
	if err != nil || !now.given() {
		return nil
	}
	now.known, now.guard = c.known, c.guard
	return now
}

// grant gives a consent, to last as long as the engine or for good, and logs it.
func (e *Engine) grant(ctx context.Context, c *consent, files []string, persist bool) error {
	if persist {
		log, err := e.gate.logs.Get(c.workbench)
		if err != nil {
			return err
		}
		return log.Grant(ctx, c.party, files)
	}
	e.gate.session.with(c.workbench, func(g *egress.Grants) { g.Add(c.party, files) })
	return nil
}

func (e *Engine) logConsent(kind string, c *consent) error {
	log, err := e.gate.logs.Get(c.workbench)
	if err != nil {
		return err
	}
	return log.Add(egress.Event{At: e.opt.Now(), Kind: kind, Provider: c.party.Provider, Model: c.party.Model, Host: c.host,
		ScopeHash: c.scope.Hash, Files: c.scope.Files[:min(len(c.scope.Files), maxNamed)], FileCount: len(c.scope.Files)})
}

// logAllowed notes once what the scope of requests is for which nobody is asked.
func (e *Engine) logAllowed(c *consent) error {
	if c.local || c.mode != EgressAllowAll {
		return nil
	}
	if _, known := e.gate.allowed.LoadOrStore([3]string{c.workbench, c.party.Origin + " " + c.party.Model, c.scope.Hash}, true); known {
		return nil
	}
	return e.logConsent(egress.KindAllowed, c)
}

// consentMode returns the policy of the settings, else the user's own mode.
func (e *Engine) consentMode(ctx context.Context) (mode string, err error) {
	if e.opt.Egress != "" && e.opt.Egress != EgressAsk {
		return e.opt.Egress, nil
	}
	err = e.gate.logs.Read("", func(l *egress.Log) error {
		if l == nil {
			return nil
		}
		mode, err = l.Setting(ctx, settingConsent)
		return err
	})
	if mode != EgressAllowAll {
		mode = EgressAsk
	}
	return mode, err
}

// RequireConsent returns the error with which a run of model in a workbench would be
// refused before it begins, nil when it could begin. "" is the active model.
func (e *Engine) RequireConsent(ctx context.Context, workbench, model string) error {
	wb, err := e.workbench(ctx, workbench)
	if err == nil && model == "" {
		model, err = e.activeModel(ctx, wb)
	}
	if err != nil {
		return err
	}
	c, err := e.consentOf(ctx, wb, model)
	if err != nil {
		return err
	}
	_, _, err = e.clientWith(ctx, c, egress.KindRun)
	return err
}
