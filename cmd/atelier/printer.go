package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"atelier/engine"
	"atelier/workshop/agent"
)

// printer shows a run's notifications: text as it streams and a short line per
// tool call, or every event as JSON.
type printer struct {
	out  io.Writer
	json bool
	live bool // a terminal: text appears as it comes; else whole lines

	canceled bool // calls that end now were stopped; the model hears no more

	mu   sync.Mutex
	line strings.Builder // text of the line not ended yet
}

func newPrinter(out io.Writer, asJSON bool) *printer {
	_, live := terminal(out)
	return &printer{out: out, json: asJSON, live: live}
}

func (p *printer) notify(n engine.Notification) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.json {
		if b, err := json.Marshal(map[string]any{"method": n.Method, "params": n.Params}); err == nil {
			fmt.Fprintf(p.out, "%s\n", b)
		}
		return
	}
	switch e := n.Params.(type) {
	case agent.StreamDelta:
		p.text(e.TokenDelta)
	case agent.ToolExecuting:
		p.note("· " + strings.TrimSpace(e.ToolName+" "+name(e.Path)))
	case agent.ToolComplete:
		if !e.Success && p.canceled {
			p.note("  " + e.ToolName + " was stopped")
		} else if !e.Success {
			p.note("  " + e.ToolName + " failed; the model was told why")
		} else if e.Unchanged {
			p.note("  " + e.ToolName + " changed nothing")
		}
	case engine.RunCancelRequested:
		p.canceled = true
	case agent.QuestionPending:
		p.endLine() // the question is asked beside
	case agent.ModeChanged:
		p.note(strings.TrimSpace("· now in " + e.Mode + " mode " + e.PlanFile))
	case agent.PhaseStarted:
		p.note("· phase: " + e.Phase)
	case agent.ImplementProgress:
		p.note(fmt.Sprintf("· item %d of %d: %s", e.CurrentItem, e.TotalItems, name(e.ItemLabel)))
	case agent.ContextCompacted:
		p.note(fmt.Sprintf("· the conversation came near the model's window: %d messages were summarised for it, %d results shortened, %d left out; all are kept", e.Summarised, e.Shortened, e.Dropped))
	case agent.ContextCut:
		p.note(fmt.Sprintf("! the endpoint left out a part of the request: its window has %d tokens; %s", e.Window, e.Hint))
	case agent.MessageComplete:
		p.endsEarly(e.FinishReason)
	case agent.LoopWarning:
		p.note(fmt.Sprintf("! the model repeats %s without progress", e.ToolName))
	case agent.RateLimitWarning:
		p.note("! " + e.WarningMessage)
	}
}

// endsEarly says that an answer was not written to its end, if reason says so.
func (p *printer) endsEarly(reason string) {
	switch reason {
	case "":
	case "length":
		p.note("! the answer ends early: it reached the longest one allowed, or the model's window; run \"go on\" for the rest")
	case "content_filter":
		p.note("! the answer ends early: the endpoint's content filter stopped it")
	default:
		p.note("! the answer ends early: " + name(reason))
	}
}

// text prints streamed text: at once on a terminal, by whole lines in a pipe.
func (p *printer) text(s string) {
	if p.live {
		fmt.Fprint(p.out, s)
	}
	for _, part := range strings.SplitAfter(s, "\n") {
		p.line.WriteString(part)
		if strings.HasSuffix(part, "\n") {
			if !p.live {
				fmt.Fprint(p.out, p.line.String())
			}
			p.line.Reset()
		}
	}
}

// note prints a line of its own.
func (p *printer) note(s string) {
	p.endLine()
	fmt.Fprintln(p.out, s)
}

func (p *printer) endLine() {
	if p.line.Len() == 0 {
		return
	}
	if !p.live {
		fmt.Fprint(p.out, p.line.String())
	}
	fmt.Fprintln(p.out)
	p.line.Reset()
}

// end prints what is left of the last line.
func (p *printer) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endLine()
}
