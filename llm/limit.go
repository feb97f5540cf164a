package llm

import "context"

type limitKey struct{}

// WithLimit asks that answers to the requests made under ctx have no more than
// so many tokens, reasoning included. A client lowers what it would ask for,
// never raises it, and says in ChatResponse.Limit what it did. 0 asks for
// nothing.
func WithLimit(ctx context.Context, tokens int) context.Context {
	if tokens <= 0 {
		return ctx
	}
	return context.WithValue(ctx, limitKey{}, tokens)
}

// Limit returns what WithLimit asked for; 0 is nothing.
func Limit(ctx context.Context) int {
	n, _ := ctx.Value(limitKey{}).(int)
	return n
}
