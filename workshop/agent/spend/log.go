package spend

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"atelier/internal/trace"
	"atelier/llm"
	"atelier/llm/models"
	"atelier/llm/tokens"
	"atelier/workshop"
)

// Log stores in a workbench what requests to a model take. All fields but Price
// and MessageID must be set. It is safe for concurrent use.
type Log struct {
	Workbench *workshop.Workbench
	Provider  string
	Model     string
	Price     *models.Price // nil: not known
	Run       string        // what the requests belong to
	MessageID string
	Now       func() time.Time
	Log       *slog.Logger
}

// Client returns c with its requests stored as those for a purpose: a Usage
// constant of package workshop.
func (l Log) Client(c llm.Client, purpose string) llm.Client {
	return llm.Wrap(c, func(ctx context.Context, r llm.Request, next llm.Client) (llm.ChatResponse, error) {
		u := &workshop.Usage{Purpose: purpose, Tokens: workshop.Tokens{Input: int64(tokens.OfRequest(r))}}
		return l.Send(ctx, u, func(ctx context.Context) (llm.ChatResponse, error) { return next.Chat(ctx, r) })
	})
}

// Send stores a request with the tokens that u expects, sends it, and sets u to
// what it took. u.ID stays 0 when the request was not sent.
func (l Log) Send(ctx context.Context, u *workshop.Usage, send func(context.Context) (llm.ChatResponse, error)) (llm.ChatResponse, error) {
	u.Run, u.MessageID, u.Provider, u.Model, u.At = l.Run, l.MessageID, l.Provider, l.Model, l.Now().UTC()
	l.price(u)
	var err error
	if u.ID, err = l.Workbench.OpenUsage(ctx, *u); err != nil {
		return llm.ChatResponse{}, fmt.Errorf("the request to the model cannot be written down: %w", err)
	}
	traced, span := asks(ctx, l.Provider, l.Model, u.Purpose)
	resp, err := send(traced)
	l.took(u, resp, err)
	span.Set(trace.Int("gen_ai.usage.input_tokens", u.Input), trace.Int("gen_ai.usage.output_tokens", u.Output), trace.Bool("atelier.estimated", u.Estimated))
	if err != nil {
		span.Fail(kindOf(err))
	}
	span.End()
	if werr := l.Workbench.CloseUsage(ctx, *u); werr != nil { // it stays as it was estimated; the answer counts more
		l.Log.Error("what a request took cannot be written down", "workbench", l.Workbench.ID(), "err", werr)
	}
	return resp, err
}

// price sets the cost of a request if the price is known.
func (l Log) price(u *workshop.Usage) {
	if l.Price != nil {
		cost := int64(l.Price.Cost(u.Input, u.Cached, u.Written, u.Output))
		u.Cost, u.Currency = &cost, l.Price.Currency
	}
}

// took sets what a request took.
func (l Log) took(u *workshop.Usage, resp llm.ChatResponse, err error) {
	u.State = workshop.UsageOK
	if err != nil {
		u.State = workshop.UsageFailed
	}
	u.Tokens, u.Estimated = measured(u.Input, resp, err)
	l.price(u)
}

// Took returns how many tokens, sent and answered, a request of about so many took.
func Took(request int64, resp llm.ChatResponse, err error) int64 {
	t, _ := measured(request, resp, err)
	return t.Input + t.Output
}

// measured returns what a request of about so many tokens took: the endpoint's
// count, else an estimate. A request that was refused or never arrived took
// nothing.
func measured(request int64, resp llm.ChatResponse, err error) (_ workshop.Tokens, estimated bool) {
	got := workshop.Tokens{Input: int64(resp.Usage.PromptTokens), Cached: int64(resp.Usage.CachedTokens), Output: int64(resp.Usage.CompletionTokens), Written: int64(resp.Usage.WrittenTokens)}
	said := int64(tokens.Count(resp.Content) + tokens.Count(resp.Reasoning) + tokens.OfMessages([]llm.Message{{ToolCalls: resp.ToolCalls}}) - tokens.PerMessage)
	if err != nil && said == 0 && got == (workshop.Tokens{}) && !begun(err) {
		return got, false
	}
	if got.Input <= 0 {
		got.Input, estimated = request, true
	}
	if got.Output <= 0 && said > 0 {
		got.Output, estimated = said, true
	}
	got.Cached = min(max(got.Cached, 0), got.Input)
	got.Written = min(max(got.Written, 0), got.Input-got.Cached)
	return got, estimated
}

// begun reports whether an endpoint had begun with a request that then failed,
// as far as the error shows.
func begun(err error) bool {
	var e *llm.Error
	return errors.As(err, &e) && (e.Emitted || e.Kind == llm.KindCanceled || e.Kind == llm.KindTooLarge || e.Status == 0 && (e.Kind == llm.KindUnavailable || e.Kind == llm.KindNetwork && e.Sent))
}
