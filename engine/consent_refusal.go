package engine

import (
	"fmt"
	"slices"
	"strings"
)

// maxTold is how many files a message about consent names.
const maxTold = 20

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

// refusal returns the error of a consent that was not given.
func (c *consent) refusal() *ErrorInfo {
	info := &ErrorInfo{ErrorCode: CodeEgressConsent, Phase: "workshop", ProviderID: c.party.Provider, ModelID: c.model, WorkbenchID: c.workbench}
	where := c.host
	if c.passedOn {
		where += ", which passes it on to the cloud"
	}
	if c.mode == EgressLocalOnly {
		info.ErrorCode = CodeEgressBlocked
		info.Detail = fmt.Sprintf("%s at %s (%s) is not on this machine, and the settings allow only models that are (egress is local_only); nothing was sent", c.party.Model, where, c.party.Provider)
		info.Hint = "use a model on this machine, or the built-in one with --model " + PseudoModel
		return info
	}
	info.Actions = []string{"grant_consent"}
	if c.party.Provider == ProviderWeb {
		return c.webRefusal(info)
	}
	info.Paths = shown(c.missing[:min(len(c.missing), maxTold)])
	earlier := c.earlier()
	info.Egress = &EgressInfo{EarlierFiles: earlier[:min(len(earlier), maxTold)], Host: c.host, ScopeHash: c.scope.Hash, Files: len(c.scope.Files), NewFiles: len(c.missing), PassedOn: c.passedOn}
	what := fmt.Sprintf("%s at %s (%s) would be sent documents: there is no consent to that yet for %s", c.party.Model, where, c.party.Provider, count(len(c.missing), "file"))
	switch {
	case len(c.scope.Files) == 0:
		what = fmt.Sprintf("%s at %s (%s) would be sent the conversation: there is no consent to that yet", c.party.Model, where, c.party.Provider)
	case c.asked:
		what += " that came since"
	}
	if len(earlier) > 0 {
		what += "; " + readEarlier(earlier)
	}
	if secret := secretsOf(c.missing); len(secret) > 0 {
		what += "; " + listSome(secret) + " would go along, which models are not given otherwise: an earlier consent does not extend to that"
	}
	info.Detail = what + "; nothing was sent"
	info.Hint = "to allow it for one command, add --allow-egress; on a terminal 'atelier run' asks; an app calls EgressGrantWorkshopConsent"
	return info
}

// webRefusal words a fetch that there is no consent to.
func (c *consent) webRefusal(info *ErrorInfo) *ErrorInfo {
	info.Paths = shown(c.missing[:min(len(c.missing), maxTold)])
	info.Egress = &EgressInfo{Host: c.host, ScopeHash: c.scope.Hash, Files: len(c.scope.Files), NewFiles: len(c.missing)}
	info.Detail = fmt.Sprintf("a page of %s would be fetched, and its address can carry what was read of the files here (%d): there is no consent to that; nothing was sent", c.host, len(c.scope.Files))
	info.Hint = "to allow it for one command, add --allow-egress; an app calls EgressGrantWorkshopConsent with provider_id " + ProviderWeb + " and the host as model_id"
	return info
}

// earlier returns what of missing is in the workbench no longer.
func (c *consent) earlier() []string {
	var out []string
	for _, f := range c.missing {
		if _, ok := slices.BinarySearch(c.scope.Earlier, f); ok {
			out = append(out, f)
		}
	}
	return out
}

// readEarlier says why files that are gone are asked about.
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

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
