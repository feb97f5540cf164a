package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"atelier/engine"
	"atelier/workshop/agent"
	"atelier/workshop/skills"
)

// printer shows a run's notifications: streamed text and a short line for
// each tool call, or every event as JSON.
type printer struct {
	out  io.Writer
	json bool
	live bool // a terminal: Markdown is formatted part by part; otherwise whole lines are printed

	canceled bool // calls that end now were stopped; the model gets no results

	mu    sync.Mutex
	line  strings.Builder // text of the incomplete line
	parts markdownParts   // on a terminal: text that is not formatted yet
	below bool            // a part was printed; an empty line separates the next
	calls []agent.ToolExecuting
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
	case engine.MessageAttached:
		for _, a := range e.Attachments {
			p.note("· " + attachedLine(a))
		}
	case agent.ToolExecuting:
		p.endLine()
		p.calls = append(p.calls, e)
	case agent.ToolComplete:
		p.calls = slices.DeleteFunc(p.calls, func(c agent.ToolExecuting) bool { return c.ToolCallID == e.ToolCallID })
		p.note(p.callEnded(e))
	case engine.RunCancelRequested:
		p.canceled = true
	case agent.QuestionPending:
		p.endLine() // the question is asked separately
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
	case agent.InstructionsUnused:
		for _, i := range e.Instructions {
			p.note(fmt.Sprintf("! %s of the %s is not used: %s", name(i.Name), i.Source, name(i.Why)))
			if i.Status == skills.New || i.Status == skills.Changed {
				p.note("  to decide, see: atelier skills")
			}
		}
	case agent.ServerProblems:
		p.serverProblems(e)
	case agent.MessageComplete:
		p.endsEarly(e.FinishReason)
	case agent.LoopWarning:
		p.note(fmt.Sprintf("! the model repeats %s without progress", e.ToolName))
	case agent.RateLimitWarning:
		p.note("! " + e.WarningMessage)
	}
}

// callEnded says how long a call took, and whether it failed.
func (p *printer) callEnded(e agent.ToolComplete) string {
	line := callName(e.ToolName, e.Path)
	if e.Elapsed > 0 {
		line += "  " + shortTime(e.Elapsed)
	}
	switch {
	case !e.Success && p.canceled:
		line += ": was stopped"
	case !e.Success:
		line += ": failed; the model was told why"
	case e.Unchanged:
		line += ": changed nothing"
	}
	return line
}

// serverProblems says which programs' tools are missing, or that the run waits.
func (p *printer) serverProblems(e agent.ServerProblems) {
	if e.Waiting {
		p.note("· waiting for programs with tools to start")
		return
	}
	for _, s := range e.Servers {
		p.note(fmt.Sprintf("! the tools of %s cannot be used: %s", name(s.Server), name(s.Reason)))
	}
}

// callName returns the beginning of the line of a call.
func callName(tool, path string) string {
	return strings.TrimSpace("· " + name(tool) + " " + name(path))
}

// endsEarly reports an incomplete answer if reason says so.
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

// text prints streamed text: formatted on a terminal, by whole lines in a
// pipe.
func (p *printer) text(s string) {
	if p.live {
		p.print(p.parts.add(s))
		return
	}
	for _, part := range strings.SplitAfter(s, "\n") {
		p.line.WriteString(part)
		if strings.HasSuffix(part, "\n") {
			fmt.Fprint(p.out, p.line.String())
			p.line.Reset()
		}
	}
}

// print prints parts of a text.
func (p *printer) print(parts []markdownPart) {
	for _, part := range parts {
		if p.below && !part.more {
			fmt.Fprintln(p.out)
		}
		fmt.Fprint(p.out, layoutOf(p.out).render(part))
		p.below = true
	}
}

// note prints a separate line.
func (p *printer) note(s string) {
	p.endLine()
	fmt.Fprintln(p.out, s)
}

// endLine prints the pending text.
func (p *printer) endLine() {
	if p.live {
		p.print(p.parts.rest())
		p.below = false
		return
	}
	if p.line.Len() == 0 {
		return
	}
	fmt.Fprintln(p.out, p.line.String())
	p.line.Reset()
}

// end prints what is left: the last line, and calls that did not end.
func (p *printer) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endLine()
	for _, c := range p.calls {
		p.note(callName(c.ToolName, c.Path) + ": was not ended")
	}
	p.calls, p.canceled = nil, false
}
