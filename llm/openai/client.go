package openai

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"atelier/llm/endpoint"

	goopenai "github.com/sashabaranov/go-openai"

	"atelier/llm"
	"atelier/llm/models"
)

// DefaultBaseURL is OpenAI's own endpoint.
const DefaultBaseURL = "https://api.openai.com/v1"

// Options of a Client; the zero value asks api.openai.com.
type Options = endpoint.Options

// Client asks one endpoint. It implements llm.Client.
type Client struct {
	*endpoint.Base

	// most holds by model the least limit of an answer that an endpoint refused as
	// too high.
	most sync.Map
}

var _ llm.Client = (*Client)(nil)

// New makes a client. A malformed base URL is reported by the first request.
func New(o Options) *Client { return &Client{Base: endpoint.NewBase(chat, o)} }

// chat says how Chat Completions are asked for.
var chat = endpoint.API{Name: "chat", Home: DefaultBaseURL, Path: "/chat/completions", Authorize: endpoint.Bearer, Known: knownRepairs()}

func knownRepairs() []string {
	list := slices.Clone(optional)
	for _, r := range repairs {
		list = append(list, r.name)
	}
	return list
}

// Chat asks for one whole answer (L-02), or for one as it is written (L-03).
func (c *Client) Chat(ctx context.Context, r llm.Request) (llm.ChatResponse, error) {
	if r.Stream {
		return c.chatStream(ctx, r)
	}
	var resp llm.ChatResponse
	limit, err := c.ask(ctx, r, func(api *goopenai.Client, req goopenai.ChatCompletionRequest, t *transport) (err error) {
		resp, err = whole(ctx, api, req, t)
		return err
	})
	resp.Limit = limit
	return resp, err
}

func (c *Client) chatStream(ctx context.Context, r llm.Request) (llm.ChatResponse, error) {
	s := &stream{onDelta: r.OnDelta, onThought: r.OnThought, onCall: r.OnCall}
	limit, err := c.ask(ctx, r, func(api *goopenai.Client, req goopenai.ChatCompletionRequest, t *transport) error {
		return s.run(ctx, api, req, t)
	})
	s.resp.Content, s.resp.Reasoning, s.resp.Limit = s.content.String(), s.reasoning.String(), limit
	if e := (*llm.Error)(nil); errors.As(err, &e) {
		e.Emitted = s.emitted
		s.resp.ToolCalls, s.resp.FinishReason = nil, ""
	}
	return s.resp, err
}

// whole asks for an answer in one piece.
func whole(ctx context.Context, api *goopenai.Client, req goopenai.ChatCompletionRequest, t *transport) (resp llm.ChatResponse, err error) {
	got, err := api.CreateChatCompletion(ctx, req)
	if err != nil {
		return resp, err
	}
	for _, ch := range got.Choices {
		resp = llm.ChatResponse{Content: ch.Message.Content, Reasoning: ch.Message.ReasoningContent, ToolCalls: t.toolCalls(ch.Message.ToolCalls),
			FinishReason: string(ch.FinishReason), Usage: usage(&got.Usage)}
	}
	return resp, nil
}

// ask runs do until the endpoint takes the request: once, and again for each
// repair that its refusals ask for. Each is made once, so this ends. It returns
// the limit that llm.WithLimit set to the answer.
func (c *Client) ask(ctx context.Context, r llm.Request, do func(*goopenai.Client, goopenai.ChatCompletionRequest, *transport) error) (limit int, _ error) {
	if err := c.Ready(r.Key); err != nil {
		return 0, err
	}
	a := c.newAsking(ctx, r)
	for {
		req, t := a.next()
		err := do(c.api(a.Key, t), req, t)
		if err != nil {
			if a.repair(err, req, t) {
				continue
			}
			err = c.Typed(ctx, err, a.Key)
			if e := (*llm.Error)(nil); errors.As(err, &e) {
				e.Sent = t.sent.Load()
			}
		}
		a.remember(err)
		if limitParam(a.set, a.made) == "" {
			a.limit = 0
		}
		return a.limit, err
	}
}

// asking is a request that is repeated with repairs until the endpoint takes it.
type asking struct {
	llm.Request
	c       *Client
	set     models.Settings
	own     int             // the limit of the answer by the settings
	limit   int             // the limit by llm.WithLimit; 0: none
	made    map[string]bool // the repairs
	learned []string        // of them those that this request showed to be needed
}

