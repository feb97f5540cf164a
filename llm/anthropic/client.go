package anthropic

import (
	"context"
	"net/http"
	"strings"
	"sync"

	"atelier/llm"
	"atelier/llm/endpoint"
	"atelier/llm/models"
)

// DefaultBaseURL is Anthropic's own endpoint.
const DefaultBaseURL = "https://api.anthropic.com/v1"

// version of the API, sent with every request.
const version = "2023-06-01"

// Client asks one endpoint. It implements llm.Client.
type Client struct {
	*endpoint.Base

	most sync.Map // by model: the longest answer that the endpoint takes, in tokens
}

var _ llm.Client = (*Client)(nil)

// New makes a client. A malformed base URL is reported by the first request.
func New(o endpoint.Options) *Client {
	return &Client{Base: endpoint.NewBase(endpoint.API{Name: "anthropic", Home: DefaultBaseURL, Path: "/messages", Versioned: true,
		Authorize: authorizeFor(o.BaseURL), Known: known}, o)}
}

// authorizeFor returns what sets the headers of a request. Endpoints of others take
// the key as OpenAI's do (OpenRouter), Anthropic's own must not get it twice.
func authorizeFor(baseURL string) func(http.Header, string) {
	own := baseURL == "" || strings.Contains(baseURL, "anthropic.com")
	return func(h http.Header, key string) {
		h.Set("Anthropic-Version", version)
		if key == "" {
			return
		}
		h.Set("X-Api-Key", key)
		if !own {
			endpoint.Bearer(h, key)
		}
	}
}

// Chat asks for an answer (L-02, L-03).
func (c *Client) Chat(ctx context.Context, r llm.Request) (llm.ChatResponse, error) {
	d := c.newDialogue(ctx, r)
	resp, err := c.Exchange(ctx, r, d)
	resp.Limit = d.limit
	return resp, err
}

// defaultMaxTokens is the longest answer that is asked for where nothing is known of
// the model. The API has no default.
const defaultMaxTokens = 8_192

// dialogue is a request and the changes that refusals of it asked for. It implements
// endpoint.Dialogue.
type dialogue struct {
	llm.Request
	c       *Client
	set     models.Settings
	limit   int             // the longest answer by llm.WithLimit; 0: none is set or it is no less than asked for anyway
	own     int             // the longest answer without it
	room    int             // tokens of an answer beside this request, by a refusal; 0: not known
	made    map[string]bool // the repairs
	learned []string        // of them those that this request showed to be needed

	// Of this request only: no thinking, since an earlier answer has none; none of
	// the thinking before, since its signature is not taken.
	noThinking, noKept bool
	sent               features
	answer             reader
}

// features are what the last request had that an endpoint may refuse.
type features struct {
	temperature, thinking, kept, cache, parallel bool
	images, tools, calls                         int
	maxTokens                                    int
}

func (c *Client) newDialogue(ctx context.Context, r llm.Request) *dialogue {
	d := &dialogue{Request: r, c: c, set: c.Settings(r.Model)}
	if want := llm.Effort(ctx); want != "" {
		d.set.Effort = d.set.Efforts.Nearest(want)
	}
	d.own = defaultMaxTokens
	switch {
	case d.set.SendLimit > 0:
		d.own = d.set.SendLimit
	case d.set.MaxOutput > 0:
		d.own = d.set.MaxOutput
	}
	if most, ok := c.most.Load(r.Model); ok {
		d.own = min(d.own, most.(int))
	}
	if n := llm.Limit(ctx); n > 0 && n < d.own {
		d.limit = n
	}
	d.made = c.Made(r.Model, d.set)
	return d
}

// maxTokens returns the longest answer to ask for.
func (d *dialogue) maxTokens() int {
	n := d.own
	if d.limit > 0 {
		n = d.limit
	}
	if d.room > 0 {
		n = min(n, d.room)
	}
	return n
}

// Learned implements endpoint.Dialogue.
func (d *dialogue) Learned() []string { return d.learned }
