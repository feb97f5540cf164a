package engine

import (
	"context"

	"atelier/workshop/approvals"
)

// ApprovalsResult is what a model has to ask for in a workbench. The first rule
// that fits a call counts: those of the workbench come before those of the
// settings file.
type ApprovalsResult struct {
	Rules       approvals.Policy  `json:"rules"`        // of the workbench
	ConfigRules approvals.Policy  `json:"config_rules"` // of the settings file
	Granted     []approvals.Grant `json:"granted"`      // allowed for good
}

// SetApprovalsParams are the params of WorkshopSetApprovals. Members that are
// left out stay as they are; [] removes all.
type SetApprovalsParams struct {
	WorkbenchID string             `json:"workbench_id"`
	Rules       *approvals.Policy  `json:"rules,omitempty"`
	Granted     *[]approvals.Grant `json:"granted,omitempty"`
}

func approvalMethods() []*Method {
	return []*Method{
		method("WorkshopGetApprovals", "The rules about what a model has to ask for, and what was allowed for good.", (*Engine).getApprovals),
		method("WorkshopSetApprovals", "Replaces the workbench's rules, or what was allowed for good; counts from the next tool call on.", (*Engine).setApprovals),
	}
}

func (e *Engine) getApprovals(ctx context.Context, p WorkbenchRef) (ApprovalsResult, error) {
	wb, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return ApprovalsResult{}, err
	}
	defer done()
	return approvalsOf(ctx, wb.approvals)
}

func approvalsOf(ctx context.Context, s *approvals.Store) (ApprovalsResult, error) {
	st, err := s.State(ctx)
	return ApprovalsResult{Rules: orEmpty(st.Rules), ConfigRules: orEmpty(s.Config()), Granted: orEmpty(st.Granted)}, err
}

func (e *Engine) setApprovals(ctx context.Context, p SetApprovalsParams) (ApprovalsResult, error) {
	wb, err := e.workbench(ctx, p.WorkbenchID)
	if err != nil {
		return ApprovalsResult{}, err
	}
	err = wb.approvals.Change(ctx, func(st *approvals.State) {
		if p.Rules != nil {
			st.Rules = *p.Rules
		}
		if p.Granted != nil {
			st.Granted = *p.Granted
			for i := range st.Granted {
				if st.Granted[i].At.IsZero() {
					st.Granted[i].At = e.opt.Now().UTC()
				}
			}
		}
	})
	if err != nil {
		return ApprovalsResult{}, err
	}
	return approvalsOf(ctx, wb.approvals)
}
