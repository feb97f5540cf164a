package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"atelier/engine"
	"atelier/workshop/agent"
	"atelier/workshop/tools"
	"atelier/workshop/tools/questions"
)

// somebodyThere reports whether a person can be asked: input and output are a
// terminal, and this process may read from it.
func somebodyThere(in io.Reader, out io.Writer) bool {
	i, ok := in.(*os.File)
	_, shown := terminal(out)
	return ok && shown && term.IsTerminal(int(i.Fd())) && inForeground(i)
}

// prompter asks the person at the terminal the questions of a run.
type prompter struct {
	e   *engine.Engine
	in  *bufio.Reader
	out io.Writer
	// typing reads in while a run works; if nil, only answers are read.
	typing *terminalReader
	shown  map[string]string // plans that were shown: their hash by path
}

// notify answers questions in another goroutine, because it must not block.
func (p *prompter) notify(ctx context.Context) func(engine.Notification) {
	return func(n engine.Notification) {
		if q, ok := n.Params.(agent.QuestionPending); ok {
			go p.handle(ctx, q)
		}
	}
}

// handle asks until the answers are accepted. If the person leaves (Ctrl-D),
// it cancels the run, because no answer will come.
func (p *prompter) handle(ctx context.Context, q agent.QuestionPending) {
	if p.typing != nil {
		defer p.typing.listen()()
	}
	p.showPlans(ctx, q.WorkbenchID)
	for ctx.Err() == nil {
		answers, err := p.ask(q.Questions)
		if errors.Is(err, errDropped) {
			return
		}
		if err != nil {
			_, _ = callAs[engine.CancelRunResult](ctx, p.e, "WorkshopCancelRun", engine.WorkbenchRef{WorkbenchID: q.WorkbenchID})
			return
		}
		_, err = callAs[engine.AcceptedResult](ctx, p.e, "WorkshopAnswerQuestion", engine.AnswerQuestionParams{WorkbenchID: q.WorkbenchID, QuestionID: q.QuestionID, Answers: answers})
		if err == nil {
			return
		}
		fmt.Fprintf(p.out, "%s\n", err)
		if strings.HasPrefix(err.Error(), "Question not found") { // answered elsewhere, or the run has ended
			return
		}
	}
}

// ask asks the questions one after the other, each until its answer is valid.
func (p *prompter) ask(qs []tools.Question) (tools.Answers, error) {
	answers := tools.Answers{}
	for _, q := range qs {
		r := questions.ReplyTo(q)
		fmt.Fprintf(p.out, "\n? %s\n", q.Question)
		for i, c := range r.Choices() {
			fmt.Fprintf(p.out, "  %d) %s\n", i+1, c.Label)
		}
		for answers[q.Name] == nil {
			fmt.Fprint(p.out, "> ")
			line, err := p.line()
			if err != nil && (line == "" || !errors.Is(err, io.EOF)) {
				return nil, err
			}
			if v, ok := r.Read(strings.TrimSpace(line)); ok {
				answers[q.Name] = v
			} else {
				fmt.Fprintf(p.out, "That does not fit: %s.\n", r.Wanted())
			}
		}
	}
	return answers, nil
}
