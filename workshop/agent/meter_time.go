package agent

import (
	"context"
	"time"

	"atelier/llm"
)

// Allow is asked before work that takes time; a nil Meter allows all.
func (p *Meter) Allow(ctx context.Context) error {
	if p == nil {
		return ctx.Err()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.allow(0)
}

// Sleep waits, unless the time of the budget is over before that.
func (p *Meter) Sleep(ctx context.Context, d time.Duration) error {
	if p != nil {
		p.mu.Lock()
		err := p.allow(d)
		p.mu.Unlock()
		if err != nil {
			return err
		}
	}
	return llm.Sleep(ctx, d)
}

// allow is for what takes at least wait. p.mu is held.
func (p *Meter) allow(wait time.Duration) error {
	worked := p.opt.Now().Sub(p.begun)
	if p.over == nil && p.time > 0 && (worked >= p.time || worked+wait > p.time) {
		said := "This translation has used " + showTime(int64(worked), int64(p.time))
		if wait > 0 {
			said += ", and the endpoint asks to wait for " + showTime(int64(wait), 0) + " more"
		}
		p.end(said)
	}
	if p.over != nil {
		return ErrBudgetUsed
	}
	return nil
}

// left is the time until the end of the budget, 0 when it has no end.
func (p *Meter) left() time.Duration {
	if p.time == 0 {
		return 0
	}
	return max(p.time-p.opt.Now().Sub(p.begun), 1)
}

// timeUp ends the meter, an answer of which was not waited for.
func (p *Meter) timeUp() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over == nil {
		p.end("This translation has used all of its " + showTime(int64(p.time), 0) + ", and answers on their way were not waited for")
	}
	return ErrBudgetUsed
}
