package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"atelier/llm"
	"atelier/llm/models"
	"atelier/workshop"
	"atelier/workshop/tools"
)

// Budget bounds what a run may use before somebody is asked whether it may go
// on, or, when nobody is there, before it ends. A zero field is no bound.
type Budget struct {
	Tokens int64         // sent and answered, cached ones included
	Cost   float64       // in the currency of Config.Price
	Time   time.Duration // of work, without waiting for people

	// Bounds of the whole workbench, all its runs together.
	WorkbenchTokens int64
	WorkbenchCost   float64
}

// Check reports what is wrong with a budget; nil when nothing is.
func (b Budget) Check() error {
	if b.Tokens < 0 || b.Time < 0 || b.WorkbenchTokens < 0 || !amount(b.Cost) || !amount(b.WorkbenchCost) {
		return errorf(CodeValidation, "a budget has numbers above 0 only")
	}
	return nil
}

const maxMoney = 1e9 // keeps sums of models.Nano far from their end

func amount(v float64) bool { return v >= 0 && v <= maxMoney }

// bound is one limit of a budget. Numbers are tokens, models.Nano or
// nanoseconds.
type bound struct {
	what string // "tokens", "cost", "time": for records
	who  string // whose budget it is
	most int64
	step int64 // what "as much again" adds
	used func() int64
	next func(tokens int64) int64 // what a request of so many tokens adds; nil for time: nobody knows
	show func(used, of int64) string
	unit float64 // of a number that a person says
}

// budgeted sets the bounds of the run. Without a price no sum of money could be
// kept to, so that is refused before anything is sent.
func (r *run) budgeted(ctx context.Context) error {
	b := r.cfg.Budget
	if err := b.Check(); err != nil {
		return err
	}
	if p := r.cfg.Price; p == nil && (b.Cost > 0 || b.WorkbenchCost > 0) {
		e := errorf(CodeValidation, "no budget in money can be kept to: the price of the model %s is not known", r.cfg.Model)
		e.Hint = fmt.Sprintf(`add its price for a million tokens to "models" in config.json: {"model": %q, "price": {"input": …, "cached": …, "output": …, "currency": "…"}}`, r.cfg.Model)
		e.Actions = []string{"open_settings"}
		return e
	}
	var before workshop.UsageSum
	if b.WorkbenchTokens > 0 || b.WorkbenchCost > 0 {
		var err error
		if before, err = r.wb.UsageTotal(ctx); err != nil {
			return readError("what the workbench has used cannot be read", err)
		}
	}
	tokens := func(who string, most, before int64) {
		if most > 0 {
			r.bounds = append(r.bounds, &bound{what: "tokens", who: who, most: most, step: most, unit: 1, show: showTokens,
				used: func() int64 { return before + r.spent.Input + r.spent.Output }, next: func(n int64) int64 { return n }})
		}
	}
	money := func(who string, most float64, before int64) {
		if most > 0 {
			n := max(int64(models.NanoOf(most)), 1)
			r.bounds = append(r.bounds, &bound{what: "cost", who: who, most: n, step: n, unit: 1e9, show: r.showMoney,
				used: func() int64 { return before + int64(r.spent.cost) },
				next: func(n int64) int64 { return int64(r.cfg.Price.Cost(n, int64(float64(n)*r.spent.cached), 0)) }})
		}
	}
	tokens("This run", b.Tokens, 0)
	tokens("This workbench", b.WorkbenchTokens, before.Input+before.Output)
	money("This run", b.Cost, 0)
	if b.WorkbenchCost > 0 {
		paid, _ := before.Cost(r.cfg.Price.Currency)
		money("This workbench", b.WorkbenchCost, paid)
	}
	if b.Time > 0 {
		r.bounds = append(r.bounds, &bound{what: "time", who: "This run", most: int64(b.Time), step: int64(b.Time), unit: 1e9, show: showTime,
			used: func() int64 { return int64(r.clock.worked()) }})
	}
	return nil
}

