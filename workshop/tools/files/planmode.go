package files

import (
	"strings"

	"atelier/workshop"
	"atelier/workshop/tools"
)

// PlanType is the file type of plans, PlanExt the extension of their names, and
// PlanDir the folder they are kept in.
const (
	PlanType = "plan"
	PlanExt  = ".plan"
	PlanDir  = workshop.Path("plans")
)

// The guards of plan mode (M-02). Each is nil in build mode.

// GuardContent: only plans, and new files that are named like one, are written.
func GuardContent(env *tools.Env, p workshop.Path, e workshop.Entry, exists bool) error {
	if env.Mode != tools.ModePlan || exists && e.Type == PlanType || !exists && strings.HasSuffix(string(p), PlanExt) {
		return nil
	}
	return tools.RefusedInPlanMode("path", "only plan files (.plan, of type plan) can be written")
}

// guardFolder: files and folders come and go below /plans/ only.
func guardFolder(env *tools.Env, p workshop.Path) error {
	if env.Mode != tools.ModePlan || belowPlans(p) {
		return nil
	}
	return tools.RefusedInPlanMode("path", "only files and folders below /plans/ can be made or removed")
}

// guardMove: only plans move, and only to below /plans/.
func guardMove(env *tools.Env, from workshop.Entry, to workshop.Path) error {
	switch {
	case env.Mode != tools.ModePlan:
		return nil
	case from.Type != PlanType:
		return tools.RefusedInPlanMode("source", "only plan files can be moved")
	case !belowPlans(to):
		return tools.RefusedInPlanMode("destination", "plan files can be moved to below /plans/ only")
	}
	return nil
}

func belowPlans(p workshop.Path) bool { return strings.HasPrefix(string(p), string(PlanDir)+"/") }
