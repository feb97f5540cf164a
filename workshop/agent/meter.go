package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"atelier/llm"
	"atelier/llm/models"
	"atelier/workshop"
)

// MeterOptions make a Meter. Now must be set.
type MeterOptions struct {
	Budget  Budget
	Ceiling Budget // kept to as well
	Model   string
	Price   *models.Price     // nil: not known
	Before  workshop.UsageSum // what the workbench had used, for its bounds
	// Parallel is how many requests may be on their way together.
	Parallel int
	Reasons  bool // see Config
	Window   int  // of the model, in tokens; 0: not known
	// MaxAnswer is the longest answer that the model gives; 0: not known.
	MaxAnswer int
	Now       func() time.Time
}

// Meter is a budget that requests at the same time share, such as those of a
// translation. Each takes out what it may come to before it is sent and puts
// back what it did not use, so that together they do not exceed it either.
// Nobody is asked: the first request for which it is too small ends it. Its
// methods can be called at the same time.
type Meter struct {
	opt    MeterOptions
	bounds []*bound
	time   time.Duration // 0: no bound
	begun  time.Time

	mu           sync.Mutex // protects the fields below
	gauge        gauge
	tokens, cost int64 // spent
	request      int64 // taken out by requests on their way, in tokens
	answer       int64 // and for their answers
	flights      int
	back         chan struct{} // closed when one puts back; nil when nobody waits
	asked, said  int64         // tokens that answers were expected to have, and had
	reasons      bool
	over         *Error
}

// ErrBudgetUsed is why a request was not sent; Meter.Over says more.
var ErrBudgetUsed = errors.New("not finished: the budget is used up; what was translated of it is kept")

// NewMeter makes a meter for a translation; nil when nothing bounds it.
func NewMeter(opt MeterOptions) (*Meter, error) {
	p := &Meter{opt: opt, begun: opt.Now(), reasons: opt.Reasons}
	spent := func() (int64, int64) { return p.tokens, p.cost }
	for _, b := range []Budget{opt.Budget, opt.Ceiling} {
		if err := b.Check(); err != nil {
			return nil, err
		}
		if err := needsPrice(b, opt.Price, opt.Model); err != nil {
			return nil, err
		}
		p.bounds = append(p.bounds, bounds(b, "This translation", opt.Price, opt.Before, spent, func() float64 { return 0 })...)
		if b.Time > 0 && (p.time == 0 || b.Time < p.time) {
			p.time = b.Time
		}
	}
	if len(p.bounds) == 0 && p.time == 0 {
		return nil, nil
	}
	return p, nil
}

// Over is why the meter ended what it pays for; nil when it did not. A nil Meter
// is never over.
func (p *Meter) Over() *Error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.over
}

func (p *Meter) end(said string) {
	p.over = errorf(CodeBudget, "%s", said)
	p.over.Hint = "what was translated is kept: start the same translation again, with a larger budget, to go on"
	p.over.Actions = []string{"retry"}
}

// Client is c with its requests paid out of the meter; a nil Meter pays for
// everything.
func (p *Meter) Client(c llm.Client) llm.Client {
	if p == nil {
		return c
	}
	return meteredClient{c, p}
}

type meteredClient struct {
	llm.Client
	p *Meter
}

// StreamChatWithTools implements llm.Client.
func (c meteredClient) StreamChatWithTools(ctx context.Context, key, model string, ms []llm.Message, ts []llm.Tool, onDelta func(string), onCall func(llm.ToolCall)) (llm.ChatResponse, error) {
	if onDelta != nil || onCall != nil {
		return llm.ChatResponse{}, errors.New("a meter pays for whole answers only: one that was cut could not be taken back")
	}
	return c.p.pay(ctx, ms, ts, func(ctx context.Context) (llm.ChatResponse, error) {
		return c.Client.StreamChatWithTools(ctx, key, model, ms, ts, nil, nil)
	})
}

// ChatWithTools implements llm.Client.
func (c meteredClient) ChatWithTools(ctx context.Context, key, model string, ms []llm.Message, ts []llm.Tool) (llm.ChatResponse, error) {
	return c.p.pay(ctx, ms, ts, func(ctx context.Context) (llm.ChatResponse, error) {
		return c.Client.ChatWithTools(ctx, key, model, ms, ts)
	})
}

