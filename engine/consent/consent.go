package consent

import (
	"context"
	"net/url"
	"slices"

	"atelier/engine/egress"
	"atelier/workshop"
	"atelier/workshop/secrets"
)

// The consent modes.
const (
	Ask       = "ask"        // documents leave this machine after consent; the default
	AllowAll  = "allow_all"  // the user allowed every provider and file
	LocalOnly = "local_only" // a policy: nothing leaves this machine, whatever the user says
)

// Party is the recipient of a consent. Empty fields match all where a consent is
// revoked.
type Party struct {
	Provider string
	Origin   string // as egress.OriginOf returns it
	Model    string // as the endpoint names it
}

// Recipient is the model or the web host that content would be sent to.
type Recipient struct {
	Party
	Name    string   // the model as the caller named it; a web host
	Sent    bool     // to other machines, whatever the address says
	address *url.URL // of the endpoint; nil: it has none, so that nothing leaves this machine
}

// ToModel returns the recipient for a model that the caller calls name. A nil
// address stands for the built-in model and for an unusable address.
func ToModel(name string, p Party, address *url.URL) Recipient {
	return Recipient{Party: p, Name: name, address: address}
}

// local reports whether nothing that is sent to r leaves this machine. passedOn: the
// endpoint is on this machine, but the name of the model says that the server
// there passes requests on.
func (r Recipient) local(ctx context.Context) (local, passedOn bool) {
	if r.address == nil {
		return r.Provider != ProviderWeb, false
	}
	if r.Sent {
		return false, false
	}
	here := egress.Local(ctx, r.address.Hostname())
	passedOn = here && r.Provider != ProviderWeb && egress.PassedOn(r.Model)
	return here && !passedOn, passedOn
}

// Consent is what may go from a set of files to a recipient, as it was looked up at
// one time.
type Consent struct {
	Workbench string // "": the files belong to none
	Mode      string // Ask …
	To        Recipient
	Host      string // of the recipient, for people
	Local     bool   // nothing leaves this machine; Scope and what follows are empty then
	PassedOn  bool   // the host is this machine, but its server passes requests for this model on
	Scope     Scope
	Missing   []string // the files of Scope without consent
	Asked     bool     // there is a consent to this recipient, whatever its files
	Persisted bool     // it outlives the engine

	granted *grants        // every file with consent
	guard   *secrets.Guard // files that a consent to a folder does not include; nil: none
	known   *Known         // the files a run may see; nil: no run, or one that may see all
	since   int64          // Store.changes at the time of the lookup
}

// Given reports whether everything in the scope may be sent.
func (c *Consent) Given() bool {
	return c.Local || c.Mode == AllowAll || c.Mode == Ask && c.Asked && len(c.Missing) == 0
}

// needed reports whether content needs a person's consent to be sent.
func (c *Consent) needed() bool { return !c.Local && c.Mode == Ask }

// Withheld returns those of the files whose content a request carries that must not
// go to the recipient.
func (c *Consent) Withheld(files []string) []string {
	if !c.needed() {
		return nil
	}
	missing := c.granted.missing(c.To.Party, files)
	if c.known != nil {
		missing = slices.DeleteFunc(missing, func(f string) bool { return c.known.Has(workshop.Path(f)) })
	}
	return append(missing, c.granted.missing(c.To.Party, c.secretNamesIn(files))...)
}

// Known returns the files that a run may see, nil where it needs no consent. Files
// that are added while the run works are hidden from it. From then on c includes
// the files that the run writes.
func (c *Consent) Known() *Known {
	if !c.needed() {
		return nil
	}
	files := make([]workshop.Path, len(c.Scope.Files))
	for i, f := range c.Scope.Files {
		files[i] = workshop.Path(f)
	}
	c.known = NewKnown(files)
	return c.known
}

// purpose returns the purpose of the requests that c allows. Without consent they
// may go nowhere.
func (c *Consent) purpose(kind string) egress.Purpose {
	p := egress.Purpose{Kind: kind, Workbench: c.Workbench, Provider: c.To.Provider, Model: c.To.Model, ScopeHash: c.Scope.Hash}
	if c.Given() {
		p.Origin = c.To.Origin
	}
	return p
}
