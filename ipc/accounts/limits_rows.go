package accounts

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"atelier/internal/cluster"
)

func (f *file) setLimit(ctx context.Context, id string, tokens int64) error {
	_, err := f.db.ExecContext(ctx, `INSERT INTO limits VALUES (?,?) ON CONFLICT (user_id) DO UPDATE SET month_tokens=excluded.month_tokens`, id, tokens)
	return err
}

type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func (f *file) spent(ctx context.Context, id, month string) (int64, error) {
	return spentOf(ctx, f.db, id, month)
}

func spentOf(ctx context.Context, q queryer, id, month string) (tokens int64, err error) {
	err = q.QueryRowContext(ctx, `SELECT tokens FROM spending WHERE user_id=? AND month=?`, id, month).Scan(&tokens)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return tokens, err
}

func (f *file) spend(ctx context.Context, id, month string, change func(int64) (int64, error)) error {
	return f.inTx(ctx, func(tx *sql.Tx) error {
		used, err := spentOf(ctx, tx, id, month)
		if err != nil {
			return err
		}
		if used, err = change(used); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO spending VALUES (?,?,?) ON CONFLICT (user_id, month) DO UPDATE SET tokens=excluded.tokens`, id, month, used)
		return err
	})
}

// spendingBucket has what users used, apart from the accounts, which all servers follow.
const spendingBucket = "accounts-spending"

// sharedSpending is the value of a user's key: the last months by name.
type sharedSpending struct {
	Tokens map[string]int64 `json:"tokens"`
	// Done are the last changes, by which one whose answer was lost is recognized.
	Done []string `json:"done,omitempty"`
}

// changesKept is how many changes a user's key names: more than a user makes while one
// waits for its answer.
const changesKept = 100

// monthsKept is how many months a user's key has.
const monthsKept = 12

func (s *shared) setLimit(ctx context.Context, id string, tokens int64) error {
	return change(ctx, s, userKey+id, func(u *sharedUser) bool {
		changed := u.MonthTokens != tokens
		u.MonthTokens = tokens
		return changed
	})
}

func (s *shared) spent(ctx context.Context, id, month string) (tokens int64, err error) {
	err = unavailable(cluster.Patiently(ctx, patience, func() error {
		v, _, err := s.spending(ctx, id)
		tokens = v.Tokens[month]
		return cluster.Classified("reading what a user used", err)
	}))
	return tokens, err
}

// spending reads a user's key; revision 0: there is none.
func (s *shared) spending(ctx context.Context, id string) (v sharedSpending, revision uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience/2)
	defer cancel()
	v.Tokens = map[string]int64{}
	e, err := s.used.Get(ctx, id)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return v, 0, nil
	}
	if err != nil {
		return v, 0, err
	}
	return v, e.Revision(), json.Unmarshal(e.Value(), &v)
}

// spend changes what a user used by compare-and-set. A change whose answer was lost is not
// done again.
func (s *shared) spend(ctx context.Context, id, month string, change func(int64) (int64, error)) error {
	var refused error
	this := rand.Text()[:10]
	err := cluster.Patiently(ctx, 2*patience, func() error {
		for {
			v, rev, err := s.spending(ctx, id)
			if err != nil {
				return cluster.Classified("reading what a user used", err)
			}
			if slices.Contains(v.Done, this) {
				return nil
			}
			var next int64
			if next, refused = change(v.Tokens[month]); refused != nil {
				return nil
			}
			v.Tokens[month] = next
			v.Done = append(v.Done[max(0, len(v.Done)-changesKept+1):], this)
			forgetMonths(v.Tokens)
			b, err := json.Marshal(v)
			if err != nil {
				return err
			}
			each, cancel := context.WithTimeout(ctx, patience/2)
			if rev == 0 {
				_, err = s.used.Create(each, id, b)
			} else {
				_, err = s.used.Update(each, id, b, rev)
			}
			cancel()
			if !cluster.IsConflict(err) {
				return cluster.Classified("writing what a user used", err)
			}
			select {
			case <-time.After(5 * time.Millisecond):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
	if err != nil {
		return unavailable(err)
	}
	return refused
}

// forgetMonths removes the oldest months above monthsKept.
func forgetMonths(m map[string]int64) {
	for len(m) > monthsKept {
		oldest := ""
		for month := range m {
			if oldest == "" || month < oldest {
				oldest = month
			}
		}
		delete(m, oldest)
	}
}
