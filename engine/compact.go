package engine

import (
	"context"
	"fmt"

	"atelier/workshop"
	"atelier/workshop/agent"
)

// CompactParams are the params of WorkshopCompact.
type CompactParams struct {
	WorkbenchID string `json:"workbench_id"`
	ModelID     string `json:"model_id,omitempty"`   // default: the workbench's active model
	Keep        string `json:"keep,omitempty"`       // what the summary must not lose, in words; at most 4000 characters
	KeepTurns   int    `json:"keep_turns,omitempty"` // messages of the user that stay word for word with all that came of them; default: the last message and the last answer stay
}

// CompactResult is the result of WorkshopCompact.
type CompactResult struct {
	Summarised int      `json:"summarised"` // messages that summaries stand for now; 0: there was nothing worth it
	Summaries  []string `json:"summaries"`  // what the model goes on with
	TokensWere int      `json:"tokens_were"`
	TokensAre  int      `json:"tokens_are"` // of the next request, estimated
	Window     int      `json:"window"`     // tokens; 128000 where it is not known
	UndoTo     string   `json:"undo_to"`    // WorkshopUndoToMessage with it takes the summaries back; "" when there is no message
}

func (e *Engine) compact(ctx context.Context, p CompactParams) (_ CompactResult, err error) {
	wb, err := e.workbench(ctx, p.WorkbenchID)
	if err != nil {
		return CompactResult{}, err
	}
	ctx, end, err := e.beginRun(ctx, wb, workshop.ActSummary)
	if err != nil {
		return CompactResult{}, err
	}
	defer func() { end(err) }()
	w, err := e.newModelWork(ctx, wb, p.ModelID, "")
	if err != nil {
		return CompactResult{}, err
	}
	if w.cfg.Budget, w.cfg.Ceiling, err = e.budgets(ctx, wb.Workbench, nil); err != nil {
		return CompactResult{}, err
	}
	c, err := agent.Compact(ctx, w.cfg, agent.CompactOptions{Keep: p.Keep, KeepTurns: p.KeepTurns})
	if len(c.Summaries) > 0 {
		e.notifyWindowFill(ctx, p.WorkbenchID)
	}
	if err != nil {
		return CompactResult{}, runError(ctx, w.cfg, err)
	}
	return CompactResult{Summarised: c.Summarised, Summaries: orEmpty(c.Summaries), TokensWere: c.TokensWere, TokensAre: c.TokensAre,
		Window: c.Window, UndoTo: c.UndoTo}, nil
}

// checkCompactAt checks Options.CompactAt.
func (o *Options) checkCompactAt() error {
	if at := o.CompactAt; at != 0 && (at < agent.LeastCompactAt || at > agent.MostCompactAt) {
		return fmt.Errorf("compact_at must be from %.2f to %.2f, a share of the model's window", agent.LeastCompactAt/100., agent.MostCompactAt/100.)
	}
	return nil
}
