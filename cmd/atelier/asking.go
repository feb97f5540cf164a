package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

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

	mu   sync.Mutex
	asks map[string]*shownQuestion // questions without an answer, by id; protected by mu
}

// shownQuestion is a question at the terminal.
type shownQuestion struct {
	open     bool // the person is asked now
	answered bool // by another client
}

// notify answers questions in another goroutine, because it must not block.
func (p *prompter) notify(ctx context.Context) func(engine.Notification) {
	p.asks = map[string]*shownQuestion{}
	return func(n engine.Notification) {
		switch q := n.Params.(type) {
		case agent.QuestionPending:
			p.mu.Lock()
			p.asks[q.QuestionID] = &shownQuestion{}
			p.mu.Unlock()
			go p.handle(ctx, q)
		case engine.QuestionAnswered:
			p.answered(q.QuestionID)
		}
	}
}

// answered ends a question that another client has answered.
func (p *prompter) answered(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.asks[id]
	if a == nil {
		return // this terminal answered it
	}
	a.answered = true
	if a.open && p.typing != nil {
		p.typing.drop()
		fmt.Fprint(p.out, "\n(answered elsewhere)\n")
	}
}

// opens reports whether a question still has to be asked.
func (p *prompter) opens(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.asks[id]
	if a != nil {
		a.open = true
	}
	return a == nil || !a.answered
}

// closes ends the wait for an answer to a question.
func (p *prompter) closes(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.asks, id)
}

// handle asks until the answers are accepted. If the person leaves (Ctrl-D),
// it cancels the run, because no answer will come.
func (p *prompter) handle(ctx context.Context, q agent.QuestionPending) {
	if p.typing != nil {
		defer p.typing.listen()()
	}
	defer p.closes(q.QuestionID)
	if !p.opens(q.QuestionID) {
		return
	}
	p.showPlans(ctx, q.WorkbenchID)
	for ctx.Err() == nil {
		answers, err := p.ask(q.Questions)
		if errors.Is(err, errDropped) {
			return
		}
		if err != nil {
			_, _ = engine.CallAs[engine.CancelRunResult](ctx, p.e, "WorkshopCancelRun", engine.WorkbenchRef{WorkbenchID: q.WorkbenchID})
			return
		}
		p.closes(q.QuestionID)
		_, err = engine.CallAs[engine.AcceptedResult](ctx, p.e, "WorkshopAnswerQuestion", engine.AnswerQuestionParams{WorkbenchID: q.WorkbenchID, QuestionID: q.QuestionID, Answers: answers})
		if err == nil {
			return
		}
		p.mu.Lock()
		p.asks[q.QuestionID] = &shownQuestion{open: true} // it is asked again
		p.mu.Unlock()
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
