package transcript

import (
	"context"

	"atelier/workshop"
	"atelier/workshop/agent"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
	"atelier/workshop/tools/questions"
)

// attendance is the mode of a transcript's session, and who answers questions.
type attendance struct {
	modes   *questions.Modes
	broker  *questions.Broker // nil: nobody is there
	answers []tools.Answers   // still to be given
}

// attend says who is there in a run: somebody, when answers are given or the
// run ends at a question.
func (d *attendance) attend(a action) {
	d.broker, d.answers = nil, a.Answers
	if len(a.Answers) > 0 || a.CancelAfter == agent.EventQuestionPending || a.CrashAfter == agent.EventQuestionPending {
		d.broker = &questions.Broker{}
	}
}

func (d *attendance) configure(cfg *agent.Config, name string) {
	if d.broker != nil {
		cfg.Questions = d.broker
	}
	_, exits := cfg.Catalogue.Effect("exit_plan_mode")
	d.modes.NoExit = !exits
	cfg.Prompt = catalogue.Prompt(name)
	cfg.Session = &tools.Session{ID: cfg.Workbench.ID(), Conversation: cfg.Workbench.ID(), Docs: cfg.Workbench, Modes: d.modes}
	cfg.Mode = func(ctx context.Context) (string, error) {
		s, err := d.modes.State(ctx)
		return s.Mode, err
	}
	cfg.Context = func(ctx context.Context) (string, error) {
		return d.modes.Context(ctx, cfg.Workbench.DraftView(workshop.Cause{}))
	}
}

// refused is a line of want-events: an answer that did not fit.
type refused struct {
	Refused string `json:"answer_refused"`
}

// answer gives the next answers until some are taken.
func (p *player) answer(q agent.QuestionPending) {
	for len(p.attendance.answers) > 0 {
		next := p.attendance.answers[0]
		p.attendance.answers = p.attendance.answers[1:]
		err := p.attendance.broker.Answer(q.WorkbenchID, q.QuestionID, next)
		if err == nil {
			return
		}
		p.note(refused{err.Error()})
	}
}
