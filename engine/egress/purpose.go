package egress

import (
	"context"
	"fmt"
	"strings"

	"atelier/workshop"
)

// What a request is for. Rows of the log that are no request have the last three.
const (
	KindRun       = "run"                 // a model works on documents
	KindSummary   = "summary"             // a model sums up the conversation
	KindTranslate = "translate"           // a model translates
	KindModels    = "models"              // a list of models; holds no documents
	KindValidate  = "validate"            // a trial of key and address; holds no documents
	KindProbe     = "probe"               // a trial of a model; holds no documents
	KindFetch     = "fetch"               // a web page for a tool
	KindTool      = "tool_server"         // a call of another server's tool
	KindServer    = "tool_server_request" // a request to such a server (package toolservers)
	KindSignIn    = "tool_sign_in"        // a sign-in to such a server; holds no documents
	KindRelease   = "release"             // the question for the newest release; holds no documents
	KindUnknown   = "unknown"             // nobody said; never leaves this machine
	KindAllowed   = "allowed"             // a set of files for which nobody was asked, as it is used for the first time
	KindGranted   = "consent_granted"
	KindRevoked   = "consent_revoked"
)

// Purpose says what requests are for and where they may go.
type Purpose struct {
	Kind      string
	Workbench string // whose log they go to; "" is the one of the data folder
	Provider  string
	Model     string
	ScopeHash string
	// Origin is where requests may go beside this machine, as OriginOf has it;
	// "" is nowhere.
	Origin string
	// Files are the documents whose content the request carries, or the first of
	// them; FileCount is how many, 0 where Files is all.
	Files     []string
	FileCount int
	// Withheld are those whose content there is no consent to send; a request
	// with such does not leave this machine.
	Withheld []string
}

type purposeKey struct{}

// With gives the requests made under a context their purpose.
func With(ctx context.Context, p Purpose) context.Context {
	return context.WithValue(ctx, purposeKey{}, p)
}

// PurposeOf returns the purpose that With gave, if it did.
func PurposeOf(ctx context.Context) (Purpose, bool) {
	p, ok := ctx.Value(purposeKey{}).(Purpose)
	return p, ok
}

func purposeOf(ctx context.Context) Purpose {
	if p, ok := ctx.Value(purposeKey{}).(Purpose); ok {
		return p
	}
	return Purpose{Kind: KindUnknown}
}

// Refused is why a request was not sent.
type Refused struct {
	Host   string // where it was going
	Policy bool   // only this machine may be reached; else consent is missing
	// Files are those whose content it carries without consent; none: there is
	// no consent to anything.
	Files []string
}

// maxTold is how many files an error names.
const maxTold = 5

// Error says what would be allowed.
func (r *Refused) Error() string {
	if r.Policy {
		return fmt.Sprintf("nothing was sent to %s: the settings allow only models on this machine (egress is local_only)", r.Host)
	}
	if n := len(r.Files); n > 0 {
		some, more := r.Files[:min(n, maxTold)], ""
		if n > maxTold {
			more = fmt.Sprintf(" and %d more", n-maxTold)
		}
		return fmt.Sprintf("nothing was sent to %s: the request holds what was read earlier of %s%s, and there is no consent to send that there", r.Host, strings.Join(some, ", "), more)
	}
	return fmt.Sprintf("nothing was sent to %s: there is no consent to send anything there", r.Host)
}

// Unlogged is why a request was not sent whose row could not be written.
type Unlogged struct{ Err error }

// Error says that nothing was sent.
func (u *Unlogged) Error() string { return "nothing was sent: " + u.Err.Error() }

// Unwrap gives the cause.
func (u *Unlogged) Unwrap() error { return u.Err }

// As makes it a fault for tools.
func (r *Refused) As(target any) bool {
	f, ok := target.(**workshop.Fault)
	if ok {
		*f = &workshop.Fault{Code: workshop.Forbidden, Message: r.Error(), Err: r}
	}
	return ok
}
