package accounts

import (
	"context"
	"fmt"
	"time"

	"atelier/workshop"
)

// Spending is what the requests to models of a user's runs and translations took in a month
// (UTC), in all workspaces. It is counted for users who have a limit.
type Spending struct {
	UserID string `json:"user_id"`
	Month  string `json:"month"`                    // as 2006-01
	Tokens int64  `json:"tokens"`                   // sent and answered; those of requests on their way at most
	Most   int64  `json:"tokens_a_month,omitempty"` // the limit; 0: none, and nothing is counted
}

// OverLimit says that a user has used the tokens of a month.
type OverLimit struct{ Spending }

func (o *OverLimit) Error() string {
	return fmt.Sprintf("the user has used %d of %d tokens in %s, and the next request takes more than is left", o.Tokens, o.Most, o.Month)
}

func monthOf(t time.Time) string { return t.UTC().Format("2006-01") }

// SetLimit sets how many tokens a user, named by id or e-mail address, may use in a month;
// 0 is any number.
func (s *Store) SetLimit(ctx context.Context, idOrEmail string, tokens int64) (Spending, error) {
	if tokens < 0 {
		return Spending{}, workshop.Faultf(workshop.Invalid, "the tokens of a month must be 0 or more").OnField("tokens")
	}
	u, err := s.FindUser(ctx, idOrEmail)
	if err != nil {
		return Spending{}, err
	}
	if err := s.setLimit(ctx, u.ID, tokens); err != nil {
		return Spending{}, err
	}
	return s.Spending(ctx, u.ID)
}

// Spending returns what a user, named by id or e-mail address, has used in this month.
func (s *Store) Spending(ctx context.Context, idOrEmail string) (Spending, error) {
	u, err := s.FindUser(ctx, idOrEmail)
	if err != nil {
		return Spending{}, err
	}
	out := Spending{UserID: u.ID, Month: monthOf(s.now()), Most: u.MonthTokens}
	out.Tokens, err = s.spent(ctx, u.ID, out.Month)
	return out, err
}

// Reserve counts want tokens for a request of a user before it is sent, or as many as are
// left of the limit if these are at least least, else the error is an *OverLimit. What is
// counted stays counted if the process dies before settle, which sets it to what the request
// took. Several servers may reserve for the same user at once.
func (s *Store) Reserve(ctx context.Context, userID string, least, want int64) (granted int64, settle func(took int64) error, err error) {
	u, err := s.User(ctx, userID)
	if err != nil {
		return 0, nil, err
	}
	if u.MonthTokens == 0 {
		return want, func(int64) error { return nil }, nil
	}
	month := monthOf(s.now())
	err = s.spend(ctx, userID, month, func(used int64) (int64, error) {
		if granted = min(want, u.MonthTokens-used); granted < least {
			return 0, &OverLimit{Spending{UserID: userID, Month: month, Tokens: used, Most: u.MonthTokens}}
		}
		return used + granted, nil
	})
	if err != nil {
		return 0, nil, err
	}
	return granted, func(took int64) error {
		return s.spend(context.WithoutCancel(ctx), userID, month, func(used int64) (int64, error) { return max(used-granted+took, 0), nil })
	}, nil
}
