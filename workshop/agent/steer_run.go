package agent

import (
	"context"
	"fmt"
	"slices"

	"atelier/llm"
	"atelier/workshop"
)

// The safe points of a run: before each request to the model, where every call
// has its result, what the user said meanwhile joins the conversation; and
// before the run returns. The phase summary of a run in phases takes nothing
// up, since it could not do it: such a message has a turn of its own then.

// steered takes up what waits and reports whether there was something.
func (r *run) steered(ctx context.Context) (bool, error) {
	s := r.cfg.Steering
	if s == nil || r.phase.stage && r.phase.final || ctx.Err() != nil {
		return false, nil
	}
	taken, err := s.take(ctx)
	if err != nil {
		return false, fmt.Errorf("a message of the user cannot be taken up: %w", err)
	}
	for _, rec := range taken {
		r.msgs = append(r.msgs, userMessage(rec.Text))
	}
	r.steers += len(taken)
	return len(taken) > 0, nil
}

// goesOn takes up what came while the model gave its answer, with which the run
// then continues.
func (r *run) goesOn(ctx context.Context) (bool, error) {
	if !r.phase.final || r.phase.stage {
		return false, nil
	}
	more, err := r.steered(ctx)
	if more && r.phase.chooses { // how to work was decided by the first answer
		r.phase.chooses = false
		r.tools = slices.DeleteFunc(r.tools, func(t llm.Tool) bool { return t.Function.Name == inPhases.Function.Name })
	}
	return more, err
}

// turns answers the message, and then those that were sent to be answered
// after it.
func (r *run) turns(ctx context.Context) error {
	err := r.work(ctx)
	for err == nil && r.cfg.Steering != nil {
		var rec workshop.Record
		var when string
		if rec, when, err = r.cfg.Steering.next(ctx); err != nil || when == "" {
			break
		}
		r.message, r.chose = rec.MessageID, false
		if err = r.look(ctx); err != nil {
			break
		}
		if when == SteerNow { // it came too late for the phases
			err = r.runPhase(ctx, plain)
			continue
		}
		err = r.work(ctx)
	}
	return err
}

// endSteering stores what nobody took up.
func (r *run) endSteering(ctx context.Context) error {
	if r.cfg.Steering == nil {
		return nil
	}
	return r.cfg.Steering.End(context.WithoutCancel(ctx))
}
