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

// RefusedInPlanMode is the fault of a change that plan mode does not allow, on
// the argument it concerns; only says what would be allowed.
func RefusedInPlanMode(field, only string) *workshop.Fault {
	return workshop.Faultf(workshop.Invalid, "The system is in Plan Mode: %s. To make other changes, switch to Build Mode first: "+
		"call ask_user with an Accept/Reject question about the plan and, once the answer is Accept, exit_plan_mode.", only).OnField(field)
}

// guard refuses tools that do not know plan mode while it is on.
func (b Binding) guard(env *Env) error {
	if env.Mode != ModePlan || b.Tool.Effect != Write || b.Tool.guarded {
		return nil
	}
	return RefusedInPlanMode("path", b.Name+" is not available, only plans can be written")
}
