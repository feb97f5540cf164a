package agent

import (
	"context"

	"atelier/workshop"
	"atelier/workshop/secrets"
)

// guard returns what keeps files from the model in a call of a tool, or where none is
// named in what it is told besides. It goes by the rules and the list of the
// folder as they are now.
func (r *run) guard(ctx context.Context, tool string) (*secrets.Guard, error) {
	var names []string
	if tool != "" {
		own, others := r.names(tool)
		names = append([]string{own}, others...)
	}
	unlocked, err := r.cfg.Approvals.Unlocks(ctx, names...)
	if err != nil {
		return nil, err
	}
	return secrets.Load(ctx, r.wb, unlocked)
}

// keptBack refuses a result that holds what was read of files that are kept from
// the model now.
func (r *run) keptBack(ctx context.Context, files []string) error {
	g, err := r.guard(ctx, "")
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := g.Check(workshop.Path(f)); err != nil {
			return err
		}
	}
	return nil
}

// marked returns a view of the run that says which of its files are kept back.
func (r *run) marked(ctx context.Context, v workshop.View) (workshop.View, error) {
	g, err := r.guard(ctx, "")
	if err != nil {
		return nil, err
	}
	return g.View(v), nil
}
