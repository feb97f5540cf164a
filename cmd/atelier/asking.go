package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"

	"atelier/engine"
	"atelier/workshop/agent"
	"atelier/workshop/tools"
)

// somebodyThere reports whether questions can be put to a person: both ends are
// a terminal.
func somebodyThere(in io.Reader, out io.Writer) bool {
	i, ok := in.(*os.File)
	_, shown := terminal(out)
	return ok && shown && term.IsTerminal(int(i.Fd()))
}

// prompter puts the questions of a run to the person at the terminal.
type prompter struct {
	e   *engine.Engine
	in  *bufio.Reader
	out io.Writer
	// typing reads in while a run works; nil: nothing but answers is read.
	typing *typist
}

// notify answers questions from another goroutine, since it must not block.
func (p *prompter) notify(ctx context.Context) func(engine.Notification) {
	return func(n engine.Notification) {
		if q, ok := n.Params.(agent.QuestionPending); ok {
			go p.handle(ctx, q)
		}
	}
}

// handle asks until the answers are taken. When the person is gone (Ctrl-D),
// the run is canceled: nobody will answer.
func (p *prompter) handle(ctx context.Context, q agent.QuestionPending) {
	if p.typing != nil {
		defer p.typing.listen()()
	}
	for ctx.Err() == nil {
		answers, err := p.ask(q.Questions)
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

// ask puts the questions one after the other.
func (p *prompter) ask(qs []tools.Question) (tools.Answers, error) {
	answers := tools.Answers{}
	for _, q := range qs {
		var schema struct {
			Type string            `json:"type"`
			Enum []json.RawMessage `json:"enum"`
		}
		_ = json.Unmarshal(q.Schema, &schema) // it was checked; another shape only offers no choices
		choices := choicesOf(q, schema.Enum)
		fmt.Fprintf(p.out, "\n? %s\n", q.Question)
		for i, c := range choices {
			fmt.Fprintf(p.out, "  %d) %s\n", i+1, c.label)
		}
		fmt.Fprint(p.out, "> ")
		line, err := p.line()
		if err != nil && (line == "" || !errors.Is(err, io.EOF)) {
			return nil, err
		}
		answers[q.Name] = answerOf(strings.TrimSpace(line), choices, schema.Type)
	}
	return answers, nil
}

type choice struct {
	label string
	value json.RawMessage
}

func choicesOf(q tools.Question, enum []json.RawMessage) []choice {
	var out []choice
	for _, b := range q.Buttons {
		out = append(out, choice{b.Label, b.Value})
	}
	if len(out) > 0 {
		return out
	}
	for _, v := range enum {
		label := string(v)
		var s string
		if json.Unmarshal(v, &s) == nil {
			label = s
		}
		out = append(out, choice{label, v})
	}
	return out
}

// answerOf reads what was typed: the number or the label of a choice, else text
// where the schema wants a string, else JSON.
func answerOf(line string, choices []choice, typ string) json.RawMessage {
	if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(choices) {
		return choices[n-1].value
	}
	for _, c := range choices {
		if c.label == line {
			return c.value
		}
	}
	if typ != "string" && json.Valid([]byte(line)) {
		return json.RawMessage(line)
	}
	if typ == "boolean" {
		switch strings.ToLower(line) {
		case "y", "yes":
			return json.RawMessage("true")
		case "n", "no":
			return json.RawMessage("false")
		}
	}
	b, _ := json.Marshal(line) // a string always encodes
	return b
}
