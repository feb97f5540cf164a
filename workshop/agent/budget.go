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
	"atelier/workshop/agent/runerr"
	"atelier/workshop/agent/spend"
	"atelier/workshop/tools"
)

// afford checks the budget before every request. request is its estimated number
// of tokens. It returns how many tokens the answer may have, 0 for any number, if
// the budget or a person allows the request.
func (r *run) afford(ctx context.Context, request int64) (limit int64, err error) {
	least := r.leastAnswer()
	for _, b := range r.meter.Limits {
		if err := r.within(ctx, b, b.Next(request, least), "the next request takes about"); err != nil {
			return 0, err
		}
	}
	for _, b := range r.meter.Limits {
		if n := b.Room(request); n >= 0 && (limit == 0 || n < limit) {
			limit = max(n, 1)
		}
	}
	if w := int64(r.cfg.Window); w > 0 && limit >= w-request {
		limit = 0 // the window ends before the budget does
	}
	return limit, ctx.Err()
}

// affordTime checks the budget before work that costs time but no tokens: the
// calls of an answer, and a wait of known length that the endpoint asks for.
func (r *run) affordTime(ctx context.Context, wait time.Duration) error {
	for _, b := range r.meter.Limits {
		if b.Kind == spend.Time {
			if err := r.within(ctx, b, int64(wait), "the endpoint asks to wait for"); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// within checks one limit, of which the coming work is expected to use next more.
// If that is too much, it asks the person or ends the run.
func (r *run) within(ctx context.Context, b *spend.Limit, next int64, what string) error {
	for r.stopped == nil {
		used := b.Used()
		if used < b.Most && used+next <= b.Most {
			return nil
		}
		said := fmt.Sprintf("%s has used %s", b.Owner, b.Format(used, b.Most))
		if b.Kind != spend.Time {
			next = spend.RoundUp(next) // an estimate
		}
		if used < b.Most {
			said += fmt.Sprintf(", and %s %s more", what, b.Format(next, 0))
		}
		if r.cut > 0 {
			said += "; its last answer was cut where the budget ended"
		}
		if b.Fixed {
			r.stopped = ceilingError(said)
			break
		}
		if r.cfg.Questions == nil {
			r.stopped = spentError(said)
			break
		}
		from := max(b.Most, used)
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
		b.Most = min(from, math.MaxInt64-more) + more
	}
	if r.stopped != nil {
		return r.stopped
	}
	return nil
}

func spentError(said string) *runerr.Error {
	e := runerr.Errorf(runerr.CodeBudget, "%s", said)
	e.Hint = "what was done so far is in the draft and the conversation; run the message again, with a larger budget, to go on"
	e.Actions = []string{"review_draft", "retry"}
	return e
}

func ceilingError(said string) *runerr.Error {
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

// moreSchema is the schema of answers to such a question. It also allows a number
// with a plus as text, since a terminal takes bare numbers for choices.
const moreSchema = `{"anyOf":[{"enum":["go_on","stop"]},{"type":"number","exclusiveMinimum":0,"maximum":1e9},{"type":"string","pattern":"^\\+[0-9]{1,9}([.][0-9]{1,9})?$"}]}`

// eventBudget is the kind of the record of such an answer.
const eventBudget = "budget"

// askMore asks whether the run may go past a limit. It returns by how much; 0 is
// to stop. needed is the least with which the run can continue.
func (r *run) askMore(ctx context.Context, b *spend.Limit, said string, needed int64) (int64, error) {
	unit := map[spend.Kind]string{spend.Tokens: "tokens", spend.Cost: cmp.Or(r.currency(), "money"), spend.Time: "seconds"}[b.Kind]
	again, label := b.Step, "Go on with as much again"
	if needed > again {
		again, label = needed, "Go on with "+b.Format(needed, 0)+" more"
	}
	q := tools.Asking{ID: r.wb.Conversation().NewMessageID(""), Questions: []tools.Question{{
		Name:     "budget",
		Question: fmt.Sprintf("%s. Go on? (Or say by how much, in %s: +%s)", said, unit, spend.FormatRoundedUp(float64(max(again/2, needed))/b.Unit)),
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
	more := granted(answer, again, b.Unit)
	text := said + "; the person let it go on with " + b.Format(more, 0) + " more."
	if more == 0 {
		text = said + "; the person told it to stop."
	}
	return more, r.append(workshop.Record{Type: workshop.TypeSystem, EventKind: eventBudget, MessageID: r.wb.Conversation().NewMessageID("s-"),
		Text: text, CreatedAt: r.cfg.Now().UTC(), Metadata: map[string]any{"question_id": q.ID, "bound": string(b.Kind), "answer": answer}})
}

// granted returns what an answer adds to a limit of that unit.
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
	if err != nil || !spend.IsAmount(v) {
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

func (r *run) currency() string {
	if r.cfg.Price == nil {
		return ""
	}
	return r.cfg.Price.Currency
}

// setLimits sets the limits of the run. A budget in money without a price could
// not be kept, so that is refused before anything is sent.
func (r *run) setLimits(ctx context.Context) error {
	if err := r.meter.Check(); err != nil {
		return err
	}
	var before workshop.UsageSum
	if r.meter.OfWorkbench() {
		var err error
		if before, err = r.wb.UsageTotal(ctx); err != nil {
			return readError("what the workbench has used cannot be read", err)
		}
	}
	r.meter.Bind(before)
	return nil
}

// timeLimit returns the limit of time that ends first of those that nobody can
// raise; nil when there is none. While a person can be asked, an answer on its
// way is not cut: they are asked after it, and can cancel it.
func (r *run) timeLimit() *spend.Limit {
	return r.meter.TimeLimit(func(l *spend.Limit) bool { return l.Fixed || r.cfg.Questions == nil })
}

// timeUp ends the run, because the time was over before an answer was there.
func (r *run) timeUp(l *spend.Limit) error {
	said := l.Owner + " has used all of its " + l.Format(l.Most, 0) + ", and the answer on its way was not waited for"
	r.stopped = spentError(said)
	if l.Fixed {
		r.stopped = ceilingError(said)
	}
	return r.stopped
}
