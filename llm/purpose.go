package llm

import "context"

type purposeKey struct{}

// Summarising marks the requests of a context as made for a summary of the
// conversation, for a log of requests.
func Summarising(ctx context.Context) context.Context {
	return context.WithValue(ctx, purposeKey{}, true)
}

// IsSummary reports whether Summarising marked the context.
func IsSummary(ctx context.Context) bool {
	is, _ := ctx.Value(purposeKey{}).(bool)
	return is
}