// pay sends a request, and again while its answer is cut and there is room for a
// longer one. Usage is that of all its answers.
func (p *Meter) pay(ctx context.Context, ms []llm.Message, ts []llm.Tool, send func(context.Context) (llm.ChatResponse, error)) (llm.ChatResponse, error) {
	estimated, length := messagesTokens(ms)+toolsTokens(ts), int64(tokens(ms[len(ms)-1].Content))
	least := int64(0)
	var before llm.ChatResponse // what answers that were cut took
	for {
		request, answer, err := p.take(ctx, estimated, length, least)
		if err != nil {
			return before, err
		}
		limited := ctx
		if most := p.longest(request); most == 0 || answer < most {
			limited = llm.WithLimit(ctx, int(min(answer, 1<<30)))
		}
		resp, up, err := sendFor(limited, p.left(), send)
		p.put(request, answer, length, estimated, resp, err)
		cut := err == nil && resp.Cut() // by its own usage
		resp.Usage, resp.CutBefore = resp.Usage.Plus(before.Usage), before.CutBefore
		before = llm.ChatResponse{Usage: resp.Usage, CutBefore: resp.CutBefore + 1}
		if up {
			return before, p.timeUp()
		}
		if !cut {
			return resp, err
		}
		least = 2 * int64(resp.Limit)
	}
}

// longest is the longest answer to a request that can come at all; 0: not known.
func (p *Meter) longest(request int64) int64 {
	most := int64(p.opt.MaxAnswer)
	if w := int64(p.opt.Window); w > 0 {
		if left := max(w-request, 1); most == 0 || left < most {
			most = left
		}
	}
	return most
}

// take takes out what a request, estimated at so many tokens, and its answer may
// come to. Translations are about as long as what is translated. It waits while
// others are on their way that may put back what is missing.
func (p *Meter) take(ctx context.Context, estimated int, length, least int64) (request, answer int64, err error) {
	for {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		p.mu.Lock()
		if err := p.allow(0); err != nil {
			p.mu.Unlock()
			return 0, 0, err
		}
		request = int64(p.gauge.of(estimated))
		least := max(least, p.expects(length))
		answer, short := p.room(request, least)
		if most := p.longest(request); most > 0 {
			answer, least = min(answer, most), min(least, most)
		}
		if answer >= 2*least || answer >= least && (p.flights == 0 || answer == p.longest(request)) {
			p.request, p.answer, p.flights = p.request+request, p.answer+answer, p.flights+1
			p.mu.Unlock()
			return request, answer, nil
		}
		if p.flights == 0 {
			p.end(fmt.Sprintf("%s has used %s, and the next request takes about %s more", short.who, short.show(short.used(), short.most), short.show(rounded(short.next(request, least)), 0)))
			p.mu.Unlock()
			return 0, 0, ErrBudgetUsed
		}
		if p.back == nil {
			p.back = make(chan struct{})
		}
		back := p.back
		p.mu.Unlock()
		select {
		case <-back:
		case <-ctx.Done():
			return 0, 0, ctx.Err()
		}
	}
}

// expects is the least room for an answer to be worth its request.
func (p *Meter) expects(length int64) int64 {
	switch {
	case p.asked == 0 && p.reasons:
		length += leastThought
	case p.asked > 0:
		length = int64(float64(length) * min(max(float64(p.said)/float64(p.asked), 0.5), 20))
	}
	if p.reasons {
		return max(length, leastThought)
	}
	return max(length, leastAnswer)
}

// room is what an answer may have: twice what is expected, or its share of what
// is left, whichever is more, but no more than nobody has taken out. short is the
// bound that leaves the least.
func (p *Meter) room(request, least int64) (answer int64, short *bound) {
	answer = 1 << 40
	for _, b := range p.bounds {
		left, own := b.most-b.used(), b.next(request, 0)
		free := left - b.next(p.request, p.answer) - own
		if b.price == 0 { // answers cost nothing
			if free < 0 {
				return -1, b
			}
			continue
		}
		share := left/int64(max(p.opt.Parallel, 1)) - own
		if n := min(free/b.price, max(share/b.price, 2*least)); n < answer {
			answer, short = n, b
		}
	}
	return answer, short
}

// put puts back what a request did not use.
func (p *Meter) put(request, answer, length int64, estimated int, resp llm.ChatResponse, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	took, guessed := measured(request, resp, err)
	p.tokens += took.Input + took.Output
	if p.opt.Price != nil {
		p.cost += int64(p.opt.Price.Cost(took.Input, took.Cached, took.Output))
	}
	if err == nil && !guessed {
		p.gauge.learn(estimated, int(took.Input))
		p.asked, p.said = p.asked+max(length, leastAnswer), p.said+took.Output
	}
	p.reasons = p.reasons || resp.Reasoning != ""
	p.request, p.answer, p.flights = p.request-request, p.answer-answer, p.flights-1
	if p.back != nil {
		close(p.back)
		p.back = nil
	}
}
