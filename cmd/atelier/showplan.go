package main

import (
	"context"
	"fmt"
	"strings"

	"atelier/engine"
	"atelier/workshop/review"
	"atelier/workshop/review/textdiff"
	"atelier/workshop/tools"
	planfiles "atelier/workshop/tools/files"
)

// showPlans prints the plans of the draft that were not shown in their
// current version. In plan mode, most questions ask whether to accept a plan,
// and the person has to see it first. If plans cannot be read, only the
// question is shown.
func (p *prompter) showPlans(ctx context.Context, workbench string) {
	ref := engine.WorkbenchRef{WorkbenchID: workbench}
	st, err := engine.CallAs[engine.WorkshopState](ctx, p.e, "WorkshopGetState", ref)
	if err != nil || st.Mode != tools.ModePlan {
		return
	}
	set, err := engine.CallAs[engine.ChangeSetResult](ctx, p.e, "ReviewGetChangeSet", ref)
	if err != nil {
		return
	}
	for _, c := range set.Changes {
		if !strings.HasSuffix(c.Path, planfiles.PlanExt) || p.shown[c.Path] == c.NewHash {
			continue
		}
		d, err := engine.CallAs[review.TextDiff](ctx, p.e, "ReviewGetTextDiff", engine.ReviewTextParams{WorkbenchID: workbench, Path: c.Path})
		if err != nil {
			continue
		}
		if p.shown == nil {
			p.shown = map[string]string{}
		}
		p.shown[c.Path] = c.NewHash
		fmt.Fprintf(p.out, "\n%s:\n", name(c.Path))
		for _, h := range d.Hunks {
			for _, l := range h.Lines {
				if l.Type != textdiff.Removed {
					fmt.Fprintf(p.out, "  %s\n", lineText(l))
				}
			}
		}
	}
}
