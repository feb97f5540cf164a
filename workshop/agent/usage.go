package agent

import (
	"cmp"
	"context"
	"math"
	"time"

	"atelier/llm"
	"atelier/llm/models"
	"atelier/llm/tokens"
	"atelier/workshop"
	"atelier/workshop/agent/spend"
)

// EventUsage says what a request took.
const EventUsage = "WorkshopUsage"

// RequestUsage says what a request to the model took, and the run with it.
type RequestUsage struct {
	WorkbenchID   string       `json:"workbench_id"`
	MessageID     string       `json:"message_id"` // the user message that is answered
	RunID         string       `json:"run_id"`
	Turn          int          `json:"turn"` // of the run, 1-based
	Phase         string       `json:"phase"`
	Purpose       string       `json:"purpose"` // turn, or summary: of the earlier conversation
	ProviderID    string       `json:"provider_id"`
	ModelID       string       `json:"model_id"`
	InputTokens   int64        `json:"input_tokens"`
	CachedTokens  int64        `json:"cached_tokens"`
	WrittenTokens int64        `json:"written_tokens,omitempty"`
	OutputTokens  int64        `json:"output_tokens"`
	Estimated     bool         `json:"estimated"`      // the endpoint did not say what it counted
	Failed        bool         `json:"failed"`         // it was refused, broke off or was canceled
	Cost          *spend.Money `json:"cost,omitempty"` // absent: no price is known
	Run           spend.Totals `json:"run"`            // the run so far
}

// countedClient returns the client of a run. Every request passes through it: it
// checks the budget before, and stores what the request took.
func (r *run) countedClient(client llm.Client) llm.Client { return llm.Wrap(client, r.sendCounted) }

func (r *run) sendCounted(ctx context.Context, req llm.Request, next llm.Client) (llm.ChatResponse, error) {
	estimated := int64(r.gauge.Of(tokens.OfRequest(req)))
	limit, err := r.afford(ctx, estimated)
	if err != nil {
		return llm.ChatResponse{}, err
	}
	u := workshop.Usage{Turn: r.result.Turns + 1, Phase: r.phase.name, Purpose: workshop.UsageTurn, Tokens: workshop.Tokens{Input: estimated}}
	if llm.IsSummary(ctx) {
		u.Purpose = workshop.UsageSummary
	}
	l := spend.Log{Workbench: r.wb, Provider: r.cfg.Provider, Model: r.cfg.Model, Price: r.cfg.Price, Run: r.id, MessageID: r.message, Now: r.cfg.Now, Log: r.cfg.Log}
	ctx = llm.WithLimit(r.carrying(ctx), int(min(limit, math.MaxInt32)))
	end, left, up := r.timeLimit(), time.Duration(0), false
	if end != nil {
		left = end.Left()
	}
	resp, err := l.Send(ctx, &u, func(ctx context.Context) (resp llm.ChatResponse, err error) {
		resp, up, err = spend.SendFor(ctx, left, req, next)
		return resp, err
	})
	if u.ID != 0 {
		r.meter.Add(u)
		r.emit(EventUsage, r.report(u))
	}
	if up {
		return resp, r.timeUp(end)
	}
	return resp, cmp.Or(err, r.noticeAnswer(resp, err))
}

func (r *run) report(u workshop.Usage) RequestUsage {
	out := RequestUsage{WorkbenchID: r.wb.ID(), MessageID: u.MessageID, RunID: u.Run, Turn: u.Turn, Phase: u.Phase, Purpose: u.Purpose,
		ProviderID: u.Provider, ModelID: u.Model, InputTokens: u.Input, CachedTokens: u.Cached, WrittenTokens: u.Written, OutputTokens: u.Output,
		Estimated: u.Estimated, Failed: u.State != workshop.UsageOK, Run: spend.NewTotals(r.meter.Spent)}
	if u.Cost != nil {
		out.Cost = &spend.Money{Amount: models.Nano(*u.Cost).Amount(), Currency: u.Currency}
	}
	return out
}
