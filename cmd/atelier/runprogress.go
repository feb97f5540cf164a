package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"atelier/engine"
	"atelier/workshop/agent"
	"atelier/workshop/agent/spend"
)

// runProgress tracks what a run is doing and what it used so far, from its
// notifications.
type runProgress struct {
	now func() time.Time

	mu    sync.Mutex // protects the fields below
	since time.Time  // start of the current activity
	calls []agent.ToolExecuting
	run   spend.Totals
	said  int // bytes of the answer so far
	waits bool
}

func newRunProgress(now func() time.Time) *runProgress { return &runProgress{now: now, since: now()} }

// begin forgets the previous run.
func (p *runProgress) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.since, p.calls, p.run, p.said, p.waits = p.now(), nil, spend.Totals{}, 0, false
}

func (p *runProgress) notify(n engine.Notification) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := n.Params.(type) {
	case agent.StreamDelta:
		p.said += len(e.TokenDelta)
		p.waits = false
	case agent.ToolExecuting:
		if len(p.calls) == 0 {
			p.since = p.now()
		}
		p.calls = append(p.calls, e)
	case agent.ToolComplete:
		p.calls = slices.DeleteFunc(p.calls, func(c agent.ToolExecuting) bool { return c.ToolCallID == e.ToolCallID })
		if len(p.calls) == 0 {
			p.since = p.now()
		}
	case agent.RequestUsage:
		p.run, p.said, p.since, p.waits = e.Run, 0, p.now(), false
	case agent.RateLimitWarning:
		p.since, p.waits = p.now(), true
	}
}

// bytesPerToken is about the size of a token in European languages.
const bytesPerToken = 4

// says returns the current line.
func (p *runProgress) says() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	what := "thinking"
	switch {
	case len(p.calls) == 1:
		what = strings.TrimSpace(p.calls[0].ToolName + " " + p.calls[0].Path)
	case len(p.calls) > 1:
		what = fmt.Sprintf("%s and %d more calls", p.calls[0].ToolName, len(p.calls)-1)
	case p.waits:
		what = "waiting for the endpoint"
	case p.said > 0:
		what = "writing"
	}
	line := fmt.Sprintf("… %s, %s", what, shortTime(p.now().Sub(p.since)))
	if p.run.InputTokens+p.run.OutputTokens > 0 {
		line += fmt.Sprintf("; so far %s tokens in, %s out", spend.FormatCount(p.run.InputTokens), spend.FormatCount(p.run.OutputTokens))
	}
	if n := p.said / bytesPerToken; n > 0 {
		line += fmt.Sprintf("; about %s tokens of this answer", spend.FormatCount(int64(n)))
	}
	return line
}

// shortTime formats a time for a person: "30 ms", "12 s", "2 m 05 s".
func shortTime(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < 1:
		return fmt.Sprintf("%d ms", max(d.Milliseconds(), 1))
	case s < 9.95:
		return fmt.Sprintf("%.1f s", s)
	case s < 59.5:
		return fmt.Sprintf("%.0f s", s)
	}
	d = d.Round(time.Second)
	return fmt.Sprintf("%d m %02d s", int(d.Minutes()), int(d.Seconds())%60)
}
