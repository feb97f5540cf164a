package agent

import (
	"context"

	"atelier/workshop/tools"
)

// asker puts a tool's questions to the user while the run waits.
type asker struct{ r *run }

// Ask implements tools.Asker. The question can be answered before it is
// announced, so no answer comes too early.
func (a asker) Ask(ctx context.Context, q tools.Asking) (tools.Answers, error) {
	r := a.r
	q.At = r.cfg.Now().UTC()
	answers, err := r.cfg.Questions.Open(r.wb.ID(), q)
	if err != nil {
		return nil, err
	}
	defer r.cfg.Questions.Forget(q.ID)
	defer r.meter.Clock.Hold()()
	r.cfg.Events.Emit(NewQuestionPending(r.wb.ID(), q))
	select {
	case got, ok := <-answers:
		if !ok {
			return nil, tools.ErrNobody
		}
		return got, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
