package agent

import (
	"context"
	"encoding/json"
	"slices"

	"atelier/llm"
	"atelier/workshop/agent/phases"
	"atelier/workshop/agent/runerr"
	"atelier/workshop/tools"
)

// The workflows of Config.Workflow.
const (
	WorkflowAgent = "agent" // one phase with every tool
	WorkflowRPI   = "rpi"   // research, plan, implement item by item, summary (V-01)
	WorkflowAuto  = "auto"  // agent, but the model's first answer can ask for rpi
)

// Workflows returns the names a workflow can have, the default first.
func Workflows() []string { return []string{WorkflowAgent, WorkflowRPI, WorkflowAuto} }

// inPhases is the tool by which the model's first answer asks for phases.
var inPhases = llm.Tool{Type: "function", Function: llm.FunctionDef{
	Name: "work_in_phases",
	Description: "Work on this request in phases: research, a plan with items, each item on its own, a summary. " +
		"Call it as the first thing, alone, when the request takes many steps: several files, or one long document with different changes. " +
		"For a question or a small change, answer or do it at once instead.",
	Parameters: json.RawMessage(`{"type":"object","properties":{}}`),
}}

const inPhasesResult = "The request is now worked on in phases: research, plan, implement, summary."

// work does the run in its workflow.
func (r *run) work(ctx context.Context) error {
	r.result.Workflow = WorkflowAgent
	planning, err := r.checkWorkflow(ctx)
	if err != nil {
		return err
	}
	switch r.cfg.Workflow {
	case "", WorkflowAgent:
		return r.runPhase(ctx, plain)
	case WorkflowRPI:
		return r.inPhases(ctx)
	}
	left, err := phases.Load(phases.Dir(r.wb.Dir()))
	if err != nil {
		return readError("the state of the phases cannot be read", err)
	}
	if id, _ := left.Unfinished(); id == r.message && !planning {
		return r.inPhases(ctx) // it was decided, and broken off
	}
	first := plain
	first.chooses = !planning
	if err := r.runPhase(ctx, first); err != nil || !r.chose {
		return err
	}
	return r.inPhases(ctx)
}

// decide looks whether the first answer asked for phases; later ones cannot.
func (r *run) decide(calls []llm.ToolCall) {
	if !r.phase.chooses || r.turn != 1 {
		return
	}
	name := inPhases.Function.Name
	r.chose = slices.ContainsFunc(calls, func(c llm.ToolCall) bool { return c.Function.Name == name })
	r.tools = slices.DeleteFunc(r.tools, func(t llm.Tool) bool { return t.Function.Name == name })
}

// checkWorkflow refuses a workflow that cannot be, and says whether the session
// is in plan mode.
func (r *run) checkWorkflow(ctx context.Context) (planning bool, err error) {
	switch r.cfg.Workflow {
	case "", WorkflowAgent:
		return false, nil
	case WorkflowRPI, WorkflowAuto:
	default:
		e := runerr.Errorf(runerr.CodeValidation, "there is no workflow %q", r.cfg.Workflow)
		e.Hint = "use agent, rpi or auto"
		return false, e
	}
	if planning, err = r.planMode(ctx); err != nil {
		return false, err
	}
	if planning && r.cfg.Workflow == WorkflowRPI {
		e := runerr.Errorf(runerr.CodeValidation, "the session is in plan mode, in which no item of a plan could be carried out")
		e.Hint = "go to build mode first, or run with workflow agent"
		return false, e
	}
	return planning, nil
}

func (r *run) planMode(ctx context.Context) (bool, error) {
	if r.cfg.Mode == nil {
		return false, nil
	}
	mode, err := r.cfg.Mode(ctx)
	if err != nil {
		return false, readError("the mode of the session cannot be read", err)
	}
	return mode == tools.ModePlan, nil
}
