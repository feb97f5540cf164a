package engine

import (
	"context"
	"sync"
	"time"
)

// prepareLimit bounds the time of Set.Prepare.
const prepareLimit = 2 * time.Minute

// preparing has the formats prepared once, when no call began or ended for a while.
type preparing struct {
	after time.Duration
	do    func(context.Context) error

	mu      sync.Mutex // protects the fields below
	timer   *time.Timer
	last    time.Time // when a call began or ended
	cancel  context.CancelFunc
	stopped bool
}

// start waits for the first pause of the engine.
func (p *preparing) start(after time.Duration, do func(context.Context) error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.after, p.do, p.last = after, do, time.Now()
	p.timer = time.AfterFunc(after, p.try)
}

// touch tells of a call that begins or ends. One that takes long, such as a run
// that waits for its model, leaves the processors idle.
func (p *preparing) touch() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = time.Now()
}

func (p *preparing) try() {
	p.mu.Lock()
	defer p.mu.Unlock()
	wait := p.after - time.Since(p.last)
	switch {
	case p.stopped:
	case wait > 0:
		p.timer.Reset(wait)
	default:
		ctx, cancel := context.WithTimeout(context.Background(), prepareLimit)
		p.cancel = cancel
		go func() {
			defer cancel()
			_ = p.do(ctx) // the call that needs it says what is wrong
		}()
	}
}

func (p *preparing) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
	if p.timer != nil {
		p.timer.Stop()
	}
	if p.cancel != nil {
		p.cancel()
	}
}
