package workshop

import (
	"context"
	"database/sql"
	"strings"
	"time"
)

// The states of a request to a model.
const (
	UsageOpen   = "open" // sent; for ever when the process died before the answer
	UsageOK     = "ok"
	UsageFailed = "failed" // refused, broken off, canceled
)

// What a request was for.
const (
	UsageTurn      = "turn"      // an answer of the model with its calls
	UsageSummary   = "summary"   // the earlier conversation in short
	UsageTranslate = "translate" // a batch of a translation
)

// Usage is one request to a model and what it took.
type Usage struct {
	ID        int64
	Run       string // of a run or a translation
	MessageID string // the user message a run answers
	Turn      int    // of the run, from 1
	Phase     string
	Purpose   string
	Provider  string
	Model     string
	At        time.Time // when it was sent
	State     string
	Tokens
	Estimated bool   // the endpoint did not say how many tokens it counted
	Cost      *int64 // in thousand-millionths of Currency; nil: the price is not known
	Currency  string
}

// Tokens of requests. Of Input, the endpoint had read the Cached ones before and wrote
// the Written ones into its cache for more money.
type Tokens struct{ Input, Cached, Output, Written int64 }

// OpenUsage writes down a request that is about to be sent, with what it is
// expected to take, and returns its id: it counts even when the process dies
// before there is an answer.
func (wb *Workbench) OpenUsage(ctx context.Context, u Usage) (int64, error) {
	var id int64
	err := inTx(ctx, wb.db, func(tx *sql.Tx) error {
		res, err := tx.Exec(`INSERT INTO usage (run,message_id,turn,phase,purpose,provider,model,at,state,input,cached,output,written,estimated,cost,currency) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
			u.Run, u.MessageID, u.Turn, u.Phase, u.Purpose, u.Provider, u.Model, stamp(u.At), UsageOpen, u.Input, u.Cached, u.Output, u.Written, true, u.Cost, u.Currency)
		if err != nil {
			return err
		}
		id, err = res.LastInsertId()
		return err
	})
	return id, err
}

// CloseUsage writes down what the request u.ID has taken, and its state. It does
// not wait for the disk: if the power fails before the next record or result is
// stored, the request stands there as it was estimated.
func (wb *Workbench) CloseUsage(ctx context.Context, u Usage) error {
	if wb.used != nil {
		wb.used(u)
	}
	return wb.inTxLater(ctx, func(tx *sql.Tx) error {
		_, err := tx.Exec(`UPDATE usage SET state=?, input=?, cached=?, output=?, written=?, estimated=?, cost=? WHERE id=?`,
			u.State, u.Input, u.Cached, u.Output, u.Written, u.Estimated, u.Cost, u.ID)
		return err
	})
}

// UsageSum is what several requests took together.
type UsageSum struct {
	Requests  int64
	Failed    int64 // of Requests
	Open      int64 // of Requests: no answer came yet, or ever
	Estimated int64 // of Requests: their tokens are an estimate
	Unpriced  int64 // of Requests: they took tokens whose price was not known
	Tokens
	Costs []Cost // by currency, in its order
}

// Cost is money in one currency, in thousand-millionths of its unit.
type Cost struct {
	Currency string
	Amount   int64
}

// Cost returns the sum in one currency, and whether there is one.
func (s UsageSum) Cost(currency string) (amount int64, ok bool) {
	for _, c := range s.Costs {
		if c.Currency == currency {
			return c.Amount, true
		}
	}
	return 0, false
}

// ModelUsage is what the requests to one model took.
type ModelUsage struct {
	Provider, Model string
	UsageSum
}

// DayUsage is what the requests of one day to one model took.
type DayUsage struct {
	Day string // in UTC, as 2006-01-02
	ModelUsage
}

// RunUsage is what one run or translation took.
type RunUsage struct {
	Run       string
	First     int64 // id of its first request, for paging
	MessageID string
	Purpose   string // UsageTurn for a run, UsageTranslate for a translation
	Begun     time.Time
	UsageSum
	Parts []PartUsage // of it, in the order in which they began
}

// PartUsage is what the requests of one phase and purpose took.
type PartUsage struct {
	Phase, Purpose string
	UsageSum
}

// sums are the columns that scan into usageRow.
const sums = `count(*), sum(state='` + UsageFailed + `'), sum(state='` + UsageOpen + `'), sum(estimated), sum(cost IS NULL AND input+output>0), sum(input), sum(cached), sum(output), sum(written), sum(cost), currency`

type usageRow struct {
	sum      UsageSum
	cost     sql.NullInt64
	currency string
}

func (r *usageRow) into() []any {
	s := &r.sum
	return []any{&s.Requests, &s.Failed, &s.Open, &s.Estimated, &s.Unpriced, &s.Input, &s.Cached, &s.Output, &s.Written, &r.cost, &r.currency}
}

// add counts a row, which is of one currency, into s.
func (s *UsageSum) add(r usageRow) {
	s.Requests += r.sum.Requests
	s.Failed += r.sum.Failed
	s.Open += r.sum.Open
	s.Estimated += r.sum.Estimated
	s.Unpriced += r.sum.Unpriced
	s.Input += r.sum.Input
	s.Cached += r.sum.Cached
	s.Output += r.sum.Output
	s.Written += r.sum.Written
	if r.cost.Valid {
		s.Costs = append(s.Costs, Cost{r.currency, r.cost.Int64})
	}
}

// UsageTotal returns what all requests of the workbench took.
func (wb *Workbench) UsageTotal(ctx context.Context) (UsageSum, error) {
	var total UsageSum
	err := wb.usageRows(ctx, `SELECT `+sums+` FROM usage GROUP BY currency ORDER BY currency`, nil, func(rows *sql.Rows) error {
		var r usageRow
		err := rows.Scan(r.into()...)
		total.add(r)
		return err
	})
	return total, err
}

// UsageByModel returns what each model took, in the order of their names.
func (wb *Workbench) UsageByModel(ctx context.Context) ([]ModelUsage, error) {
	var list []ModelUsage
	err := wb.usageRows(ctx, `SELECT provider, model, `+sums+` FROM usage GROUP BY provider, model, currency ORDER BY provider, model, currency`, nil, func(rows *sql.Rows) error {
		var m ModelUsage
		var r usageRow
		if err := rows.Scan(append([]any{&m.Provider, &m.Model}, r.into()...)...); err != nil {
			return err
		}
		if n := len(list); n == 0 || list[n-1].Provider != m.Provider || list[n-1].Model != m.Model {
			list = append(list, m)
		}
		list[len(list)-1].add(r)
		return nil
	})
	return list, err
}

// UsageByDay returns what each model took on each day in UTC, the last day first, at
// most limit rows.
func (wb *Workbench) UsageByDay(ctx context.Context, limit int) ([]DayUsage, error) {
	var list []DayUsage
	err := wb.usageRows(ctx, `SELECT substr(at,1,10) AS day, provider, model, `+sums+` FROM usage GROUP BY day, provider, model, currency ORDER BY day DESC, provider, model, currency LIMIT ?`, []any{limit}, func(rows *sql.Rows) error {
		var d DayUsage
		var r usageRow
		if err := rows.Scan(append([]any{&d.Day, &d.Provider, &d.Model}, r.into()...)...); err != nil {
			return err
		}
		if n := len(list); n == 0 || list[n-1].Day != d.Day || list[n-1].Provider != d.Provider || list[n-1].Model != d.Model {
			list = append(list, d)
		}
		list[len(list)-1].add(r)
		return nil
	})
	return list, err
}

// UsageRuns lists at most limit runs and translations, the last first. before
// is the First of the last one of an earlier page, 0 for the first page.
func (wb *Workbench) UsageRuns(ctx context.Context, before int64, limit int) ([]RunUsage, error) {
	if before <= 0 {
		before = 1 << 62
	}
	var list []RunUsage
	err := wb.usageRows(ctx, `SELECT run, min(id), message_id, purpose, at FROM usage GROUP BY run HAVING min(id)<? ORDER BY min(id) DESC LIMIT ?`, []any{before, limit}, func(rows *sql.Rows) error {
		var u RunUsage
		var at string
		err := rows.Scan(&u.Run, &u.First, &u.MessageID, &u.Purpose, &at)
		if u.Purpose != UsageTranslate {
			u.Purpose = UsageTurn // its first request may have been a summary
		}
		u.Begun = unstamp(at)
		list = append(list, u)
		return err
	})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	at := map[string]*RunUsage{}
	names := make([]any, len(list))
	for i := range list {
		at[list[i].Run], names[i] = &list[i], list[i].Run
	}
	marks := strings.TrimSuffix(strings.Repeat("?,", len(names)), ",")
	err = wb.usageRows(ctx, `SELECT run, `+sums+` FROM usage WHERE run IN (`+marks+`) GROUP BY run, currency ORDER BY currency`, names, func(rows *sql.Rows) error {
		var run string
		var r usageRow
		if err := rows.Scan(append([]any{&run}, r.into()...)...); err != nil {
			return err
		}
		at[run].add(r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = wb.usageRows(ctx, `SELECT run, phase, purpose, `+sums+` FROM usage WHERE run IN (`+marks+`) GROUP BY run, phase, purpose, currency ORDER BY min(id)`, names, func(rows *sql.Rows) error {
		var run string
		var p PartUsage
		var r usageRow
		if err := rows.Scan(append([]any{&run, &p.Phase, &p.Purpose}, r.into()...)...); err != nil {
			return err
		}
		at[run].part(p).add(r)
		return nil
	})
	return list, err
}

// part returns the part of u that has the phase and purpose of p.
func (u *RunUsage) part(p PartUsage) *PartUsage {
	for i := range u.Parts {
		if q := &u.Parts[i]; q.Phase == p.Phase && q.Purpose == p.Purpose {
			return q
		}
	}
	u.Parts = append(u.Parts, p)
	return &u.Parts[len(u.Parts)-1]
}

// usageRows calls f for each row of a query. A state of an older release that
// is only read has no requests yet.
func (wb *Workbench) usageRows(ctx context.Context, query string, args []any, f func(*sql.Rows) error) error {
	var there int
	if err := wb.db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_master WHERE name='usage'`).Scan(&there); err != nil || there == 0 {
		return err
	}
	if err := wb.db.QueryRowContext(ctx, `SELECT count(*) FROM pragma_table_info('usage') WHERE name='written'`).Scan(&there); err != nil {
		return err
	}
	if there == 0 { // an older program's, opened for reading only
		query = strings.ReplaceAll(query, "sum(written)", "0")
	}
	rows, err := wb.db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
