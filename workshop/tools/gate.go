package tools

import (
	"context"
	"encoding/json"
)

// Gate decides about a call; *approvals.Gate is one. An error stands in the
// place of the result.
type Gate interface {
	// Begin comes before the tool does anything. interacts: it concerns people
	// rather than files.
	Begin(ctx context.Context, interacts bool) error
	// Done comes when the tool has ended, before its result goes anywhere.
	Done(ctx context.Context) error
}

// gated returns the call between the two sides of the gate.
func (b Binding) gated(ctx context.Context, env *Env, args json.RawMessage) (any, error) {
	if env.Gate == nil {
		return b.call(ctx, env, args)
	}
	if err := env.Gate.Begin(ctx, b.Tool.Effect == Interact); err != nil {
		return nil, err
	}
	data, err := b.call(ctx, env, args)
	if refused := env.Gate.Done(ctx); refused != nil {
		return nil, refused
	}
	return data, err
}