func (c *Client) newAsking(ctx context.Context, r llm.Request) *asking {
	r.Key = strings.TrimSpace(r.Key)
	a := &asking{Request: r, c: c, set: c.Settings(r.Model)}
	if want := llm.Effort(ctx); want != "" {
		a.set.Effort = a.set.Efforts.Nearest(want)
	}
	a.own = a.set.SendLimit
	if a.limit = c.limited(ctx, r.Model, a.set); a.limit > 0 {
		a.set.SendLimit = a.limit
	}
	a.made = c.Made(r.Model, a.set)
	return a
}

// next returns the request with the repairs made so far, and its transport.
func (a *asking) next() (goopenai.ChatCompletionRequest, *transport) {
	if a.made[paramCallIDs] {
		a.set.CallIDs = models.CallIDsNine // fits every form known
	}
	c := a.c
	req, more := c.request(a.Request, a.set, a.made)
	t := &transport{
		base: c.HTTP.Transport, query: c.At.Query, azure: c.At.Azure, idle: c.Options.IdleTimeout, extras: more,
		inText: (*a.set.InText || a.made[models.RepairTextTools]) && len(a.Tools) > 0, tools: a.Tools, declared: declared(a.Tools), messages: len(a.Messages), told: toldIn(a.Messages), textTools: a.made[models.RepairTextTools],
		limits: c.Options.Limits.WithDefaults(), keep: keep{Host: c.At.Name, Model: a.Model}, echo: echoes(a.made), thinks: a.made[models.RepairReasoning], kept: map[string]string{},
	}
	if !a.made[paramTemperature] && !a.set.Heat.Omit {
		t.temperature = &a.set.Heat.Value
	}
	return req, t
}

// repair reports whether the request is worth repeating after err, with one more
// repair.
func (a *asking) repair(err error, req goopenai.ChatCompletionRequest, t *transport) bool {
	switch {
	case errors.Is(err, goopenai.ErrReasoningToolsRequireResponses) && a.set.Effort != goopenai.ReasoningEffortNone:
		a.set.Effort = goopenai.ReasoningEffortNone // these models take tools here only without reasoning
		return true
	case errors.Is(err, goopenai.ErrReasoningModelMaxTokensDeprecated) && !a.made[paramMaxTokens]:
		a.made[paramMaxTokens] = true // it knows by the model's name and sends nothing
		return true
	case a.limit > 0 && a.c.tooHigh(err, t, a.limit, a.Model, limitParam(a.set, a.made)):
		a.limit, a.set.SendLimit = 0, a.own
		return true
	}
	name := found(t, req, a.made)
	if name == "" {
		return false
	}
	a.made[name] = true
	a.learned = append(a.learned, name)
	return true
}

// remember keeps the repairs for later requests, unless the endpoint refused the
// form of this one even with them.
func (a *asking) remember(err error) {
	if e := (*llm.Error)(nil); errors.As(err, &e) && e.Kind != llm.KindContextLength && e.Kind != llm.KindRateLimited {
		return
	}
	for _, name := range a.learned {
		a.c.Learn(a.Model, name)
	}
}

// api returns a go-openai client for one exchange.
func (c *Client) api(key string, t *transport) *goopenai.Client {
	cfg := goopenai.DefaultConfig(key)
	cfg.BaseURL = c.At.Base
	h := c.HTTP
	h.Transport = t
	cfg.HTTPClient = &h
	return goopenai.NewClientWithConfig(cfg)
}

func usage(u *goopenai.Usage) llm.Usage {
	out := llm.Usage{PromptTokens: u.PromptTokens, CompletionTokens: u.CompletionTokens}
	if d := u.PromptTokensDetails; d != nil {
		out.CachedTokens = d.CachedTokens
	}
	return out
}

// toolCalls returns go-openai's calls with what was kept of them.
func (t *transport) toolCalls(list []goopenai.ToolCall) []llm.ToolCall {
	var out []llm.ToolCall
	for _, tc := range list {
		out = append(out, llm.ToolCall{ID: tc.ID, Type: "function", Keep: t.kept[tc.ID], Function: llm.FunctionCall{Name: tc.Function.Name, Arguments: tc.Function.Arguments}})
	}
	return out
}
