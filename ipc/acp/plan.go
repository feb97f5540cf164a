package acp

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	sdk "github.com/coder/acp-go-sdk"

	"atelier/internal/lazyregexp"
	"atelier/internal/textclip"
	"atelier/workshop"
	"atelier/workshop/agent"
)

// Bounds of a plan that is sent.
const (
	maxPlanItems = 50
	maxPlanItem  = 200       // characters
	maxPlanFile  = 256 << 10 // bytes that are read of a plan file
)

// plan is what the client shows of a run in phases: the phases, and the items of the
// implementation as they are begun.
type plan struct {
	mu     sync.Mutex // protects the fields below
	phases []planStep
	items  []planStep
}

type planStep struct {
	text   string
	status sdk.PlanEntryStatus
}

var phaseNames = []string{"research", "plan", "implement", "summary"}

var phaseTexts = map[string]string{
	"research": "Read the documents", "plan": "Write a plan", "implement": "Carry out the plan", "summary": "Sum up",
}

func (p *plan) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.phases, p.items = nil, nil
}

// phase notes that a phase begins, and those before it are done.
func (p *plan) phase(name string) []sdk.PlanEntry {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.phases = nil
	status := sdk.PlanEntryStatusCompleted
	for _, n := range phaseNames {
		if n == name {
			p.phases = append(p.phases, planStep{phaseTexts[n], sdk.PlanEntryStatusInProgress})
			status = sdk.PlanEntryStatusPending
			continue
		}
		p.phases = append(p.phases, planStep{phaseTexts[n], status})
	}
	return p.entries()
}

func (p *plan) phaseDone(name string) []sdk.PlanEntry {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, n := range phaseNames {
		if n == name && i < len(p.phases) {
			p.phases[i].status = sdk.PlanEntryStatusCompleted
		}
	}
	if name == "implement" {
		for i := range p.items {
			p.items[i].status = sdk.PlanEntryStatusCompleted
		}
	}
	return p.entries()
}

// item notes that an item of the plan begins, and those before it are done.
func (p *plan) item(n agent.ImplementProgress) []sdk.PlanEntry {
	p.mu.Lock()
	defer p.mu.Unlock()
	total := min(max(n.TotalItems, n.CurrentItem), maxPlanItems)
	for len(p.items) < total {
		p.items = append(p.items, planStep{fmt.Sprintf("Item %d", len(p.items)+1), sdk.PlanEntryStatusPending})
	}
	for i := range p.items {
		switch {
		case i+1 < n.CurrentItem:
			p.items[i].status = sdk.PlanEntryStatusCompleted
		case i+1 == n.CurrentItem:
			p.items[i] = planStep{n.ItemLabel, sdk.PlanEntryStatusInProgress}
		}
	}
	return p.entries()
}

// entries is the whole plan: an update replaces the one before. The caller holds p.mu.
func (p *plan) entries() []sdk.PlanEntry {
	var out []sdk.PlanEntry
	add := func(s planStep) {
		out = append(out, sdk.PlanEntry{Content: textclip.Head(s.text, maxPlanItem), Priority: sdk.PlanEntryPriorityMedium, Status: s.status})
	}
	for i, s := range p.phases {
		add(s)
		if phaseNames[i] == "implement" {
			for _, it := range p.items {
				add(it)
			}
		}
	}
	return out
}

func (s *session) sendPlan(entries []sdk.PlanEntry) {
	if len(entries) > 0 {
		s.send(sdk.UpdatePlan(entries...))
	}
}

var planItem = lazyregexp.New(`^\s{0,3}(?:[-*+]|\d{1,3}[.)])\s+(\[[ xX]\]\s+)?(.+)$`)

// planFile sends the items of a plan that the model has written.
func (s *session) planFile(c agent.ToolComplete) {
	for _, f := range c.Changed {
		if f.Change == "written" && strings.HasSuffix(f.Path, ".plan") {
			s.sendPlan(s.planItems(s.a.work, f.Path))
		}
	}
}

// planItems reads the list items of a plan file, those at the margin.
func (s *session) planItems(ctx context.Context, path string) []sdk.PlanEntry {
	wb, err := s.workbench(ctx)
	if err != nil {
		return nil
	}
	src, err := wb.DraftView(workshop.Cause{}).Open(ctx, workshop.Path(strings.TrimPrefix(path, "/")))
	if err != nil {
		return nil
	}
	defer src.Close()
	b, err := io.ReadAll(io.NewSectionReader(src, 0, min(src.Size(), maxPlanFile)))
	if err != nil {
		return nil
	}
	var out []sdk.PlanEntry
	for line := range strings.Lines(strings.ToValidUTF8(string(b), "\uFFFD")) {
		m := planItem.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil || len(out) == maxPlanItems {
			continue
		}
		status := sdk.PlanEntryStatusPending
		if strings.EqualFold(strings.TrimSpace(m[1]), "[x]") {
			status = sdk.PlanEntryStatusCompleted
		}
		out = append(out, sdk.PlanEntry{Content: textclip.Head(m[2], maxPlanItem), Priority: sdk.PlanEntryPriorityMedium, Status: status})
	}
	return out
}
