package spend

import (
	"context"
	"errors"
	"fmt"
	"time"

	"atelier/llm"
	"atelier/llm/tokens"
	"atelier/workshop"
	"atelier/workshop/agent/runerr"
)

// ErrUsed is why a request was not sent; Meter.Over says more.
var ErrUsed = errors.New("not finished: the budget is used up; what was translated of it is kept")

// Over returns why the meter ended the work that it pays for; nil when it did
// not. A nil Meter is never over.
func (m *Meter) Over() *runerr.Error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.over
}

func (m *Meter) end(said string) {
	m.over = runerr.Errorf(runerr.CodeBudget, "%s", said)
	m.over.Hint = "what was translated is kept: start the same translation again, with a larger budget, to go on"
	m.over.Actions = []string{"retry"}
}

// Client returns c with its requests paid out of the meter; a nil Meter pays for
// everything. Several requests may be on their way at the same time, such as
// those of a translation: each reserves what it may cost before it is sent and
// then returns what it did not use, so that together they keep to the limits. No
// person is asked: the first request for which too little is left ends the meter.
func (m *Meter) Client(c llm.Client) llm.Client {
	if m == nil {
		return c
	}
	return llm.Wrap(c, func(ctx context.Context, r llm.Request, next llm.Client) (llm.ChatResponse, error) {
		if r.OnDelta != nil || r.OnCall != nil {
			return llm.ChatResponse{}, errors.New("a meter pays for whole answers only: one that was cut could not be taken back")
		}
		return m.pay(ctx, r, next)
	})
}

// pay sends a request, and repeats it while its answer is cut and there is room
// for a longer one. The usage of the response covers all of its answers.
func (m *Meter) pay(ctx context.Context, r llm.Request, next llm.Client) (llm.ChatResponse, error) {
	estimated, length := tokens.OfRequest(r), int64(tokens.Count(r.Messages[len(r.Messages)-1].Content))
	least := int64(0)
	var before llm.ChatResponse // what answers that were cut took
	for {
		request, answer, err := m.reserve(ctx, estimated, length, least)
		if err != nil {
			return before, err
		}
		limited := ctx
		if most := m.longest(request); most == 0 || answer < most {
			limited = llm.WithLimit(ctx, int(min(answer, 1<<30)))
		}
		resp, up, err := SendFor(limited, m.left(), r, next)
		m.settle(request, answer, length, estimated, resp, err)
		cut := err == nil && resp.Cut() // by its own usage
		resp.Usage, resp.CutBefore = resp.Usage.Plus(before.Usage), before.CutBefore
		before = llm.ChatResponse{Usage: resp.Usage, CutBefore: resp.CutBefore + 1}
		if up {
			return before, m.timeUp()
		}
		if !cut {
			return resp, err
		}
		least = 2 * int64(resp.Limit)
	}
}

// longest returns the longest answer to a request that can come at all; 0: not known.
func (m *Meter) longest(request int64) int64 {
	most := int64(m.opt.MaxAnswer)
	if w := int64(m.opt.Window); w > 0 {
		if left := max(w-request, 1); most == 0 || left < most {
			most = left
		}
	}
	return most
}

// reserve reserves what a request, estimated at so many tokens, and its answer
// may cost. Translations are about as long as their source. It waits while
// requests are on their way that may return what is missing.
func (m *Meter) reserve(ctx context.Context, estimated int, length, least int64) (request, answer int64, err error) {
	for {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		m.mu.Lock()
		if err := m.allow(0); err != nil {
			m.mu.Unlock()
			return 0, 0, err
		}
		request = int64(m.gauge.Of(estimated))
		least := max(least, m.expectedAnswer(length))
		answer, short := m.room(request, least)
		if most := m.longest(request); most > 0 {
			answer, least = min(answer, most), min(least, most)
		}
		if answer >= 2*least || answer >= least && (m.flights == 0 || answer == m.longest(request)) {
			m.request, m.answer, m.flights = m.request+request, m.answer+answer, m.flights+1
			m.mu.Unlock()
			return request, answer, nil
		}
		if m.flights == 0 {
			m.end(fmt.Sprintf("%s has used %s, and the next request takes about %s more", short.Owner, short.format(short.used(), short.Most), short.format(RoundUp(short.next(request, least)), 0)))
			m.mu.Unlock()
			return 0, 0, ErrUsed
		}
		if m.back == nil {
			m.back = make(chan struct{})
		}
		back := m.back
		m.mu.Unlock()
		select {
		case <-back:
		case <-ctx.Done():
			return 0, 0, ctx.Err()
		}
	}
}

