package llm

import "context"

type effortKey struct{}

// WithEffort asks for a reasoning effort in the requests made under ctx, where
// the model takes one; it counts more than what is set for the model. "" asks
// for nothing.
func WithEffort(ctx context.Context, effort string) context.Context {
	if effort == "" {
		return ctx
	}
	return context.WithValue(ctx, effortKey{}, effort)
}

// Effort returns what WithEffort asked for; "" is nothing.
func Effort(ctx context.Context) string {
	s, _ := ctx.Value(effortKey{}).(string)
	return s
}