// afford is asked before every request, of about so many tokens. It returns nil
// when the budget allows it, or somebody did.
func (r *run) afford(ctx context.Context, request int64) error {
	for _, b := range r.bounds {
		next := int64(0)
		if b.next != nil {
			next = b.next(request)
		}
		if err := r.within(ctx, b, next, "the next request takes about"); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// affordTime is asked before what costs no tokens, but time: the calls of an
// answer, and a wait that the endpoint asks for, of a length that is known.
func (r *run) affordTime(ctx context.Context, wait time.Duration) error {
	for _, b := range r.bounds {
		if b.next == nil {
			if err := r.within(ctx, b, int64(wait), "the endpoint asks to wait for"); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// within asks about one bound, of which next more are expected to be used by
// what is to come.
func (r *run) within(ctx context.Context, b *bound, next int64, what string) error {
	for r.stopped == nil {
		used := b.used()
		if used < b.most && used+next <= b.most {
			return nil
		}
		said := fmt.Sprintf("%s has used %s", b.who, b.show(used, b.most))
		if b.next != nil {
			next = rounded(next) // an estimate
		}
		if used < b.most {
			said += fmt.Sprintf(", and %s %s more", what, b.show(next, 0))
		}
		if r.cfg.Questions == nil {
			r.stopped = spentError(said)
			break
		}
		from := max(b.most, used)
		more, err := r.askMore(ctx, b, said, used+next-from)
		if errors.Is(err, tools.ErrNobody) {
			r.stopped = spentError(said)
			break
		}
		if err != nil {
			return err
		}
		if more == 0 {
			r.stopped = spentError(said + "; it was told to stop")
			break
		}
		b.most = min(from, math.MaxInt64-more) + more
	}
	if r.stopped != nil {
		return r.stopped
	}
	return nil
}

// rounded up to two digits that count.
func rounded(n int64) int64 {
	unit := int64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	return (n + unit - 1) / unit * unit
}

func spentError(said string) *Error {
	e := errorf(CodeBudget, "%s", said)
	e.Hint = "what was done so far is in the draft and the conversation; run the message again, with a larger budget, to go on"
	e.Actions = []string{"review_draft", "retry"}
	return e
}

// The answers to a question about a budget, besides a number.
const (
	answerGoOn = "go_on"
	answerStop = "stop"
)

// moreSchema is what fits such a question. A number with a plus is also taken as
// text, since a terminal takes bare numbers for choices.
const moreSchema = `{"anyOf":[{"enum":["go_on","stop"]},{"type":"number","exclusiveMinimum":0,"maximum":1e9},{"type":"string","pattern":"^\\+[0-9]{1,9}([.][0-9]{1,9})?$"}]}`

// eventBudget is the kind of the record of such an answer.
const eventBudget = "budget"

// askMore asks whether the run may go on past a bound and returns by how much,
// 0 to stop. needed is what it takes to go on at all.
func (r *run) askMore(ctx context.Context, b *bound, said string, needed int64) (int64, error) {
	unit := map[string]string{"tokens": "tokens", "cost": cmp.Or(r.currency(), "money"), "time": "seconds"}[b.what]
	again, label := b.step, "Go on with as much again"
	if needed > again {
		again, label = needed, "Go on with "+b.show(needed, 0)+" more"
	}
	q := tools.Asking{ID: r.wb.Conversation().NewMessageID(""), Questions: []tools.Question{{
		Name:     "budget",
		Question: fmt.Sprintf("%s. Go on? (Or say by how much, in %s: +%s)", said, unit, number(float64(again)/b.unit/2)),
		Schema:   json.RawMessage(moreSchema),
		Buttons: []tools.Button{
			{Label: label, Value: json.RawMessage(`"` + answerGoOn + `"`)},
			{Label: "Stop", Value: json.RawMessage(`"` + answerStop + `"`)},
		},
	}}}
	answers, err := asker{r}.Ask(ctx, q)
	if err != nil {
		return 0, err
	}
	answer := answers["budget"]
	more := granted(answer, again, b.unit)
	text := said + "; the person let it go on with " + b.show(more, 0) + " more."
	if more == 0 {
		text = said + "; the person told it to stop."
	}
	return more, r.append(workshop.Record{Type: workshop.TypeSystem, EventKind: eventBudget, MessageID: r.wb.Conversation().NewMessageID("s-"),
		Text: text, CreatedAt: r.cfg.Now().UTC(), Metadata: map[string]any{"question_id": q.ID, "bound": b.what, "answer": answer}})
}

// granted is what an answer adds to a bound of that unit.
func granted(answer json.RawMessage, again int64, unit float64) int64 {
	var text string
	if json.Unmarshal(answer, &text) != nil {
		text = string(answer)
	}
	switch text {
	case answerGoOn:
		return again
	case answerStop:
		return 0
	}
	v, err := strconv.ParseFloat(strings.TrimPrefix(text, "+"), 64)
	if err != nil || !amount(v) {
		return 0 // it would not have fit the question
	}
	return int64(math.Ceil(v * unit))
}

// carryOut executes the calls of an answer, or answers them when the budget
// does not allow it.
func (r *run) carryOut(ctx context.Context, messageID string, calls []llm.ToolCall) error {
	err := r.affordTime(ctx, 0)
	if err == nil || ctx.Err() != nil { // a canceled run answers its calls itself
		return r.execute(ctx, messageID, calls)
	}
	for _, c := range calls {
		if serr := r.store(c, outcome{Result: tools.Result{Text: "Error: not carried out: the budget of the run is used up"}}); serr != nil {
			return serr
		}
	}
	return err
}
