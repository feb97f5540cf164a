package engine

import (
	"cmp"
	"context"

	"atelier/llm"
	"atelier/llm/models"
	"atelier/workshop"
	"atelier/workshop/agent/spend"
)

var nothing float64 // the price of the built-in model

// countedClient returns a client whose requests are stored in a workbench as those of
// the translation run. A nil price is the model's.
func (e *Engine) countedClient(wb *workshop.Workbench, m resolvedModel, run string, price *models.Price, c llm.Client) llm.Client {
	l := spend.Log{Workbench: wb, Provider: m.provider.ID, Model: m.id, Price: cmp.Or(price, m.price), Run: run, Now: e.opt.Now, Log: e.log}
	return l.Client(c, workshop.UsageTranslate)
}

// UsageParams are the params of WorkbenchGetUsage.
type UsageParams struct {
	WorkbenchID string `json:"workbench_id"`
	Before      int64  `json:"before,omitempty"` // next_before of the page before; 0: the last runs
	Limit       int    `json:"limit,omitempty"`  // runs, 1 to 100; default 20
}

// UsageResult is the result of WorkbenchGetUsage. Every request counts, also
// those that failed and those of runs that were taken back.
type UsageResult struct {
	WorkbenchID string       `json:"workbench_id"`
	Totals      spend.Totals `json:"totals"`
	Models      []ModelUsage `json:"models"`
	Days        []DayUsage   `json:"days"` // the last day first, at most usageDays rows
	Runs        []RunUsage   `json:"runs"` // the last first
	HasMore     bool         `json:"has_more"`
	NextBefore  int64        `json:"next_before,omitempty"`
}

// ModelUsage is what a model took in a workbench.
type ModelUsage struct {
	ProviderID string `json:"provider_id"`
	ModelID    string `json:"model_id"`
	spend.Totals
}

// DayUsage is what a model took in a workbench on a day.
type DayUsage struct {
	Day string `json:"day"` // in UTC
	ModelUsage
}

// usageDays is how many rows of days an answer has at most.
const usageDays = 400

// RunUsage is what a run, or a translation, took.
type RunUsage struct {
	RunID     string `json:"run_id"`
	Kind      string `json:"kind"`                 // run, translation, or compaction that was asked for
	MessageID string `json:"message_id,omitempty"` // the user message a run answers
	BegunAt   string `json:"begun_at"`
	spend.Totals
	Parts []PartUsage `json:"parts,omitempty"` // when there is more than one, as of a run in phases
}

// PartUsage is what the requests of one phase and purpose took.
type PartUsage struct {
	Phase   string `json:"phase"`
	Purpose string `json:"purpose"` // turn, or summary: of the earlier conversation
	spend.Totals
}

func usageMethods() []*Method {
	return []*Method{
		method("WorkbenchGetUsage", "What the requests to models took: tokens and costs of the workbench, of each model and of each run.", (*Engine).usage),
	}
}

func (e *Engine) usage(ctx context.Context, p UsageParams) (UsageResult, error) {
	p.Limit = cmp.Or(p.Limit, 20)
	if p.Limit < 1 || p.Limit > 100 || p.Before < 0 {
		return UsageResult{}, validation("limit must be from 1 to 100, and before no less than 0")
	}
	wb, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return UsageResult{}, err
	}
	defer done()
	out := UsageResult{WorkbenchID: p.WorkbenchID, Models: []ModelUsage{}, Days: []DayUsage{}, Runs: []RunUsage{}}
	total, err := wb.UsageTotal(ctx)
	if err != nil {
		return out, err
	}
	out.Totals = spend.NewTotals(total)
	byModel, err := wb.UsageByModel(ctx)
	if err != nil {
		return out, err
	}
	for _, m := range byModel {
		out.Models = append(out.Models, ModelUsage{m.Provider, m.Model, spend.NewTotals(m.UsageSum)})
	}
	days, err := wb.UsageByDay(ctx, usageDays)
	if err != nil {
		return out, err
	}
	for _, d := range days {
		out.Days = append(out.Days, DayUsage{d.Day, ModelUsage{d.Provider, d.Model, spend.NewTotals(d.UsageSum)}})
	}
	runs, err := wb.UsageRuns(ctx, p.Before, p.Limit+1)
	if out.HasMore = len(runs) > p.Limit; out.HasMore {
		runs = runs[:p.Limit]
		out.NextBefore = runs[p.Limit-1].First
	}
	for _, r := range runs {
		kind := "run"
		switch {
		case r.Purpose == workshop.UsageTranslate:
			kind = "translation"
		case r.MessageID == "":
			kind = "compaction"
		}
		u := RunUsage{r.Run, kind, r.MessageID, rfc3339(r.Begun), spend.NewTotals(r.UsageSum), nil}
		for _, p := range r.Parts {
			if len(r.Parts) > 1 {
				u.Parts = append(u.Parts, PartUsage{p.Phase, p.Purpose, spend.NewTotals(p.UsageSum)})
			}
		}
		out.Runs = append(out.Runs, u)
	}
	return out, err
}
