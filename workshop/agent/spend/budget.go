package spend

import (
	"fmt"
	"time"

	"atelier/llm/models"
	"atelier/workshop/agent/runerr"
)

// Budget is what a run or a translation may use before a person is asked whether
// it may continue or, when nobody can be asked, before it ends. A zero field is
// no limit.
type Budget struct {
	Tokens int64         // sent and answered, cached ones included
	Cost   float64       // in the currency of Options.Price
	Time   time.Duration // of work, without waiting for people

	// Limits of the whole workbench, all its runs together.
	WorkbenchTokens int64
	WorkbenchCost   float64
}

// Check reports what is wrong with a budget; nil when nothing is.
func (b Budget) Check() error {
	if max(b.Cost, b.WorkbenchCost) > maxMoney {
		return runerr.Errorf(runerr.CodeValidation, "a budget in money is at most %s", FormatCount(maxMoney))
	}
	if b.Tokens < 0 || b.Time < 0 || b.WorkbenchTokens < 0 || !IsAmount(b.Cost) || !IsAmount(b.WorkbenchCost) {
		return runerr.Errorf(runerr.CodeValidation, "a budget has numbers above 0 only")
	}
	return nil
}

const maxMoney = 1e9 // keeps sums of models.Nano far from their end

// IsAmount reports whether v can be an amount of money or tokens in a budget.
func IsAmount(v float64) bool { return v >= 0 && v <= maxMoney }

// OfWorkbench reports whether the budget limits the whole workbench.
func (b Budget) OfWorkbench() bool { return b.WorkbenchTokens > 0 || b.WorkbenchCost > 0 }

// checkPrice returns an error for a budget in money for a model whose price is
// not known: it could not be kept.
func checkPrice(b Budget, p *models.Price, model string) error {
	if p != nil || b.Cost == 0 && b.WorkbenchCost == 0 {
		return nil
	}
	e := runerr.Errorf(runerr.CodeValidation, "no budget in money can be kept to: the price of the model %s is not known", model)
	e.Hint = fmt.Sprintf(`add its price for a million tokens to "models" in config.json: {"model": %q, "price": {"input": …, "cached": …, "output": …, "currency": "…"}}`, model)
	e.Actions = []string{"open_settings"}
	return e
}