// expectedAnswer returns the smallest room for an answer that is worth its
// request.
func (m *Meter) expectedAnswer(length int64) int64 {
	switch {
	case m.asked == 0 && m.reasons:
		length += leastThought
	case m.asked > 0:
		length = int64(float64(length) * min(max(float64(m.length)/float64(m.asked), 0.5), 20))
	}
	return max(length, m.LeastAnswer())
}

// room returns how many tokens an answer may have: twice what is expected, or
// its share of what is left, whichever is more, but no more than is not
// reserved. short is the limit that leaves the least.
func (m *Meter) room(request, least int64) (answer int64, short *Limit) {
	answer = 1 << 40
	for _, b := range m.Limits {
		if b.Kind == Time {
			continue
		}
		left, own := b.Most-b.used(), b.next(request, 0)
		free := left - b.next(m.request, m.answer) - own
		if b.tokenPrice == 0 { // answers cost nothing
			if free < 0 {
				return -1, b
			}
			continue
		}
		share := left/int64(max(m.opt.Parallel, 1)) - own
		if n := min(free/b.tokenPrice, max(share/b.tokenPrice, 2*least)); n < answer {
			answer, short = n, b
		}
	}
	return answer, short
}

// settle counts what a request took and returns the rest of what it reserved.
func (m *Meter) settle(request, answer, length int64, estimated int, resp llm.ChatResponse, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	took, guessed := measured(request, resp, err)
	u := workshop.Usage{Tokens: took, State: workshop.UsageOK, Purpose: workshop.UsageTranslate}
	if p := m.opt.Price; p != nil {
		cost := int64(p.Cost(took.Input, took.Cached, took.Written, took.Output))
		u.Cost, u.Currency = &cost, p.Currency
	}
	m.Add(u)
	if err == nil && !guessed {
		m.gauge.Learn(estimated, int(took.Input))
		m.asked, m.length = m.asked+max(length, leastAnswer), m.length+took.Output
	}
	m.NoticeReasoning(resp)
	m.request, m.answer, m.flights = m.request-request, m.answer-answer, m.flights-1
	if m.back != nil {
		close(m.back)
		m.back = nil
	}
}

// Allow reports whether work that takes time may begin; a nil Meter allows all.
func (m *Meter) Allow(ctx context.Context) error {
	if m == nil {
		return ctx.Err()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.allow(0)
}

// Sleep waits, unless the time of the budget would be over before the end.
func (m *Meter) Sleep(ctx context.Context, d time.Duration) error {
	if m != nil {
		m.mu.Lock()
		err := m.allow(d)
		m.mu.Unlock()
		if err != nil {
			return err
		}
	}
	return llm.Sleep(ctx, d)
}

// allow reports whether work that takes at least wait may begin. m.mu is held.
func (m *Meter) allow(wait time.Duration) error {
	if l := m.TimeLimit(anyLimit); m.over == nil && l != nil {
		worked := l.used()
		if worked >= l.Most || worked+int64(wait) > l.Most {
			said := m.opt.Owner + " has used " + l.format(worked, l.Most)
			if wait > 0 {
				said += ", and the endpoint asks to wait for " + l.format(int64(wait), 0) + " more"
			}
			m.end(said)
		}
	}
	if m.over != nil {
		return ErrUsed
	}
	return nil
}

func anyLimit(*Limit) bool { return true }

// left returns the time until the end of the budget, 0 when it has no end.
func (m *Meter) left() time.Duration {
	if l := m.TimeLimit(anyLimit); l != nil {
		return l.Left()
	}
	return 0
}

// timeUp ends the meter because the time was over before an answer was there.
func (m *Meter) timeUp() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.over == nil {
		l := m.TimeLimit(anyLimit)
		m.end(m.opt.Owner + " has used all of its " + l.format(l.Most, 0) + ", and answers on their way were not waited for")
	}
	return ErrUsed
}

// errTimeUp is the cause of a context that SendFor ended.
var errTimeUp = errors.New("the time of the budget was over before the answer was there")

// SendFor sends a request to a client and waits for its answer no longer than left; 0 waits
// for any time. Without that, an endpoint that is silent, or never stops, would
// block a run for any time. up reports that the time was over: the response then
// holds what had arrived, and err says why it is not complete.
func SendFor(ctx context.Context, left time.Duration, r llm.Request, next llm.Client) (resp llm.ChatResponse, up bool, err error) {
	if left > 0 {
		var cancel context.CancelCauseFunc
		ctx, cancel = context.WithCancelCause(ctx)
		defer cancel(nil)
		defer time.AfterFunc(left, func() { cancel(errTimeUp) }).Stop()
	}
	resp, err = next.Chat(ctx, r)
	return resp, err != nil && context.Cause(ctx) == errTimeUp, err
}
