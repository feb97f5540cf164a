package engine

import (
	"slices"

	"atelier/workshop"
	"atelier/workshop/agent"
	"atelier/workshop/agent/rpi"
)

// UnfinishedRun says how far a run in phases is (V-01).
type UnfinishedRun struct {
	MessageID string `json:"message_id"`
	Phase     string `json:"phase"`      // the first that is not finished: research, plan, implement or summary
	ItemsDone int    `json:"items_done"` // failed ones included
	Items     int    `json:"items"`      // 0 while there is no plan
}

func unfinished(wb *openWorkbench) (*UnfinishedRun, error) {
	st, err := rpi.Load(rpi.Dir(wb.Dir()))
	if err != nil {
		return nil, err
	}
	id, ok := st.Unfinished()
	if !ok {
		return nil, nil
	}
	records, err := wb.Conversation().Records()
	if err != nil {
		return nil, err
	}
	if _, answered := agent.Answered(records, id); answered || id != lastUser(records) {
		return nil, nil // it was answered in another way, or is past
	}
	u := &UnfinishedRun{MessageID: id, Phase: st.Phase(), Items: len(st.Plan().Items)}
	for _, it := range st.Plan().Items {
		if it.Mark != rpi.Todo {
			u.ItemsDone++
		}
	}
	return u, nil
}

func lastUser(records []workshop.Record) string {
	for _, r := range slices.Backward(records) {
		if r.Type == workshop.TypeUser {
			return r.MessageID
		}
	}
	return ""
}

// forgetPhases makes an unfinished run in phases begin anew after files were
// taken back: items that its plan has as done may be undone with them.
func (e *Engine) forgetPhases(wb *openWorkbench) {
	if err := rpi.Forget(rpi.Dir(wb.Dir())); err != nil {
		e.log.Error("the state of a run in phases cannot be removed", "workbench", wb.ID(), "err", err)
	}
}
