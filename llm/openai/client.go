package openai

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	goopenai "github.com/sashabaranov/go-openai"

	"atelier/llm"
	"atelier/llm/models"
)

// Options of a Client; the zero value asks api.openai.com.
type Options struct {
	// BaseURL of the endpoint, with or without /v1; "": DefaultBaseURL.
	BaseURL string
	// HTTPClient carries the requests; nil: one with the usual transport and no
	// overall time limit. Its Timeout should be 0: it would cut long answers.
	HTTPClient *http.Client
	// IdleTimeout is the longest silence of the endpoint; 0: five minutes.
	// Comments and keep-alives end a silence.
	IdleTimeout time.Duration
	// ParallelToolCalls is sent as parallel_tool_calls; nil: not sent.
	ParallelToolCalls *bool
	// TextToolCalls also takes calls of declared tools that a model writes into
	// its text, as local models do. They are removed from the text.
	TextToolCalls bool
	// Models says what models of this endpoint want; nil: models.Builtin. The
	// fields above come before it.
	Models *models.Table
}

// Client asks one endpoint. It implements llm.Client.
type Client struct {
	opt  Options
	at   endpoint
	err  error // the base URL is unusable
	http http.Client

	table models.Table

	// refused holds model + "\x00" + parameter for each optional parameter an
	// endpoint did not take.
	refused sync.Map
}

var _ llm.Client = (*Client)(nil)

// New makes a client. A malformed base URL is reported by the first request.
func New(o Options) *Client {
	if o.IdleTimeout <= 0 {
		o.IdleTimeout = 5 * time.Minute
	}
	c := &Client{opt: o, table: models.Builtin()}
	if o.Models != nil {
		c.table = *o.Models
	}
	c.at, c.err = parseBaseURL(o.BaseURL)
	if o.HTTPClient != nil {
		c.http = *o.HTTPClient
	}
	if c.http.Transport == nil {
		c.http.Transport = http.DefaultTransport
	}
	return c
}

// ChatWithTools asks for one whole answer (L-02).
func (c *Client) ChatWithTools(ctx context.Context, apiKey, model string, messages []llm.Message, tools []llm.Tool) (llm.ChatResponse, error) {
	var resp llm.ChatResponse
	err := c.ask(ctx, apiKey, model, messages, tools, false, func(api *goopenai.Client, req goopenai.ChatCompletionRequest) error {
		got, err := api.CreateChatCompletion(ctx, req)
		if err != nil {
			return err
		}
		for _, ch := range got.Choices {
			resp = llm.ChatResponse{Content: ch.Message.Content, Reasoning: ch.Message.ReasoningContent, ToolCalls: toolCalls(ch.Message.ToolCalls),
				FinishReason: string(ch.FinishReason), Usage: usage(&got.Usage)}
		}
		return nil
	})
	return resp, err
}

// StreamChatWithTools asks for an answer as it is written (L-03).
func (c *Client) StreamChatWithTools(ctx context.Context, apiKey, model string, messages []llm.Message, tools []llm.Tool,
	onDelta func(string), onToolCall func(llm.ToolCall)) (llm.ChatResponse, error) {
	s := &stream{onDelta: onDelta, onCall: onToolCall}
	err := c.ask(ctx, apiKey, model, messages, tools, true, func(api *goopenai.Client, req goopenai.ChatCompletionRequest) error {
		return s.run(ctx, api, req)
	})
	s.resp.Content, s.resp.Reasoning = s.content.String(), s.reasoning.String()
	if e := (*llm.Error)(nil); errors.As(err, &e) {
		e.Emitted = s.emitted
		s.resp.ToolCalls, s.resp.FinishReason = nil, ""
	}
	return s.resp, err
}

