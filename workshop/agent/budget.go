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
	if max(b.Cost, b.WorkbenchCost) > maxMoney {
		return errorf(CodeValidation, "a budget in money is at most %s", FormatCount(maxMoney))
	}
	if b.Tokens < 0 || b.Time < 0 || b.WorkbenchTokens < 0 || !amount(b.Cost) || !amount(b.WorkbenchCost) {
		return errorf(CodeValidation, "a budget has numbers above 0 only")
	}
	return nil
}

const maxMoney = 1e9 // keeps sums of models.Nano far from their end

func amount(v float64) bool { return v >= 0 && v <= maxMoney }

// afford is asked before every request, of about so many tokens. It returns how
// many its answer may have, 0 for any number, when the budget allows it, or
// somebody did.
func (r *run) afford(ctx context.Context, request int64) (limit int64, err error) {
	least := r.least()
	for _, b := range r.bounds {
		next := int64(0)
		if b.next != nil {
			next = b.next(request, least)
		}
		if err := r.within(ctx, b, next, "the next request takes about"); err != nil {
			return 0, err
		}
	}
	for _, b := range r.bounds {
		if n := b.room(request); n >= 0 && (limit == 0 || n < limit) {
			limit = max(n, 1)
		}
	}
	if w := int64(r.cfg.Window); w > 0 && limit >= w-request {
		limit = 0 // the window ends before the budget does
	}
	return limit, ctx.Err()
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
		if r.cut > 0 {
			said += "; its last answer was cut where the budget ended"
		}
		if b.fixed {
			r.stopped = ceilingError(said)
			break
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

func ceilingError(said string) *Error {
	e := spentError(said)
	e.Hint = "what was done so far is in the draft and the conversation; more than that is not allowed here, except by whoever set this program up"
	e.Actions = []string{"review_draft"}
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
		Question: fmt.Sprintf("%s. Go on? (Or say by how much, in %s: +%s)", said, unit, roundUp(float64(max(again/2, needed))/b.unit)),
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
	outs := make([]outcome, len(calls))
	for i := range outs {
		outs[i].Text = "Error: not carried out: the budget of the run is used up"
	}
	if serr := r.store(calls, outs); serr != nil {
		return serr
	}
	return err
}
