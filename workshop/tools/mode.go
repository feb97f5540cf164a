package tools

import "atelier/workshop"

// The modes of a session (M-01): in plan mode only plans can be written.
const (
	ModePlan  = "plan"
	ModeBuild = "build"
)

// GuardsItself marks a tool that changes files and knows what plan mode allows
// (M-02). Other tools that write are refused in plan mode altogether.
func (t *Tool) GuardsItself() *Tool {
	t.guarded = true
	return t
}

// exitName is the tool by which a model leaves plan mode.
const exitName = "exit_plan_mode"

// planRefusal is the cause of such a fault: what would be allowed.
type planRefusal string

func (p planRefusal) Error() string { return "The system is in Plan Mode: " + string(p) }

// byHand words the refusal where only the user can leave plan mode.
func (p planRefusal) byHand() string {
	return p.Error() + ". Nothing else is changed until the user switches to Build Mode, for which you have no tool: say in your answer what you would change."
}

// RefusedInPlanMode returns the fault of a change that plan mode does not allow, on
// the argument it concerns; only says what would be allowed.
func RefusedInPlanMode(field, only string) *workshop.Fault {
	return workshop.Faultf(workshop.Invalid, "%w. To make other changes, switch to Build Mode first: "+
		"call ask_user with an Accept/Reject question about the plan and, once the answer is Accept, exit_plan_mode.", planRefusal(only)).OnField(field)
}

// guard refuses tools that do not know plan mode while it is on.
func (b Binding) guard(env *Env) error {
	if env.Mode != ModePlan || b.Tool.Effect != Write || b.Tool.guarded {
		return nil
	}
	return RefusedInPlanMode("path", b.Name+" is not available, only plans can be written")
}