// ask runs do until the endpoint takes the request: once, and again for each
// optional parameter it refuses by name.
func (c *Client) ask(ctx context.Context, key, model string, messages []llm.Message, tools []llm.Tool, stream bool,
	do func(*goopenai.Client, goopenai.ChatCompletionRequest) error) error {
	if c.err != nil {
		return c.err
	}
	key = strings.TrimSpace(key)
	if key == "" && !c.at.local {
		return &llm.Error{Kind: llm.KindNoKey, Message: "no API key is set for " + c.at.host}
	}
	drop := map[string]bool{}
	for _, p := range optional {
		_, drop[p] = c.refused.Load(model + "\x00" + p)
	}
	set := c.Settings(model)
	for {
		t := &transport{
			base: c.http.Transport, query: c.at.query, azure: c.at.azure, idle: c.opt.IdleTimeout, inText: *set.InText && len(tools) > 0,
			declared: declared(tools), messages: len(messages),
		}
		if !drop[paramTemperature] && !set.Heat.Omit {
			t.temperature = &set.Heat.Value
		}
		if drop[paramCallIDs] {
			set.CallIDs = models.CallIDsNine // fits every form known
		}
		req := c.request(model, set, messages, tools, stream, drop)
		err := do(c.api(key, t), req)
		if errors.Is(err, goopenai.ErrReasoningToolsRequireResponses) && set.Effort != goopenai.ReasoningEffortNone {
			set.Effort = goopenai.ReasoningEffortNone // these models take tools here only without reasoning
			continue
		}
		if p := refusedParam(t, req, drop); err != nil && p != "" {
			drop[p] = true
			c.refused.Store(model+"\x00"+p, true)
			continue
		}
		return c.typed(ctx, err, key)
	}
}

// api is a go-openai client for one exchange.
func (c *Client) api(key string, t *transport) *goopenai.Client {
	cfg := goopenai.DefaultConfig(key)
	cfg.BaseURL = c.at.base
	h := c.http
	h.Transport = t
	cfg.HTTPClient = &h
	return goopenai.NewClientWithConfig(cfg)
}

// refusedParam is the optional parameter of req that the refusal names, "" if
// there is none.
func refusedParam(t *transport, req goopenai.ChatCompletionRequest, drop map[string]bool) string {
	//lint:ignore SA1019 most endpoints know only max_tokens
	limited := req.MaxTokens != 0
	sent := map[string]bool{
		paramStreamOptions: req.StreamOptions != nil, paramParallel: req.ParallelToolCalls != nil,
		paramToolChoice: req.ToolChoice != nil, paramTemperature: t.temperature != nil,
		paramEffort: req.ReasoningEffort != "", paramMaxTokens: limited, paramMaxCompletion: req.MaxCompletionTokens != 0,
	}
	if !drop[paramCallIDs] && refusedID.MatchString(t.refused) {
		return paramCallIDs
	}
	if !drop[paramRoles] && refusedRoles.MatchString(t.refused) {
		return paramRoles
	}
	for _, p := range optional {
		if sent[p] && !drop[p] && strings.Contains(t.refused, p) {
			return p
		}
	}
	return ""
}

// typed makes an *llm.Error of whatever went wrong.
func (c *Client) typed(ctx context.Context, err error, key string) error {
	var e *llm.Error
	var u *url.Error
	typed := errors.As(err, &e)
	switch {
	case err == nil:
		return nil
	case typed && e.Status != 0:
		return e
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &llm.Error{Kind: llm.KindNetwork, Message: "the time for the request was over", Err: ctx.Err()}
	case ctx.Err() != nil:
		return &llm.Error{Kind: llm.KindCanceled, Message: "the request was cancelled", Err: ctx.Err()}
	case typed:
		return e
	case errors.As(err, &u):
		cause := u.Err // u itself holds the address, which may hold a secret
		return &llm.Error{Kind: llm.KindNetwork, Message: clean("can't reach "+c.at.host+": "+reason(cause), key), Err: cause}
	case errors.Is(err, context.DeadlineExceeded): // of the HTTP client
		return &llm.Error{Kind: llm.KindNetwork, Message: "the time for the request was over", Err: err}
	default:
		return &llm.Error{Kind: llm.KindInvalid, Message: clean(err.Error(), key), Err: err}
	}
}

// reason is the short form of a network error.
func reason(err error) string {
	var op *net.OpError
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns):
		return "the name " + dns.Name + " is not known"
	case errors.As(err, &op) && op.Err != nil:
		return op.Err.Error()
	case errors.Is(err, io.EOF):
		return "the connection was closed"
	default:
		return err.Error()
	}
}

func usage(u *goopenai.Usage) llm.Usage {
	out := llm.Usage{PromptTokens: u.PromptTokens, CompletionTokens: u.CompletionTokens}
	if d := u.PromptTokensDetails; d != nil {
		out.CachedTokens = d.CachedTokens
	}
	return out
}

func toolCalls(list []goopenai.ToolCall) []llm.ToolCall {
	var out []llm.ToolCall
	for _, tc := range list {
		out = append(out, llm.ToolCall{ID: tc.ID, Type: "function", Function: llm.FunctionCall{Name: tc.Function.Name, Arguments: tc.Function.Arguments}})
	}
	return out
}
