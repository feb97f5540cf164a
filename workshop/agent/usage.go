package agent

import (
	"cmp"
	"context"
	"math"
	"time"

	"atelier/llm"
	"atelier/llm/models"
	"atelier/workshop"
)

// Totals are what requests to models took together.
type Totals struct {
	Requests     int64   `json:"requests"`
	Failed       int64   `json:"failed_requests"`
	Open         int64   `json:"open_requests"`      // no answer came yet, or ever
	Estimated    int64   `json:"estimated_requests"` // the endpoint did not say what it counted
	Unpriced     int64   `json:"unpriced_requests"`  // they are not in costs, since no price was known
	InputTokens  int64   `json:"input_tokens"`
	CachedTokens int64   `json:"cached_tokens"` // of input_tokens, from the endpoint's cache
	OutputTokens int64   `json:"output_tokens"`
	Costs        []Money `json:"costs,omitempty"` // by currency
}

// Money is an amount in a currency, which may have no name.
type Money struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

// NewTotals are the sums that a workbench keeps, for clients.
func NewTotals(s workshop.UsageSum) Totals {
	t := Totals{s.Requests, s.Failed, s.Open, s.Estimated, s.Unpriced, s.Input, s.Cached, s.Output, nil}
	for _, c := range s.Costs {
		t.Costs = append(t.Costs, Money{models.Nano(c.Amount).Amount(), c.Currency})
	}
	return t
}

// EventUsage says what a request took.
const EventUsage = "WorkshopUsage"

// RequestUsage says what a request to the model took, and the run with it.
type RequestUsage struct {
	WorkbenchID  string `json:"workbench_id"`
	MessageID    string `json:"message_id"` // the user message that is answered
	RunID        string `json:"run_id"`
	Turn         int    `json:"turn"` // of the run, 1-based
	Phase        string `json:"phase"`
	Purpose      string `json:"purpose"` // turn, or summary: of the earlier conversation
	ProviderID   string `json:"provider_id"`
	ModelID      string `json:"model_id"`
	InputTokens  int64  `json:"input_tokens"`
	CachedTokens int64  `json:"cached_tokens"`
	OutputTokens int64  `json:"output_tokens"`
	Estimated    bool   `json:"estimated"`      // the endpoint did not say what it counted
	Failed       bool   `json:"failed"`         // it was refused, broke off or was canceled
	Cost         *Money `json:"cost,omitempty"` // absent: no price is known
	Run          Totals `json:"run"`            // the run so far
}

// meter is the client of a run. Every request passes through it: the budget is
// asked before, and what it took is written down.
type meter struct {
	llm.Client
	r *run
}

// StreamChatWithTools implements llm.Client.
func (m meter) StreamChatWithTools(ctx context.Context, key, model string, ms []llm.Message, ts []llm.Tool, onDelta func(string), onCall func(llm.ToolCall)) (llm.ChatResponse, error) {
	return m.count(ctx, ms, ts, func(ctx context.Context) (llm.ChatResponse, error) {
		return m.Client.StreamChatWithTools(ctx, key, model, ms, ts, onDelta, onCall)
	})
}

// ChatWithTools implements llm.Client.
func (m meter) ChatWithTools(ctx context.Context, key, model string, ms []llm.Message, ts []llm.Tool) (llm.ChatResponse, error) {
	return m.count(ctx, ms, ts, func(ctx context.Context) (llm.ChatResponse, error) {
		return m.Client.ChatWithTools(ctx, key, model, ms, ts)
	})
}

func (m meter) count(ctx context.Context, ms []llm.Message, ts []llm.Tool, send func(context.Context) (llm.ChatResponse, error)) (llm.ChatResponse, error) {
	r := m.r
	estimated := int64(r.gauge.of(messagesTokens(ms) + toolsTokens(ts)))
	limit, err := r.afford(ctx, estimated)
	if err != nil {
		return llm.ChatResponse{}, err
	}
	u := workshop.Usage{Turn: r.result.Turns + 1, Phase: r.phase.name, Purpose: workshop.UsageTurn, Tokens: workshop.Tokens{Input: estimated}}
	if llm.IsSummary(ctx) {
		u.Purpose = workshop.UsageSummary
	}
	l := UsageLog{Workbench: r.wb, Provider: r.cfg.Provider, Model: r.cfg.Model, Price: r.cfg.Price, Run: r.id, MessageID: r.message, Now: r.cfg.Now, Log: r.cfg.Log}
	ctx = llm.WithLimit(r.carrying(ctx), int(min(limit, math.MaxInt32)))
	end, left, up := r.timeBound(), time.Duration(0), false
	if end != nil {
		left = max(time.Duration(end.most-end.used()), 1)
	}
	resp, err := l.send(ctx, &u, func() (resp llm.ChatResponse, err error) {
		resp, up, err = sendFor(ctx, left, send)
		return resp, err
	})
	if u.ID != 0 {
		r.spent.add(u)
		r.emit(EventUsage, r.report(u))
	}
	if up {
		return resp, r.timeUp(end)
	}
	return resp, cmp.Or(err, r.noticeAnswer(resp, err))
}

// spent is what a run took so far.
type spent struct {
	workshop.UsageSum
	cost   models.Nano
	cached float64 // share of the last request that came from the endpoint's cache
}

func (s *spent) add(u workshop.Usage) {
	s.Requests++
	if u.State != workshop.UsageOK {
		s.Failed++
	}
	if u.Estimated {
		s.Estimated++
	}
	s.Input, s.Cached, s.Output = s.Input+u.Input, s.Cached+u.Cached, s.Output+u.Output
	switch {
	case u.Cost != nil:
		s.cost += models.Nano(*u.Cost)
		s.Costs = []workshop.Cost{{Currency: u.Currency, Amount: int64(s.cost)}}
	case u.Input+u.Output > 0:
		s.Unpriced++
	}
	if u.Input > 0 && u.Purpose == workshop.UsageTurn {
		s.cached = float64(u.Cached) / float64(u.Input)
	}
}

func (r *run) report(u workshop.Usage) RequestUsage {
	out := RequestUsage{WorkbenchID: r.wb.ID(), MessageID: u.MessageID, RunID: u.Run, Turn: u.Turn, Phase: u.Phase, Purpose: u.Purpose,
		ProviderID: u.Provider, ModelID: u.Model, InputTokens: u.Input, CachedTokens: u.Cached, OutputTokens: u.Output,
		Estimated: u.Estimated, Failed: u.State != workshop.UsageOK, Run: NewTotals(r.spent.UsageSum)}
	if u.Cost != nil {
		out.Cost = &Money{models.Nano(*u.Cost).Amount(), u.Currency}
	}
	return out
}
