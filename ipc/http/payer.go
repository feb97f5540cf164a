package httpapi

import (
	"context"
	"errors"

	"atelier/engine"
	"atelier/ipc/accounts"
	"atelier/workshop/agent/runerr"
)

// paying returns a context for calls of a user, whose requests to models count for the
// user's limit.
func (s *Server) paying(ctx context.Context, user string) context.Context {
	return engine.WithPayer(ctx, s.payer(user))
}

func (s *Server) payer(user string) engine.Payer { return payerOf(s.opt, user) }

func payerOf(opt Options, user string) engine.Payer {
	return func(ctx context.Context, least, want int64) (int64, func(int64), error) {
		granted, settle, err := opt.Accounts.Reserve(ctx, user, least, want)
		if err != nil {
			return 0, nil, unpaid(err)
		}
		return granted, func(took int64) {
			if err := settle(took); err != nil { // it stays counted as it was reserved
				opt.Log.Error("what a request of a user took could not be counted", "user", user, "reserved", granted, "took", took, "err", err)
			}
		}, nil
	}
}

// unpaid is the error of a request that was not sent since it could not be counted.
func unpaid(err error) error {
	var over *accounts.OverLimit
	if errors.As(err, &over) {
		e := runerr.Errorf(runerr.CodeBudget, "%w", err)
		e.Hint = "what was done is kept; who runs the server can raise the limit, and a new month begins on its first day (UTC)"
		return e
	}
	e := runerr.Errorf(runerr.CodeUnavailable, "the request to the model was not sent, since it cannot be counted for its user: %w", err)
	e.Retryable, e.Actions = true, []string{"retry"}
	return e
}
