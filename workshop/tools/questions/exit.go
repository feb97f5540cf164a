package questions

import (
	"context"
	"strings"

	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/files"
)

// ExitArgs are the arguments of exit_plan_mode.
type ExitArgs struct {
	Plan    workshop.Path
	Shown   string         // the path as the catalogue shows it
	Details map[string]any // recorded with the change (C-21)
}

// Exited is the result of exit_plan_mode.
type Exited struct {
	Mode     string `json:"mode"`
	PlanFile string `json:"plan_file"`
}

// ExitPlanMode goes from planning to building, once the user has accepted the
// plan: in a session that keeps its mode, that is enforced (M-20).
func ExitPlanMode() *tools.Tool {
	return tools.New("exit_plan_mode", "Go from Plan Mode to Build Mode with a plan that the user has accepted.", tools.Interact,
		func(ctx context.Context, env *tools.Env, a ExitArgs) (any, error) {
			e, err := planOf(ctx, env, a)
			if err != nil {
				return nil, err
			}
			if env.Session != nil && env.Session.Modes != nil {
				m := env.Session.Modes
				if err := m.Approved(ctx, e); err != nil {
					return nil, err
				}
				if err := m.SetMode(ctx, tools.ModeChange{Mode: tools.ModeBuild, PlanFile: a.Plan, Details: a.Details}); err != nil {
					return nil, err
				}
			}
			return Exited{tools.ModeBuild, a.Shown}, nil
		})
}

// planOf checks that the file is a plan (B16-02).
func planOf(ctx context.Context, env *tools.Env, a ExitArgs) (workshop.Entry, error) {
	e, err := env.View.Stat(ctx, a.Plan)
	refuse := func(code workshop.FaultCode, format string, args ...any) (workshop.Entry, error) {
		return e, workshop.Faultf(code, format, args...).OnField("plan_file_path")
	}
	switch {
	case workshop.IsFault(err, workshop.NotFound):
		f := workshop.Faultf(workshop.NotFound, "Plan file not found: %s", a.Shown)
		return e, f
	case err != nil:
		return e, err
	case e.IsDir || e.Type != files.PlanType:
		return refuse(workshop.Invalid, "File is not a plan file: %s", a.Shown)
	case !strings.HasSuffix(string(a.Plan), files.PlanExt):
		return refuse(workshop.Invalid, "The name of a plan file ends in %s: %s", files.PlanExt, a.Shown)
	case e.Size == 0:
		return refuse(workshop.Invalid, "The plan file is empty: %s", a.Shown)
	}
	return e, nil
}
