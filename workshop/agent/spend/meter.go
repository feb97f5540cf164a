package spend

import (
	"sync"
	"time"

	"atelier/llm"
	"atelier/llm/models"
	"atelier/llm/tokens"
	"atelier/workshop"
	"atelier/workshop/agent/runerr"
)

// The smallest room for an answer with which a request is sent, in tokens. With
// less, the request is paid for in vain: a call with its arguments, or a
// paragraph, takes 50 to 300 tokens, and a model that reasons spends hundreds to
// thousands before its first word.
const (
	leastAnswer  = 300
	leastThought = 2_000
)

// Options make a Meter. Owner, Model and Now must be set.
type Options struct {
	Owner   string // for messages: "This run"
	Budget  Budget
	Ceiling Budget // also kept, and nobody who is asked can raise it
	Model   string
	Price   *models.Price // nil: not known
	Reasons bool          // the model reasons before it answers
	Now     func() time.Time

	// The following are for Meter.Client.

	Parallel  int // requests that may be on their way together
	Window    int // of the model, in tokens; 0: not known
	MaxAnswer int // the longest answer of the model, in tokens; 0: not known
}

// Meter counts what requests take against the limits of a budget. A meter whose
// Client is used is safe for concurrent use of Client, Allow, Sleep and Over;
// otherwise it belongs to one goroutine.
type Meter struct {
	Limits []*Limit
	Clock  *Clock
	Spent  workshop.UsageSum // by the requests that were counted

	opt     Options
	cached  float64 // share of the last request that came from the endpoint's cache
	written float64 // share of it that was written into the cache

	mu            sync.Mutex // protects the fields below and, while a Client is used, those above
	reasons       bool
	gauge         tokens.Gauge
	request       int64 // reserved by requests on their way, in tokens
	answer        int64 // and for their answers
	flights       int
	back          chan struct{} // closed when one returns what it did not use; nil when none waits
	asked, length int64         // tokens that answers were expected to have, and had
	over          *runerr.Error
}

// NewMeter returns a meter without limits; Bind sets those of the budgets. Its
// clock begins now.
func NewMeter(opt Options) *Meter {
	return &Meter{opt: opt, Clock: newClock(opt.Now), reasons: opt.Reasons}
}

// NewBoundMeter returns a meter with the limits of its budgets; nil when they
// have none. before is what the workbench had used by now.
func NewBoundMeter(opt Options, before workshop.UsageSum) (*Meter, error) {
	m := NewMeter(opt)
	if err := m.Check(); err != nil {
		return nil, err
	}
	if m.Bind(before); len(m.Limits) == 0 {
		return nil, nil
	}
	return m, nil
}

// Check reports why the budgets cannot be kept; nil when they can.
func (m *Meter) Check() error {
	for _, b := range []Budget{m.opt.Budget, m.opt.Ceiling} {
		if err := b.Check(); err != nil {
			return err
		}
		if err := checkPrice(b, m.opt.Price, m.opt.Model); err != nil {
			return err
		}
	}
	return nil
}

// OfWorkbench reports whether Bind needs to know what the workbench has used.
func (m *Meter) OfWorkbench() bool { return m.opt.Budget.OfWorkbench() || m.opt.Ceiling.OfWorkbench() }

// Bind sets the limits of the budgets; before is what the workbench had used by
// now.
func (m *Meter) Bind(before workshop.UsageSum) {
	m.bind(m.opt.Budget, before, false)
	m.bind(m.opt.Ceiling, before, true)
}

func (m *Meter) bind(b Budget, before workshop.UsageSum, fixed bool) {
	const workbench = "This workbench"
	m.limitTokens(m.opt.Owner, b.Tokens, 0, fixed)
	m.limitTokens(workbench, b.WorkbenchTokens, before.Input+before.Output, fixed)
	m.limitCost(m.opt.Owner, b.Cost, 0, fixed)
	if b.WorkbenchCost > 0 {
		paid, _ := before.Cost(m.opt.Price.Currency)
		m.limitCost(workbench, b.WorkbenchCost, paid, fixed)
	}
	if b.Time > 0 {
		m.Limits = append(m.Limits, &Limit{Kind: Time, Owner: m.opt.Owner, Most: int64(b.Time), Step: int64(b.Time), Fixed: fixed, Unit: 1e9, format: formatTime,
			used: func() int64 { return int64(m.Clock.worked()) }})
	}
}

func (m *Meter) limitTokens(owner string, most, before int64, fixed bool) {
	if most <= 0 {
		return
	}
	m.Limits = append(m.Limits, &Limit{Kind: Tokens, Owner: owner, Most: most, Step: most, Fixed: fixed, Unit: 1, format: formatTokens, tokenPrice: 1,
		used: func() int64 { return before + m.Spent.Input + m.Spent.Output },
		next: func(request, answer int64) int64 { return request + answer }})
}

func (m *Meter) limitCost(owner string, most float64, before int64, fixed bool) {
	if most <= 0 {
		return
	}
	n, price := max(int64(models.NanoOf(most)), 1), m.opt.Price
	m.Limits = append(m.Limits, &Limit{Kind: Cost, Owner: owner, Most: n, Step: n, Fixed: fixed, Unit: 1e9, format: formatMoney(price.Currency), tokenPrice: tokenPrice(price),
		used: func() int64 {
			paid, _ := m.Spent.Cost(price.Currency)
			return before + paid
		},
		next: func(request, answer int64) int64 {
			return int64(price.Cost(request, int64(float64(request)*m.cached), int64(float64(request)*m.written), answer))
		}})
}

// Add counts a request that has ended. Of the next one as much is expected to be
// cached as of the last that was a turn.
func (m *Meter) Add(u workshop.Usage) {
	s := &m.Spent
	s.Requests++
	if u.State != workshop.UsageOK {
		s.Failed++
	}
	if u.Estimated {
		s.Estimated++
	}
	s.Input, s.Cached, s.Output, s.Written = s.Input+u.Input, s.Cached+u.Cached, s.Output+u.Output, s.Written+u.Written
	switch {
	case u.Cost != nil:
		paid, _ := s.Cost(u.Currency)
		s.Costs = []workshop.Cost{{Currency: u.Currency, Amount: paid + *u.Cost}} // one model, one currency
	case u.Input+u.Output > 0:
		s.Unpriced++
	}
	if u.Input > 0 && u.Purpose == workshop.UsageTurn {
		m.cached, m.written = float64(u.Cached)/float64(u.Input), float64(u.Written)/float64(u.Input)
	}
}

// NoticeReasoning remembers that the model reasons if an answer shows it.
func (m *Meter) NoticeReasoning(resp llm.ChatResponse) {
	m.reasons = m.reasons || resp.Reasoning != ""
}

// LeastAnswer returns the smallest room for an answer with which a request is
// worth its price.
func (m *Meter) LeastAnswer() int64 {
	if m.reasons {
		return leastThought
	}
	return leastAnswer
}

// TimeLimit returns the limit of time that ends first of those that pass; nil
// when there is none.
func (m *Meter) TimeLimit(pass func(*Limit) bool) (first *Limit) {
	for _, l := range m.Limits {
		if l.Kind == Time && pass(l) && (first == nil || l.Most < first.Most) {
			first = l
		}
	}
	return first
}
