package agent

import (
	"context"
	"fmt"

	"atelier/llm/models"
	"atelier/workshop"
)

// bound is one limit of a budget. Numbers are tokens, models.Nano or
// nanoseconds.
type bound struct {
	what  string // "tokens", "cost", "time": for records
	who   string // whose budget it is
	most  int64
	step  int64 // what "as much again" adds
	fixed bool  // nobody can add to it
	used  func() int64
	next  func(request, answer int64) int64 // what a request and an answer of so many tokens add; nil for time: nobody knows
	price int64                             // of a token of an answer; 0: none, or time
	show  func(used, of int64) string
	unit  float64 // of a number that a person says
}

// room is how many tokens the answer to a request of so many may have; -1 is any
// number.
func (b *bound) room(request int64) int64 {
	if b.price == 0 {
		return -1
	}
	return max(b.most-b.used()-b.next(request, 0), 0) / b.price
}

// needsPrice is why a budget cannot be kept to: it is in money, and the price of
// the model is not known. nil when that is not so.
func needsPrice(b Budget, p *models.Price, model string) error {
	if p != nil || b.Cost == 0 && b.WorkbenchCost == 0 {
		return nil
	}
	e := errorf(CodeValidation, "no budget in money can be kept to: the price of the model %s is not known", model)
	e.Hint = fmt.Sprintf(`add its price for a million tokens to "models" in config.json: {"model": %q, "price": {"input": …, "cached": …, "output": …, "currency": "…"}}`, model)
	e.Actions = []string{"open_settings"}
	return e
}

// nanosPerToken is the price of a token of an answer, at least 1 where it has
// one.
func nanosPerToken(p *models.Price) int64 {
	n := int64(p.Cost(0, 0, 1_000_000))
	if n == 0 {
		return 0
	}
	return max((n+999_999)/1_000_000, 1)
}

// budgeted sets the bounds of the run. Without a price no sum of money could be
// kept to, so that is refused before anything is sent.
func (r *run) budgeted(ctx context.Context) error {
	for _, b := range []Budget{r.cfg.Budget, r.cfg.Ceiling} {
		if err := b.Check(); err != nil {
			return err
		}
		if err := needsPrice(b, r.cfg.Price, r.cfg.Model); err != nil {
			return err
		}
	}
	var before workshop.UsageSum
	if b, c := r.cfg.Budget, r.cfg.Ceiling; b.WorkbenchTokens > 0 || b.WorkbenchCost > 0 || c.WorkbenchTokens > 0 || c.WorkbenchCost > 0 {
		var err error
		if before, err = r.wb.UsageTotal(ctx); err != nil {
			return readError("what the workbench has used cannot be read", err)
		}
	}
	r.bind(r.cfg.Budget, before, false)
	r.bind(r.cfg.Ceiling, before, true)
	return nil
}

// bind adds the bounds of a budget.
func (r *run) bind(b Budget, before workshop.UsageSum, fixed bool) {
	spent := func() (int64, int64) { return r.spent.Input + r.spent.Output, int64(r.spent.cost) }
	cached := func() float64 { return r.spent.cached }
	list := bounds(b, "This run", r.cfg.Price, before, spent, cached)
	if b.Time > 0 {
		list = append(list, &bound{what: "time", who: "This run", most: int64(b.Time), step: int64(b.Time), unit: 1e9, show: showTime,
			used: func() int64 { return int64(r.clock.worked()) }})
	}
	for _, b := range list {
		b.fixed = fixed
	}
	r.bounds = append(r.bounds, list...)
}

// bounds are those of a budget in tokens and money. spent is what was used of
// both, before what the workbench had used by then; cached is the share of a
// request that is expected to come from the endpoint's cache.
func bounds(b Budget, who string, price *models.Price, before workshop.UsageSum, spent func() (tokens, cost int64), cached func() float64) (list []*bound) {
	tokens := func(who string, most, before int64) {
		if most > 0 {
			list = append(list, &bound{what: "tokens", who: who, most: most, step: most, unit: 1, show: showTokens, price: 1,
				used: func() int64 { n, _ := spent(); return before + n },
				next: func(request, answer int64) int64 { return request + answer }})
		}
	}
	money := func(who string, most float64, before int64) {
		if most > 0 {
			n := max(int64(models.NanoOf(most)), 1)
			list = append(list, &bound{what: "cost", who: who, most: n, step: n, unit: 1e9, show: showMoney(price.Currency), price: nanosPerToken(price),
				used: func() int64 { _, n := spent(); return before + n },
				next: func(request, answer int64) int64 {
					return int64(price.Cost(request, int64(float64(request)*cached()), answer))
				}})
		}
	}
	tokens(who, b.Tokens, 0)
	tokens("This workbench", b.WorkbenchTokens, before.Input+before.Output)
	money(who, b.Cost, 0)
	if b.WorkbenchCost > 0 {
		paid, _ := before.Cost(price.Currency)
		money("This workbench", b.WorkbenchCost, paid)
	}
	return list
}
