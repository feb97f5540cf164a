package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"

	"atelier/internal/textclip"
	"atelier/internal/timelimit"
	"atelier/llm"
	"atelier/workshop"
	"atelier/workshop/provenance"
	"atelier/workshop/tools"
	"atelier/workshop/web"
)

// FetchConsent is the user's consent to fetches: the address of a page can carry
// what the model has read.
type FetchConsent interface {
	// Missing are those of some files to whose content going where u is there is no
	// consent; ask says whether the user has to be asked.
	Missing(ctx context.Context, u *url.URL, files []string) (missing []string, ask bool, err error)
	// Grant notes a consent that the user gave, for good if it is to persist.
	Grant(ctx context.Context, u *url.URL, files []string, persist bool) error
	// Lasting reports whether who is asked can give a consent that persists.
	Lasting() bool
}

// fetchAnswers are the answers of a run about fetches, or about servers.
type fetchAnswers struct {
	asking sync.Mutex // held while the user is asked: one question at a time
	mu     sync.Mutex // protects hosts
	hosts  map[string]bool
}

func (f *fetchAnswers) has(host string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hosts[host]
}

func (f *fetchAnswers) add(host string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.hosts == nil {
		f.hosts = map[string]bool{}
	}
	f.hosts[host] = true
}

// askedFetch asks before a request leaves, and again before it follows a redirect
// to another host.
type askedFetch struct {
	r  *run
	by llm.ToolCall
}

// Fetch implements web.Fetcher.
func (f askedFetch) Fetch(ctx context.Context, uri string) (*web.Response, error) {
	files := f.r.carried.List()
	ctx = provenance.Carrying(ctx, files)
	for range web.MaxRedirects {
		u, err := web.Parse(uri)
		if err != nil {
			return nil, err
		}
		if err := f.allow(ctx, u, files); err != nil {
			return nil, err
		}
		res, err := f.r.cfg.Fetch.Fetch(ctx, uri)
		var moved *web.Moved
		if !errors.As(err, &moved) {
			return res, err
		}
		uri = moved.To.String()
	}
	return nil, web.MovedTooOften(uri)
}

// allow is nil when an address may be fetched.
func (f askedFetch) allow(ctx context.Context, u *url.URL, files []string) error {
	r, host := f.r, web.HostOf(u)
	if r.cfg.FetchConsent == nil {
		return nil
	}
	defer timelimit.Pause(ctx)() // people take their time
	r.fetched.asking.Lock()
	defer r.fetched.asking.Unlock()
	missing, ask, err := r.cfg.FetchConsent.Missing(ctx, u, files)
	if err != nil || !ask || r.fetched.has(host) {
		return err
	}
	said, err := f.ask(ctx, u, missing)
	switch {
	case errors.Is(err, tools.ErrNobody):
		return notFetched(host, missing, "and nobody is there to allow it", "the user can allow it with --allow-egress, or add the page as a file")
	case err != nil:
		return err
	}
	choice, reason, _ := strings.Cut(said, ":")
	switch choice {
	case "once":
		return r.cfg.FetchConsent.Grant(ctx, u, files, false)
	case "run":
		r.fetched.add(host)
		return r.cfg.FetchConsent.Grant(ctx, u, files, false)
	case "always":
		return r.cfg.FetchConsent.Grant(ctx, u, files, r.cfg.FetchConsent.Lasting())
	}
	why := "and the user does not allow it"
	if reason = strings.TrimSpace(reason); reason != "" {
		why += ": " + reason
	}
	return notFetched(host, missing, why, "go on without the page")
}

func notFetched(host string, files []string, why, hint string) error {
	what := "the request would leave this machine"
	if len(files) > 0 {
		what = "the address could carry what was read of " + someOf(files)
	}
	fault := workshop.Faultf(workshop.Forbidden, "nothing was fetched from %.200s: %s, %s", host, what, why).OnField("uri")
	fault.Hint = hint
	return fault
}

const (
	fetchName = "fetch"
	// What an address shows of itself in the question; its size says how long it is.
	maxShownAddress = 300
)

// ask puts the question and gives the answer as it came.
func (f askedFetch) ask(ctx context.Context, u *url.URL, missing []string) (string, error) {
	r := f.r
	if r.cfg.Questions == nil {
		return "", tools.ErrNobody
	}
	q, choices, buttons := fetchQuestion(u, missing), "once|run", append([]tools.Button{}, approvalButtons...)
	if r.cfg.FetchConsent.Lasting() {
		q, choices = q+" (once; run: this host for this run; always: this host and these files; no, or \"no:\" and what to do instead)", choices+"|always"
	} else {
		q += " (once; run: this host for this run; no, or \"no:\" and what to do instead)"
		buttons = append(buttons[:2:2], buttons[3:]...)
	}
	id := r.wb.Conversation().NewMessageID("")
	schema := `{"type":"string","pattern":"^(` + choices + `|no(:[\\s\\S]*)?)$","maxLength":4000}`
	answers, err := asker{r}.Ask(ctx, tools.Asking{ID: id, Questions: []tools.Question{{Name: fetchName, Question: q, Schema: json.RawMessage(schema), Buttons: buttons}}})
	if err != nil {
		return "", err
	}
	var said string
	if err := json.Unmarshal(answers[fetchName], &said); err != nil {
		return "", err
	}
	choice, _, _ := strings.Cut(said, ":")
	meta := map[string]any{"question_id": id, "tool": f.by.Function.Name, "tool_call_id": f.by.ID, "host": web.HostOf(u), "address_bytes": len(u.String()), "answer": choice}
	return said, r.append(workshop.Record{Type: workshop.TypeSystem, MessageID: r.wb.Conversation().NewMessageID("s-"), EventKind: eventApproval,
		CreatedAt: r.cfg.Now().UTC(), Metadata: meta})
}

// fetchQuestion shows where a request goes, how long its address is and what it
// could carry.
func fetchQuestion(u *url.URL, missing []string) string {
	address := u.String()
	size := len(address)
	q := fmt.Sprintf("Fetch a page from %s? The address has %d bytes: %s", web.HostOf(u), size, textclip.HeadBytes(address, maxShownAddress))
	if len(missing) > 0 {
		q += fmt.Sprintf(". It could carry what was read of %s", someOf(missing))
	}
	return q
}
