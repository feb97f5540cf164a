package consent

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"atelier/engine/egress"
	"atelier/workshop/secrets"
)

// settingMode is the name of the user's own mode among the settings of the data
// folder.
const settingMode = "consent_mode"

// Options of a Store.
type Options struct {
	Logs   *egress.Logs     // required; they keep the grants too
	Policy string           // mode of the settings, which comes before the user's; "" or Ask: none
	Now    func() time.Time // required
	Log    *slog.Logger     // required
	// Lasting lets the person who answers a run's question give lasting consent.
	Lasting bool
	// FetchFreely lets a run that carries no content of files fetch without asking.
	FetchFreely bool
}

// Store keeps what was allowed: until it is revoked, or as long as the store lives.
// It is safe for concurrent use.
type Store struct {
	opt Options
	*allowances
}

// allowances are what stores with different options have in common.
type allowances struct {
	session  sessionGrants
	granting sync.Mutex   // held while a consent is revoked, or widened by what a run made
	changes  atomic.Int64 // counts revoked consents and changed modes
	allowed  sync.Map     // true, by workbench, party and scope that the log has as allowed
}

// NewStore returns a Store.
func NewStore(opt Options) *Store { return &Store{opt, &allowances{}} }

// With returns a store with other options. What one of the two allows or revokes
// holds for both.
func (s *Store) With(opt Options) *Store { return &Store{opt, s.allowances} }

// sessionGrants are the grants that end with the store, by workbench; "" has those
// to files that belong to none.
type sessionGrants struct {
	mu sync.Mutex // protects m
	m  map[string]*grants
}

func (s *sessionGrants) with(workbench string, f func(*grants)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m == nil {
		s.m = map[string]*grants{}
	}
	if s.m[workbench] == nil {
		s.m[workbench] = &grants{}
	}
	f(s.m[workbench])
}

// Forget ends the consents of a workbench that end with the store: it leaves this process, and
// what is revoked elsewhere must not count again when it returns.
func (s *Store) Forget(workbench string) {
	s.session.mu.Lock()
	delete(s.session.m, workbench)
	s.session.mu.Unlock()
	s.changes.Add(1)
}

// Mode returns the policy of the settings, else the user's own mode.
func (s *Store) Mode(ctx context.Context) (mode string, err error) {
	if s.opt.Policy != "" && s.opt.Policy != Ask {
		return s.opt.Policy, nil
	}
	err = s.opt.Logs.Read("", func(l *egress.Log) error {
		if l == nil {
			return nil
		}
		mode, err = l.Setting(ctx, settingMode)
		return err
	})
	if mode != AllowAll {
		mode = Ask
	}
	return mode, err
}

// SetMode sets the user's own mode.
func (s *Store) SetMode(ctx context.Context, mode string) error {
	log, err := s.opt.Logs.Get("")
	if err != nil {
		return err
	}
	defer s.changes.Add(1)
	return log.SetSetting(ctx, settingMode, mode)
}

// For returns the consent to send the files of scope to a recipient. scope is called
// only if the recipient is on another machine.
func (s *Store) For(ctx context.Context, workbench string, to Recipient, scope func() (Scope, error)) (*Consent, error) {
	c := &Consent{Workbench: workbench, To: to, Host: "this machine", since: s.changes.Load()}
	var err error
	if c.Mode, err = s.Mode(ctx); err != nil {
		return nil, err
	}
	c.Local, c.PassedOn = to.local(ctx)
	switch {
	case to.Provider == ProviderWeb:
		c.Host = to.Name
	case !c.Local:
		c.Host = to.address.Host
	}
	if c.Local {
		return c, nil
	}
	if c.Scope, err = scope(); err != nil {
		return nil, err
	}
	return c, s.lookUp(ctx, c)
}

// ForFiles returns the consent to send files of the host, which belong to no
// workbench.
func (s *Store) ForFiles(ctx context.Context, to Recipient, files []string) (*Consent, error) {
	return s.For(ctx, "", to, func() (Scope, error) { return NewScope(files), nil })
}

// ForRun returns the consent to send everything that a run could: the files of a
// workbench, and those that its conversation has content of.
func (s *Store) ForRun(ctx context.Context, d Documents, to Recipient) (*Consent, error) {
	return s.guarded(ctx, d, to, d.RunScope)
}

// ForDocuments returns the consent to send the files of a workbench only, for work
// that sends no conversation.
func (s *Store) ForDocuments(ctx context.Context, d Documents, to Recipient) (*Consent, error) {
	return s.guarded(ctx, d, to, d.Scope)
}

// guarded returns a consent with the files that a consent to the files of a
// workbench does not include.
func (s *Store) guarded(ctx context.Context, d Documents, to Recipient, scope func(context.Context) (Scope, error)) (*Consent, error) {
	c, err := s.For(ctx, d.Workbench.ID(), to, func() (Scope, error) { return scope(ctx) })
	if err == nil && !c.Local {
		c.guard, err = secrets.Load(ctx, d.Workbench, nil)
	}
	return c, err
}

