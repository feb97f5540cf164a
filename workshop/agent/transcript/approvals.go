package transcript

import (
	"context"
	"slices"

	"atelier/workshop/approvals"
	"atelier/workshop/skills"
)

// approvals returns those of the config section, with what was allowed for good
// since.
func (p *player) approvals(ctx context.Context) (*approvals.Store, error) {
	c := p.script.config
	if err := c.Approvals.Check(); err != nil {
		return nil, err
	}
	if err := p.instructions(ctx); err != nil {
		return nil, err
	}
	s := approvals.NewStore(p.wb, c.Approvals)
	st, err := s.State(ctx)
	if err != nil || len(c.Granted) == 0 || len(st.Granted) > 0 {
		return s, err
	}
	return s, s.Change(ctx, func(st *approvals.State) { st.Granted = c.Granted })
}

// instructions keeps what was decided about instructions before. A decision without
// a hash is about the content that the transcript has.
func (p *player) instructions(ctx context.Context) error {
	decisions := slices.Clone(p.script.config.Instructions)
	if len(decisions) == 0 {
		return nil
	}
	known, err := skills.Decisions(ctx, p.wb)
	if err != nil || len(known) > 0 {
		return err
	}
	list, err := skills.Load(ctx, skills.Source{Workbench: p.wb, Published: p.wb.PublishedView()})
	if err != nil {
		return err
	}
	for i := range decisions {
		for _, it := range list {
			if d := &decisions[i]; d.Hash == "" && it.Path == d.Path {
				d.Hash = it.Hash
			}
		}
	}
	return skills.Decide(ctx, p.wb, decisions...)
}
