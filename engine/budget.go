package engine

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"atelier/llm/models"
	"atelier/workshop"
	"atelier/workshop/agent/spend"
)

// Budget is what a run or a translation may use before a person is asked whether
// it may continue or, when nobody can be asked, before it ends with
// BUDGET_EXCEEDED. A translation asks nobody. 0 is no limit.
type Budget struct {
	Tokens  int64   `json:"tokens,omitempty"`  // sent and answered, cached ones included
	Cost    float64 `json:"cost,omitempty"`    // in the currency of the model's price, which must be known
	Seconds float64 `json:"seconds,omitempty"` // of work, without waiting for people
	// Bounds of all runs and translations of the workbench together.
	WorkbenchTokens int64   `json:"workbench_tokens,omitempty"`
	WorkbenchCost   float64 `json:"workbench_cost,omitempty"`
}

// UnmarshalJSON refuses members it does not know: a misspelt bound would be
// none.
func (b *Budget) UnmarshalJSON(raw []byte) error {
	type plain Budget
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode((*plain)(b)); err != nil {
		return fmt.Errorf("budget: %w", err)
	}
	return nil
}

// agent returns b as a run takes it.
func (b Budget) agent() spend.Budget {
	out := spend.Budget{Tokens: b.Tokens, Cost: b.Cost, WorkbenchTokens: b.WorkbenchTokens, WorkbenchCost: b.WorkbenchCost}
	switch {
	case b.Seconds > 0 && b.Seconds < maxSeconds:
		out.Time = max(time.Duration(b.Seconds*float64(time.Second)), 1)
	case !(b.Seconds == 0):
		out.Time = -1 // what Check refuses
	}
	return out
}

const maxSeconds = math.MaxInt64 / 1e9

// over returns b with what own sets itself.
func (b Budget) over(own *Budget) Budget {
	if own == nil {
		return b
	}
	return Budget{
		Tokens: cmp.Or(own.Tokens, b.Tokens), Cost: cmp.Or(own.Cost, b.Cost), Seconds: cmp.Or(own.Seconds, b.Seconds),
		WorkbenchTokens: cmp.Or(own.WorkbenchTokens, b.WorkbenchTokens), WorkbenchCost: cmp.Or(own.WorkbenchCost, b.WorkbenchCost),
	}
}

// Within returns an error that names the bound of ceiling that b is above, or the one
// of b that is none; nil when there is neither. What b leaves out is that of the ceiling.
func (b *Budget) Within(ceiling Budget) error {
	if b == nil {
		return nil
	}
	for _, c := range []struct {
		name      string
		own, most float64
	}{
		{"tokens", float64(b.Tokens), float64(ceiling.Tokens)}, {"cost", b.Cost, ceiling.Cost}, {"seconds", b.Seconds, ceiling.Seconds},
		{"workbench_tokens", float64(b.WorkbenchTokens), float64(ceiling.WorkbenchTokens)}, {"workbench_cost", b.WorkbenchCost, ceiling.WorkbenchCost},
	} {
		if !(c.own >= 0) {
			return validation(c.name + " of the budget must be 0 or more")
		}
		if c.most > 0 && c.own > c.most {
			return validation(fmt.Sprintf("%s of the budget is %s, and whoever runs this server allows at most %s: ask for no more, or leave it out", c.name, digits(c.own), digits(c.most)))
		}
	}
	return nil
}

func digits(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// budgets returns what bounds a run or a translation that sets own, and the ceiling
// that nobody can raise. What own leaves out is as the user has set it for the
// workbench (nil: none) or for all, else as the program was set up.
func (e *Engine) budgets(ctx context.Context, wb *workshop.Workbench, own *Budget) (b, ceiling spend.Budget, err error) {
	stored, err := e.storedBudget(ctx, wb)
	if err != nil {
		return b, ceiling, err
	}
	if !e.opt.Ceiling {
		b = e.opt.Budget.over(&stored).over(own).agent()
		return b, ceiling, b.Check()
	}
	if err := own.Within(e.opt.Budget); err != nil {
		return b, ceiling, err
	}
	b = stored.over(own).agent()
	return b, e.opt.Budget.agent(), b.Check()
}

// translationSpending is what a translation may spend.
type translationSpending struct {
	Workbench *workshop.Workbench // nil: it works in none
	Model     *resolvedModel      // nil: it asks none
	Price     *models.Price       // nil: the model's
	Budget    *Budget             // nil: that of the settings
	Parallel  int                 // requests at the same time
	Window    int                 // of the model; 0: not known
}

// translationMeter returns the budget of a translation; nil when it has none.
func (e *Engine) translationMeter(ctx context.Context, s translationSpending) (*spend.Meter, error) {
	b, ceiling, err := e.budgets(ctx, s.Workbench, s.Budget)
	if err != nil {
		return nil, err
	}
	opt := spend.Options{Owner: "This translation", Price: s.Price, Parallel: s.Parallel, Window: s.Window, Now: e.opt.Now}
	var before workshop.UsageSum
	if s.Workbench == nil {
		b.WorkbenchTokens, b.WorkbenchCost, ceiling.WorkbenchTokens, ceiling.WorkbenchCost = 0, 0, 0, 0
	} else if before, err = s.Workbench.UsageTotal(ctx); err != nil {
		return nil, err
	}
	if s.Model == nil { // what is not spent needs no bound
		b, ceiling = spend.Budget{Time: b.Time}, spend.Budget{Time: ceiling.Time}
	} else {
		set := s.Model.settings
		opt.Model, opt.Price, opt.Reasons, opt.MaxAnswer = s.Model.id, cmp.Or(s.Price, s.Model.price), set.Reasons(), cmp.Or(set.SendLimit, set.MaxOutput)
	}
	opt.Budget, opt.Ceiling = b, ceiling
	return spend.NewBoundMeter(opt, before)
}