// lookUp fills in what there is a consent to.
func (s *Store) lookUp(ctx context.Context, c *Consent) error {
	var kept, all grants
	err := s.opt.Logs.Read(c.Workbench, func(l *egress.Log) error {
		if l == nil {
			return nil
		}
		g, err := loadGrants(ctx, l, c.To.Party)
		if err == nil {
			kept.merge(g)
		}
		return err
	})
	if err != nil {
		return err
	}
	all.merge(&kept)
	s.session.with(c.Workbench, func(g *grants) { all.merge(g) })
	c.granted = &all
	c.Asked, c.Missing = all.any(c.To.Party), all.missing(c.To.Party, c.Scope.Files)
	c.Persisted = kept.any(c.To.Party) && len(kept.missing(c.To.Party, c.Scope.Files)) == 0
	return nil
}

// current returns a given consent as it is now, nil when it was revoked. It has the
// files of no scope.
func (s *Store) current(ctx context.Context, c *Consent) *Consent {
	now, err := s.For(ctx, c.Workbench, c.To, noFiles)
	if err != nil || !now.Given() {
		return nil
	}
	now.known, now.guard = c.known, c.guard
	return now
}

// noFiles asks whether there is a consent at all.
func noFiles() (Scope, error) { return NewScope(nil), nil }

// Grant stores the consent to send the files of c's scope, until it is revoked or as
// long as the store lives, and logs it.
func (s *Store) Grant(ctx context.Context, c *Consent, persist bool) error {
	if err := s.add(ctx, c, c.Scope.Files, persist); err != nil {
		return err
	}
	return s.LogGranted(c)
}

// LogGranted logs a consent that was given.
func (s *Store) LogGranted(c *Consent) error { return s.logConsent(egress.KindGranted, c) }

func (s *Store) add(ctx context.Context, c *Consent, files []string, persist bool) error {
	if persist {
		log, err := s.opt.Logs.Get(c.Workbench)
		if err != nil {
			return err
		}
		return storeGrants(ctx, log, c.To.Party, files)
	}
	s.session.with(c.Workbench, func(g *grants) { g.add(c.To.Party, files) })
	return nil
}

// Revoke takes back the consents of a workbench to the parties that p matches, and
// returns how many these were.
func (s *Store) Revoke(ctx context.Context, workbench string, p Party) (n int, err error) {
	log, err := s.opt.Logs.Get(workbench)
	if err != nil {
		return 0, err
	}
	s.granting.Lock() // or a run that ends now would grant a part of it again
	defer s.granting.Unlock()
	if n, err = revokeGrants(ctx, log, p); err != nil {
		return 0, err
	}
	s.session.with(workbench, func(g *grants) { n += g.revoke(p) })
	s.changes.Add(1)
	if n == 0 {
		return 0, nil
	}
	return n, s.logConsent(egress.KindRevoked, &Consent{Workbench: workbench, To: Recipient{Party: p}})
}

// Granted is one consent that was given.
type Granted struct {
	Party
	Files     int // names of files that were removed count too
	Persisted bool
}

// List returns the consents of a workbench: first those that outlive the store, each
// group by party.
func (s *Store) List(ctx context.Context, workbench string) (list []Granted, err error) {
	err = s.opt.Logs.Read(workbench, func(l *egress.Log) error {
		if l == nil {
			return nil
		}
		list, err = listGrants(ctx, l)
		return err
	})
	s.session.with(workbench, func(g *grants) { list = append(list, g.list()...) })
	return list, err
}

// KeepMade adds the files that a run made to what its model may be sent, so that
// publishing them does not make them files without consent. Where this fails, the
// next run asks.
func (s *Store) KeepMade(ctx context.Context, d Documents, c *Consent) {
	if !c.needed() {
		return
	}
	ctx = context.WithoutCancel(ctx)
	made, err := d.Workbench.Drafted(ctx, agentAuthor)
	if err == nil && len(made) == 0 {
		return
	}
	s.granting.Lock()
	defer s.granting.Unlock()
	var now *Consent
	if err == nil {
		now, err = s.For(ctx, c.Workbench, c.To, noFiles)
	}
	if err == nil && now.Asked { // and not revoked meanwhile
		files := make([]string, len(made))
		for i, p := range made {
			files[i] = string(p)
		}
		err = s.add(ctx, now, files, c.Persisted && now.Persisted)
	}
	if err != nil {
		s.opt.Log.Warn("what a run made is not in its consent", "workbench", c.Workbench, "err", err)
	}
}

// LogAllowed logs once the scope of requests that were allowed without a question.
func (s *Store) LogAllowed(c *Consent) error {
	if c.Local || c.Mode != AllowAll {
		return nil
	}
	if _, known := s.allowed.LoadOrStore([3]string{c.Workbench, c.To.Origin + " " + c.To.Model, c.Scope.Hash}, true); known {
		return nil
	}
	return s.logConsent(egress.KindAllowed, c)
}

func (s *Store) logConsent(kind string, c *Consent) error {
	log, err := s.opt.Logs.Get(c.Workbench)
	if err != nil {
		return err
	}
	return log.Add(egress.Event{At: s.opt.Now(), Kind: kind, Provider: c.To.Provider, Model: c.To.Model, Host: c.Host,
		ScopeHash: c.Scope.Hash, Files: first(c.Scope.Files, maxNamed), FileCount: len(c.Scope.Files)})
}

// first returns the first n of files, for lists that leave the rest out.
func first(files []string, n int) []string { return slices.Clip(files[:min(len(files), n)]) }
