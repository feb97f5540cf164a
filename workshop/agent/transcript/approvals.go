package transcript

import (
	"context"

	"atelier/workshop/approvals"
)

// approvals returns those of the config section, with what was allowed for good
// since.
func (p *player) approvals(ctx context.Context) (*approvals.Store, error) {
	c := p.script.config
	if err := c.Approvals.Check(); err != nil {
		return nil, err
	}
	s := approvals.NewStore(p.wb, c.Approvals)
	st, err := s.State(ctx)
	if err != nil || len(c.Granted) == 0 || len(st.Granted) > 0 {
		return s, err
	}
	return s, s.Change(ctx, func(st *approvals.State) { st.Granted = c.Granted })
}
