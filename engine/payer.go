package engine

import (
	"cmp"
	"context"

	"atelier/llm"
	"atelier/llm/tokens"
	"atelier/workshop/agent/spend"
)

// Payer counts the tokens of a request to a model for somebody before it is sent: want, or
// fewer if at least least are left, else it returns an error, and the request is not sent.
// settle is called with what the request took.
type Payer func(ctx context.Context, least, want int64) (granted int64, settle func(took int64), err error)

type payerKey struct{}

// WithPayer returns a context for calls whose requests to models that are not built in are
// paid for.
func WithPayer(ctx context.Context, p Payer) context.Context {
	return context.WithValue(ctx, payerKey{}, p)
}

// Room for answers, in tokens: the least with which a request is sent, and what is reserved
// where the model's longest answer is not known.
const (
	leastAnswer = 300
	usualAnswer = 8_192
)

// paid returns c with its requests paid for by the payer of the context, if there is one.
func paid(ctx context.Context, m resolvedModel, c llm.Client) llm.Client {
	pay, ok := ctx.Value(payerKey{}).(Payer)
	if !ok {
		return c
	}
	return llm.Wrap(c, func(ctx context.Context, r llm.Request, next llm.Client) (llm.ChatResponse, error) {
		request := int64(tokens.OfRequest(r))
		answer := int64(cmp.Or(m.settings.SendLimit, m.settings.MaxOutput, usualAnswer))
		if n := int64(llm.Limit(ctx)); n > 0 {
			answer = min(answer, n)
		}
		granted, settle, err := pay(ctx, request+min(answer, leastAnswer), request+answer)
		if err != nil {
			return llm.ChatResponse{}, err
		}
		if granted < request+answer {
			ctx = llm.WithLimit(ctx, int(granted-request))
		}
		resp, err := next.Chat(ctx, r)
		settle(spend.Took(request, resp, err))
		return resp, err
	})
}
