package acp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"atelier/engine"
	"atelier/workshop/agent"
	"atelier/workshop/agent/runerr"
	"atelier/workshop/agent/spend"
)

const (
	codeLoop   = runerr.CodeLoopDetected
	codeBudget = runerr.CodeBudget
)

func codeOf(err error) string {
	var info *engine.ErrorInfo
	if errors.As(err, &info) {
		return info.ErrorCode
	}
	if errors.Is(err, context.Canceled) {
		return engine.CodeUserCanceled
	}
	return ""
}

// thought is reasoning text of the model.
type thought string

// queue handles notifications one after another, in another goroutine than the one
// that adds them. Pieces of one text that wait are joined.
type queue struct {
	do   func(engine.Notification)
	wake chan struct{} // has a token if there may be something to do

	mu    sync.Mutex // protects items
	items []engine.Notification
}

// flushed is an item that closes a channel when its turn comes.
type flushed chan struct{}

func newQueue(do func(engine.Notification)) *queue {
	return &queue{do: do, wake: make(chan struct{}, 1)}
}

// add queues a notification. It does not block.
func (q *queue) add(n engine.Notification) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) > 0 {
		last := &q.items[len(q.items)-1]
		switch p := n.Params.(type) {
		case agent.StreamDelta:
			if l, ok := last.Params.(agent.StreamDelta); ok && l.MessageID == p.MessageID {
				l.TokenDelta += p.TokenDelta
				last.Params = l
				return
			}
		case thought:
			if l, ok := last.Params.(thought); ok {
				last.Params = l + p
				return
			}
		case engine.TranslateProgress:
			if _, ok := last.Params.(engine.TranslateProgress); ok {
				last.Params = p
				return
			}
		}
	}
	q.items = append(q.items, n)
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// thought queues reasoning text.
func (q *queue) thought(text string) { q.add(engine.Notification{Params: thought(text)}) }

// flush waits until all that was added before is handled, or ctx is done.
func (q *queue) flush(ctx context.Context) {
	done := make(flushed)
	q.add(engine.Notification{Params: done})
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// work handles notifications until ctx is done.
func (q *queue) work(ctx context.Context) {
	for {
		select {
		case <-q.wake:
		case <-ctx.Done():
			return
		}
		q.mu.Lock()
		items := q.items
		q.items = nil
		q.mu.Unlock()
		for _, n := range items {
			if done, ok := n.Params.(flushed); ok {
				close(done)
			} else if ctx.Err() == nil {
				q.do(n)
			}
		}
	}
}

// told words what a person should know while a run works.
func told(params any) string {
	switch p := params.(type) {
	case agent.RateLimitWarning:
		return fmt.Sprintf("Waiting %s before attempt %d of %d: %s", time.Duration(p.WaitMS)*time.Millisecond, p.RetryAttempt, p.RetryMax, p.WarningMessage)
	case agent.LoopWarning:
		return fmt.Sprintf("The model repeats %s without progress.", p.ToolName)
	case agent.ContextCompacted:
		return fmt.Sprintf("Older parts of the conversation reach the model shorter from now on: %d tokens instead of %d. /undo and session/load still have all of it.", p.TokensAre, p.TokensWere)
	case agent.ToolsReduced:
		return fmt.Sprintf("The model gets its tools in short descriptions, since its window is small (%d tokens).", p.Window)
	case agent.ServerProblems:
		if p.Waiting {
			return "Waiting for programs with tools to start."
		}
		var lines []string
		for _, sv := range p.Servers {
			lines = append(lines, fmt.Sprintf("The tools of %s cannot be used: %s", sv.Server, sv.Reason))
		}
		return strings.Join(lines, "\n")
	case agent.ContextCut:
		return fmt.Sprintf("The endpoint left out a part of a request of %d tokens. %s", p.Tokens, p.Hint)
	case agent.InstructionsUnused:
		text := "Not used in this run:"
		for _, u := range p.Instructions {
			text += fmt.Sprintf("\n- %s (%s): %s", u.Name, u.Source, u.Why)
		}
		return text
	}
	return ""
}

// usage says how full the window is, and what the folder cost so far.
func (s *session) usage(p engine.WindowFillChanged) {
	if p.Window <= 0 {
		return
	}
	u := sdk.SessionUsageUpdate{Size: p.Window, Used: p.Tokens}
	r, err := engine.CallAs[engine.UsageResult](s.a.work, s.a.eng, "WorkbenchGetUsage", engine.UsageParams{WorkbenchID: s.id, Limit: 1})
	if err == nil && len(r.Totals.Costs) == 1 { // one currency
		u.Cost = &sdk.Cost{Amount: r.Totals.Costs[0].Amount, Currency: r.Totals.Costs[0].Currency}
	}
	s.send(sdk.SessionUpdate{UsageUpdate: &u})
}

func usageOf(t spend.Totals) *sdk.Usage {
	u := &sdk.Usage{InputTokens: int(t.InputTokens), OutputTokens: int(t.OutputTokens), TotalTokens: int(t.InputTokens + t.OutputTokens)}
	if t.CachedTokens > 0 {
		u.CachedReadTokens = sdk.Ptr(int(t.CachedTokens))
	}
	if t.WrittenTokens > 0 {
		u.CachedWriteTokens = sdk.Ptr(int(t.WrittenTokens))
	}
	return u
}
