package engine

import (
	"atelier/workshop/agent"
	"atelier/workshop/agent/phases"
)

// UnfinishedRun says how far a run in phases is (V-01).
type UnfinishedRun struct {
	MessageID string `json:"message_id"`
	Phase     string `json:"phase"`      // the first that is not finished: research, plan, implement or summary
	ItemsDone int    `json:"items_done"` // failed ones included
	Items     int    `json:"items"`      // 0 while there is no plan
}

// AbandonedPlan is a plan that was not carried out to its end and that nothing
// goes on with by itself: another message came, or files were taken back. The
// model of the next run is told of it.
type AbandonedPlan struct {
	MessageID string `json:"message_id"`
	ItemsDone int    `json:"items_done"` // failed ones included
	Items     int    `json:"items"`
	Undone    bool   `json:"undone"` // files were taken back since
}

// plansLeft returns what the workbench has of a run in phases that did not end: one
// that can be gone on with, or one that was abandoned.
func plansLeft(wb *openWorkbench) (*UnfinishedRun, *AbandonedPlan, error) {
	st, err := phases.Load(phases.Dir(wb.Dir()))
	if err != nil {
		return nil, nil, err
	}
	id, unfinished := st.Unfinished()
	left, undone, ok := st.Left()
	if !unfinished && !ok {
		return nil, nil, nil // the usual case, for which the conversation is not read
	}
	records, err := wb.Conversation().Standing()
	if err != nil {
		return nil, nil, err
	}
	plan := st.Plan()
	if unfinished && id == agent.LastRequest(records) {
		if _, answered := agent.Answered(records, id); !answered {
			return &UnfinishedRun{MessageID: id, Phase: st.Phase(), Items: len(plan.Items), ItemsDone: plan.Done()}, nil, nil
		}
	}
	if !ok || !agent.Abandoned(records, left) {
		return nil, nil, nil
	}
	return nil, &AbandonedPlan{MessageID: left, Items: len(plan.Items), ItemsDone: plan.Done(), Undone: undone}, nil
}

// forgetPhases makes an unfinished run in phases begin again after files were
// taken back: items that its plan has as done may be undone with them.
func (e *Engine) forgetPhases(wb *openWorkbench) {
	if err := phases.Forget(phases.Dir(wb.Dir())); err != nil {
		e.log.Error("the state of a run in phases cannot be removed", "workbench", wb.ID(), "err", err)
	}
}
