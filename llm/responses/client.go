package responses

import (
	"context"
	"sync"

	"atelier/llm"
	"atelier/llm/endpoint"
	"atelier/llm/models"
)

// DefaultBaseURL is OpenAI's own endpoint.
const DefaultBaseURL = "https://api.openai.com/v1"

// Client asks one endpoint. It implements llm.Client.
type Client struct {
	*endpoint.Base

	most sync.Map // by model: the longest answer that the endpoint takes, in tokens
}

var _ llm.Client = (*Client)(nil)

// New makes a client. A malformed base URL is reported by the first request.
func New(o endpoint.Options) *Client {
	return &Client{Base: endpoint.NewBase(endpoint.API{Name: "responses", Home: DefaultBaseURL, Path: "/responses", Authorize: endpoint.Bearer, Known: known}, o)}
}

// Chat asks for an answer (L-02, L-03).
func (c *Client) Chat(ctx context.Context, r llm.Request) (llm.ChatResponse, error) {
	d := c.newDialogue(ctx, r)
	resp, err := c.Exchange(ctx, r, d)
	if d.limit > 0 && !d.made[paramLimit] {
		resp.Limit = d.limit
	}
	return resp, err
}

// dialogue is a request and the changes that refusals of it asked for. It implements
// endpoint.Dialogue.
type dialogue struct {
	llm.Request
	c       *Client
	set     models.Settings
	own     int             // the longest answer that is asked for anyway; 0: the endpoint's own
	limit   int             // the longest answer by llm.WithLimit; 0: none is set or it is no less
	made    map[string]bool // the repairs
	learned []string        // of them those that this request showed to be needed
	noKept  bool            // of this request only: none of the reasoning before, since it is not taken
	sent    features
	answer  reader
}

// features are what the last request had that an endpoint may refuse.
type features struct {
	temperature, kept, imagesInOutputs bool
	images, tools, maxTokens           int
}

func (c *Client) newDialogue(ctx context.Context, r llm.Request) *dialogue {
	d := &dialogue{Request: r, c: c, set: c.Settings(r.Model)}
	if want := llm.Effort(ctx); want != "" {
		d.set.Effort = d.set.Efforts.Nearest(want)
	}
	d.own = d.set.SendLimit
	most, known := c.most.Load(r.Model)
	if known && d.own > 0 {
		d.own = min(d.own, most.(int))
	}
	n := llm.Limit(ctx)
	if n > 0 && (d.own == 0 || n < d.own) && (d.set.MaxOutput == 0 || n < d.set.MaxOutput) && (!known || n < most.(int)) {
		d.limit = n
	}
	d.made = c.Made(r.Model, d.set)
	return d
}

// Learned implements endpoint.Dialogue.
func (d *dialogue) Learned() []string { return d.learned }
