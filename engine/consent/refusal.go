package consent

import (
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/workshop/agent/runerr"
)

// MaxTold is how many files a message about consent names.
const MaxTold = 20

// Refusal returns the error of a consent that is not given: the policy rules it out, or
// a person has to be asked.
func (c *Consent) Refusal() *runerr.Error {
	where := c.Host
	if c.PassedOn {
		where += ", which passes it on to the cloud"
	}
	if c.Mode == LocalOnly {
		return &runerr.Error{Code: runerr.CodeEgressBlocked,
			Detail: fmt.Sprintf("%s at %s (%s) is not on this machine, and the settings allow only models that are (egress is local_only); nothing was sent", c.To.Model, where, c.To.Provider),
			Hint:   "use a model on this machine, or the built-in one with --model pseudo"}
	}
	r := &runerr.Error{Code: runerr.CodeEgressConsent, Actions: []string{"grant_consent"}, Paths: Shown(first(c.Missing, MaxTold))}
	if c.To.Provider == ProviderWeb {
		r.Detail = fmt.Sprintf("a page of %s would be fetched, and its address can carry what was read of the files here (%d): there is no consent to that; nothing was sent", c.Host, len(c.Scope.Files))
		r.Hint = "to allow it for one command, add --allow-egress; an app calls EgressGrantWorkshopConsent with provider_id " + ProviderWeb + " and the host as model_id"
		return r
	}
	r.Detail = c.missingConsent(fmt.Sprintf("%s at %s (%s)", c.To.Model, where, c.To.Provider)) + "; nothing was sent"
	r.Hint = "to allow it for one command, add --allow-egress; on a terminal 'atelier run' asks; an app calls EgressGrantWorkshopConsent"
	return r
}

// missingConsent says what a model would be sent without consent.
func (c *Consent) missingConsent(model string) string {
	if len(c.Scope.Files) == 0 {
		return model + " would be sent the conversation: there is no consent to that yet"
	}
	what := fmt.Sprintf("%s would be sent documents: there is no consent to that yet for %s", model, formats.Count(len(c.Missing), "file"))
	if c.Asked {
		what += " that came since"
	}
	if earlier := c.Earlier(); len(earlier) > 0 {
		what += "; " + readEarlier(earlier)
	}
	if secret := secretFiles(c.Missing); len(secret) > 0 {
		what += "; " + listSome(secret) + " would go along, which models are not given otherwise: an earlier consent does not extend to that"
	}
	return what
}

// Earlier returns the files without consent that are no longer in the workbench; the
// conversation carries content of them.
func (c *Consent) Earlier() []string {
	var out []string
	for _, f := range c.Missing {
		if _, ok := slices.BinarySearch(c.Scope.Earlier, f); ok {
			out = append(out, f)
		}
	}
	return out
}

// readEarlier says why the question is about files that were removed.
func readEarlier(files []string) string {
	are := " is gone, but was"
	if len(files) > 1 {
		are = " are gone, but were"
	}
	return listSome(files) + are + " read earlier in this conversation, which would go along"
}

// listSome names the first of files.
func listSome(files []string) string {
	const most = 5
	more := ""
	if n := len(files) - most; n > 0 {
		files, more = files[:most], fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(files, ", ") + more
}
